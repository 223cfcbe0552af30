import CivilTime
import EventLoop
import Health
import Reasons
import StateCodec
import Testing

@testable import RingStore

@Suite(.serialized) struct PeopleTests {
  private func at(_ seconds: Int) -> WallTime { VirtualLoop.morning + .seconds(seconds) }

  @LoopActor private func enrol(_ store: Store, _ name: String) async throws -> WearableID {
    try await store.enrol(
      name: name, addressValue: UInt64(store.wearables.count), addressKind: 2, driver: "d", kind: "k"
    ).id
  }

  // MARK: whose sample it is

  @Test(
    """
    a sample belongs to the last assignment at or before it: not before the first, exactly from its time on, no wearer \
    if that was said
    """
  )
  func bisection() {
    let (ada, bob) = (WearerID(number: 1), WearerID(number: 2))
    let far = WearableID(number: 9)
    let people = People(
      wearers: [],
      assignments: [
        Assignment(wearable: two, from: at(0), wearer: bob, enteredAt: at(0)),
        Assignment(wearable: one, from: at(20), wearer: nil, enteredAt: at(0)),
        Assignment(wearable: one, from: at(10), wearer: ada, enteredAt: at(0)),
        Assignment(wearable: one, from: at(30), wearer: bob, enteredAt: at(0)),
        Assignment(wearable: far, from: WallTime(microseconds: .min), wearer: ada, enteredAt: at(0)),
      ])
    let before = { (time: WallTime) in WallTime(microseconds: time.microseconds - 1) }
    #expect(people.wearer(of: one, at: WallTime(microseconds: .min)) == nil)
    #expect(people.wearer(of: one, at: before(at(10))) == nil)
    #expect(people.wearer(of: one, at: at(10)) == ada)
    #expect(people.wearer(of: one, at: before(at(20))) == ada)
    #expect(people.wearer(of: one, at: at(20)) == nil)
    #expect(people.wearer(of: one, at: before(at(30))) == nil)
    #expect(people.wearer(of: one, at: at(30)) == bob)
    #expect(people.wearer(of: one, at: WallTime(microseconds: .max)) == bob)
    #expect(people.wearer(of: two, at: before(at(0))) == nil)
    #expect(people.wearer(of: two, at: at(100)) == bob)
    #expect(people.wearer(of: WearableID(number: 5), at: at(100)) == nil)
    #expect(people.wearer(of: far, at: WallTime(microseconds: .min)) == ada)
    #expect(people.assignments(of: one).map(\.from) == [at(10), at(20), at(30)])
    #expect(people.assignments(of: WearableID(number: 5)).isEmpty)
  }

  @Test("bisection answers as a plain walk does, for any assignments and any time")
  func againstAWalk() {
    var random = Seeded(3)
    for _ in 0..<50 {
      let assignments = (0..<Int(random.next() % 40)).map { _ in
        Assignment(
          wearable: WearableID(number: UInt32(random.next() % 4)), from: at(Int(random.next() % 20)),
          wearer: random.next() % 3 == 0 ? nil : WearerID(number: UInt32(random.next() % 5)), enteredAt: at(0))
      }
      let people = People(wearers: [], assignments: assignments)
      for wearable in UInt32(0)..<5 {
        for second in -1...21 {
          var expected: Assignment?
          for assignment in assignments where assignment.wearable.number == wearable && assignment.from <= at(second) {
            if expected.map({ $0.from <= assignment.from }) ?? true { expected = assignment }
          }
          #expect(people.wearer(of: WearableID(number: wearable), at: at(second)) == expected?.wearer)
        }
      }
    }
  }

  @Test("assignments are kept in the order of their times, also those before 1970")
  func keyOrder() {
    let times: [Int64] = [.min, -2, -1, 0, 1, .max]
    let keys = times.map {
      Assignment(wearable: one, from: WallTime(microseconds: $0), wearer: nil, enteredAt: at(0)).key
    }
    #expect(zip(keys, keys.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) })
    let next = Assignment(wearable: two, from: WallTime(microseconds: .min), wearer: nil, enteredAt: at(0)).key
    #expect(keys.allSatisfy { $0.lexicographicallyPrecedes(next) })
  }

