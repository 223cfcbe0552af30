// What the passes over the rows do: mark data records, count annotations, and write.

internal import CivilTime

extension EDFRate {
  /// Returns the samples in a data record of so many seconds, which are a multiple of `seconds`.
  func samples(in recordLength: Int64) -> Int64 { samples * (recordLength / seconds) }
}

/// Marks the data records that have values.
struct EDFSurvey: EDFSink {
  var records: EDFRecords
  private let components: [Int]

  init(_ tracks: EDFTracks) {
    records = EDFRecords(length: tracks.recordLength)
    components = tracks.all.map(\.lowest.count)
  }

  mutating func put(
    _ numbers: some RandomAccessCollection<Int64>, track: Int, lane: Int, _ rate: EDFRate, at cell: Int64
  ) {
    let count = Int64(numbers.count / components[track])
    let perRecord = rate.samples(in: records.length)
    records.mark(floorDivide(cell, perRecord)..<(floorDivide(cell + count - 1, perRecord) + 1))
  }

  mutating func annotate(_ annotation: EDFAnnotation) {}
}

/// Counts the bytes of the annotations.
struct EDFCount: EDFSink {
  /// Start of the file, seconds since 1970.
  let start: Int64
  private let records: EDFRecords
  private var total = 0
  private var longest = 0

  init(_ records: EDFRecords) {
    self.records = records
    start = records.first * records.length
  }

  mutating func put(
    _ numbers: some RandomAccessCollection<Int64>, track: Int, lane: Int, _ rate: EDFRate, at cell: Int64
  ) {}

  mutating func annotate(_ annotation: EDFAnnotation) {
    let count = annotation.list(start: start).count
    longest = max(longest, count)
    total += count
  }

  /// Bytes of a record: twice what its share of all annotations takes, as they come unevenly. Those of a crowded record
  /// stand in later ones: a reader looks at the time in each.
  func room(isWide: Bool) -> EDFRoom {
    let share = 2 * (total / max(records.count, 1) + 1)
    // A list is never divided, and the first one of each record says its time.
    let timekeeping = EDFAnnotation.timekeeping(records.last * records.length - start).count
    let width = isWide ? 3 : 2
    return EDFRoom(bytes: (share + longest + timekeeping + width) / width * width, longest: longest)
  }
}

/// Space for annotations in a data record, bytes.
struct EDFRoom {
  let bytes: Int
  /// Bytes of the longest annotation.
  let longest: Int
}

/// Writes a file in place.
struct EDFWriter: EDFSink {
  private let layout: EDFLayout
  private let records: EDFRecords
  private let bytes: UnsafeMutableRawBufferPointer
  private let start: Int64
  /// Bytes of the header.
  private let body: Int
  /// Bytes of annotations of each record.
  private var filled: [UInt32]
  /// Index of a later record nearer to the next with room, for one without room for the longest annotation; else
  /// itself.
  private var next: [Int]

  /// - Parameter start: of the file, seconds since 1970.
  init(_ layout: EDFLayout, _ records: EDFRecords, _ bytes: UnsafeMutableRawBufferPointer, body: Int) {
    (self.layout, self.records, self.bytes, self.body) = (layout, records, bytes, body)
    start = records.first * records.length
    filled = Array(repeating: 0, count: records.count)
    next = Array(0...records.count)
  }

  /// Every record with its time, and without a value.
  mutating func prepare() {
    var empty = [UInt8](repeating: 0, count: layout.recordSize)
    for signal in layout.scales.indices {
      for sample in 0..<layout.samples[signal] {
        let offset = layout.offsets[signal] + sample * layout.width
        let value = layout.scales[signal].digitalMinimum
        for place in 0..<layout.width {
          empty[offset + place] = UInt8(truncatingIfNeeded: value >> Int64(8 * place))
        }
      }
    }
    var lengths = filled
    records.forEachOnset { position, onset in
      let list = EDFAnnotation.timekeeping(onset)
      let offset = body + position * layout.recordSize
      UnsafeMutableRawBufferPointer(rebasing: bytes[offset..<(offset + layout.recordSize)]).copyBytes(from: empty)
      copy(list, to: offset + layout.annotationOffset)
      lengths[position] = UInt32(list.count)
    }
    filled = lengths
  }

  mutating func put(
    _ numbers: some RandomAccessCollection<Int64>, track: Int, lane: Int, _ rate: EDFRate, at cell: Int64
  ) {
    let first = layout.lanes[track][lane].first
    let components = layout.lanes[track][lane].components
    let perRecord = rate.samples(in: records.length)
    var (cell, component, record, offset) = (cell, 0, Int64.min, 0)
    for number in numbers {
      if component == 0 {
        let its = floorDivide(cell, perRecord)
        if its != record {
          record = its
          offset = body + records.position(of: record) * layout.recordSize
        }
      }
      let signal = first + component
      let inRecord = Int(truncatingIfNeeded: cell - record * perRecord)
      store(number - layout.scales[signal].offset, at: offset + layout.offsets[signal] + inRecord * layout.width)
      component += 1
      if component == components { (component, cell) = (0, cell + 1) }
    }
  }

  /// Places an annotation in the record of its time, or in the next one that has room; else in an earlier one.
  mutating func annotate(_ annotation: EDFAnnotation) {
    let list = annotation.list(start: start)
    var place = roomy(from: records.position(of: annotation.time, start: start))
    if place == filled.count { place = roomy(from: 0) }
    if place == filled.count { return }
    copy(list, to: body + place * layout.recordSize + layout.annotationOffset + Int(filled[place]))
    filled[place] += UInt32(list.count)
    if Int(filled[place]) + layout.room.longest > layout.room.bytes { next[place] = place + 1 }
  }

  /// The first record from one on that has room; the number of records if all are full.
  private mutating func roomy(from position: Int) -> Int {
    var place = position
    while next[place] != place {
      next[place] = next[next[place]]
      place = next[place]
    }
    return place
  }

  private func copy(_ list: [UInt8], to offset: Int) {
    UnsafeMutableRawBufferPointer(rebasing: bytes[offset..<(offset + list.count)]).copyBytes(from: list)
  }

  private func store(_ value: Int64, at offset: Int) {
    for place in 0..<layout.width { bytes[offset + place] = UInt8(truncatingIfNeeded: value >> Int64(8 * place)) }
  }
}

extension EDFRecords {
  /// The position in the file for an annotation of a time.
  fileprivate func position(of time: Int64, start: Int64) -> Int {
    position(of: floorDivide(max(time, start * 1_000_000), length * 1_000_000))
  }
}
