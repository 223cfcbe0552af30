import EventLoop
import Health
import StateCodec
import Testing

@testable import RingStore

@Suite struct FieldCodecTests {
  /// Adds a right checksum.
  static func sealed(_ content: [UInt8]) -> [UInt8] {
    var crc = CRC32C()
    content.withUnsafeBytes { crc.update($0) }
    var bytes = content
    bytes.append(littleEndian: crc.value)
    return bytes
  }

  static func decode<R: StoredRecord>(_: R.Type, _ key: [UInt8], _ value: [UInt8]) -> R? {
    key.withUnsafeBytes { key in value.withUnsafeBytes { R.decode(key: key, value: $0) } }
  }

  @Test("fields are written as the format says, and read back in order")
  func form() throws {
    var writer = FieldWriter()
    writer.put(1, UInt32(0x0102_0304))
    writer.put(9, "é")
    writer.put(2, [UInt8](repeating: 7, count: 200))
    let bytes = writer.finish(unknown: [77, 1, 5])
    #expect(
      bytes
        == Self.sealed(
          [1, 1, 4, 4, 3, 2, 1, 9, 2, 0xC3, 0xA9, 2, 0xC8, 1] + [UInt8](repeating: 7, count: 200) + [77, 1, 5]))
    try bytes.withUnsafeBytes { bytes in
      var reader = try #require(FieldReader(bytes))
      var number: UInt32?
      var text: String?
      var content: [UInt8]?
      #expect(reader.next() == 1)
      reader.read(&number)
      #expect(reader.next() == 9)
      reader.read(&text, atMost: 2)
      #expect(reader.next() == 2)
      reader.read(&content, atMost: 200)
      #expect(reader.next() == 77)
      #expect(reader.next() == nil)
      #expect(reader.isWhole)
      #expect(number == 0x0102_0304 && text == "é" && content?.count == 200)
      #expect(FieldCodec.unknown(in: bytes, known: 1...9) == [77, 1, 5])
    }
  }

  @Test("a field of another size, a text that is too long or no UTF-8, and a length beyond the end are damage")
  func wrongFields() throws {
    func reading(_ content: [UInt8], _ read: (inout FieldReader) -> Void) throws -> Bool {
      try Self.sealed([1] + content).withUnsafeBytes { bytes in
        var reader = try #require(FieldReader(bytes))
        while reader.next() != nil { read(&reader) }
        return reader.isWhole
      }
    }
    var number: UInt32?
    var text: String?
    #expect(try reading([1, 4, 0, 0, 0, 0]) { $0.read(&number) })
    for wrong: [UInt8] in [[1, 3, 0, 0, 0], [1, 5, 0, 0, 0, 0, 0], [1, 0]] {
      #expect(try !reading(wrong) { $0.read(&number) })
    }
    #expect(try reading([1, 2, 65, 66]) { $0.read(&text, atMost: 2) })
    #expect(try !reading([1, 3, 65, 66, 67]) { $0.read(&text, atMost: 2) })
    #expect(try !reading([1, 2, 0xC3, 0x28]) { $0.read(&text, atMost: 2) })
    let huge: [UInt8] = [1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1]
    for wrong: [UInt8] in [[1], [1, 1], [1, 2, 0], [1, 0x80], huge, huge + [1]] {
      #expect(try !reading(wrong) { _ in })
    }
  }

  @Test(
    """
    a record is at most 65,536 bytes: a longer one is not read, and unknown fields are left out if it would become one
    """
  )
  func sizeLimit() {
    var content = [UInt8](repeating: 0, count: 65_532)
    content[0] = FieldCodec.layout
    #expect(Self.sealed(content).withUnsafeBytes { FieldReader($0) != nil })
    #expect(Self.sealed(content + [0]).withUnsafeBytes { FieldReader($0) == nil })
    #expect(Self.sealed([]).withUnsafeBytes { FieldReader($0) == nil })
    #expect(Self.sealed([2]).withUnsafeBytes { FieldReader($0) == nil })
    var writer = FieldWriter()
    writer.put(1, UInt8(3))
    #expect(writer.finish(unknown: [UInt8](repeating: 0, count: 65_528)).count == 65_536)
    #expect(writer.finish(unknown: [UInt8](repeating: 0, count: 65_529)).count == 8)
  }

  // MARK: every kind of record

  static let time = VirtualLoop.morning
  static let clock = ClockEvidence(device: -5, monotonic: .max, wall: time.microseconds, isTrusted: true)
  static let records: [any StoredRecord] = [
    Wearer(id: WearerID(number: 3), name: "bed 3, Ærø", createdAt: time, retiredAt: time + .seconds(5)),
    Wearer(id: WearerID(number: .max), name: "x", createdAt: WallTime(microseconds: .min)),
    Assignment(wearable: one, from: WallTime(microseconds: -1), wearer: WearerID(number: 9), enteredAt: time),
    Assignment(wearable: one, from: WallTime(microseconds: .max), wearer: nil, enteredAt: time),
    ExportReader(
      name: "clinic", createdAt: time, confirmedAt: time, items: .max,
      rings: [
        RingID(wearable: one, seriesNumber: 1, way: .live): 7,
        RingID(wearable: two, seriesNumber: 65_535, way: .fetched): .max,
      ], by: "ssh ada", corrections: 12),
    Correction(
      number: 7, wearable: one, from: time, to: time + .seconds(5), old: WearerID(number: 9), new: nil,
      enteredAt: time),
    Correction(
      number: .max, wearable: two, from: time, to: time, old: nil, new: WearerID(number: 9), enteredAt: time),
    ExportReader(name: "r", createdAt: time, confirmedAt: time),
    Watermark(wearable: one, series: 1, end: time, visit: 7, movedAt: time + .seconds(5)),
    Watermark(wearable: two, series: .max, end: nil, visit: .max, movedAt: time, refused: 12),
    Bond(
      addressValue: 0xF0F1_F2F3_F4F5, addressKind: 2, wearable: one, createdAt: time,
      keys: [BondKey(kind: 1, bytes: Array(0..<64)), BondKey(kind: 1, bytes: [])]
    ).clearRow!,
    VisitRecord(
      number: 1, wearable: one, began: time, ended: time + .seconds(9), outcome: 2104, bytesFetched: 5, opened: clock,
      closed: clock),
    VisitRecord(number: .max, wearable: one, began: time),
    VisitRecord(number: 5, wearable: one, began: time, isListed: true),
    {
      var visit = VisitRecord(number: 6, wearable: one, began: time)
      visit.unrecorded = [1, 300]
      return visit
    }(),
    VisitRecord(number: 2, wearable: one, began: time, opened: clock, boot: BootID(high: .max, low: 1)),
    VisitRecord(
      number: 3, wearable: one, began: time,
      opened: ClockEvidence(device: 4, monotonic: 5, wall: 6, isTrusted: true, offset: -300),
      closed: ClockEvidence(device: 7, monotonic: 8, wall: 9, isTrusted: true, offset: 330)),
    StoreEvent(number: 8, time: time, reason: 4101, wearable: two, text: "a ring gave way"),
    StoreEvent(number: 9, time: time, reason: 9999, wearable: nil, text: ""),
    StoreEvent(
      number: 10, time: time, reason: 2110, wearable: one, text: "unsteady",
      span: EventSpan(from: time + .seconds(-9), to: time, count: .max)),
    StoreEvent(number: 11, time: time, reason: 2104, wearable: one, text: "lost", span: EventSpan(from: time)),
  ]

  @Test("every kind of record comes back as it was", arguments: records.indices)
  func roundTrip(index: Int) { Self.records[index].expectRoundTrip() }

  fileprivate static func erase<T>(_ value: T) -> AnyHashable { (value as? AnyHashable) ?? AnyHashable(0) }

  @Test(
    "no damaged record is taken for a whole one: any flipped bit, any cut, any missing field, any wrong key",
    arguments: records.indices)
  func damage(index: Int) { Self.records[index].expectNoDamageTaken() }

  @Test(
    "bytes behind a right checksum never trap, whatever they are; what is read reads the same again",
    arguments: records.indices)
  func hostile(index: Int) { Self.records[index].expectTotal(seed: index) }
}

