// Packs samples into one chunk of the journal, in place: the hot path of the store. FORMAT.md, "journal".
//
// A record is a control byte and the fields that differ from the record before. Heart rate and one RR interval of one
// notification take 6 and 3 bytes. Times are relative to the chunk's base, a whole millisecond of civil time. Times in
// whole milliseconds stay so, and their distances need two bytes.

import CivilTime
internal import EventLoop
internal import Health
internal import StateCodec

/// A chunk being filled. Owned by the loop until it is handed to the disk, then by the disk until that answers. Never
/// owned by both, which is why it may be passed between their threads.
final class ChunkBuffer: @unchecked Sendable {
  /// A chunk fills what one overflow page of LMDB holds: 4096 less its 16 bytes of page header.
  static let capacity = 4080
  /// A scalar at its longest: control byte, 32-bit wearable, 16-bit series, flags, two 64-bit numbers.
  static let recordLimit = 1 + 5 + 3 + 1 + 10 + 10
  /// Any record at its longest: the shape and 16 values, and bytes with their length. An empty chunk has room for it.
  static let largestRecord = recordLimit + 1 + (ItemColumns.valueLimit - 1) * 10 + 2 + ItemColumns.bytesLimit
  /// Room for a header and a handful of records.
  static let smallestLimit = 256

