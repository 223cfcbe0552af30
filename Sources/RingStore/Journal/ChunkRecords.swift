// Reads the records of a chunk of the journal: total, whatever the bytes are.

internal import EventLoop
internal import Health

/// Bits of a record's control byte; bits 4–7 are the series, 15 for one that follows.
enum RecordControl {
  static let sameWearable: UInt8 = 1
  static let sameTime: UInt8 = 2
  static let sameFlags: UInt8 = 4
  static let shapeFollows: UInt8 = 8
  /// Bit in the byte of flags: the distance to the record before is in microseconds, else in milliseconds.
  static let microseconds: UInt8 = 0x80
}

/// Bits of a record's shape.
enum RecordShape {
  /// A single value and no bytes: this shape is not written.
  static let scalar: UInt8 = 1
  static let valueCount: UInt8 = 0x1F
  static let bytesFollow: UInt8 = 0x80
}

/// A record as stored. Valid as long as the bytes of its chunk.
struct ChunkRecord {
  var wearable: UInt32
  var series: UInt16
  /// `SampleFlags.rawValue`; always one that `SampleFlags` knows.
  var flags: UInt8
  /// Microseconds since the chunk's base.
  var time: Int64
  /// 0 to 16.
  var valueCount = 1
  /// The first value; 0 if the record has no value.
  var value: Int64
  var hasBytes = false
  /// Bytes, at most `ItemColumns.bytesLimit`.
  var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
  /// The values as they are stored, if there is not just one: a record of 16 values needs no more room than a scalar.
  fileprivate var packedValues = UnsafeRawBufferPointer(start: nil, count: 0)

  /// Passes the values to a body, without an allocation.
  func withValues<R>(_ body: (UnsafeBufferPointer<Int64>) throws -> R) rethrows -> R {
    try withUnsafeTemporaryAllocation(of: Int64.self, capacity: ItemColumns.valueLimit) { values in
      values.initialize(repeating: value)
      if valueCount > 1 {
        var reader = StoredReader(packedValues)
        for index in 0..<valueCount { values[index] = reader.zigzag() ?? 0 }
      }
      return try body(UnsafeBufferPointer(rebasing: values[..<valueCount]))
    }
  }
}

/// Walks the records behind a header.
struct ChunkRecords {
  private var reader: StoredReader
  private let isOld: Bool
  private var wearable: UInt32 = 0
  private var time: Int64 = 0
  private var flags: UInt8 = 0

  /// `bytes` is a whole chunk, `header` its own.
  init(_ bytes: UnsafeRawBufferPointer, _ header: ChunkHeader) {
    reader = StoredReader(bytes)
    _ = reader.take(header.recordsOffset)
    isOld = header.layout == ChunkHeader.oldLayout
  }

  var isAtEnd: Bool { reader.isAtEnd }
  /// Bytes of the chunk up to here.
  var offset: Int { reader.offset }

  /// The next record; nil at the end and where the bytes make no sense.
  @inline(__always)
  mutating func next() -> ChunkRecord? { isOld ? nextOld() : nextScalarOrLarger() }

  @inline(__always)
  private mutating func nextScalarOrLarger() -> ChunkRecord? {
    guard let control = reader.u8(), readWearable(control & RecordControl.sameWearable != 0),
      let series = readSeries(control)
    else { return nil }
    if control & RecordControl.sameFlags == 0 {
      guard let flags = reader.u8(), SampleFlags(rawValue: flags & ~RecordControl.microseconds) != nil else {
        return nil
      }
      self.flags = flags
    }
    var shape = RecordShape.scalar
    if control & RecordControl.shapeFollows != 0 {
      guard let stated = reader.u8() else { return nil }
      shape = stated
    }
    if control & RecordControl.sameTime == 0 {
      guard let delta = reader.zigzag() else { return nil }
      time = time &+ delta &* (flags & RecordControl.microseconds != 0 ? 1 : 1000)
    }
    var record = ChunkRecord(
      wearable: wearable, series: series, flags: flags & ~RecordControl.microseconds, time: time, value: 0)
    if shape != RecordShape.scalar { return readLarger(shape, &record) ? record : nil }
    guard let value = reader.zigzag() else { return nil }
    record.value = value
    return record
  }

  private mutating func readLarger(_ shape: UInt8, _ record: inout ChunkRecord) -> Bool {
    record.valueCount = Int(shape & RecordShape.valueCount)
    record.hasBytes = shape & RecordShape.bytesFollow != 0
    guard shape & ~(RecordShape.valueCount | RecordShape.bytesFollow) == 0, record.valueCount <= ItemColumns.valueLimit
    else { return false }
    var values = reader
    for index in 0..<record.valueCount {
      guard let value = reader.zigzag() else { return false }
      if index == 0 { record.value = value }
    }
    guard let packed = values.take(reader.offset - values.offset) else { return false }
    record.packedValues = packed
    if record.hasBytes {
      guard let length = reader.varint(), length <= ItemColumns.bytesLimit, let bytes = reader.take(Int(length)) else {
        return false
      }
      record.bytes = bytes
    }
    return true
  }

  /// A record of format 1, always a scalar. Bits 0–1 of the control byte are the origin; 2 and 3 mean "as before" for
  /// wearable and time.
  private mutating func nextOld() -> ChunkRecord? {
    guard let control = reader.u8(), let origin = Origin(rawValue: control & 3), readWearable(control & 4 != 0),
      let series = readSeries(control)
    else { return nil }
    if control & 8 == 0 {
      guard let delta = reader.zigzag() else { return nil }
      time = time &+ delta
    }
    guard let value = reader.zigzag() else { return nil }
    return ChunkRecord(wearable: wearable, series: series, flags: origin.rawValue, time: time, value: value)
  }

  @inline(__always)
  private mutating func readWearable(_ asBefore: Bool) -> Bool {
    if asBefore { return true }
    guard let number = reader.varint(), let wearable = UInt32(exactly: number) else { return false }
    self.wearable = wearable
    return true
  }

  @inline(__always)
  private mutating func readSeries(_ control: UInt8) -> UInt16? {
    let series = UInt16(control >> 4)
    if series < 15 { return series }
    guard let number = reader.varint() else { return nil }
    return UInt16(exactly: number)
  }
}
