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

  @Test("an unhurried caller waits for the commit that comes by itself")
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

  @Test("times of hours ago are kept to the millisecond, those without evidence as unsure, in journal and rings")
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

  @Test("a disk that fails confirms no value, and has it once when it is well again")
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
      let lost = marks.count - ChunkLine.sealedLimit
      #expect(lost > 0 && store.ticket(of: marks[0], cuff) == nil && store.ticket(of: marks[lost - 1], cuff) == nil)
      #expect(store.ticket(of: marks[lost], cuff) != nil)
      disk.failure = nil
      let last = try #require(store.ticket(of: marks[399], cuff))
      try await store.durable(last, atOnce: true)
      #expect(try await store.all().map(\.value) == (lost..<400).map { Int64($0) })
    }
  }

  @Test("one without a time stamp that a link left in doubt is known once, of its kind, and outlasts the program")
  func unsettled() throws {
    let scratch = Scratch()
    let first = UnsettledReading(characteristic: [0x35, 0x2A], value: [0, 120, 0])
    let other = UnsettledReading(characteristic: [0x1C, 0x2A], value: [0, 120, 0])
    #expect(first.kind != other.kind && first.mark != other.mark)
    try inStore(at: scratch) { loop, store, _ in
      let cuff = try await self.enrol(store)
      let ticket = try #require(
        store.append(cuff, reading: self.pressure(120), mark: nil, at: loop.now, isSure: true))
      store.leaveUnsettled(first, ticket, of: cuff)
      store.leaveUnsettled(other, ticket, of: cuff)
      try await store.keepReadings()
      #expect(store.isDurable(ticket) && store.status.commits == 1)
    }
    try inStore(at: scratch) { loop, store, _ in
      let cuff = store.wearables[0].id
      let left = try #require(store.takeUnsettled(first.kind, of: cuff))
      #expect(left.mark == first.mark && store.isDurable(left.ticket))
      #expect(store.takeUnsettled(first.kind, of: cuff)?.mark == nil)
      #expect(store.takeUnsettled(other.kind, of: two)?.mark == nil)
      // Without a sample that would take it along.
      try await store.keepReadings()
      #expect(store.status.commits == 0)
      #expect(try await store.verify().findings == [])
    }
    try inStore(at: scratch) { loop, store, _ in
      let cuff = store.wearables[0].id
      #expect(store.takeUnsettled(first.kind, of: cuff)?.mark == nil)
      // Another reading takes along that this one is forgotten.
      #expect(store.takeUnsettled(other.kind, of: cuff)?.mark == other.mark)
      let ticket = try #require(
        store.append(cuff, reading: self.pressure(121), mark: nil, at: loop.now, isSure: true))
      try await store.durable(ticket, atOnce: true)
      #expect(store.live.readings.changed.isEmpty)
    }
    try inStore(at: scratch) { _, store, _ in
      #expect(store.takeUnsettled(other.kind, of: store.wearables[0].id)?.mark == nil)
      let all = try await store.all()
      #expect(all.filter { $0.series == .systolicPressure }.map(\.value) == [12_000, 12_100])
    }
  }

  @Test("one that is left in doubt is remembered no sooner than it is durable, whatever the disk does")
  func unsettledFailure() throws {
    let left = UnsettledReading(characteristic: [0x35, 0x2A], value: [0, 120, 0])
    try onFaultyDisk { loop, store, disk, _ in
      let cuff = try await self.enrol(store)
      disk.failure = DatabaseFailure(call: "mdb_txn_commit", code: 5)
      let ticket = try #require(
        store.append(cuff, reading: self.pressure(120), mark: nil, at: loop.now, isSure: true))
      store.leaveUnsettled(left, ticket, of: cuff)
      #expect(await reason { try await store.keepReadings() } != nil)
      #expect(store.live.readings.changed == [cuff] && !store.isDurable(ticket))
      #expect(store.live.takeChangedReadings().isEmpty && store.live.readings.changed == [cuff])
      disk.failure = nil
      try await store.keepReadings()
      #expect(store.live.readings.changed.isEmpty && store.isDurable(ticket))
      #expect(store.takeUnsettled(left.kind, of: cuff)?.ticket == ticket)
    }
  }

  @Test("of each kind the newest is left in doubt, of four kinds at most")
  func fewUnsettled() {
    var ledger = ReadingLedger(nil)
    func reading(_ kind: UInt8, _ value: UInt8) -> UnsettledReading {
      UnsettledReading(characteristic: [kind], value: [value])
    }
    for value in 1...3 { ledger.leave(reading(1, UInt8(value)), 10) }
    #expect(ledger.marks(below: 9).unsettled.isEmpty && ledger.marks(below: 10).unsettled == [reading(1, 3)])
    #expect(!ledger.isDurable(below: 9) && ledger.isDurable(below: 10))
    for kind in 2...5 { ledger.leave(reading(UInt8(kind), 7), 20) }
    #expect(ledger.marks(below: 20).unsettled == (2...5).map { reading(UInt8($0), 7) })
    ledger.drop(20)
    #expect(ledger.marks(below: 20).isEmpty)
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
