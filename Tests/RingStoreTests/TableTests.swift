import EventLoop
import Health
import StateCodec
import Testing

@testable import RingStore

/// The tables behind the commit path, one environment each.
@Suite(.serialized) struct TableTests {
  private let time = VirtualLoop.morning

  private func inTables(_ body: (Transaction) throws -> Void) throws {
    let scratch = Scratch()
    let environment = try Environment(path: scratch.path, size: 64 << 20, mode: .writer)
    defer { environment.close() }
    try environment.openTables(mark: FormatMark.bytes(created: time))
    var failure: (any Error)?
    try environment.write { transaction throws(DatabaseFailure) in
      do { try body(transaction) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  private func digest(_ number: UInt64) -> BatchDigest { BatchDigest(first: number, second: ~number) }

  private func add(
    _ transaction: Transaction, _ wearable: WearableID, _ number: UInt64, source: String = "file", limit: Int = 20_000
  ) throws -> Receipt {
    try Receipts.add(
      transaction, wearable: wearable, digest: digest(number), source: .place(source), committedAt: time, visit: 4,
      items: 30,
      ranges: [ReceiptRange(ring: RingID(wearable: wearable, seriesNumber: 1, way: .fetched), first: 100, count: 30)],
      limit: limit)
  }

  // MARK: receipts

  @Test(
    "a batch's receipt is found by its digest and its wearable, equal to the one that was made, and by no other key")
  func receiptsByDigest() throws {
    try inTables { transaction throws in
      #expect(try Receipts.find(transaction, one, digest(1)) == nil)
      let receipt = try add(transaction, one, 1)
      #expect(receipt.number == 1)
      #expect(try Receipts.find(transaction, one, digest(1)) == receipt)
      #expect(try Receipts.load(transaction, 1) == receipt)
      #expect(
        try Receipts.find(transaction, two, digest(1)) == nil, "the same content of another wearable is another batch")
      #expect(try Receipts.find(transaction, one, digest(2)) == nil)
      let other = try add(transaction, two, 1, source: String(repeating: "ü", count: 200))
      #expect(other.number == 2)
      #expect(other.source == .place(String(repeating: "ü", count: 127)))
      #expect(try Receipts.find(transaction, two, digest(1)) == other)
      #expect(try Receipts.find(transaction, one, digest(1)) == receipt)
      #expect(transaction.entries(transaction.tables.batches) == 2)
    }
  }

  @Test("the oldest receipts give way together with their batches, and numbers go on")
  func receiptsGiveWay() throws {
    try inTables { transaction throws in
      for number in 1...12 { _ = try add(transaction, one, UInt64(number), limit: 8) }
      #expect(transaction.entries(transaction.tables.receipts) == 8)
      #expect(transaction.entries(transaction.tables.batches) == 8)
      for number in 1...4 { #expect(try Receipts.find(transaction, one, digest(UInt64(number))) == nil) }
      for number in 5...12 {
        #expect(try Receipts.find(transaction, one, digest(UInt64(number)))?.number == UInt64(number))
      }
      // A limit that was lowered is reached step by step.
      _ = try add(transaction, one, 13, limit: 1)
      #expect(transaction.entries(transaction.tables.receipts) == 1)
      #expect(transaction.entries(transaction.tables.batches) == 1)
      #expect(try Receipts.latest(transaction, of: one, limit: 9).map(\.number) == [13])
    }
  }

  @Test("the newest receipts of a wearable come first, those of others not at all")
  func latestReceipts() throws {
    try inTables { transaction throws in
      for number in UInt64(1)...20 {
        _ = try add(transaction, number % 2 == 0 ? two : one, number &* 0x9E37_79B9_7F4A_7C15)
      }
      #expect(try Receipts.latest(transaction, of: two, limit: 3).map(\.number) == [20, 18, 16])
      #expect(try Receipts.latest(transaction, of: one, limit: 100).count == 10)
      #expect(try Receipts.latest(transaction, of: one, limit: 0).isEmpty)
      #expect(try Receipts.latest(transaction, of: one, limit: -1).isEmpty)
      #expect(try Receipts.latest(transaction, of: WearableID(number: 3), limit: 5).isEmpty)
    }
  }

  @Test("a damaged receipt proves no batch, its batch can be committed again, and giving way leaves no batch behind")
  func damagedReceipts() throws {
    try inTables { transaction throws in
      _ = try add(transaction, one, 1)
      _ = try add(transaction, one, 2)
      for number in UInt64(1)...2 {
        try transaction.put(transaction.tables.receipts, [UInt8](bigEndian: number), [1, 2, 3])
      }
      #expect(try Receipts.find(transaction, one, digest(1)) == nil)
      let again = try add(transaction, one, 1)
      #expect(again.number == 3)
      _ = try add(transaction, one, 4, limit: 2)
      #expect(transaction.entries(transaction.tables.receipts) == 2)
      #expect(transaction.entries(transaction.tables.batches) == 2)
      #expect(try Receipts.find(transaction, one, digest(1)) == again)
      #expect(try Receipts.find(transaction, one, digest(2)) == nil)
    }
  }

  @Test("an entry of batches that points at another batch's receipt, or nowhere, finds no receipt")
  func crossedBatches() throws {
    try inTables { transaction throws in
      _ = try add(transaction, one, 1)
      let key = [UInt8](bigEndian: one.number) + digest(2).bytes
      for value: [UInt8] in [[1, 0, 0, 0, 0, 0, 0, 0], [9, 0, 0, 0, 0, 0, 0, 0], [1], []] {
        try transaction.put(transaction.tables.batches, key, value)
        #expect(try Receipts.find(transaction, one, digest(2)) == nil)
      }
    }
  }

  @Test("a receipt's stored bytes never trap, behind a right checksum or not, and damage is not taken for a receipt")
  func hostileReceipts() throws {
    try inTables { transaction throws in
      let receipt = try add(transaction, one, 1)
      let key = [UInt8](bigEndian: UInt64(1))
      let stored = try #require(try transaction.get(transaction.tables.receipts, key).map { Array($0) })
      // Kept by the next writer of the record; here only: no hindrance.
      try transaction.put(
        transaction.tables.receipts, key, FieldCodecTests.sealed(Array(stored.dropLast(4)) + [99, 1, 7]))
      #expect(try Receipts.load(transaction, 1) == receipt)
      var random = Seeded(7)
      for _ in 0..<3000 {
        var bytes = stored
        bytes[Int(random.next() % UInt64(bytes.count))] ^= 1 << UInt8(random.next() % 8)
        try transaction.put(transaction.tables.receipts, key, bytes)
        #expect(try Receipts.load(transaction, 1) == nil)
        var content = Array(stored.dropLast(4))
        content[Int(random.next() % UInt64(content.count))] = UInt8(truncatingIfNeeded: random.next())
        try transaction.put(transaction.tables.receipts, key, FieldCodecTests.sealed(content))
        _ = try Receipts.load(transaction, 1)
      }
    }
  }

  // MARK: cursors

  @Test("what earlier writers left in the table of cursors goes with its wearable, and only then")
  func retiredCursors() throws {
    try inTables { transaction throws in
      for wearable in [one, two] {
        for series in [UInt16(1), 15] {
          var key = [UInt8](bigEndian: wearable.number)
          key.append(bigEndian: series)
          try transaction.put(transaction.tables.cursors, key, FieldCodecTests.sealed([FieldCodec.layout]))
        }
      }
      try Registry.apply(transaction, RegistryChange(id: one, record: nil))
      #expect(transaction.entries(transaction.tables.cursors) == 2)
      try Registry.apply(transaction, RegistryChange(id: two, record: nil))
      #expect(transaction.entries(transaction.tables.cursors) == 0)
    }
  }

  @Test("a record that is written again keeps the fields of a later version")
  func unknownFields() throws {
    try inTables { transaction throws in
      var reader = ExportReader(name: "ward", createdAt: time, confirmedAt: time, items: 10)
      let later: [UInt8] = [200, 2, 1, 2, 77, 0, 200, 1, 9]
      try transaction.put(transaction.tables.readers, reader.key, reader.encode(unknown: later))
      reader.items = 11
      try transaction.put(reader)
      let stored = try #require(try transaction.get(transaction.tables.readers, reader.key).map { Array($0) })
      #expect(stored == reader.encode(unknown: later))
      // A damaged record is not believed.
      try transaction.put(transaction.tables.readers, reader.key, stored.dropLast() + [stored[stored.count - 1] ^ 1])
      #expect(try transaction.record(ExportReader.self, reader.key) == nil)
      try transaction.put(reader)
      #expect(try transaction.get(transaction.tables.readers, reader.key).map { Array($0) } == reader.encode())
    }
  }

  // MARK: visits and events

  @Test("a visit is written when it begins and again when it ends; numbers grow, and the oldest give way")
  func visits() throws {
    try inTables { transaction throws in
      #expect(try Visits.nextNumber(transaction) == 1)
      for _ in 0..<12 {
        let number = try Visits.nextNumber(transaction)
        try Visits.put(transaction, VisitRecord(number: number, wearable: one, began: time), limit: 10)
      }
      var visit = try #require(try Visits.load(transaction, 12))
      visit.ended = time + .seconds(60)
      visit.outcome = 2104
      visit.closed = FieldCodecTests.clock
      try Visits.put(transaction, visit, limit: 10)
      #expect(try Visits.latest(transaction, limit: 2) == [visit, VisitRecord(number: 11, wearable: one, began: time)])
      #expect(try Visits.latest(transaction, limit: 100).map(\.number) == (3...12).reversed())
      #expect(try Visits.nextNumber(transaction) == 13)
    }
  }

  @Test("events are kept in order, written twice they are there once, and the oldest give way")
  func events() throws {
    try inTables { transaction throws in
      let events = (1...15).map {
        StoreEvent(number: UInt64($0), time: time, reason: 4101, wearable: nil, text: "e\($0)")
      }
      try Events.put(transaction, EventBatch(events: events), limit: 10)
      try Events.put(transaction, EventBatch(events: events.suffix(3)), limit: 10)
      #expect(try Events.latest(transaction, limit: 3).map(\.text) == ["e15", "e14", "e13"])
      #expect(try Events.latest(transaction, limit: 100).count == 10)
      #expect(try Events.nextNumber(transaction) == 16)
      #expect(
        StoreEvent(number: 1, time: time, reason: 1, wearable: nil, text: String(repeating: "é", count: 200)).text.utf8
          .count == 254)
    }
  }

  @Test(
    "at most 256 events wait; the oldest are dropped and counted, and those of a failed commit come before newer ones")
  func eventQueue() {
    var queue = EventQueue(nextNumber: 5)
    queue.add(time: time, reason: 1, wearable: nil, text: "a")
    let taken = queue.take()
    #expect(taken.events.map(\.number) == [5])
    #expect(queue.waiting.isEmpty)
    queue.add(time: time, reason: 1, wearable: nil, text: "b")
    queue.putBack(taken)
    #expect(queue.waiting.map(\.text) == ["a", "b"])
    #expect(queue.waiting.map(\.number) == [5, 6])
    for number in 0..<300 { queue.add(time: time, reason: 1, wearable: nil, text: "\(number)") }
    #expect(queue.waiting.count == EventQueue.limit)
    #expect(queue.dropped == 46)
    #expect(queue.waiting.last?.text == "299")
    var last = EventQueue(nextNumber: .max)
    for _ in 0..<3 { last.add(time: time, reason: 1, wearable: nil, text: "") }
    #expect(last.waiting.map(\.number) == [.max, .max, .max], "a number of a hostile store does not trap")
  }

  // MARK: readers

  @Test("readers are kept by name, at most 64 of them and 3,800 rings each, which is what a record has room for")
  func readers() throws {
    try inTables { transaction throws in
      for number in 0..<64 {
        #expect(
          try Readers.put(transaction, ExportReader(name: "r\(number)", createdAt: time, confirmedAt: time)) == .kept)
      }
      var reader = ExportReader(
        name: "r7", createdAt: time, confirmedAt: time + .seconds(3), items: 9, by: String(repeating: "x", count: 99))
      #expect(try Readers.put(transaction, ExportReader(name: "more", createdAt: time, confirmedAt: time)) == .tooMany)
      for number in 0..<ExportReader.ringLimit {
        reader.rings[RingID(wearable: WearableID(number: UInt32(number)), seriesNumber: 1, way: .live)] = .max
      }
      #expect(try Readers.put(transaction, reader) == .kept, "one that is there may change")
      let stored = try #require(try Readers.load(transaction, "r7"))
      #expect(stored.rings == reader.rings)
      #expect(stored.by.utf8.count == ExportReader.byLimit)
      reader.rings[RingID(wearable: one, seriesNumber: 2, way: .live)] = 1
      #expect(try Readers.put(transaction, reader) == .tooLarge)
      #expect(try Readers.load(transaction, "r7") == stored)
      #expect(try Readers.remove(transaction, "r7") == stored)
      #expect(try Readers.load(transaction, "r7") == nil)
      #expect(try Readers.all(transaction).records.count == 63)
      #expect(try Readers.load(transaction, "") == nil)
    }
  }

  @Test("a store of format 1 has no such tables, and reads as empty")
  func absentTables() throws {
    let scratch = Scratch()
    let environment = try Environment(path: scratch.path, size: 64 << 20, mode: .writer)
    defer { environment.close() }
    try environment.read { transaction throws(DatabaseFailure) in
      #expect(try Receipts.find(transaction, one, digest(1)) == nil)
      #expect(try Receipts.latest(transaction, of: one, limit: 5).isEmpty)
      #expect(try Visits.latest(transaction, limit: 5).isEmpty)
      #expect(try Visits.nextNumber(transaction) == 1)
      #expect(try Events.latest(transaction, limit: 5).isEmpty)
      #expect(try Readers.all(transaction).records.isEmpty)
      #expect(try Bonds.load(transaction, nil).records.isEmpty)
      #expect(try Assignments.load(transaction).records.isEmpty)
    }
  }

  @Test("a small store keeps fewer receipts, visits and events, a large one what the format allows")
  func limits() {
    #expect(TableLimits(sizeBytes: 1_500_000_000) == TableLimits())
    #expect(TableLimits(sizeBytes: 1 << 20).receipts == 64)
    #expect(TableLimits(sizeBytes: 64 << 20).events == 4096)
    #expect(TableLimits(sizeBytes: 256 << 20).receipts == 16_384)
    #expect(TableLimits(sizeBytes: 256 << 20).visits == 10_000)
  }
}
