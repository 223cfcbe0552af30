// Reads the records of a chunk: total, whatever the bytes are.

internal import EventLoop
internal import Health

/// One record as stored.
struct ChunkRecord: Equatable {
  var wearable: UInt32
  var series: UInt16
  var value: Int64
  /// Microseconds since the chunk's base.
  var time: Int64
  var origin: Origin
}

/// Walks the records behind a header.
struct ChunkRecords {
  private var reader: StoredReader
  private var wearable: UInt32 = 0
  private var time: Int64 = 0

  /// `bytes` is a whole chunk whose header was parsed.
  init(_ bytes: UnsafeRawBufferPointer) {
    reader = StoredReader(bytes)
    _ = reader.take(ChunkHeader.size)
  }

  var isAtEnd: Bool { reader.isAtEnd }

  /// The next record; nil at the end and where the bytes make no sense.
  @inline(__always)
  mutating func next() -> ChunkRecord? {
    guard let control = reader.u8(), let origin = Origin(rawValue: control & 3) else { return nil }
    if control & 4 == 0 {
      guard let number = reader.varint(), let wearable = UInt32(exactly: number) else { return nil }
      self.wearable = wearable
    }
    var series = UInt16(control >> 4)
    if series == 15 {
      guard let number = reader.varint(), let wide = UInt16(exactly: number) else { return nil }
      series = wide
    }
    if control & 8 == 0 {
      guard let delta = reader.zigzag() else { return nil }
      time = time &+ delta
    }
    guard let value = reader.zigzag() else { return nil }
    return ChunkRecord(wearable: wearable, series: series, value: value, time: time, origin: origin)
  }
}