  // MARK: in a store

  @Test("the house's identifier of a wearer is durable, another wearer's is refused, and no change takes it away")
  func houseIdentifiers() throws {
    try inStore { loop, store, scratch in
      let ada = try await store.addWearer(name: "Ada")
      let bob = try await store.addWearer(name: "Bob")
      try await store.setHouseID(ada.id, "M-42")
      #expect(await reason { try await store.setHouseID(bob.id, "M-42") } == .wearerNameTaken)
      for bad in ["", " M", "M\n1", String(repeating: "M", count: 65)] {
        #expect(await reason { try await store.setHouseID(bob.id, bad) } == .wearerNameInvalid)
      }
      try await store.setHouseID(bob.id, "M-7")
      try await store.setHouseID(bob.id, nil)
      try await store.retireWearer(ada.id)
      // A person that comes again under a new number is the same person.
      let again = try await store.addWearer(name: "Ada")
      try await store.setHouseID(again.id, "M-42")
      #expect(store.wearers.map(\.houseID) == ["M-42", nil, "M-42"])
      await store.close()
      let reopened = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      #expect(reopened.wearers.map(\.houseID) == ["M-42", nil, "M-42"])
      await reopened.close()
    }
  }

  @Test("wearers and assignments are durable when they return, and the same from a store without its daemon")
  func durable() throws {
    try inStore { loop, store, scratch in
      let strap = try await self.enrol(store, "strap")
      let ada = try await store.addWearer(name: "Ada Ærø")
      let bob = try await store.addWearer(name: "bed 3")
      #expect([ada.id.number, bob.id.number] == [1, 2])
      try await store.assign(strap, to: ada.id, from: self.at(0))
      try await store.assign(strap, to: bob.id, from: self.at(10))
      try await store.assign(strap, to: bob.id, from: self.at(20))
      try await store.assign(strap, to: nil, from: self.at(20))
      try await store.renameWearer(bob.id, to: "bed 4")
      try await loop.sleep(for: .seconds(30))
      try await store.retireWearer(bob.id)
      try await store.retireWearer(bob.id)
      let (wearers, assignments) = (store.wearers, store.assignments(of: strap))
      #expect(wearers.map(\.name) == ["Ada Ærø", "bed 4"])
      #expect(wearers[1].retiredAt == self.at(30))
      #expect(assignments.map(\.wearer) == [ada.id, bob.id, nil])
      await store.close()
      let again = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      #expect(again.wearers == wearers)
      #expect(again.assignments(of: strap) == assignments)
      #expect(again.wearer(of: strap, at: self.at(9)) == ada.id)
      #expect(try await again.addWearer(name: "Eve").id.number == 3)
      await again.close()
      let reader = try StoreReader(path: scratch.store)
      #expect(reader.wearers.map(\.name) == ["Ada Ærø", "bed 4", "Eve"])
      #expect(reader.assignments(of: strap) == assignments)
      #expect(reader.wearer(of: strap, at: self.at(20)) == nil)
    }
  }