// Members of the protocol, because Swift 6.2 does not open `any StoredRecord` for a generic function.
extension StoredRecord {
  fileprivate func expectRoundTrip() {
    let back = FieldCodecTests.decode(Self.self, key, encode())
    #expect(back.map { AnyHashable(FieldCodecTests.erase($0)) } == AnyHashable(FieldCodecTests.erase(self)))
    #expect(back?.key == key)
    // A newer program's fields do not disturb.
    #expect(FieldCodecTests.decode(Self.self, key, encode(unknown: [200, 2, 1, 2]))?.encode() == encode())
  }

  fileprivate func expectNoDamageTaken() {
    let value = encode()
    for place in value.indices {
      for bit in 0..<8 {
        var damaged = value
        damaged[place] ^= 1 << UInt8(bit)
        #expect(FieldCodecTests.decode(Self.self, key, damaged) == nil)
      }
      #expect(FieldCodecTests.decode(Self.self, key, Array(value[..<place])) == nil)
    }
    #expect(FieldCodecTests.decode(Self.self, key, FieldCodecTests.sealed([1])) == nil)
    #expect(FieldCodecTests.decode(Self.self, [], value) == nil)
    #expect(FieldCodecTests.decode(Self.self, key + [0], value) == nil)
  }

  fileprivate func expectTotal(seed: Int) {
    var random = Seeded(UInt64(seed))
    let content = Array(encode().dropLast(4))
    for _ in 0..<4000 {
      var mutated = content
      for _ in 0...(random.next() % 3) {
        let place = Int(random.next() % UInt64(mutated.count))
        switch random.next() % 3 {
        case 0: mutated[place] = UInt8(truncatingIfNeeded: random.next())
        case 1: mutated.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
        default: if mutated.count > 1 { mutated.remove(at: place) }
        }
      }
      guard let read = FieldCodecTests.decode(Self.self, key, FieldCodecTests.sealed(mutated)) else { continue }
      #expect(FieldCodecTests.decode(Self.self, read.key, read.encode())?.encode() == read.encode())
    }
  }
}
