import EventLoop
import Health
import Reasons
import StateCodec
import Testing

@testable import RingStore

/// Items on their way into the store: their records, and the bytes that are kept until they are whole.
@Suite(.serialized) struct StagingTests {
  private func bytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var random = Seeded(seed)
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
  }

  private func record(_ id: String = "a.bin", of wearable: WearableID = one, visit: UInt64 = 1) -> CustodyRecord {
    CustodyRecord(wearable: wearable, id: id, visit: visit)
  }

  private func batch(_ source: String, visit: UInt64 = 1) throws -> FetchedBatch {
    let record = VisitRecord(number: visit, wearable: one, began: VirtualLoop.morning)
    var batch: FetchedBatch
    switch BatchSource(text: source) {
    case .part(let part): batch = FetchedBatch(wearable: one, part: part, visit: record)
    case .place(let place): batch = try FetchedBatch(wearable: one, place: place, visit: record)
    }
    for index in 0..<50 {
      try batch.append(.heartRate, Int64(60 + index % 9), at: VirtualLoop.morning + .seconds(Int64(index)))
    }
    return batch
  }

  // MARK: records

  @Test("a record of custody comes back as it was put, also after the store was opened again, and by id")
  func roundTrip() throws {
    let scratch = Scratch()
    let full = CustodyRecord(
      wearable: one, id: "b/" + String(repeating: "x", count: 118), mark: "crc:1234", size: 5000, fetched: 5000,
      fetchedAt: WallTime(microseconds: 1),
      verifiedAt: WallTime(microseconds: 2), durableAt: WallTime(microseconds: 3), erasedAt: WallTime(microseconds: -4),
      isFinal: true,
      receipts: [3, 1, 2], begins: -7, remark: "3,600 records", visit: 9, isListed: false)
    try inStore(at: scratch) { _, store, _ in
      for source in ["x", "y", "z"] { _ = try await store.commit(self.batch(source)) }
      try await store.putCustody([full, self.record("a"), self.record("a", of: two)])
      #expect(try store.custody(of: one) == [self.record("a"), full])
    }
    try inStore(at: scratch) { _, store, _ in
      let kept = try store.custody(of: one)
      #expect(kept == [self.record("a"), full])
      #expect(try store.custody(of: two).map(\.id) == ["a"])
      #expect(try await store.verify().findings == [])
    }
    #expect(try StoreReader(path: scratch.store).custody(of: one) == [record("a"), full])
  }

  @Test(
    "what is longer than its limit is cut, and an invalid id is refused with H4109",
    arguments: ["", "a b", "ü", "a\n", String(repeating: "x", count: 121)])
  func limits(id: String) throws {
    try inStore { _, store, _ in
      #expect(await reason { try await store.putCustody([self.record("fine"), self.record(id)]) } == .custodyInvalid)
      #expect(await reason { try await store.stage(self.record(id), appending: [1], at: 0) } == .custodyInvalid)
      #expect(try store.custody(of: one) == [], "all or none")
      var long = self.record()
      long.mark = String(repeating: "m", count: 41)
      long.remark = String(repeating: "ü", count: 61)
      long.receipts = Array(1...70)
      try await store.putCustody([long])
      let kept = try #require(try store.custody(of: one).first)
      #expect(kept.mark.utf8.count == 40 && kept.remark.utf8.count == 120 && kept.receipts == Array(1...64))
    }
  }

  @Test(
    """
    no more records are kept than the limit: those erased longest ago go first, then those no longer listed, and the \
    rest stays
    """
  )
  func recordsGiveWay() throws {
    try inStore({ $0.sizeBytes = StoreOptions.minimumSize }) { _, store, _ in
      let limit = store.disk.limits.custodyOfWearable
      var records = (0..<limit).map { self.record("f\($0)", visit: UInt64($0 + 10)) }
      records[7].erasedAt = WallTime(microseconds: 20)
      records[5].erasedAt = WallTime(microseconds: 10)
      records[3].durableAt = WallTime(microseconds: 5)
      records[3].isListed = false
      try await store.putCustody(records)
      try await store.stage(self.record("f3"), appending: [1, 2, 3], at: 0)
      #expect(try store.custody(of: one).count == limit)
      var gone: [String] = []
      for (index, expected) in ["f5", "f7", "f0"].enumerated() {
        let before = Set(try store.custody(of: one).map(\.id))
        try await store.putCustody([self.record("new-\(index)", visit: 1000)])
        gone += before.subtracting(try store.custody(of: one).map(\.id))
        #expect(gone.last == expected || index == 2)
      }
      #expect(gone.prefix(2) == ["f5", "f7"] && gone.count == 3)
      #expect(try store.custody(of: one).count == limit)
      #expect(store.status.custodyGivenWay == 3)
      #expect(try await store.verify().findings == [])
    }
  }

  @Test(
    "the whole table is bounded: a wearable that is new takes the place of a record of the first one, with its bytes")
  func tableIsFull() throws {
    try inStore({ $0.sizeBytes = StoreOptions.minimumSize }) { _, store, _ in
      let limits = store.disk.limits
      var number: UInt32 = 1
      var left = limits.custody
      while left > 0 {
        let count = min(left, limits.custodyOfWearable)
        let wearable = WearableID(number: number)
        try await store.putCustody((0..<count).map { self.record("f\($0)", of: wearable) })
        (left, number) = (left - count, number + 1)
      }
      try await store.stage(self.record("f0", visit: 0), appending: self.bytes(9000), at: 0)
      try await store.putCustody([self.record("late", of: WearableID(number: 500))])
      #expect(try store.custody(of: WearableID(number: 500)).count == 1)
      #expect(try store.custody(of: one).count == limits.custodyOfWearable - 1)
      #expect(try await store.staged(one, "f0").isEmpty)
      #expect(
        try store.disk.reading { transaction throws(DatabaseFailure) in transaction.entries(transaction.tables.custody)
        }
          == limits.custody)
      #expect(try await store.verify().findings == [])
    }
  }

  @Test("a record's stored bytes never trap, behind a right checksum or not, and damage is not taken for a record")
  func hostileRecords() throws {
    try inStore { _, store, scratch in
      var whole = self.record()
      (whole.size, whole.durableAt, whole.receipts, whole.begins, whole.remark) = (
        7, WallTime(microseconds: 1), [1, 2], 3, "r"
      )
      let stored = whole.encode()
      let key = whole.key
      func decode(_ bytes: [UInt8]) -> CustodyRecord? {
        key.withUnsafeBytes { key in bytes.withUnsafeBytes { CustodyRecord.decode(key: key, value: $0) } }
      }
      #expect(decode(stored) == whole)
      var random = Seeded(3)
      for _ in 0..<3000 {
        var bytes = stored
        bytes[Int(random.next() % UInt64(bytes.count))] ^= 1 << UInt8(random.next() % 8)
        #expect(decode(bytes) == nil)
        var content = Array(stored.dropLast(4))
        content[Int(random.next() % UInt64(content.count))] = UInt8(truncatingIfNeeded: random.next())
        _ = decode(FieldCodecTests.sealed(content))
      }
      // A size that no machine has.
      var fields = Array(stored.dropLast(4))
      fields += [2, 8] + [UInt8](repeating: 0xFF, count: 8)
      #expect(decode(FieldCodecTests.sealed(fields)) == nil)
    }
  }

  // MARK: bytes

  @Test(
    "bytes that come in pieces of any size are kept in order, across restarts, and the record says how many",
    arguments: [1, 3, 4000, 4001, 20_000, 333_333])
  func appending(piece: Int) throws {
    let scratch = Scratch()
    let count = min(piece * 40, 700_001)
    let whole = bytes(count)
    var offset = 0
    for part in 1...3 {
      let begin = offset
      let end = count * part / 3
      try inStore(at: scratch) { _, store, _ in
        #expect(try await store.staged(one, "a.bin") == Array(whole[..<begin]))
        var place = begin
        while place < end {
          let next = min(place + piece, end)
          try await store.stage(self.record(), appending: Array(whole[place..<next]), at: place)
          place = next
        }
        #expect(try store.custody(of: one).first?.fetched == end)
        #expect(try await store.staged(one, "a.bin") == Array(whole[..<end]))
        #expect(try await store.verify().findings == [])
      }
      offset = end
    }
    #expect(try StoreReader(path: scratch.store).staged(one, "a.bin") == whole)
    #expect(try StoreReader(path: scratch.store).status.stagedBytes == (count + 3999) / 4000 * 4096)
  }

  @Test(
    """
    bytes at another offset than what is kept are refused with H4107 without any change; the same ones once more are \
    no second copy
    """
  )
  func offsets() throws {
    try inStore { _, store, _ in
      let whole = self.bytes(10_000)
      #expect(await reason { try await store.stage(self.record(), appending: [1], at: 1) } == .stagedElsewhere)
      #expect(try store.custody(of: one) == [])
      try await store.stage(self.record(), appending: Array(whole[..<6000]), at: 0)
      try await store.stage(self.record(), appending: Array(whole[6000...]), at: 6000)
      for (part, offset) in [(Array(whole[6000...]), 6000), (Array(whole[9999...]), 9999), (whole, 0)] {
        try await store.stage(self.record(), appending: part, at: offset)
        #expect(try await store.staged(one, "a.bin") == whole)
        #expect(try store.custody(of: one).first?.fetched == 10_000)
      }
      for (part, offset): ([UInt8], Int) in [([1], 0), ([1], 9999), ([1], 10_001), ([], 5), ([1], -1), ([1], .max)] {
        #expect(await reason { try await store.stage(self.record(), appending: part, at: offset) } != nil)
      }
      #expect(try await store.staged(one, "a.bin") == whole)
      // Items with a common prefix of their names are different.
      try await store.stage(self.record("a.bi"), appending: [7], at: 0)
      try await store.stage(self.record("a.bin2"), appending: [8, 8], at: 0)
      try await store.stage(self.record("a.bin", of: two), appending: [9], at: 0)
      #expect(try await store.staged(one, "a.bi") == [7])
      try await store.unstage(self.record("a.bin"))
      #expect(try await store.staged(one, "a.bin").isEmpty)
      #expect(try await store.staged(one, "a.bin2") == [8, 8])
      #expect(try await store.staged(two, "a.bin") == [9])
      #expect(try await store.verify().findings == [])
    }
  }

  @Test("an item that starts over begins at 0 with another mark, and no byte of the old content is left")
  func startingOver() throws {
    try inStore { _, store, _ in
      try await store.stage(self.record(), appending: self.bytes(50_000), at: 0)
      var again = self.record()
      again.mark = "new"
      try await store.unstage(again)
      #expect(try store.custody(of: one).map { [$0.mark, "\($0.fetched)"] } == [["new", "0"]])
      try await store.stage(again, appending: self.bytes(3, seed: 2), at: 0)
      #expect(try await store.staged(one, "a.bin") == self.bytes(3, seed: 2))
      #expect(store.status.stagedBytes == 4096)
    }
  }

  @Test(
    "of damaged bytes the sound first ones are kept, fetching goes on from there, and verify reports until it has",
    arguments: [0, 5, 24], [2, 9, 100])
  func damage(page: Int, offset: Int) throws {
    let scratch = Scratch()
    let whole = bytes(24 * 4000 + 77)
    try inStore(at: scratch) { _, store, _ in try await store.stage(self.record(), appending: whole, at: 0) }
    try scratch.flip(\.staged, at: page, offset: offset)
    try inStore(at: scratch) { _, store, _ in
      let sound = page * 4000
      #expect(try await store.staged(one, "a.bin") == Array(whole[..<sound]))
      #expect(try await store.verify().findings.contains { $0.what == "damaged" })
      #expect(
        await reason { try await store.stage(self.record(), appending: [1], at: whole.count) }
          == (page == 24 ? .stagedElsewhere : nil) || page != 24)
      let found = try await store.staged(one, "a.bin").count
      try await store.stage(self.record(), appending: Array(whole[found...]), at: found)
      #expect(try await store.staged(one, "a.bin") == whole)
      #expect(try await store.verify().findings == [])
    }
  }

  @Test(
    """
    verify finds a hole between pages, a page behind one that is not full, bytes without a record, and receipts that \
    were never made
    """
  )
  func verifying() throws {
    let scratch = Scratch()
    try inStore(at: scratch) { _, store, _ in
      for id in ["hole", "short", "lone"] { try await store.stage(self.record(id), appending: self.bytes(9000), at: 0) }
      _ = try await store.commit(self.batch("x"))
      var promised = self.record("promised")
      (promised.receipts, promised.durableAt) = ([1, 2], VirtualLoop.morning)
      try await store.putCustody([promised])
    }
    try scratch.tamper { transaction throws(DatabaseFailure) in
      let item = { StagedItem(wearable: one, id: $0) }
      try transaction.delete(transaction.tables.staged, item("hole").key(4000))
      try transaction.put(transaction.tables.staged, item("short").key(4000), Staged.page([1, 2][...], at: 4000, nil))
      try transaction.delete(transaction.tables.custody, CustodyTable.key(one, "lone"))
      try transaction.put(transaction.tables.staged, [1, 2, 3], [4])
    }
    let findings = try StoreReader(path: scratch.store).verify().findings
    #expect(
      Set(findings.map(\.place)) == [
        "staged 010203", "staged 1 hole 8000", "staged 1 short 8000", "staged 1 lone 0", "custody 1 promised",
      ])
  }

  // MARK: becoming durable

  @Test(
    """
    a batch becomes durable with its item's record, which gets the receipt's number, and the bytes kept go, in one \
    commit
    """
  )
  func commit() throws {
    try inStore { loop, store, _ in
      try await store.stage(self.record(), appending: self.bytes(20_000), at: 0)
      var item = self.record()
      (item.fetched, item.fetchedAt, item.durableAt) = (20_000, loop.wall, loop.wall)
      let first = try await store.commit(self.batch("a.bin x 1/2"), custody: item, dropsStaged: false)
      #expect(try await store.staged(one, "a.bin").count == 20_000)
      item = try #require(try store.custody(of: one).first)
      #expect(item.receipts == [first.number])
      let second = try await store.commit(self.batch("a.bin x 2/2"), custody: item, dropsStaged: true)
      #expect(try await store.staged(one, "a.bin").isEmpty)
      item = try #require(try store.custody(of: one).first)
      #expect(item.receipts == [first.number, second.number])
      #expect(try store.receipts(of: one, numbers: item.receipts + [99]) == [first, second])
      #expect(try store.receipts(of: two, numbers: item.receipts) == [])
      #expect(try store.receipt(first.number) == first)
      #expect(try store.receipt(99) == nil)
      // The answer was lost: the same once more has no effect.
      #expect(try await store.commit(self.batch("a.bin x 2/2"), custody: item, dropsStaged: true) == second)
      #expect(try store.custody(of: one) == [item])
      #expect(try await store.verify().findings == [])
    }
  }

  @Test("a batch that was durable before its item's record was written still writes it and drops what is kept")
  func lateRecord() throws {
    try inStore { _, store, _ in
      let receipt = try await store.commit(self.batch("a.bin x 1/1"))
      try await store.stage(self.record(), appending: [1, 2, 3], at: 0)
      #expect(try await store.commit(self.batch("a.bin x 1/1"), custody: self.record(), dropsStaged: true) == receipt)
      #expect(try await store.staged(one, "a.bin").isEmpty)
      #expect(try store.custody(of: one).first?.receipts == [receipt.number])
    }
  }

  @Test("a commit that the disk refused leaves bytes and record as they were, and the next try does it all")
  func refusedByDisk() throws {
    let disk = FaultyDisk()
    try inStore(disk: disk) { _, store, _ in
      try await store.stage(self.record(), appending: self.bytes(5000), at: 0)
      let before = try store.custody(of: one)
      disk.failure = DatabaseFailure(call: "test", code: 28)
      #expect(
        await reason { _ = try await store.commit(self.batch("a.bin"), custody: self.record(), dropsStaged: true) }
          != nil)
      #expect(await reason { try await store.stage(self.record(), appending: [1], at: 5000) } != nil)
      #expect(
        await reason { try await store.putVisit(VisitRecord(number: 1, wearable: one, began: VirtualLoop.morning)) }
          != nil)
      disk.failure = nil
      #expect(try await store.staged(one, "a.bin") == self.bytes(5000))
      #expect(try store.custody(of: one) == before)
      #expect(try store.recentReceipts(of: one, limit: 9) == [])
      _ = try await store.commit(self.batch("a.bin"), custody: self.record(), dropsStaged: true)
      #expect(try await store.staged(one, "a.bin").isEmpty)
    }
  }

  @Test("an item of more than 64 parts, or of another wearable than its batch, is refused")
  func strangeParts() throws {
    try inStore { _, store, _ in
      var item = self.record()
      item.receipts = Array(1...64)
      #expect(
        await reason { _ = try await store.commit(self.batch("x"), custody: item, dropsStaged: false) }
          == .storeBatchTooLarge)
      #expect(
        await reason { _ = try await store.commit(self.batch("x"), custody: self.record(of: two), dropsStaged: false) }
          == .custodyInvalid)
      #expect(store.status.batches == 0)
    }
  }

  // MARK: bounds

  @Test(
    """
    one item has its bound, and all together theirs: the item that no visit had to do with for longest gives its end \
    up, with an event
    """
  )
  func stagedBound() throws {
    try inStore({ $0.sizeBytes = StoreOptions.minimumSize }) { loop, store, _ in
      let limit = store.disk.limits.stagedPages * 4000
      #expect(
        await reason { try await store.stage(self.record(), appending: self.bytes(limit + 1), at: 0) }
          == .storeBatchTooLarge)
      try await store.stage(self.record("old", visit: 3), appending: self.bytes(limit / 2), at: 0)
      try await store.stage(self.record("older", visit: 2), appending: self.bytes(limit / 4, seed: 2), at: 0)
      #expect(store.status.stagedGivenUp == 0)
      try await store.stage(self.record("new", visit: 4), appending: self.bytes(limit / 2, seed: 3), at: 0)
      #expect(try await store.staged(one, "new") == self.bytes(limit / 2, seed: 3))
      #expect(try await store.staged(one, "old") == self.bytes(limit / 2))
      let rest = try await store.staged(one, "older")
      #expect(rest.count < limit / 4 && self.bytes(limit / 4, seed: 2).starts(with: rest))
      #expect(try store.custody(of: one).first { $0.id == "older" }?.fetched == rest.count)
      #expect(store.status.stagedGivenUp == UInt64(limit / 4 - rest.count))
      #expect(store.status.stagedBytes <= store.disk.limits.stagedPages * 4096)
      #expect(
        try store.recentEvents(9).contains { $0.reason == Reason.stagedGivenUp.rawValue && $0.text.contains("older") })
      #expect(try await store.verify().findings == [])
      // An item that grows beyond the room of the others never takes from itself.
      try await store.stage(self.record("new", visit: 1), appending: self.bytes(limit / 2, seed: 4), at: limit / 2)
      #expect(try await store.staged(one, "new").count == limit)
      #expect(try await store.staged(one, "old").isEmpty)
    }
  }

  @Test("in a store that gets full, bytes of items that are not whole go before samples that were never exported")
  func stagedYields() throws {
    try inStore({ $0.sizeBytes = StoreOptions.minimumSize }) { loop, store, _ in
      try await store.stage(self.record(), appending: self.bytes(200_000), at: 0)
      var total: Int64 = 0
      while store.status.stagedGivenUp < 200_000, total < 1_000_000 {
        #expect(store.status.evictedSamples == 0)
        for _ in 0..<400 {
          store.append(one, .rrInterval, noise(total), at: loop.now)
          total += 1
        }
        try await loop.sleep(for: .milliseconds(100))
      }
      #expect(store.status.stagedGivenUp == 200_000)
      #expect(try await store.staged(one, "a.bin").isEmpty)
      #expect(try store.custody(of: one).first?.fetched == 0)
    }
  }

  @Test(
    """
    if all room is taken by what should have stayed on wearables, bytes are refused with H4102 and records are still \
    kept
    """
  )
  func refusedByBound() throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      var options = StoreOptions.test(scratch.store, size: StoreOptions.minimumSize)
      options.standardRetention = Retention(whenFull: .refuse)
      let store = try Store.open(options, loop: loop, disk: InlineDiskLane())
      var refused: Reason?
      for number in 0..<2000 where refused == nil {
        var batch = try FetchedBatch(
          wearable: one, place: "f\(number)", visit: VisitRecord(number: 1, wearable: one, began: loop.wall))
        for index in 0..<2000 { try batch.append(.rrInterval, noise(number * 2000 + index), at: loop.wall) }
        let next = batch
        refused = await reason { _ = try await store.commit(next) }
      }
      #expect(refused == .storeRefusing)
      let samples = store.status.samples
      #expect(
        await reason { try await store.stage(self.record(), appending: self.bytes(200_000), at: 0) } == .storeRefusing)
      try await store.putCustody([self.record("noted")])
      #expect(try store.custody(of: one).map(\.id) == ["noted"])
      #expect(store.status.samples == samples, "nothing was given up for it")
      await store.close()
    }
  }

  // MARK: wearables, bonds, visits

  @Test(
    """
    a wearable is enrolled with its keys in one commit; a bond that does not fit refuses both; forgetting takes \
    keys, records and bytes
    """
  )
  func enrolment() throws {
    let scratch = Scratch()
    try inStore(at: scratch) { loop, store, _ in
      let keys = [BondKey(kind: 1, bytes: self.bytes(36)), BondKey(kind: 2, bytes: self.bytes(16))]
      let now = loop.wall
      func bond(_ address: UInt64, _ keys: [BondKey]) -> Bond {
        Bond(addressValue: address, addressKind: 2, wearable: WearableID(number: 77), createdAt: now, keys: keys)
      }
      let attempts = store.status.commits
      let record = try await store.enrol(
        name: "a", addressValue: 5, addressKind: 2, driver: "d", kind: "k", bond: bond(5, keys))
      #expect(store.bonds.map(\.wearable) == [record.id] && store.bonds.first?.keys == keys)
      #expect(store.status.commits == attempts)
      let long = bond(6, [BondKey(kind: 1, bytes: self.bytes(65))])
      #expect(
        await reason {
          _ = try await store.enrol(name: "b", addressValue: 6, addressKind: 2, driver: "d", kind: "k", bond: long)
        } == .storeTableFull)
      #expect(store.wearables.count == 1)
      let other = try await store.enrol(
        name: "c", addressValue: 7, addressKind: 2, driver: "d", kind: "k", bond: bond(7, keys))
      for id in [record.id, other.id] {
        try await store.putBond(bond(100 + UInt64(id.number), keys).of(id))
        try await store.stage(self.record(of: id), appending: self.bytes(10_000), at: 0)
      }
      try await store.remove(record.id)
      #expect(store.bonds.map(\.wearable) == [other.id, other.id])
      #expect(try store.custody(of: record.id) == [])
      #expect(try await store.staged(record.id, "a.bin") == [])
      #expect(try await store.staged(other.id, "a.bin").count == 10_000)
      #expect(try await store.verify().findings == [])
    }
    #expect(try StoreReader(path: scratch.store).bonds.count == 2)
  }

  @Test(
    """
    visits are numbered onwards with trigger, stage, outcome, items and a remark; those of earlier versions read \
    without
    """
  )
  func visits() throws {
    let scratch = Scratch()
    try inStore(at: scratch) { loop, store, _ in
      #expect(try store.nextVisitNumber() == 1)
      var visit = VisitRecord(number: 1, wearable: one, began: loop.wall)
      let plain = visit.encode()
      try await store.putVisit(visit)
      #expect(try store.nextVisitNumber() == 2)
      (visit.trigger, visit.stage, visit.laneOutcome, visit.itemsDone, visit.itemsListed) = (4, 8, 3, 5, 70_000)
      visit.remark = String(repeating: "r", count: 200)
      try await store.putVisit(visit)
      visit.remark = String(repeating: "r", count: 120)
      #expect(try store.recentVisits(9) == [visit])
      let old = [UInt8](bigEndian: UInt64(1)).withUnsafeBytes { key in
        plain.withUnsafeBytes { VisitRecord.decode(key: key, value: $0) }
      }
      #expect(old == VisitRecord(number: 1, wearable: one, began: loop.wall))
    }
  }
}