  @Test(
    """
    what is known of a body and a wearable's secret are durable, bounded, and gone with the enrolment; the secret \
    prints nowhere
    """
  )
  func bodiesAndSecrets() throws {
    try inStore { loop, store, scratch in
      let strap = try await self.enrol(store, "strap")
      let ada = try await store.addWearer(name: "Ada")
      var body = BodyFacts()
      (body.born, body.sex, body.height, body.weight) = (LocalDate(year: 1931, month: 2, day: 28), .female, 171, 62)
      (body.maximumHeartRate, body.restingHeartRate) = (141, 52)
      (body.vo2Max, body.trainingBackground, body.typicalDay, body.sleepGoal) = (31, .semiPro, .standing, 510)
      body.isTakenOff = true
      try await store.setBody(ada.id, body)
      var wrong = body
      wrong.weight = 301
      #expect(await reason { try await store.setBody(ada.id, wrong) } == .controlBadParameter)
      #expect(await reason { try await store.setBody(WearerID(number: 9), body) } == .noSuchWearer)
      var (breathless, sleepless) = (body, body)
      (breathless.vo2Max, sleepless.sleepGoal) = (9, 661)
      for other in [breathless, sleepless] {
        #expect(await reason { try await store.setBody(ada.id, other) } == .controlBadParameter)
      }
      var record = try #require(store.record(strap))
      record.secret = WearableSecret([UInt8](repeating: 0x5A, count: 16))
      try await store.update(record)
      #expect(
        !"\(record)".contains("90, 90") && !String(reflecting: record).contains("90, 90") && WearableSecret([1]) == nil)
      await store.close()
      let again = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      #expect(again.wearers.first?.body == body && again.record(strap)?.secret == record.secret)
      // A withdrawn fact counts as never entered.
      body.forget(.height)
      body.forget(.vo2Max)
      try await again.setBody(ada.id, body)
      #expect(
        again.wearers.first?.body.height == nil && again.wearers.first?.body.vo2Max == nil
          && again.wearers.first?.body.weight == 62)
      for part in BodyFacts.Part.allCases { body.forget(part) }
      body.isTakenOff = false
      #expect(body.isEmpty)
      try await again.remove(strap)
      #expect(again.record(strap)?.secret == nil)
      await again.close()
      // What no program of ours writes counts as not entered.
      let stored = Wearer(id: ada.id, name: "Ada", createdAt: self.at(0), body: wrong)
      let key = stored.key
      let value = stored.encode()
      let read = key.withUnsafeBytes { key in value.withUnsafeBytes { Wearer.decode(key: key, value: $0) } }
      #expect(read?.body.weight == nil && read?.body.height == 171)
    }
  }

  @Test("names of present wearers are unique and plain; a retired one gives its name back and gets no new wearable")
  func wearerRules() throws {
    try inStore { loop, store, _ in
      let strap = try await self.enrol(store, "strap")
      let ada = try await store.addWearer(name: "Ada")
      #expect(await reason { _ = try await store.addWearer(name: "aDA") } == .wearerNameTaken)
      for bad in ["", " a", "a ", "a\nb", "\u{1B}[31m", String(repeating: "ü", count: 33)] {
        #expect(await reason { _ = try await store.addWearer(name: bad) } == .wearerNameInvalid)
        #expect(await reason { try await store.renameWearer(ada.id, to: bad) } == .wearerNameInvalid)
      }
      _ = try await store.addWearer(name: String(repeating: "ü", count: 32))
      try await store.renameWearer(ada.id, to: "ADA")
      try await store.retireWearer(ada.id)
      let second = try await store.addWearer(name: "Ada")
      #expect(await reason { try await store.assign(strap, to: ada.id, from: loop.wall) } == .noSuchWearer)
      try await store.assign(strap, to: ada.id, from: loop.wall + .seconds(-1))
      #expect(
        await reason { try await store.assign(strap, to: WearerID(number: 77), from: loop.wall) } == .noSuchWearer)
      #expect(
        await reason { try await store.assign(WearableID(number: 77), to: second.id, from: loop.wall) }
          == .noSuchWearable)
      #expect(await reason { try await store.renameWearer(WearerID(number: 77), to: "x") } == .noSuchWearer)
      #expect(await reason { try await store.retireWearer(WearerID(number: 77)) } == .noSuchWearer)
      #expect(store.assignments(of: strap).map(\.wearer) == [ada.id])
    }
  }

  @Test("more wearers, assignments and bonds than the format allows are refused with H4020, and all else stays")
  func limits() throws {
    try inStore { loop, store, scratch in
      let strap = try await self.enrol(store, "strap")
      await store.close()
      let environment = try Environment(path: scratch.store, size: 64 << 20, mode: .writer)
      try environment.openTables()
      try environment.write { transaction throws(DatabaseFailure) in
        for number in 1...UInt32(Wearers.limit) {
          try Wearers.put(
            transaction, Wearer(id: WearerID(number: number), name: "w\(number)", createdAt: self.at(0)),
            nextNumber: number + 1)
        }
        for number in 0..<Assignments.limit {
          try Assignments.put(
            transaction, Assignment(wearable: strap, from: self.at(number), wearer: nil, enteredAt: self.at(0)))
        }
        for number in 0..<Bonds.limit {
          try Bonds.put(
            transaction,
            Bond(addressValue: UInt64(number), addressKind: 1, wearable: strap, createdAt: self.at(0), keys: [])
              .clearRow!)
        }
      }
      environment.close()
      let again = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      #expect(await reason { _ = try await again.addWearer(name: "one more") } == .storeTableFull)
      #expect(await reason { try await again.assign(strap, to: nil, from: self.at(-1)) } == .storeTableFull)
      try await again.assign(strap, to: WearerID(number: 5), from: self.at(100))
      #expect(again.wearer(of: strap, at: self.at(100)) == WearerID(number: 5))
      #expect(again.wearer(of: strap, at: self.at(101)) == nil)
      let more = Bond(addressValue: 0, addressKind: 2, wearable: strap, createdAt: self.at(0), keys: [])
      #expect(await reason { try await again.putBond(more) } == .storeTableFull)
      try await again.removeBond(addressValue: 3, addressKind: 1)
      try await again.putBond(more)
      #expect(again.bonds.count == Bonds.limit)
      #expect(again.bonds.last == more)
      #expect(again.assignments(of: strap).count == Assignments.limit)
      await again.close()
    }
  }

  @Test(
    """
    a damaged assignment leaves its samples without a wearer, a damaged wearer leaves its number used; both are \
    counted
    """
  )
  func damaged() throws {
    try inStore { loop, store, scratch in
      let strap = try await self.enrol(store, "strap")
      let ada = try await store.addWearer(name: "Ada")
      let bob = try await store.addWearer(name: "Bob")
      try await store.assign(strap, to: ada.id, from: self.at(0))
      try await store.assign(strap, to: bob.id, from: self.at(10))
      let key = store.assignments(of: strap)[1].key
      await store.close()
      let environment = try Environment(path: scratch.store, size: 64 << 20, mode: .writer)
      try environment.openTables()
      try environment.write { transaction throws(DatabaseFailure) in
        try transaction.put(transaction.tables.assignments, key, [1, 2, 3])
        try transaction.put(transaction.tables.assignments, [1, 2], [1])
        try transaction.put(transaction.tables.wearers, [0, 0, 0, 2], [1, 2, 3])
        try transaction.delete(transaction.tables.meta, Array("next-wearer".utf8))
      }
      environment.close()
      scratch.removeCopy()
      let again = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      #expect(again.status.corruptRecords == 3)
      #expect(again.wearer(of: strap, at: self.at(9)) == ada.id)
      #expect(again.wearer(of: strap, at: self.at(10)) == nil)
      #expect(try await again.addWearer(name: "Eve").id.number == 3)
      try await again.assign(strap, to: ada.id, from: self.at(10))
      #expect(again.wearer(of: strap, at: self.at(10)) == ada.id)
      await again.close()
    }
  }

  @Test("bonds are kept by address, replaced, removed, and their keys are not printed")
  func bonds() throws {
    try inStore { loop, store, scratch in
      let strap = try await self.enrol(store, "strap")
      let key = BondKey(kind: 1, bytes: [0xDE, 0xAD])
      let bond = Bond(
        addressValue: 0xFFFF_F0F1_F2F3_F4F5, addressKind: 2, wearable: strap, createdAt: self.at(0), keys: [key])
      #expect(bond.clearRow?.key == [2, 0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5])
      try await store.putBond(bond)
      let public1 = Bond(
        addressValue: 0xF0F1_F2F3_F4F5, addressKind: 1, wearable: strap, createdAt: self.at(1), keys: [])
      try await store.putBond(public1)
      let newer = Bond(
        addressValue: 0xF0F1_F2F3_F4F5, addressKind: 2, wearable: strap, createdAt: self.at(2), keys: [key, key])
      try await store.putBond(newer)
      #expect(store.bonds == [public1, newer])
      #expect(!"\(newer)".contains("222"), "0xDE")
      let long = BondKey(kind: 1, bytes: [UInt8](repeating: 0, count: 65))
      for keys in [[long], [BondKey](repeating: key, count: 17)] {
        let unfit = Bond(addressValue: 1, addressKind: 1, wearable: strap, createdAt: self.at(0), keys: keys)
        #expect(await reason { try await store.putBond(unfit) } == .storeTableFull)
      }
      try await store.removeBond(addressValue: 77, addressKind: 2)
      try await store.removeBond(addressValue: 0xF0F1_F2F3_F4F5, addressKind: 1)
      await store.close()
      let again = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      #expect(again.bonds == [newer])
      await again.close()
    }
  }

  @Test("a failed write changes nothing, in memory or on disk")
  func failedWrite() throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      let disk = FaultyDisk()
      let store = try Store.open(.test(scratch.store), loop: loop, disk: disk)
      let strap = try await self.enrol(store, "strap")
      let ada = try await store.addWearer(name: "Ada")
      disk.failure = DatabaseFailure(call: "mdb_txn_commit", code: 28)
      let bond = Bond(addressValue: 1, addressKind: 1, wearable: strap, createdAt: self.at(0), keys: [])
      #expect(await reason { _ = try await store.addWearer(name: "Bob") } == .storeFull)
      #expect(await reason { try await store.renameWearer(ada.id, to: "x") } == .storeFull)
      #expect(await reason { try await store.retireWearer(ada.id) } == .storeFull)
      #expect(await reason { try await store.assign(strap, to: ada.id, from: self.at(0)) } == .storeFull)
      #expect(await reason { try await store.putBond(bond) } == .storeFull)
      #expect(store.wearers == [ada])
      #expect(store.assignments(of: strap).isEmpty)
      #expect(store.bonds.isEmpty)
      store.noteEvent(.storeFull, text: "first")
      #expect(await reason { try await store.events.write() } == .storeFull)
      store.noteEvent(.storeFull, text: "second")
      disk.failure = nil
      #expect(try store.recentEvents(9).map(\.text) == ["second", "first"])
      try await store.events.write()
      #expect(store.events.take().isEmpty)
      #expect(try store.recentEvents(9).map(\.number) == [2, 1])
      #expect(try await store.addWearer(name: "Bob").id.number == 2)
      await store.close()
    }
  }

  @Test("wearers that are entered at the same time do not get one name twice or one number twice")
  func atOnce() throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      let disk = FaultyDisk()
      let store = try Store.open(.test(scratch.store), loop: loop, disk: disk)
      disk.isHolding = true
      for name in ["a", "b", "A"] { loop.spawn { _ = try? await store.addWearer(name: name) } }
      try await loop.sleep(for: .seconds(1))
      disk.letGo()
      try await loop.sleep(for: .seconds(1))
      #expect(store.wearers.map(\.name) == ["a", "b"])
      #expect(store.wearers.map(\.id.number) == [1, 2])
      await store.close()
    }
  }

  @Test("events wait with their numbers, are listed before those on disk, and go on counting after a restart")
  func events() throws {
    try inStore { loop, store, scratch in
      store.noteEvent(.storeEvicting, wearable: one, text: "a")
      store.noteEvent(.linkLost, text: "b")
      #expect(try store.recentEvents(10).map(\.text) == ["b", "a"])
      try await store.events.write()
      store.noteEvent(.linkLost, text: "c")
      #expect(try store.recentEvents(10).map(\.text) == ["c", "b", "a"])
      #expect(try store.recentEvents(2).map(\.text) == ["c", "b"])
      #expect(try store.recentEvents(2, before: 3).map(\.text) == ["b", "a"])
      #expect(try store.recentEvents(2, before: 99).map(\.text) == ["c", "b"])
      #expect(try store.recentEvents(2, before: 1).isEmpty)
      #expect(try store.recentEvents(0).isEmpty)
      #expect(try store.recentEvents(-3).isEmpty)
      try await store.events.write()
      for number in 0..<300 { store.noteEvent(.linkLost, text: "\(number)") }
      #expect(store.droppedEvents == 44)
      _ = store.events.take()
      await store.close()
      let again = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      again.noteEvent(.linkLost, text: "d")
      #expect(try again.recentEvents(2).map(\.number) == [4, 3])
      _ = again.events.take()
      await again.close()
      let reader = try StoreReader(path: scratch.store)
      #expect(try reader.recentEvents(10).map(\.text) == ["c", "b", "a"])
      #expect(try reader.recentEvents(10)[2].wearable == one)
    }
  }

  @Test(
    "an event that no commit takes along is written alone after a minute, and at the latest when the store is closed")
  func eventPatience() throws {
    try inStore { loop, store, scratch in
      store.noteEvent(.linkLost, text: "a")
      try await loop.sleep(for: .seconds(59))
      #expect(store.events.waiting.count == 1)
      try await loop.sleep(for: .seconds(2))
      #expect(store.events.waiting.isEmpty)
      #expect(try store.recentEvents(5).map(\.text) == ["a"])
      store.noteEvent(.linkLost, text: "b")
      await store.close()
      #expect(try StoreReader(path: scratch.store).recentEvents(5).map(\.text) == ["b", "a"])
    }
  }

  @Test("events that the disk refused are tried again every minute, each stored once")
  func eventRetry() throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      let disk = FaultyDisk()
      let store = try Store.open(.test(scratch.store), loop: loop, disk: disk)
      disk.failure = DatabaseFailure(call: "mdb_txn_commit", code: 28)
      store.noteEvent(.linkLost, text: "a")
      try await loop.sleep(for: .seconds(150))
      #expect(store.events.waiting.map(\.text) == ["a"])
      disk.failure = nil
      try await loop.sleep(for: .seconds(60))
      #expect(store.events.waiting.isEmpty)
      #expect(try store.recentEvents(5).map(\.number) == [1])
      await store.close()
    }
  }

  @Test("visits, receipts and readers are listed the same from an open store and from one without its daemon")
  func lists() throws {
    try inStore { loop, store, scratch in
      let time = self.at(0)
      let visit = VisitRecord(number: 1, wearable: one, began: time, opened: FieldCodecTests.clock)
      let exporter = ExportReader(name: "clinic", createdAt: time, confirmedAt: time, items: 3)
      let receipt = try await store.disk.change(pages: 8) { transaction throws(DatabaseFailure) in
        try Visits.put(transaction, visit)
        _ = try Readers.put(transaction, exporter)
        return try Receipts.add(
          transaction, wearable: one, digest: BatchDigest(first: 1, second: 2), source: .place("s"), committedAt: time,
          visit: 1, items: 0, ranges: [])
      }
      #expect(try store.recentVisits(5) == [visit])
      #expect(try store.recentReceipts(of: one, limit: 5) == [receipt])
      #expect(try store.readers() == [exporter])
      await store.close()
      #expect(await reason { _ = try store.recentVisits(5) } == .storeFailing)
      let reader = try StoreReader(path: scratch.store)
      #expect(try reader.recentVisits(5) == [visit])
      #expect(try reader.recentReceipts(of: one, limit: 5) == [receipt])
      #expect(try reader.readers() == [exporter])
      let again = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      #expect(await reason { _ = try reader.recentVisits(5) } == .storeInUse)
      await again.close()
    }
  }
}
