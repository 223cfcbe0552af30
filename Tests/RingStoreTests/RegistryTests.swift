import EventLoop
import Export
import Health
import Reasons
import StateCodec
import Testing

@testable import RingStore

@Suite(.serialized) struct RegistryTests {
  @Test("a boot has 32 digits, dashes or not, and no sign")
  func bootIDs() {
    #expect(BootID("01020304-0506-0708-090a-0b0c0D0E0F10") == boot)
    #expect(BootID("+1020304-0506-0708-090a-0b0c0d0e0f10") == nil)
    #expect(BootID("1020304-0506-0708-090a-0b0c0d0e0f10") == nil)
  }

  @Test("an enrolment is durable when it returns, with all its fields")
  func enrolment() throws {
    try inStore { loop, store, scratch in
      var facts = WearableFacts()
      facts["manufacturer"] = "Polar"
      facts["model"] = "H10"
      var record = try await store.enrol(
        name: "strap-01", addressValue: 0xF0F1_F2F3_F400, addressKind: 2, driver: "heart-rate", kind: "HR strap",
        facts: facts)
      #expect(record.id.number == 1)
      #expect(record.enrolledAt == loop.wall)
      #expect(record.addressText == "F0:F1:F2:F3:F4:00")
      record.battery = 87
      record.name = "bed-3.left"
      record.facts["body_location"] = "chest"
      record.gattCache = Array(0...255)
      try await store.update(record)
      await store.close()
      let again = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      #expect(again.wearables == [record])
      #expect(again.wearables[0].facts.entries.map { $0.name } == ["manufacturer", "model", "body_location"])
      await again.close()
      let reader = try StoreReader(path: scratch.store)
      #expect(reader.wearables == [record])
    }
  }

  @Test("several records are written together, all or not at all")
  func severalRecords() throws {
    try inStore { loop, store, scratch in
      var records: [WearableRecord] = []
      for number in 1...3 as ClosedRange<UInt64> {
        var record = try await store.enrol(
          name: "strap-\(number)", addressValue: number, addressKind: 2, driver: "heart-rate", kind: "HR strap")
        record.battery = 40
        records.append(record)
      }
      var strange = records[2]
      strange.name = "no name at all!"
      #expect(await reason { try await store.update([records[0], strange]) } == .enrolNameInvalid)
      #expect(store.wearables.allSatisfy { $0.battery == nil })
      try await store.update(records)
      #expect(store.wearables == records)
      await store.close()
      #expect(try StoreReader(path: scratch.store).wearables == records)
    }
  }

  @Test("names and addresses are unique among the enrolled, whatever the case, and names are fit for a shell")
  func uniqueness() throws {
    try inStore { loop, store, _ in
      @LoopActor func enrol(_ name: String, _ address: UInt64, _ kind: UInt8 = 2) async -> Reason? {
        await reason {
          _ = try await store.enrol(name: name, addressValue: address, addressKind: kind, driver: "d", kind: "k")
        }
      }
      #expect(await enrol("strap-01", 1) == nil)
      #expect(await enrol("Strap-01", 2) == .enrolNameTaken)
      #expect(await enrol("strap-02", 1) == .enrolNameTaken)
      #expect(await enrol("strap-02", 1, 1) == nil, "a public and a random address are two addresses")
      for bad in ["", "a b", "é", "a/b", "-\u{1B}[31m", String(repeating: "x", count: 33), "a\0"] {
        #expect(await enrol(bad, 9) == .enrolNameInvalid)
      }
      #expect(await enrol(String(repeating: "x", count: 32), 9) == nil)
      var record = store.wearables[0]
      record.name = "STRAP-02"
      #expect(await reason { try await store.update(record) } == .enrolNameTaken)
      record.name = "STRAP-01"
      #expect(await reason { try await store.update(record) } == nil, "a change of case only is a rename of oneself")
      #expect(store.wearables.map { $0.name } == ["STRAP-01", "strap-02", String(repeating: "x", count: 32)])
    }
  }

