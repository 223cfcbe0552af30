// The first 88 bytes of every chunk of the journal, and the 80 of format 1. FORMAT.md, "journal".

internal import EventLoop
internal import StateCodec

/// A chunk's header.
struct ChunkHeader {
  static let size = 88
  static let layout: UInt8 = 3
  /// Bytes of the header in format 1: read, never written.
  static let oldSize = 80
  static let oldLayout: UInt8 = 1
  static let clockTrustedFlag: UInt8 = 1
  static let ownTimesFlag: UInt8 = 2
  /// The checksum covers the store's number and the key.
  static let placedFlag = ChunkHead.placedInJournal
  /// The chunk was written into the journal file together with the one before it.
  static let sameWriteFlag: UInt8 = 8

  enum Offset {
    static let flags = 1, count = 2, checksum = 4, sequence = 8, storedBefore = 16
    static let baseMonotonic = 24, baseWall = 32, earliest = 40, latest = 48, highWater = 56, boot = 64, odometer = 80
  }

  var layout: UInt8
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
  /// Bytes that all writers of the store ever made the kernel write, as known at the commit of the chunk. 0 in a chunk
  /// of format 1.
  var odometer: UInt64 = 0

  /// nil if the bytes are not a chunk of a known layout. The checksum is not looked at: see `verify`.
  init?(_ bytes: UnsafeRawBufferPointer) {
    var reader = StoredReader(bytes)
    guard bytes.count <= ChunkBuffer.capacity, let layout = reader.u8(),
      layout == Self.layout || layout == Self.oldLayout,
      let flags = reader.u8(), let count = reader.integer(UInt16.self), count > 0,
      let checksum = reader.integer(UInt32.self),
      let sequence = reader.integer(UInt64.self), let storedBefore = reader.integer(UInt64.self),
      let baseMonotonic = reader.integer(Int64.self), let baseWall = reader.integer(Int64.self),
      let earliest = reader.integer(Int64.self), let latest = reader.integer(Int64.self),
      let highWater = reader.integer(Int64.self),
      let bootHigh = reader.integer(UInt64.self), let bootLow = reader.integer(UInt64.self)
    else { return nil }
    if layout == Self.layout {
      guard let odometer = reader.integer(UInt64.self) else { return nil }
      self.odometer = odometer
    }
    self.layout = layout
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

  /// Offset of the first record.
  var recordsOffset: Int { layout == Self.layout ? Self.size : Self.oldSize }
  var nextSequence: UInt64 { RecordNumber.after(sequence, by: Int(count)) }
  var storedAfter: UInt64 { storedBefore &+ UInt64(count) }
  var clockTrusted: Bool { flags & Self.clockTrustedFlag != 0 }
  var isOfSameWrite: Bool { flags & Self.sameWriteFlag != 0 }

  /// The header of an undamaged chunk of this store; nil if layout or checksum say otherwise.
  static func verify(_ bytes: UnsafeRawBufferPointer, of number: StoreNumber) -> ChunkHeader? {
    guard let header = ChunkHeader(bytes),
      header.checksum == checksum(bytes, header.isPlaced ? number.start(header.sequence) : CRC32C())
    else { return nil }
    return header
  }

  private var isPlaced: Bool { layout == Self.layout && flags & Self.placedFlag != 0 }

  /// Checksum of a chunk of any layout, also of a ring's. The chunk has 8 bytes or more.
  ///
  /// - Parameter start: of what the checksum covers before the bytes.
  static func checksum(_ bytes: UnsafeRawBufferPointer, _ start: CRC32C = CRC32C()) -> UInt32 {
    var crc = start
    crc.update(UnsafeRawBufferPointer(rebasing: bytes[..<Offset.checksum]))
    crc.update(UnsafeRawBufferPointer(rebasing: bytes[(Offset.checksum + 4)...]))
    return crc.value
  }
}

extension ChunkHeader {
  var anchor: ClockAnchor {
    ClockAnchor(
      offset: baseWall.microseconds &- baseMonotonic.nanoseconds / 1000, boot: boot, trusted: clockTrusted,
      isOwn: flags & Self.ownTimesFlag != 0)
  }
}

extension StoreNumber {
  /// The checksum of the number and the key of a chunk of the journal.
  func start(_ sequence: UInt64) -> CRC32C { withUnsafeBytes(of: sequence.bigEndian) { start($0) } }
}
