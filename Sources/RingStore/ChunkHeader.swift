// The first 80 bytes of every chunk of the journal.

internal import EventLoop

/// A chunk's header. All integers little-endian.
///
/// | offset | bytes | field |
/// |---:|---:|---|
/// | 0 | 1 | layout of header and records: 1 |
/// | 1 | 1 | flags; bit 0: the wall clock was disciplined when the chunk was begun. Others are 0 and ignored |
/// | 2 | 2 | number of records, 1 or more |
/// | 4 | 4 | CRC-32C of bytes 0–3 and 8–end |
/// | 8 | 8 | sequence number of the first record; also the key, there big-endian |
/// | 16 | 8 | samples ever committed before this chunk |
/// | 24 | 8 | monotonic time when the chunk was begun, nanoseconds |
/// | 32 | 8 | wall time at the same moment, microseconds since 1970 |
/// | 40 | 8 | wall time of the earliest record, microseconds |
/// | 48 | 8 | wall time of the latest record, microseconds |
/// | 56 | 8 | high water: the largest `latest` of this and all earlier chunks |
/// | 64 | 16 | boot whose monotonic clock it is, two halves, the more significant first |
struct ChunkHeader {
  static let size = 80
  static let layout: UInt8 = 1
  static let clockTrustedFlag: UInt8 = 1

  enum Offset {
    static let flags = 1, count = 2, checksum = 4, sequence = 8, storedBefore = 16
    static let baseMonotonic = 24, baseWall = 32, earliest = 40, latest = 48, highWater = 56, boot = 64
  }

  var flags: UInt8
  var count: UInt16
  var checksum: UInt32
  var sequence: UInt64
  var storedBefore: UInt64
  var baseMonotonic: Instant
  var baseWall: WallTime
  var earliest: WallTime
  var latest: WallTime
  var highWater: WallTime
  var boot: BootID

  /// nil if the bytes are not a chunk of this layout. The checksum is not looked at: see `verify`.
  init?(_ bytes: UnsafeRawBufferPointer) {
    var reader = StoredReader(bytes)
    guard bytes.count >= Self.size, reader.u8() == Self.layout,
      let flags = reader.u8(), let count = reader.integer(UInt16.self), count > 0, let checksum = reader.integer(UInt32.self),
      let sequence = reader.integer(UInt64.self), let storedBefore = reader.integer(UInt64.self),
      let baseMonotonic = reader.integer(Int64.self), let baseWall = reader.integer(Int64.self),
      let earliest = reader.integer(Int64.self), let latest = reader.integer(Int64.self), let highWater = reader.integer(Int64.self),
      let bootHigh = reader.integer(UInt64.self), let bootLow = reader.integer(UInt64.self)
    else { return nil }
    self.flags = flags
    self.count = count
    self.checksum = checksum
    self.sequence = sequence
    self.storedBefore = storedBefore
    self.baseMonotonic = Instant(nanoseconds: baseMonotonic)
    self.baseWall = WallTime(microseconds: baseWall)
    self.earliest = WallTime(microseconds: earliest)
    self.latest = WallTime(microseconds: latest)
    self.highWater = WallTime(microseconds: highWater)
    boot = BootID(high: bootHigh, low: bootLow)
  }

  var nextSequence: UInt64 { sequence &+ UInt64(count) }
  var storedAfter: UInt64 { storedBefore &+ UInt64(count) }
  var clockTrusted: Bool { flags & Self.clockTrustedFlag != 0 }

  /// The header of an undamaged chunk; nil if layout or checksum say otherwise.
  static func verify(_ bytes: UnsafeRawBufferPointer) -> ChunkHeader? {
    guard let header = ChunkHeader(bytes), header.checksum == checksum(bytes) else { return nil }
    return header
  }

  static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    var crc = CRC32C()
    crc.update(UnsafeRawBufferPointer(rebasing: bytes[..<Offset.checksum]))
    crc.update(UnsafeRawBufferPointer(rebasing: bytes[(Offset.checksum + 4)...]))
    return crc.value
  }
}
