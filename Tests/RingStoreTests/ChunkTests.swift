import EventLoop
import Health
import Testing

@testable import RingStore

@Suite struct ChunkTests {
  /// Packs records into a chunk and returns its bytes.
  private func pack(_ records: [(UInt32, UInt16, Int64, Origin, Int64)], base: Int64 = 5_000_000_000) -> [UInt8] {
    let chunk = ChunkBuffer()
    chunk.begin(sequence: 17, now: Instant(nanoseconds: base), wall: VirtualLoop.morning, trusted: true, boot: boot)
    for (wearable, series, value, origin, at) in records {
      #expect(chunk.hasRoom(ChunkBuffer.capacity))
      chunk.append(wearable, series, value, origin, at: Instant(nanoseconds: at))
    }
    _ = chunk.finish(storedBefore: 16, highWater: WallTime(microseconds: 0))
    return Array(chunk.bytes)
  }

  private func unpack(_ bytes: [UInt8]) -> (ChunkHeader, [ChunkRecord])? {
    bytes.withUnsafeBytes { bytes in
      guard let header = ChunkHeader.verify(bytes) else { return nil }
      var records = ChunkRecords(bytes)
      var found: [ChunkRecord] = []
      while let record = records.next() { found.append(record) }
      return records.isAtEnd ? (header, found) : nil
    }
  }

  @Test("CRC-32C of the standard's check string is the standard's check value")
  func checksum() {
    var crc = CRC32C()
    Array("123456789".utf8).withUnsafeBytes { crc.update($0) }
    #expect(crc.value == 0xE306_9283)
  }

  @Test("a chunk of known samples has exactly the documented bytes")
  func golden() throws {
    // One notification of wearable 1 (72 bpm, RR 850/1024 s) at the base, then 71 bpm a second later.
    let bytes = pack([
      (1, 1, 72, .live, 5_000_000_000), (1, 2, 850, .live, 5_000_000_000), (1, 1, 71, .live, 6_000_000_000),
    ])
    // control, wearable 1, value 72 | same wearable and time, series 2, value 850 | same wearable, delta 1,000,000 µs, value 71
    #expect(bytes[80...].elementsEqual([0x18, 0x01, 0x90, 0x01, 0x2C, 0xA4, 0x0D, 0x14, 0x80, 0x89, 0x7A, 0x8E, 0x01]))
    #expect(bytes[0..<4].elementsEqual([1, 1, 3, 0]))
    #expect(bytes[8..<24].elementsEqual([17, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0]))
    let (header, _) = try #require(unpack(bytes))
    #expect(header.earliest == VirtualLoop.morning)
    #expect(header.latest == VirtualLoop.morning + .seconds(1))
    #expect(header.highWater == header.latest)
    #expect(header.boot == boot)
    #expect(header.clockTrusted)
  }

  @Test("whatever is packed comes back: values, series and wearables of any size, time in any direction", arguments: 0..<40)
  func roundTrip(seed: Int) throws {
    var random = Seeded(UInt64(seed))
    let extremes: [Int64] = [0, 1, -1, 63, 64, -64, -65, .max, .min, .max - 1, .min + 1]
    var records: [(UInt32, UInt16, Int64, Origin, Int64)] = []
    let base: Int64 = 5_000_000_123
    var at = base
    for _ in 0..<(1 + Int(random.next() % 135)) {
      let value = random.next() % 3 == 0 ? extremes[Int(random.next() % UInt64(extremes.count))] : Int64(bitPattern: random.next()) >> Int64(random.next() % 64)
      switch random.next() % 4 {
      case 0: break
      case 1: at += Int64(random.next() % 2_000_000_000)
      case 2: at -= Int64(random.next() % 2_000_000_000)
      default: at = Int64(bitPattern: random.next()) >> Int64(2 + random.next() % 60)
      }
      let wearable = random.next() % 2 == 0 ? UInt32(random.next() % 4) : UInt32(truncatingIfNeeded: random.next())
      let series = random.next() % 2 == 0 ? UInt16(random.next() % 20) : UInt16(truncatingIfNeeded: random.next())
      records.append((wearable, series, value, Origin(rawValue: UInt8(random.next() % 3))!, at))
    }
    let (header, found) = try #require(unpack(pack(records, base: base)))
    #expect(Int(header.count) == records.count)
    for (record, expected) in zip(found, records) {
      let distance = expected.4 - base
      let microseconds = distance >= 0 ? distance / 1000 : (distance - 999) / 1000
      #expect(record == ChunkRecord(wearable: expected.0, series: expected.1, value: expected.2, time: microseconds, origin: expected.3))
    }
  }

  @Test("a chunk never outgrows its page, however large its records are")
  func capacity() {
    let chunk = ChunkBuffer()
    chunk.begin(sequence: 1, now: Instant(nanoseconds: 0), wall: VirtualLoop.morning, trusted: false, boot: boot)
    var sign: Int64 = 1
    while chunk.hasRoom(ChunkBuffer.capacity) {
      chunk.append(.max - UInt32(chunk.count), .max, .min, .replayed, at: Instant(nanoseconds: sign * (.max / 2)))
      sign = -sign
    }
    #expect(chunk.used <= ChunkBuffer.capacity)
    #expect(chunk.used > ChunkBuffer.capacity - ChunkBuffer.recordLimit)
  }

  @Test("one flipped bit anywhere in a chunk is noticed")
  func flippedBits() {
    let bytes = pack((0..<40).map { (UInt32($0 % 3), 1, Int64($0), .live, 5_000_000_000 + Int64($0) * 1_000_000) })
    for index in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[index] ^= 1 << UInt8(bit)
        #expect(unpack(damaged) == nil)
      }
    }
  }

  @Test("a chunk cut at any length is noticed")
  func truncated() {
    let bytes = pack((0..<40).map { (1, 1, Int64($0), .live, 5_000_000_000 + Int64($0) * 1_000_000) })
    for length in 0..<bytes.count { #expect(unpack(Array(bytes[..<length])) == nil) }
  }

  @Test("records of nonsense end the walk and never run on", arguments: 0..<200)
  func nonsense(seed: Int) {
    var random = Seeded(UInt64(seed))
    let bytes = (0..<(80 + Int(random.next() % 400))).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    bytes.withUnsafeBytes { bytes in
      var records = ChunkRecords(bytes)
      var count = 0
      while records.next() != nil { count += 1 }
      #expect(count <= bytes.count)
    }
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
