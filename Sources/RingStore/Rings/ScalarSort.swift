// The scalars of one chunk of the journal in the order of their rings.

internal import Health

/// Sorts the samples that thirty wearables sent together. A ring is then looked up, and its columns extended, once for
/// each chunk. Doing that for each record takes four times as long. The memory is allocated once and reused for each
/// chunk.
final class ScalarSort {
  /// Limit of records of a chunk: each has a control byte and at least one more byte.
  static let limit = ChunkBuffer.capacity / 2

  private struct Entry {
    let place: Int
    let time: Int64
    let value: Int64
    let flags: Int64
  }

  private let entries = UnsafeMutableBufferPointer<Entry>.allocate(capacity: ScalarSort.limit)
  /// Times, flags and values in one buffer, each sorted by place.
  private let sorted = UnsafeMutableBufferPointer<Int64>.allocate(capacity: 3 * ScalarSort.limit)
  private(set) var count = 0
  /// Places, each with the index of its next entry.
  private var next: [Int] = []

  deinit {
    entries.deallocate()
    sorted.deallocate()
  }

  var isFull: Bool { count == Self.limit }

  /// The caller has checked that there is room. Places are counted from 0.
  @inline(__always)
  func put(_ place: Int, time: Int64, flags: UInt8, value: Int64) {
    assert(count < Self.limit && place >= 0)
    entries.initializeElement(at: count, to: Entry(place: place, time: time, value: value, flags: Int64(flags)))
    count += 1
  }

  /// Columns of equal length, valid during the call that hands them over.
  struct Group {
    let times: UnsafeBufferPointer<Int64>
    let flags: UnsafeBufferPointer<Int64>
    let values: UnsafeBufferPointer<Int64>
  }

  /// Calls `body` with the entries of each place below `places`, in the order of their arrival, and empties the
  /// buffer.
  func take(places: Int, _ body: (Int, Group) -> Void) {
    if count == 0 { return }
    next.removeAll(keepingCapacity: true)
    next.append(contentsOf: repeatElement(0, count: places))
    next.withUnsafeMutableBufferPointer { next in
      for index in 0..<count { next[entries[index].place] += 1 }
      var start = 0
      for place in next.indices { (next[place], start) = (start, start + next[place]) }
      let (flags, values) = (count, 2 * count)
      for index in 0..<count {
        let entry = entries[index]
        let target = next[entry.place]
        sorted.initializeElement(at: target, to: entry.time)
        sorted.initializeElement(at: flags + target, to: entry.flags)
        sorted.initializeElement(at: values + target, to: entry.value)
        next[entry.place] = target + 1
      }
      // `next` now holds the end of each place, which is the beginning of the following place.
      var from = 0
      for place in next.indices where next[place] > from {
        let to = next[place]
        body(
          place,
          Group(
            times: UnsafeBufferPointer(rebasing: sorted[from..<to]),
            flags: UnsafeBufferPointer(rebasing: sorted[(flags + from)..<(flags + to)]),
            values: UnsafeBufferPointer(rebasing: sorted[(values + from)..<(values + to)])))
        from = to
      }
    }
    count = 0
  }
}
