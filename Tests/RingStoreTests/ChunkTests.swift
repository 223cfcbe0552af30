import CivilTime
import EventLoop
import Health
import StateCodec
import Testing

@testable import RingStore

@Suite struct ChunkTests {
  /// A record before it is packed.
  private struct Input {
    var wearable: UInt32
    var series: UInt16
    var values: [Int64]
    var bytes: [UInt8]? = nil
    var flags: UInt8 = 0
    var timeStep: Int64 = 1000
    /// Nanoseconds.
    var at: Int64

    init(_ wearable: UInt32, _ series: UInt16, _ value: Int64, at: Int64, timeStep: Int64 = 1000) {
      (self.wearable, self.series, values, self.at, self.timeStep) = (wearable, series, [value], at, timeStep)
    }
  }

  /// Packs records into a chunk and returns its bytes.
  private func pack(_ records: [Input], base: Int64 = 5_000_000_000, wall: WallTime = VirtualLoop.morning) -> [UInt8] {
    let chunk = ChunkBuffer()
    chunk.begin(sequence: 17, now: Instant(nanoseconds: base), wall: wall, trusted: true, boot: boot)
    for record in records {
      guard append(record, to: chunk) else { break }
    }
    _ = chunk.finish(storedBefore: 16, highWater: WallTime(microseconds: 0), odometer: 0x0102_0304, of: storeNumber)
    return Array(chunk.bytes)
  }

  private func append(_ record: Input, to chunk: ChunkBuffer) -> Bool {
    let at = Instant(nanoseconds: record.at)
    if record.values.count == 1, record.bytes == nil {
      guard chunk.hasRoom(ChunkBuffer.capacity) else { return false }
      chunk.append(record.wearable, record.series, record.values[0], record.flags, timeStep: record.timeStep, at: at)
    } else {
      let bytes = record.bytes ?? []
      guard chunk.hasRoom(ChunkBuffer.capacity, values: record.values.count, bytes: bytes.count) else { return false }
      record.values.withUnsafeBufferPointer { values in
        bytes.withUnsafeBytes { raw in
          chunk.append(
            record.wearable, record.series, values: values, bytes: raw, hasBytes: record.bytes != nil, record.flags,
            timeStep: record.timeStep, at: at)
        }
      }
    }
    return true
  }

  /// With the fast reader; nil if the chunk is damaged.
  private func unpack(_ bytes: [UInt8]) -> (ChunkHeader, [PlainRecord])? {
    bytes.withUnsafeBytes { bytes in
      guard let header = ChunkHeader.verify(bytes, of: storeNumber) else { return nil }
      var records = ChunkRecords(bytes, header)
      var found: [PlainRecord] = []
      for _ in 0..<header.count {
        guard let record = records.next() else { return nil }
        let values = record.withValues { Array($0) }
        #expect(values.first ?? 0 == record.value)
        found.append(
          PlainRecord(
            wearable: record.wearable, series: record.series,
            item: PlainItem(
              time: header.baseWall.microseconds &+ record.time, flags: record.flags, values: values,
              hasBytes: record.hasBytes,
              bytes: Array(record.bytes))))
      }
      return records.isAtEnd ? (header, found) : nil
    }
  }

  private func plain(_ bytes: [UInt8]) -> PlainJournalChunk? {
    bytes.withUnsafeBytes { PlainChunks.journal($0, of: storeNumber) }
  }

  @Test("CRC-32C of the standard's check string is the standard's check value")
  func checksum() {
    var crc = CRC32C()
    Array("123456789".utf8).withUnsafeBytes { crc.update($0) }
    #expect(crc.value == 0xE306_9283)
  }

