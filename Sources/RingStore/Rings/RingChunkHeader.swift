// The first 68 bytes of every chunk of a ring. FORMAT.md, "chunks".

internal import EventLoop
internal import StateCodec

/// A ring chunk's header.
struct RingChunkHeader {
  static let size = 68
  static let layout: UInt8 = 2
  /// Items in a chunk. Bounds what a chunk of constant columns can make a reader allocate: 8,192 × 19 numbers, 1.2 MB.
  static let itemLimit = 8192
  static let clockTrustedFlag: UInt8 = 1
  static let continuesFlag: UInt8 = 2
  static let ownTimesFlag: UInt8 = 4
  /// The checksum covers the chunk's place.
  static let placedFlag = ChunkHead.placedInRing

  enum Offset {
    static let flags = 1, count = 2, checksum = 4, ordinal = 8, earliest = 16, latest = 24, highWater = 32
    static let clockOffset = 40, boot = 48, valueCount = 64, hasBytes = 65, heapLength = 66
  }

  /// Whether a time source disciplined the wall clock when the items arrived.
  var trusted: Bool { anchor.trusted }
  /// Items, 1 to 8,192.
  let count: Int
  let checksum: UInt32
  /// Ordinal of the first item.
  let ordinal: UInt64
  /// Times, microseconds since 1970.
  let earliest: Int64
  let latest: Int64
  /// The largest `latest` of this chunk and of all before it in the ring.
  let highWater: Int64
  let anchor: ClockAnchor
  /// Whether the first item is the rest of one that began in the chunk before.
  let continues: Bool
  /// Whether the checksum covers the chunk's place. Chunks of formats before 8 have one of their bytes only.
  let isPlaced: Bool
  /// Values of each item, 0 to 16.
  let valueCount: Int
  let hasBytes: Bool
  let heapLength: Int

  /// Parses a header; nil if the bytes are not a chunk of this layout. The checksum is checked by `verify`.
  init?(_ bytes: UnsafeRawBufferPointer) {
    var reader = StoredReader(bytes)
    guard bytes.count >= Self.size, bytes.count <= RingChunkEncoder.limit, reader.u8() == Self.layout,
      let flags = reader.u8(),
      let count = reader.integer(UInt16.self), count > 0, count <= Self.itemLimit,
      let checksum = reader.integer(UInt32.self), let ordinal = reader.integer(UInt64.self),
      let earliest = reader.integer(Int64.self), let latest = reader.integer(Int64.self),
      let highWater = reader.integer(Int64.self),
      let clockOffset = reader.integer(Int64.self), let bootHigh = reader.integer(UInt64.self),
      let bootLow = reader.integer(UInt64.self),
      let valueCount = reader.u8(), valueCount <= ItemColumns.valueLimit, let hasBytes = reader.u8(), hasBytes <= 1,
      let heapLength = reader.integer(UInt16.self), Int(heapLength) <= bytes.count - Self.size,
      hasBytes == 1 || heapLength == 0
    else { return nil }
    self.count = Int(count)
    self.checksum = checksum
    self.ordinal = ordinal
    self.earliest = earliest
    self.latest = latest
    self.highWater = highWater
    anchor = ClockAnchor(
      offset: clockOffset, boot: BootID(high: bootHigh, low: bootLow), trusted: flags & Self.clockTrustedFlag != 0,
      isOwn: flags & Self.ownTimesFlag != 0)
    continues = flags & Self.continuesFlag != 0
    isPlaced = flags & Self.placedFlag != 0
    self.valueCount = Int(valueCount)
    self.hasBytes = hasBytes == 1
    self.heapLength = Int(heapLength)
  }

  var nextOrdinal: UInt64 { ordinal &+ UInt64(count) }

  /// Time and flags, the values, and the length of the bytes if there are any.
  var columnCount: Int { 2 + valueCount + (hasBytes ? 1 : 0) }

  /// The header of an undamaged chunk of this place; nil for a wrong layout or checksum, or another place.
  ///
  /// The checksum of an earlier format does not cover the place. Such a chunk has to state the ordinal, and to have the
  /// values of the series.
  static func verify(_ bytes: UnsafeRawBufferPointer, at place: ChunkPlace) -> RingChunkHeader? {
    guard let header = RingChunkHeader(bytes), header.ordinal == place.ordinal,
      header.isPlaced || place.mayHave(header),
      header.checksum == ChunkHeader.checksum(bytes, header.isPlaced ? place.start : CRC32C())
    else { return nil }
    return header
  }
}
