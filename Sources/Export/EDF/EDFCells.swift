// Which cells of a signal are taken, and which data records a file has.

internal import CivilTime

/// Cells of one signal that have a value, as ranges that do not touch. Most are added at the end.
struct EDFCells {
  private var ranges: [Range<Int64>] = []

  /// Behind the last one that is taken.
  var end: Int64? { ranges.last?.upperBound }

  func isFree(_ range: Range<Int64>) -> Bool {
    let place = place(of: range.lowerBound)
    return place == ranges.count || ranges[place].lowerBound >= range.upperBound
  }

  /// The first free cell from one on.
  func free(from cell: Int64) -> Int64 {
    let place = place(of: cell)
    return place < ranges.count && ranges[place].contains(cell) ? ranges[place].upperBound : cell
  }

  /// Takes cells that are free.
  mutating func take(_ range: Range<Int64>) {
    let place = place(of: range.lowerBound)
    let joinsBefore = place > 0 && ranges[place - 1].upperBound == range.lowerBound
    let joinsNext = place < ranges.count && ranges[place].lowerBound == range.upperBound
    switch (joinsBefore, joinsNext) {
    case (true, true):
      ranges[place - 1] = ranges[place - 1].lowerBound..<ranges[place].upperBound
      ranges.remove(at: place)
    case (true, false): ranges[place - 1] = ranges[place - 1].lowerBound..<range.upperBound
    case (false, true): ranges[place] = range.lowerBound..<ranges[place].upperBound
    case (false, false): ranges.insert(range, at: place)
    }
  }

  /// The first range that ends behind a cell.
  private func place(of cell: Int64) -> Int {
    if let last = ranges.last, last.upperBound <= cell { return ranges.count }
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound <= cell { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// The data records of a file: all that have a value, and those between two that are less than ten minutes apart.
///
/// Records are numbered from 1970 on; in the file they follow each other.
struct EDFRecords {
  /// Seconds of a gap that is filled. Readers without EDF+D read a file with short gaps, too. Temperatures of every
  /// five minutes make no gaps.
  static let bridge: Int64 = 600

  private struct Segment {
    let records: Range<Int64>
    /// Position in the file of the first one.
    let position: Int
  }

  private var marked = EDFCells()
  private var segments: [Segment] = []
  private(set) var count = 0
  /// Length of a data record in seconds.
  let length: Int64

  init(length: Int64) { self.length = length }

  var isContinuous: Bool { segments.count <= 1 }
  var stretches: Int { segments.count }
  /// Number of the first record; 0 for a file without any.
  var first: Int64 { segments.first?.records.lowerBound ?? 0 }
  var last: Int64 { segments.last.map { $0.records.upperBound - 1 } ?? 0 }

  mutating func mark(_ records: Range<Int64>) {
    var next = records.lowerBound
    while next < records.upperBound {
      let free = marked.free(from: next)
      if free >= records.upperBound { return }
      if marked.isFree(free..<records.upperBound) {
        marked.take(free..<records.upperBound)
        return
      }
      marked.take(free..<(free + 1))
      next = free + 1
    }
  }

  /// Ends the marking: all are marked.
  mutating func finish() {
    segments = marked.joined(within: Self.bridge / length).map { Segment(records: $0, position: 0) }
    count = 0
    for index in segments.indices {
      segments[index] = Segment(records: segments[index].records, position: count)
      count += segments[index].records.count
    }
  }

  /// The position in the file of the record at or after a number, else of the last one. The file has one at least.
  func position(of record: Int64) -> Int {
    var (low, high) = (0, segments.count)
    while low < high {
      let middle = (low + high) / 2
      if segments[middle].records.upperBound <= record { low = middle + 1 } else { high = middle }
    }
    guard low < segments.count else { return max(count - 1, 0) }
    let segment = segments[low]
    return segment.position + Int(clamping: max(record - segment.records.lowerBound, 0))
  }

  /// Calls `body` for each record in the order of the file, with seconds from the start of the file to its own.
  func forEachOnset(_ body: (_ position: Int, _ onset: Int64) -> Void) {
    for segment in segments {
      for (index, record) in segment.records.enumerated() {
        body(segment.position + index, (record - first) * length)
      }
    }
  }
}

extension EDFCells {
  /// The ranges, with gaps of at most so many closed.
  fileprivate func joined(within gap: Int64) -> [Range<Int64>] {
    var joined: [Range<Int64>] = []
    for range in ranges {
      if let last = joined.last, range.lowerBound - last.upperBound <= gap {
        joined[joined.count - 1] = last.lowerBound..<range.upperBound
      } else {
        joined.append(range)
      }
    }
    return joined
  }
}