  @Test(
    """
    a forgotten wearable keeps its name for its samples, its number is never given again, and it may come back as \
    another
    """
  )
  func removal() throws {
    try inStore { loop, store, scratch in
      let first = try await store.enrol(name: "strap-01", addressValue: 1, addressKind: 2, driver: "d", kind: "k")
      store.append(first.id, .heartRate, 72, at: loop.now)
      try await store.remove(first.id)
      #expect(store.wearables.isEmpty)
      #expect(store.record(first.id)?.retiredAt == loop.wall)
      #expect(await reason { try await store.remove(first.id) } == .noSuchWearable)
      #expect(await reason { try await store.update(first) } == .noSuchWearable)
      await store.close()
      let again = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      let second = try await again.enrol(name: "strap-01", addressValue: 1, addressKind: 2, driver: "d", kind: "k")
      #expect(second.id.number == 2)
      let export = SampleExport(.csv, wearables: again.wearables + again.retiredWearables)
      #expect(try await again.all().map { export.name(of: $0.wearable) } == ["strap-01"])
      await again.close()
    }
  }

  @Test("the 513th wearable is refused with H2306 until one is forgotten; asking at the same time does not get two in")
  func limits() throws {
    try inStore { loop, store, _ in
      for index in 0..<511 {
        _ = try await store.enrol(
          name: "w\(index)", addressValue: UInt64(index), addressKind: 2, driver: "d", kind: "k")
      }
      let results = Results()
      for index in 0..<4 {
        loop.spawn {
          results.reasons.append(
            await reason {
              _ = try await store.enrol(
                name: "twin", addressValue: UInt64(1000 + index), addressKind: 2, driver: "d", kind: "k")
            })
        }
      }
      try await loop.sleep(for: .seconds(1))
      #expect(results.reasons == [nil, .enrolNameTaken, .enrolNameTaken, .enrolNameTaken])
      #expect(
        await reason {
          _ = try await store.enrol(name: "more", addressValue: 5000, addressKind: 2, driver: "d", kind: "k")
        } == .registryFull)
      #expect(store.wearables.map { $0.id.number } == Array(1...512))
      // A key that is no longer used is forgotten.
      try await store.remove(store.wearables[7].id)
      let more = try await store.enrol(name: "more", addressValue: 5000, addressKind: 2, driver: "d", kind: "k")
      #expect(more.id.number == 513 && store.wearables.count == 512)
    }
  }

  @Test("beyond 3,584 forgotten wearables the one forgotten first loses its name, and still no number comes again")
  func retiredLimit() throws {
    try inStore { loop, store, scratch in
      await store.close()
      let environment = try Environment(path: scratch.store, size: 64 << 20, mode: .writer)
      try environment.openTables()
      try environment.write { transaction throws(DatabaseFailure) in
        for number in UInt32(1)...UInt32(Registry.retiredLimit) {
          let id = WearableID(number: number)
          var record = WearableRecord(
            id: id, addressValue: UInt64(number), addressKind: 2, name: "w\(number)", driver: "d", kind: "k",
            enrolledAt: VirtualLoop.morning)
          // Number 7 was forgotten first.
          record.retiredAt = VirtualLoop.morning + .seconds(number == 7 ? -10 : 0)
          try Registry.apply(transaction, RegistryChange(id: id, record: WearableCodec.encode(record)))
        }
        var spans = UncollectedSpans()
        spans.begin(nil, at: VirtualLoop.morning)
        let entry = RememberedStates.Entry(spans)
        try transaction.put(StateRecord<HubStates>(WearableID(number: 7), UncollectedSpans.name, entry))
      }
      environment.close()
      let again = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      #expect(again.retiredWearables.count == Registry.retiredLimit)
      let new = try await again.enrol(name: "new", addressValue: 9999, addressKind: 2, driver: "d", kind: "k")
      #expect(new.id.number == UInt32(Registry.retiredLimit) + 1)
      try await again.remove(new.id)
      #expect(again.retiredWearables.count == Registry.retiredLimit)
      #expect(again.record(WearableID(number: 7)) == nil)
      #expect(again.record(new.id)?.name == "new")
      await again.close()
      let left = try StoreReader(path: scratch.store).environment.read { transaction throws(DatabaseFailure) in
        transaction.entries(transaction.tables.hubState)
      }
      #expect(left == 0, "what was kept of it goes with its name")
    }
  }

  @Test("text from the air is cut to its limits, never refused")
  func hostileFacts() throws {
    try inStore { loop, store, _ in
      var facts = WearableFacts()
      facts["model"] = String(repeating: "ü", count: 5000)
      for index in 0..<40 { facts["fact-\(index)"] = "\u{1B}]0;\(index)" }
      var record = try await store.enrol(
        name: "x", addressValue: .max, addressKind: 2, driver: String(repeating: "d", count: 999),
        kind: String(repeating: "k", count: 999), facts: facts)
      #expect(record.facts.entries.count == WearableFacts.countLimit)
      #expect(record.facts["model"]?.utf8.count == 254)
      #expect(record.driver.utf8.count == 64)
      #expect(record.addressValue == 0xFFFF_FFFF_FFFF)
      record.battery = 400
      record.gattCache = [UInt8](repeating: 1, count: 20_000)
      try await store.update(record)
      #expect(store.wearables[0].battery == nil)
      #expect(store.wearables[0].gattCache == nil)
      #expect(WearableCodec.encode(store.wearables[0]).count < FieldCodec.sizeLimit)
    }
  }

  @Test("a failed write changes nothing, in memory or on disk")
  func failedWrite() throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      let disk = FaultyDisk()
      let store = try Store.open(.test(scratch.store), loop: loop, disk: disk)
      let kept = try await store.enrol(name: "kept", addressValue: 1, addressKind: 2, driver: "d", kind: "k")
      disk.failure = DatabaseFailure(call: "mdb_txn_commit", code: 28)
      #expect(
        await reason {
          _ = try await store.enrol(name: "lost", addressValue: 2, addressKind: 2, driver: "d", kind: "k")
        } == .storeFull)
      #expect(await reason { try await store.remove(kept.id) } == .storeFull)
      #expect(store.wearables == [kept])
      disk.failure = nil
      #expect(
        try await store.enrol(name: "next", addressValue: 2, addressKind: 2, driver: "d", kind: "k").id.number == 2)
      await store.close()
    }
  }

  @Test("records of a later version keep the fields this one does not know")
  func unknownFields() throws {
    var record = WearableRecord(
      id: one, addressValue: 5, addressKind: 1, name: "n", driver: "d", kind: "k", enrolledAt: VirtualLoop.morning,
      battery: 3)
    record.unknownFields = [200, 3, 1, 2, 3, 77, 0]
    let bytes = WearableCodec.encode(record)
    #expect(bytes.withUnsafeBytes { WearableCodec.decode(one, $0) } == record)
  }

  @Test("a damaged record is not taken for one: any flipped bit, any cut, any noise")
  func damaged() throws {
    var record = WearableRecord(
      id: one, addressValue: 5, addressKind: 1, name: "name", driver: "d", kind: "k", enrolledAt: VirtualLoop.morning)
    record.facts["model"] = "H10"
    let bytes = WearableCodec.encode(record)
    func decode(_ bytes: [UInt8]) -> WearableRecord? { bytes.withUnsafeBytes { WearableCodec.decode(one, $0) } }
    for index in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[index] ^= 1 << UInt8(bit)
        #expect(decode(damaged) == nil)
      }
      #expect(decode(Array(bytes[..<index])) == nil)
    }
    // Noise behind a right checksum: the parser itself must be total.
    var random = Seeded(1)
    for _ in 0..<2000 {
      var noise =
        [FieldCodec.layout] + (0..<Int(random.next() % 60)).map { _ in UInt8(truncatingIfNeeded: random.next() % 14) }
      var crc = CRC32C()
      noise.withUnsafeBytes { crc.update($0) }
      noise.append(littleEndian: crc.value)
      _ = decode(noise)
    }
  }

  @Test("a damaged record costs that wearable alone, is counted, and its number is not given again")
  func damagedInStore() throws {
    try inStore { loop, store, scratch in
      for index in 1...3 {
        _ = try await store.enrol(
          name: "w\(index)", addressValue: UInt64(index), addressKind: 2, driver: "d", kind: "k")
      }
      await store.close()
      let environment = try Environment(path: scratch.store, size: 8 << 20, mode: .writer)
      try environment.openTables()
      try environment.write { transaction throws(DatabaseFailure) in
        try transaction.put(transaction.tables.registry, [0, 0, 0, 3], [1, 2, 3])
        try transaction.delete(transaction.tables.meta, Array("next-wearable".utf8))
      }
      environment.close()
      scratch.removeCopy()
      let again = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      #expect(again.wearables.map { $0.name } == ["w1", "w2"])
      #expect(again.status.corruptRecords == 1)
      #expect(try await again.enrol(name: "w4", addressValue: 4, addressKind: 2, driver: "d", kind: "k").id.number == 4)
      await again.close()
    }
  }
}

@LoopActor
private final class Results {
  nonisolated init() {}
  var reasons: [Reason?] = []
}