  private let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: ChunkBuffer.capacity, alignment: 8)
  private(set) var used = 0
  private(set) var count = 0
  private var start = ChunkStart()
  /// Readings in it, each with the number behind its last sample.
  var readings: [(wearable: WearableID, through: UInt64)] = []

  private var wearable: UInt32 = 0
  /// Microseconds since the base.
  private var time: Int64 = 0
  /// Flags of the record before, with the unit of its time.
  private var recordFlags: UInt8 = 0
  private var earliest: Int64 = 0
  private var latest: Int64 = 0

  deinit { storage.deallocate() }

  var sequence: UInt64 { start.sequence }
  /// Wall clock less monotonic clock, microseconds.
  var clockOffset: Int64 { start.clockOffset }
  var begunAt: Instant { start.begunAt }
  var nextSequence: UInt64 { sequence &+ UInt64(count) }

  /// Bytes packed so far. From `finish` on they are the stored value.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[..<used]) }

  func begin(sequence: UInt64, now: Instant, wall: WallTime, trusted: Bool, isOwn: Bool = false, boot: BootID) {
    let beyond = wall.microseconds &- floorDivide(wall.microseconds, 1000) &* 1000
    start = ChunkStart(
      sequence: sequence, begunAt: now, baseMonotonic: now.nanoseconds &- beyond &* 1000,
      baseWall: wall.microseconds &- beyond, clockOffset: wall.microseconds &- now.nanoseconds / 1000,
      flags: (trusted ? ChunkHeader.clockTrustedFlag : 0) | (isOwn ? ChunkHeader.ownTimesFlag : 0), boot: boot)
    used = ChunkHeader.size
    count = 0
    wearable = 0
    time = 0
    recordFlags = 0
    earliest = .max
    latest = .min
    readings = []
  }

  /// Whether an empty chunk of this size would hold such an item.
  static func fits(values: Int, bytes: Int, in limit: Int) -> Bool {
    limit - ChunkHeader.size >= recordLimit + 1 + max(values - 1, 0) * 10 + 2 + bytes
  }

  /// Whether another scalar fits below `limit` for certain.
  @inline(__always)
  func hasRoom(_ limit: Int) -> Bool { limit - used >= Self.recordLimit }

  /// Whether another record of so many values and bytes fits below `limit` for certain.
  func hasRoom(_ limit: Int, values: Int, bytes: Int) -> Bool {
    limit - used >= Self.recordLimit + 1 + max(values - 1, 0) * 10 + 2 + bytes
  }

  /// A scalar. The caller has asked `hasRoom`.
  ///
  /// - Parameters:
  ///   - flags: `SampleFlags.rawValue`.
  ///   - timeStep: 1 or 1000 microseconds; the civil time is rounded down to a multiple of it.
  func append(
    _ wearable: UInt32, _ series: UInt16, _ value: Int64, _ flags: UInt8, timeStep: Int64, at instant: Instant
  ) {
    let offset = putHead(wearable, series, flags, RecordShape.scalar, timeStep, instant)
    used = putVarint(zigzag(value), storage, offset)
  }

  /// Appends a record of any shape. The caller has asked `hasRoom`. `values` are at most 16, `bytes` at most
  /// `ItemColumns.bytesLimit`, and empty without `hasBytes`.
  func append(
    _ wearable: UInt32, _ series: UInt16, values: UnsafeBufferPointer<Int64>, bytes: UnsafeRawBufferPointer,
    hasBytes: Bool, _ flags: UInt8,
    timeStep: Int64, at instant: Instant
  ) {
    guard values.count <= ItemColumns.valueLimit && bytes.count <= (hasBytes ? ItemColumns.bytesLimit : 0) else {
      fatalError("a record above its limits")
    }
    let shape = UInt8(values.count) | (hasBytes ? RecordShape.bytesFollow : 0)
    var offset = putHead(wearable, series, flags, shape, timeStep, instant)
    for value in values { offset = putVarint(zigzag(value), storage, offset) }
    if hasBytes {
      offset = putVarint(UInt64(bytes.count), storage, offset)
      storage[offset..<(offset + bytes.count)].copyBytes(from: bytes)
      offset += bytes.count
    }
    used = offset
  }

  /// Writes everything before the values; returns the offset behind it.
  @inline(__always)
  private func putHead(
    _ wearable: UInt32, _ series: UInt16, _ flags: UInt8, _ shape: UInt8, _ timeStep: Int64, _ instant: Instant
  ) -> Int {
    assert(flags & RecordControl.microseconds == 0 && (timeStep == 1 || timeStep == 1000))
    // Floor, so that a sample before the base is not rounded towards it.
    let distance = instant.nanoseconds &- start.baseMonotonic
    let time = timeStep == 1000 ? floorDivide(distance, 1_000_000) &* 1000 : floorDivide(distance, 1000)
    var delta = time &- self.time
    let sameTime = delta == 0
    var recordFlags = flags | RecordControl.microseconds
    if sameTime {
      recordFlags = flags | self.recordFlags & RecordControl.microseconds
    } else if timeStep == 1000, delta % 1000 == 0 {
      recordFlags = flags
      delta /= 1000
    }
    let sameWearable = wearable == self.wearable
    let sameFlags = recordFlags == self.recordFlags
    let inlineSeries = series < 15 ? UInt8(series) : 15
    var offset = used
    storage[offset] =
      (sameWearable ? RecordControl.sameWearable : 0) | (sameTime ? RecordControl.sameTime : 0)
      | (sameFlags ? RecordControl.sameFlags : 0)
      | (shape == RecordShape.scalar ? 0 : RecordControl.shapeFollows) | inlineSeries << 4
    offset += 1
    if !sameWearable { offset = putVarint(UInt64(wearable), storage, offset) }
    if inlineSeries == 15 { offset = putVarint(UInt64(series), storage, offset) }
    if !sameFlags {
      storage[offset] = recordFlags
      offset += 1
    }
    if shape != RecordShape.scalar {
      storage[offset] = shape
      offset += 1
    }
    if !sameTime { offset = putVarint(zigzag(delta), storage, offset) }
    self.wearable = wearable
    self.time = time
    self.recordFlags = recordFlags
    earliest = min(earliest, start.baseWall &+ time)
    latest = max(latest, start.baseWall &+ time)
    count += 1
    return offset
  }

  /// Writes the header for the store of a number; called with what the chunk before this one in the journal left.
  /// May be called again after a failed commit. Returns the new high water.
  ///
  /// - Parameter isOfSameWrite: see `ChunkHeader.sameWriteFlag`.
  func finish(
    storedBefore: UInt64, highWater: WallTime, odometer: UInt64, of number: StoreNumber, isOfSameWrite: Bool = false
  ) -> WallTime {
    guard count > 0 && count <= Int(UInt16.max) else { fatalError("a chunk without records, or with too many") }
    let mark = max(highWater.microseconds, latest)
    storage[0] = ChunkHeader.layout
    storage[ChunkHeader.Offset.flags] =
      start.flags | (number == .none ? 0 : ChunkHeader.placedFlag) | (isOfSameWrite ? ChunkHeader.sameWriteFlag : 0)
    storage.store(UInt16(count), at: ChunkHeader.Offset.count)
    storage.store(sequence, at: ChunkHeader.Offset.sequence)
    storage.store(storedBefore, at: ChunkHeader.Offset.storedBefore)
    storage.store(start.baseMonotonic, at: ChunkHeader.Offset.baseMonotonic)
    storage.store(start.baseWall, at: ChunkHeader.Offset.baseWall)
    storage.store(earliest, at: ChunkHeader.Offset.earliest)
    storage.store(latest, at: ChunkHeader.Offset.latest)
    storage.store(mark, at: ChunkHeader.Offset.highWater)
    storage.store(start.boot.high, at: ChunkHeader.Offset.boot)
    storage.store(start.boot.low, at: ChunkHeader.Offset.boot + 8)
    storage.store(odometer, at: ChunkHeader.Offset.odometer)
    let checksum = ChunkHeader.checksum(bytes, number == .none ? CRC32C() : number.start(sequence))
    storage.store(checksum, at: ChunkHeader.Offset.checksum)
    return WallTime(microseconds: mark)
  }
}

/// Parameters that a chunk was begun with.
private struct ChunkStart {
  var sequence: UInt64 = 0
  var begunAt = Instant(nanoseconds: 0)
  /// The same moment on both clocks, less than a millisecond before `begunAt`.
  var baseMonotonic: Int64 = 0
  var baseWall: Int64 = 0
  var clockOffset: Int64 = 0
  var flags: UInt8 = 0
  var boot = BootID.unknown
}