  @Test("a chunk of known samples has exactly the documented bytes")
  func golden() throws {
    // A notification of wearable 1 (72 bpm, RR 850/1024 s) at the base, then 71 bpm a second later.
    let bytes = pack([
      Input(1, 1, 72, at: 5_000_000_000), Input(1, 2, 850, at: 5_000_000_000), Input(1, 1, 71, at: 6_000_999_999),
    ])
    // control, wearable 1, value 72 | all as before, series 2, value 850 | wearable and flags as before, 1000 ms, value
    // 71
    #expect(bytes[88...].elementsEqual([0x16, 0x01, 0x90, 0x01, 0x27, 0xA4, 0x0D, 0x15, 0xD0, 0x0F, 0x8E, 0x01]))
    #expect(bytes[0..<4].elementsEqual([3, 5, 3, 0]))
    #expect(bytes[8..<24].elementsEqual([17, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0]))
    #expect(bytes[80..<88].elementsEqual([4, 3, 2, 1, 0, 0, 0, 0]))
    let (header, _) = try #require(unpack(bytes))
    #expect(header.earliest == VirtualLoop.morning)
    #expect(header.latest == VirtualLoop.morning + .seconds(1))
    #expect(header.highWater == header.latest)
    #expect(header.boot == boot)
    #expect(header.clockTrusted)
    #expect(header.odometer == 0x0102_0304)
    #expect(header.recordsOffset == 88)
  }

