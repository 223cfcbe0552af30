// Packs samples into one chunk, in place: the hot path of the store.
//
// A record is a control byte and up to four numbers, each left out when it is as in the record before:
//
//     bits 0-1  origin (3 is not used)
//     bit 2     same wearable as the record before
//     bit 3     same time as the record before
//     bits 4-7  series number, or 15 when it follows
//
//     [wearable: varint] [series: varint] [microseconds since the record before: zig-zag] value: zig-zag
//
// The first record is compared with wearable 0 and with the chunk's own base time. Heart rate and one RR interval of one notification
// take 7 and 3 bytes.

internal import EventLoop
internal import Health

/// One chunk being filled. It belongs to the loop until it is handed to the disk, then to the disk until that answers; never to both,
/// which is why it may be passed between their threads.
final class ChunkBuffer: @unchecked Sendable {
  /// A chunk fills what one overflow page of LMDB holds: 4096 less its 16 bytes of page header.
  static let capacity = 4080
  /// Control byte, 32-bit wearable, 16-bit series, two 64-bit numbers.
  static let recordLimit = 1 + 5 + 3 + 10 + 10
  /// Room for a header and a handful of records.
  static let smallestLimit = 256

  private let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: ChunkBuffer.capacity, alignment: 8)
  private(set) var used = 0
  private(set) var count = 0
  private(set) var sequence: UInt64 = 0
  /// Wall clock less monotonic clock, microseconds.
  private(set) var clockOffset: Int64 = 0
  private(set) var begunAt = Instant(nanoseconds: 0)

  private var baseWall: Int64 = 0
  private var wearable: UInt32 = 0
  private var time: Int64 = 0
  private var earliest: Int64 = 0
  private var latest: Int64 = 0
  private var flags: UInt8 = 0
  private var boot = BootID(high: 0, low: 0)

  deinit { storage.deallocate() }

  var nextSequence: UInt64 { sequence &+ UInt64(count) }

  /// What is packed so far. From `finish` on it is the stored value.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[..<used]) }

  func begin(sequence: UInt64, now: Instant, wall: WallTime, trusted: Bool, boot: BootID) {
    self.sequence = sequence
    begunAt = now
    baseWall = wall.microseconds
    clockOffset = wall.microseconds &- now.nanoseconds / 1000
    flags = trusted ? ChunkHeader.clockTrustedFlag : 0
    self.boot = boot
    used = ChunkHeader.size
    count = 0
    wearable = 0
    time = 0
    earliest = .max
    latest = .min
  }

  /// Whether another record fits below `limit` for certain.
  func hasRoom(_ limit: Int) -> Bool { limit - used >= Self.recordLimit }

  /// The caller has asked `hasRoom`.
  func append(_ wearable: UInt32, _ series: UInt16, _ value: Int64, _ origin: Origin, at instant: Instant) {
    // Floor, so that a sample before the base is not rounded towards it.
    let distance = instant.nanoseconds &- begunAt.nanoseconds
    let time = distance >= 0 ? distance / 1000 : -((-(distance &+ 1)) / 1000) - 1
    let sameWearable = wearable == self.wearable
    let sameTime = time == self.time
    var offset = used
    let inlineSeries = series < 15 ? UInt8(series) : 15
    storage[offset] = origin.rawValue | (sameWearable ? 4 : 0) | (sameTime ? 8 : 0) | inlineSeries << 4
    offset += 1
    if !sameWearable { offset = putVarint(UInt64(wearable), storage, offset) }
    if inlineSeries == 15 { offset = putVarint(UInt64(series), storage, offset) }
    if !sameTime { offset = putVarint(zigzag(time &- self.time), storage, offset) }
    used = putVarint(zigzag(value), storage, offset)
    self.wearable = wearable
    self.time = time
    earliest = min(earliest, baseWall &+ time)
    latest = max(latest, baseWall &+ time)
    count += 1
  }

  /// Writes the header; called with what the chunk before this one in the journal left. May be called again after a failed commit.
  /// Returns the new high water.
  func finish(storedBefore: UInt64, highWater: WallTime) -> WallTime {
    precondition(count > 0 && count <= Int(UInt16.max), "a chunk without records, or with too many")
    let mark = max(highWater.microseconds, latest)
    storage[0] = ChunkHeader.layout
    storage[ChunkHeader.Offset.flags] = flags
    storage.store(UInt16(count), at: ChunkHeader.Offset.count)
    storage.store(sequence, at: ChunkHeader.Offset.sequence)
    storage.store(storedBefore, at: ChunkHeader.Offset.storedBefore)
    storage.store(begunAt.nanoseconds, at: ChunkHeader.Offset.baseMonotonic)
    storage.store(baseWall, at: ChunkHeader.Offset.baseWall)
    storage.store(earliest, at: ChunkHeader.Offset.earliest)
    storage.store(latest, at: ChunkHeader.Offset.latest)
    storage.store(mark, at: ChunkHeader.Offset.highWater)
    storage.store(boot.high, at: ChunkHeader.Offset.boot)
    storage.store(boot.low, at: ChunkHeader.Offset.boot + 8)
    storage.store(ChunkHeader.checksum(bytes), at: ChunkHeader.Offset.checksum)
    return WallTime(microseconds: mark)
  }
}
