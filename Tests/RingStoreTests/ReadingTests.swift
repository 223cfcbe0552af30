import EventLoop
import Health
import Reasons
import Testing

@testable import RingStore

@Suite("Readings that are kept until they are confirmed")
struct ReadingTests {
  private let mark = ReadingMark(of: [0x35, 1, 2, 3])

  private func pressure(_ systolic: Int64) -> [Sample] {
    [Sample(.systolicPressure, systolic * 100), Sample(.diastolicPressure, 8000), Sample(.userIndex, 1)]
  }

  @LoopActor
  private func enrol(_ store: Store) async throws -> WearableID {
    try await store.enrol(name: "cuff", addressValue: 1, addressKind: 2, driver: "heart-rate", kind: "cuff").id
  }

  @Test("a commit of now makes one durable, all of it with its mark, which outlasts the program")
  func durable() throws {
    let scratch = Scratch()
    try inStore(at: scratch) { loop, store, _ in
      let cuff = try await self.enrol(store)
      #expect(store.ticket(of: self.mark, cuff) == nil)
      let ticket = try #require(
        store.append(cuff, reading: self.pressure(120), mark: self.mark, at: loop.now, isSure: true))
      #expect(!store.isDurable(ticket) && store.ticket(of: self.mark, cuff) == ticket)
      #expect(try await store.all().isEmpty)
      try await store.durable(ticket, atOnce: true)
      #expect(store.isDurable(ticket) && store.status.commits == 1)
      #expect(try await store.all().map(\.value) == [12_000, 8000, 1])
      #expect(store.ticket(of: self.mark, two) == nil)
    }
    try inStore(at: scratch) { loop, store, _ in
      let cuff = store.wearables[0].id
      let known = try #require(store.ticket(of: self.mark, cuff))
      #expect(store.isDurable(known))
      // What is remembered beside it is written as ever, and leaves it alone.
      var record = store.wearables[0]
      record.battery = 50
      try await store.update(record)
      let next = ReadingMark(of: [0x35, 4])
      let ticket = try #require(store.append(cuff, reading: self.pressure(121), mark: next, at: loop.now, isSure: true))
      record.battery = 49
      try await store.update(record)
      try await store.durable(ticket, atOnce: true)
      #expect(try await store.verify().findings == [])
    }
    try inStore(at: scratch) { _, store, _ in
      let cuff = store.wearables[0].id
      #expect(store.ticket(of: self.mark, cuff) != nil)
      #expect(store.ticket(of: ReadingMark(of: [0x35, 4]), cuff) != nil)
      try await store.remove(cuff)
      #expect(store.ticket(of: self.mark, cuff) == nil)
    }
  }

  @Test("who is not in a hurry waits for the commit that comes by itself")
  func patient() throws {
    try onFaultyDisk { loop, store, _, journal in
      let cuff = try await self.enrol(store)
      let began = loop.now
      let ticket = try #require(
        store.append(cuff, reading: self.pressure(120), mark: nil, at: loop.now, isSure: true))
      try await store.durable(ticket, atOnce: false)
      #expect(loop.now - began == .seconds(15) && journal.reports.map(\.cause) == [.time])
    }
  }

  @Test("times of hours ago are kept to the millisecond, those that rest on nothing as unsure, in journal and rings")
  func times() throws {
    try inStore { loop, store, _ in
      let cuff = try await self.enrol(store)
      let (now, wall) = (loop.now, loop.wall)
      let ages: [(hours: Int64, isSure: Bool)] = [(0, true), (30, false), (5, true), (4, false), (3, false), (0, true)]
      for (number, age) in ages.enumerated() {
        store.append(cuff, .battery, Int64(number), at: now)
        _ = store.append(
          cuff, reading: [Sample(.weight, Int64(70_000 + number), flags: .fetched)], mark: nil,
          at: now - .seconds(age.hours * 3600), isSure: age.isSure)
      }
      func check() async throws {
        let all = try await store.all()
        let weights = all.filter { $0.series == .weight }
        #expect(weights.map(\.value) == (0..<6).map { 70_000 + $0 })
        for (sample, age) in zip(weights, ages) {
          let off = sample.time.microseconds - wall.microseconds + age.hours * 3_600_000_000
          #expect(abs(off) <= 1000 && sample.clockTrusted == age.isSure && sample.origin == .fetched)
        }
        let others = all.filter { $0.series == .battery }
        #expect(others.map(\.value) == Array(0..<6) && others.allSatisfy(\.clockTrusted))
        #expect(try await store.verify().findings == [])
      }
      try await store.flush()
      try await check()
      store.append(cuff, .battery, 6, at: loop.now)
      try await store.pack(whole: true)
      try await check()
    }
  }

  @Test("a disk that fails confirms nothing, and has it once when it is well again")
  func failure() throws {
    try onFaultyDisk { loop, store, disk, _ in
      let cuff = try await self.enrol(store)
      disk.failsOnceAfter = 0
      let ticket = try #require(
        store.append(cuff, reading: self.pressure(120), mark: self.mark, at: loop.now, isSure: true))
      #expect(await reason { try await store.durable(ticket, atOnce: true) } != nil)
      #expect(store.ticket(of: self.mark, cuff) == ticket && !store.isDurable(ticket))
      try await store.durable(ticket, atOnce: true)
      #expect(try await store.all().count == 3)
    }
  }

  @Test("what memory had no room for while the disk failed is not known, and may come again")
  func dropped() throws {
    try onFaultyDisk { loop, store, disk, _ in
      let cuff = try await self.enrol(store)
      disk.failure = DatabaseFailure(call: "mdb_txn_commit", code: 5)
      // Each in a chunk of its own.
      let marks = (0..<400).map { ReadingMark(of: [0x9D, UInt8($0 & 255), UInt8($0 >> 8)]) }
      for (number, mark) in marks.enumerated() {
        _ = store.append(cuff, reading: [Sample(.weight, Int64(number))], mark: mark, at: loop.now, isSure: false)
      }
      let lost = marks.count - store.sealedLimit
      #expect(lost > 0 && store.ticket(of: marks[0], cuff) == nil && store.ticket(of: marks[lost - 1], cuff) == nil)
      #expect(store.ticket(of: marks[lost], cuff) != nil)
      disk.failure = nil
      let last = try #require(store.ticket(of: marks[399], cuff))
      try await store.durable(last, atOnce: true)
      #expect(try await store.all().map(\.value) == (lost..<400).map { Int64($0) })
    }
  }

  @Test("the newest 480 marks are known, the one that was asked for last the longest")
  func bounded() {
    var ledger = ReadingLedger(ReadingMarks(Array(0..<480)))
    #expect(ledger.find(0) == 0)
    for mark in 1000..<1479 { ledger.add(UInt32(mark), 7) }
    #expect(ledger.find(0) == 0 && ledger.find(1) == nil && ledger.find(479) == nil && ledger.find(1000) == 7)
    #expect(ledger.marks(below: 6).marks == [0])
    ledger.drop(7)
    #expect(ledger.marks(below: 9).marks == [0])
  }
}