  @Test("a record with three values and bytes has exactly the documented bytes")
  func goldenShape() throws {
    var record = Input(2, 20, 1, at: 5_000_001_000, timeStep: 1)
    record.values = [1, -1, 64]
    record.bytes = [9, 8]
    record.flags = 1
    // control, wearable 2, series 20, flags with microseconds, shape, 1 µs, values, length and bytes
    #expect(
      pack([record])[88...].elementsEqual([
        0xF8, 0x02, 0x14, 0x81, 0x83, 0x02, 0x02, 0x01, 0x80, 0x01, 0x02, 0x09, 0x08,
      ]))
  }

  @Test(
    """
    a time in whole milliseconds behind one that is not is so far away in microseconds, and the next one in \
    milliseconds again
    """
  )
  func coarseBehindFine() throws {
    let base: Int64 = 5_000_000_000
    let chunk = pack([
      Input(1, 13, 1, at: base + 1_234_000, timeStep: 1), Input(1, 1, 2, at: base + 3_999_999),
      Input(1, 1, 3, at: base + 5_000_000),
      Input(1, 13, 4, at: base + 5_000_000, timeStep: 1), Input(1, 13, 5, at: base + 6_000_000, timeStep: 1),
    ])
    let (_, records) = try #require(unpack(chunk))
    #expect(records.map { $0.item.time - VirtualLoop.morning.microseconds } == [1234, 3000, 5000, 5000, 6000])
    // Control, wearable, flags, time (zig-zag), value; then without what is as before.
    let expected: [UInt8] =
      [0xD0, 1, 0x80, 0xA4, 0x13, 2] + [0x15, 0xCC, 0x1B, 4] + [0x11, 0, 4, 6] + [0xD7, 8] + [
        0xD1, 0x80, 0xD0, 0x0F, 10,
      ]
    #expect(Array(chunk[ChunkHeader.size...]) == expected)
    #expect(chunk.withUnsafeBytes { PlainChunks.journal($0, of: storeNumber) }?.records == records)
  }

  @Test("the base is a whole millisecond of civil time, and a live time is rounded down to its step of civil time")
  func timeSteps() throws {
    let wall = WallTime(microseconds: VirtualLoop.morning.microseconds + 123_457)
    let bytes = pack(
      [
        Input(1, 1, 70, at: 5_000_000_000), Input(1, 5, 70, at: 5_000_000_999, timeStep: 1),
        Input(1, 1, 70, at: 5_000_542_999),
        Input(1, 1, 70, at: 5_000_543_000), Input(1, 1, 70, at: 4_999_000_000),
      ], wall: wall)
    let (header, found) = try #require(unpack(bytes))
    let morning = VirtualLoop.morning.microseconds
    #expect(header.baseWall.microseconds == morning + 123_000)
    #expect(header.baseMonotonic.nanoseconds == 5_000_000_000 - 457_000)
    #expect(found.map { $0.item.time - morning } == [123_000, 123_457, 123_000, 124_000, 122_000])
    #expect(plain(bytes)?.records == found)
  }

  @Test(
    """
    whatever is packed comes back from both readers: any shape, values, series and wearables of any size, time in \
    any direction
    """,
    arguments: 0..<100)
  func roundTrip(seed: Int) throws {
    var maker = ItemMaker(seed: seed)
    var records: [Input] = []
    let base: Int64 = 5_000_000_123
    let wall = WallTime(microseconds: VirtualLoop.morning.microseconds + Int64(maker.below(5000)) - 2500)
    var at = base
    for _ in 0..<(1 + maker.below(200)) {
      switch maker.below(5) {
      case 0: break
      case 1: at += Int64(maker.below(2_000_000_000))
      case 2: at -= Int64(maker.below(2_000_000_000))
      case 3: at += Int64(maker.below(2000)) * 1_000_000
      default: at = maker.any() >> Int64(2 + maker.below(60))
      }
      var record = Input(0, 0, 0, at: at, timeStep: maker.below(2) == 0 ? 1 : 1000)
      let count = maker.below(3) == 0 ? maker.below(17) : 1
      record.values = (0..<count).map { _ in
        maker.below(3) == 0 ? ItemMaker.extremes[maker.below(ItemMaker.extremes.count)] : maker.any()
      }
      if maker.below(5) == 0 {
        record.bytes = (0..<maker.below(maker.below(2) == 0 ? 3801 : 20)).map { UInt8(truncatingIfNeeded: $0) }
      }
      record.wearable = maker.below(2) == 0 ? UInt32(maker.below(4)) : UInt32(truncatingIfNeeded: maker.any())
      record.series = maker.below(2) == 0 ? UInt16(maker.below(20)) : UInt16(truncatingIfNeeded: maker.any())
      if maker.below(3) == 0 { record.flags = maker.flags() }
      records.append(record)
    }
    let bytes = pack(records, base: base, wall: wall)
    let (header, found) = try #require(unpack(bytes))
    #expect(found.count == Int(header.count) && found.count > 0)
    for (record, expected) in zip(found, records) {
      let exact = wall.microseconds + floorDivide(expected.at - base, 1000)
      #expect(
        record.wearable == expected.wearable && record.series == expected.series && record.item.flags == expected.flags)
      #expect(
        record.item.values == expected.values && record.item.bytes == expected.bytes ?? []
          && record.item.hasBytes == (expected.bytes != nil))
      #expect(record.item.time == floorDivide(exact, expected.timeStep) * expected.timeStep)
    }
    let slow = try #require(plain(bytes))
    #expect(slow.records == found)
    #expect(slow.headerIsTrue && slow.trusted && slow.sequence == 17 && slow.storedBefore == 16 && slow.boot == boot)
    #expect(slow.odometer == 0x0102_0304 && slow.baseWall == header.baseWall.microseconds && slow.baseWall % 1000 == 0)
  }

  @Test("a chunk never outgrows its page, however large its records are")
  func capacity() {
    let chunk = ChunkBuffer()
    chunk.begin(sequence: 1, now: Instant(nanoseconds: 0), wall: VirtualLoop.morning, trusted: false, boot: boot)
    var sign: Int64 = 1
    while chunk.hasRoom(ChunkBuffer.capacity) {
      chunk.append(
        .max - UInt32(chunk.count), .max, .min, UInt8(chunk.count % 2), timeStep: 1,
        at: Instant(nanoseconds: sign * (.max / 2)))
      sign = -sign
    }
    #expect(chunk.used <= ChunkBuffer.capacity)
    #expect(chunk.used > ChunkBuffer.capacity - ChunkBuffer.recordLimit)
  }

  @Test("the largest record fits into an empty chunk")
  func largestRecord() throws {
    #expect(ChunkHeader.size + ChunkBuffer.largestRecord <= ChunkBuffer.capacity)
    var record = Input(.max, .max, 0, at: .max)
    record.values = Array(repeating: .min, count: ItemColumns.valueLimit)
    record.bytes = Array(repeating: 1, count: ItemColumns.bytesLimit)
    record.flags = 0x5E
    let bytes = pack([record], base: .min / 4)
    let (_, found) = try #require(unpack(bytes))
    #expect(found.first?.item.values == record.values)
    #expect(found.first?.item.bytes == record.bytes)
  }

  @Test("a chunk of format 1 is read as it was written")
  func oldLayout() throws {
    var bytes = pack([Input(1, 1, 72, at: 5_000_000_000)])
    bytes.removeSubrange(80...)
    // control, wearable 1, value 72 | same wearable and time, series 2, value 850 | replayed, same wearable, 1,000,001
    // µs, series 300, value 71
    bytes += [0x18, 0x01, 0x90, 0x01, 0x2C, 0xA4, 0x0D, 0xF6, 0xAC, 0x02, 0x82, 0x89, 0x7A, 0x8E, 0x01]
    bytes[0] = 1
    bytes[2] = 3
    bytes = checksummed(bytes)
    let (header, found) = try #require(unpack(bytes))
    #expect(header.odometer == 0 && header.recordsOffset == 80)
    #expect(found.map(\.series) == [1, 2, 300])
    #expect(found.map(\.item.values) == [[72], [850], [71]])
    #expect(found.map(\.item.flags) == [0, 0, 2])
    #expect(found.map { $0.item.time - VirtualLoop.morning.microseconds } == [0, 0, 1_000_001])
    let slow = try #require(plain(bytes))
    #expect(slow.records == found)
    #expect(slow.odometer == nil)
  }

  @Test("one flipped bit anywhere in a chunk is noticed")
  func flippedBits() {
    let bytes = pack((0..<40).map { Input(UInt32($0 % 3), 1, Int64($0), at: 5_000_000_000 + Int64($0) * 1_000_000) })
    for index in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[index] ^= 1 << UInt8(bit)
        #expect(unpack(damaged) == nil && plain(damaged) == nil)
      }
    }
  }

  @Test("a chunk cut at any length is noticed")
  func truncated() {
    let bytes = pack((0..<40).map { Input(1, 1, Int64($0), at: 5_000_000_000 + Int64($0) * 1_000_000) })
    for length in 0..<bytes.count { #expect(unpack(Array(bytes[..<length])) == nil) }
  }

  @Test("damage that the checksum does not show never traps, and both readers say the same of it", arguments: 0..<200)
  func mutations(seed: Int) throws {
    var maker = ItemMaker(seed: seed)
    var records: [Input] = []
    for index in 0..<(1 + maker.below(30)) {
      var record = Input(
        UInt32(maker.below(3)), UInt16(maker.below(30)), maker.any(), at: 5_000_000_000 + Int64(index) * 1_000_000_000)
      if maker.below(3) == 0 { record.values = (0..<maker.below(17)).map { Int64($0) } }
      if maker.below(4) == 0 { record.bytes = Array(repeating: 7, count: maker.below(30)) }
      if maker.below(4) == 0 { record.flags = maker.flags() }
      records.append(record)
    }
    let bytes = pack(records)
    var read = 0
    for _ in 0..<40 {
      var damaged = bytes
      for _ in 0...maker.below(3) {
        switch maker.below(4) {
        case 0: damaged[maker.below(damaged.count)] = UInt8(truncatingIfNeeded: maker.any())
        case 1: damaged[2 + maker.below(2)] ^= 1 << UInt8(maker.below(8))
        case 2: damaged[0] = maker.below(2) == 0 ? 1 : 3
        default: damaged.removeLast(min(maker.below(4), damaged.count - 1))
        }
      }
      damaged = checksummed(damaged)
      let fast = unpack(damaged)
      let slow = plain(damaged)
      #expect(fast?.1 == slow?.records)
      #expect(fast == nil || Int(fast!.0.count) == fast!.1.count)
      if fast != nil { read += 1 }
    }
    #expect(read < 40)
  }

  @Test("a varint of more than 64 bits, or without an end, is refused")
  func longVarints() {
    func read(_ bytes: [UInt8]) -> UInt64? {
      bytes.withUnsafeBytes { bytes in
        var reader = StoredReader(bytes)
        return reader.varint()
      }
    }
    let nine = [UInt8](repeating: 0xFF, count: 9)
    #expect(read(nine + [0x01]) == .max)
    #expect(read(nine + [0x02]) == nil)
    #expect(read(nine + [0x80, 0x00]) == nil)
    #expect(read(nine) == nil)
    #expect(read([]) == nil)
  }
}
