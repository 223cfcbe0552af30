import EventLoop
import Export
import Health
import Reasons
import Testing

@testable import RingStore

/// What a receipt stands for, and what fetching may not do.
@Suite(.serialized) struct CustodyTests {
  private func batch(_ source: String = "file", visit: UInt64 = 1, count: Int = 100, from: Int64 = 0) throws
    -> FetchedBatch
  {
    let time = VirtualLoop.morning
    var batch = try FetchedBatch(
      wearable: one, place: source, visit: VisitRecord(number: visit, wearable: one, began: time))
    for index in 0..<Int64(count) {
      try batch.append(.heartRate, 60 + (from + index) % 50, at: time + .seconds(from + index))
    }
    return batch
  }

  @Test("of a wearable that was forgotten no more is kept: no part of an item, no bytes, no record")
  func forgotten() throws {
    try VirtualLoop.run { loop in
      let scratch = Scratch()
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      let strap = try await store.enrol(name: "strap", addressValue: 1, addressKind: 1, driver: "d", kind: "k")
      #expect(strap.id == one)
      let record = CustodyRecord(wearable: one, id: "file", mark: "m", visit: 1)
      _ = try await store.commit(try batch("file 1/2"), custody: record, dropsStaged: false)
      try await store.remove(one)
      func reason(_ body: () async throws(HearthError) -> Void) async -> Reason? {
        do throws(HearthError) { try await body() } catch { return error.reason }
        return nil
      }
      let next = try batch("file 2/2", from: 100)
      #expect(
        await reason { () async throws(HearthError) in
          _ = try await store.commit(next, custody: record, dropsStaged: true)
        } == .noSuchWearable)
      #expect(
        await reason { () async throws(HearthError) in try await store.stage(record, appending: [1, 2], at: 0) }
          == .noSuchWearable)
      #expect(await reason { () async throws(HearthError) in try await store.putCustody([record]) } == .noSuchWearable)
      #expect(try store.custody(of: one).isEmpty)
      await store.close()
    }
  }

  @Test(
    "with a receipt, samples and visit are durable together, and the receipt says where they lie, also after a restart")
  func receipt() throws {
    try inStore { loop, store, scratch in
      let batch = try batch(visit: 7)
      let receipt = try await store.commit(batch)
      let ring = RingID(wearable: one, seriesNumber: Series.heartRate.id, way: .fetched)
      #expect(
        receipt.number == 1 && receipt.visit == 7 && receipt.items == 100 && receipt.wearable == one
          && receipt.source == .place("file"))
      #expect(receipt.ranges == [ReceiptRange(ring: ring, first: 0, count: 100)])
      let more = try await store.commit(self.batch("more", visit: 8, count: 30, from: 100))
      #expect(more.ranges == [ReceiptRange(ring: ring, first: 100, count: 30)])
      await store.close()
      let reader = try StoreReader(path: scratch.store)
      #expect(try reader.recentReceipts(of: one, limit: 10) == [more, receipt])
      #expect(try reader.recentVisits(10).map { $0.number } == [8, 7])
      let samples = try reader.all()
      #expect(samples.map { $0.time } == (0..<130).map { VirtualLoop.morning + .seconds($0) })
      #expect(samples.allSatisfy { $0.way == .fetched && $0.origin == .fetched })
      #expect(reader.rings.map { $0.chunks } == [1], "the second batch went on in the chunk of the first")
      #expect(try reader.verify().findings == [])
    }
  }

  @Test(
    """
    of one batch the sure times and those that are not lie apart, and neither a restart nor the next batch mixes \
    them up
    """
  )
  func unsure() throws {
    try inStore { loop, store, scratch in
      func mixed(_ source: String, _ from: Int64) throws -> FetchedBatch {
        var batch = try FetchedBatch(
          wearable: one, place: source, visit: VisitRecord(number: 1, wearable: one, began: VirtualLoop.morning))
        for index in from..<(from + 90) {
          try batch.append(.heartRate, index, at: VirtualLoop.morning + .seconds(index), isSure: index % 3 != 0)
        }
        return batch
      }
      // The hub's present clock is no evidence about earlier readings.
      loop.wallIsTrusted = false
      let receipt = try await store.commit(try mixed("a", 0))
      #expect(receipt.ranges.map(\.count) == [60, 30] && receipt.items == 90)
      #expect(try await store.commit(try mixed("a", 0)) == receipt)
      _ = try await store.commit(try mixed("b", 90))
      await store.close()
      let reader = try StoreReader(path: scratch.store)
      let samples = try reader.all()
      #expect(samples.count == 180 && samples.allSatisfy { $0.clockTrusted == ($0.value % 3 != 0) })
      #expect(samples.map(\.ordinal) == (0..<180).map { $0 })
      #expect(reader.rings.map(\.chunks) == [4])
      #expect(try reader.verify().findings == [])
      let lines = samples.map { reader.sampleExport(.csv).line($0) }
      #expect(
        lines.allSatisfy { $0.hasSuffix(",unsure,") || $0.hasSuffix(",,,") }
          && lines.count { $0.hasSuffix(",unsure,") } == 60)
    }
  }

  @Test(
    "the same batch again changes nothing and gives an equal receipt, also after a restart; any other is another batch"
  )
  func idempotent() throws {
    try inStore { loop, store, scratch in
      let receipt = try await store.commit(try batch())
      let status = store.status
      try await loop.sleep(for: .seconds(100))
      #expect(try await store.commit(try batch()) == receipt)
      #expect(store.status.samples == status.samples && store.status.batches == 1)
      await store.close()
      let again = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      #expect(try await again.commit(try self.batch()) == receipt)
      #expect(try await again.all().count == 100)
      #expect(try await again.commit(try self.batch("other")) != receipt)
      #expect(try await again.commit(try self.batch(count: 99)) != receipt)
      #expect(try await again.all().count == 299)
      await again.close()
    }
  }

  @Test(
    """
    a commit that failed left no trace; one that arrived although it was reported as failed gives its receipt the \
    second time
    """
  )
  func failures() throws {
    let faulty = FaultyDisk()
    try inStore(disk: faulty) { loop, store, _ in
      faulty.failure = DatabaseFailure(call: "mdb_txn_commit", code: 28)
      #expect(await reason { _ = try await store.commit(try self.batch()) } == .storeFull)
      #expect(try await store.all().isEmpty)
      faulty.failure = nil
      _ = try await store.commit(try self.batch())
      #expect(try await store.all().count == 100)
    }
    let lying = LyingDisk()
    try inStore(disk: lying) { loop, store, _ in
      lying.lies = 1
      #expect(await reason { _ = try await store.commit(try self.batch()) } != nil)
      let receipt = try await store.commit(try self.batch())
      #expect(receipt.number == 1)
      #expect(try await store.all().count == 100)
      #expect(try await store.verify().findings == [])
    }
  }

  @Test(
    """
    samples of a commit that arrived although it was reported as failed, and were moved before it was tried again, \
    are there once
    """
  )
  func movedMeanwhile() throws {
    let disk = LyingDisk()
    try inStore({ $0.commitBytes = 100_000 }, disk: disk) { loop, store, _ in
      for index in 0..<10_000 { store.append(one, .rrInterval, noise(index), at: loop.now) }
      disk.lies = 1
      #expect(await reason { try await store.flush() } != nil)
      // No part of it is known here yet; on disk it is there.
      try await store.pack()
      #expect(store.status.ringChunks > 0 || store.status.journalChunks > 1)
      for _ in 0..<3 {
        try await store.flush()
        try await store.pack()
      }
      let samples = try await store.all(limit: 10_000)
      #expect(samples.map { $0.ordinal } == Array(0..<10_000))
      #expect(samples.allSatisfy { $0.value == noise($0.ordinal) })
      #expect(store.status.trouble == nil)
    }
  }

  @Test(
    """
    a record longer than an item is one sample again when it is read, however small the pages, and its parts go \
    together
    """
  )
  func longRecords() throws {
    try inStore { loop, store, _ in
      var batch = try FetchedBatch(
        wearable: one, place: "file", visit: VisitRecord(number: 1, wearable: one, began: loop.wall))
      var records: [[UInt8]] = []
      for (index, length) in [0, 1, 3799, 3800, 3801, 7600, 7601, 100_000, FetchedBatch.recordLimit, 5].enumerated() {
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ index) }
        records.append(bytes)
        try batch.append(.exercise, [Int64(index)], bytes: bytes, at: loop.wall + .seconds(Int64(index)))
      }
      _ = try await store.commit(batch)
      for limit in [1, 3, 1000] {
        let samples = try await store.all(limit: limit)
        #expect(samples.map { $0.bytes } == records)
        #expect(samples.map { $0.value } == Array(0..<10))
        // From one to the next there are only its parts.
        var end: UInt64 = 0
        for sample in samples {
          #expect(sample.ordinal + 1 - UInt64(sample.parts) == end)
          end = sample.ordinal + 1
        }
      }
      #expect(try await store.newest(2, of: one, .exercise).map { $0.value } == [8, 9])
      #expect(try await store.verify().findings == [])
    }
  }

  @Test(
    "a record of which a part is gone, or damaged, is left out whole; the others are served as they are",
    arguments: [true, false], 0..<12)
  func missingParts(isDamaged: Bool, chunk: Int) throws {
    let scratch = Scratch()
    var random = Seeded(4)
    let records = (0..<5).map { index in
      (0..<[9000, 10, 8000, 9000, 20][index]).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      // The second batch goes on in the last chunk of the first one.
      for part in [0..<3, 3..<5] {
        var batch = try FetchedBatch(
          wearable: one, place: "\(part)", visit: VisitRecord(number: 1, wearable: one, began: loop.wall))
        for index in part {
          try batch.append(.exercise, [Int64(index)], bytes: records[index], at: loop.wall + .seconds(Int64(index)))
        }
        _ = try await store.commit(batch)
      }
      #expect(try await store.verify().findings == [])
      await store.close()
    }
    let reader = try StoreReader(path: scratch.store)
    #expect(try reader.all().map { $0.bytes } == records)
    var keys: [[UInt8]] = []
    try scratch.tamper { transaction throws(DatabaseFailure) in
      try transaction.withCursor(transaction.tables.chunks) { cursor throws(DatabaseFailure) in
        var entry = try cursor.first()
        while let found = entry {
          keys.append(Array(found.key))
          entry = try cursor.next()
        }
      }
      if chunk < keys.count, !isDamaged { try transaction.delete(transaction.tables.chunks, keys[chunk]) }
    }
    guard chunk < keys.count else { return }
    if isDamaged { try scratch.flip(\.chunks, at: chunk, offset: 1000) }
    for limit in [1, 100] {
      let samples = try StoreReader(path: scratch.store).all(limit: limit)
      #expect((2...4).contains(samples.count))
      for sample in samples { #expect(sample.bytes == records[Int(sample.value)]) }
    }
  }

  @Test("a check reports how far it has come")
  func checkProgress() throws {
    try inStore { loop, store, _ in
      for index in 0..<5000 { store.append(one, .rrInterval, noise(index), at: loop.now) }
      for number in 0..<3 {
        _ = try await store.commit(try self.batch("\(number)", count: 3000, from: Int64(number) * 3000))
      }
      try await store.flush()
      try await store.pack()
      var told: [Int] = []
      #expect(try await store.verify { told.append($0) }.findings == [])
      #expect(told.count > 3 && told == told.sorted() && told.allSatisfy { (0..<100).contains($0) } && told.last == 99)
    }
  }

  @Test("a batch above its limits is refused with H4105 and stays as it was")
  func limits() throws {
    try inStore({ $0.sizeBytes = StoreOptions.minimumSize }) { loop, store, _ in
      var batch = try self.batch(count: 3)
      let visit = batch.visit
      #expect(throws: HearthError.self) {
        try batch.append(
          .exercise, [1], bytes: [UInt8](repeating: 0, count: FetchedBatch.recordLimit + 1), at: loop.wall)
      }
      #expect(batch.count == 3)
      #expect(throws: HearthError.self) {
        try FetchedBatch(wearable: one, place: String(repeating: "x", count: 256), visit: visit)
      }
      var random = Seeded(1)
      let noise = (0..<FetchedBatch.recordLimit).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      for index in 0..<3 { try batch.append(.exercise, [Int64(index)], bytes: noise, at: loop.wall) }
      #expect(throws: HearthError.self) { try batch.append(.exercise, [4], bytes: noise, at: loop.wall) }
      let large = batch
      #expect(
        await reason { _ = try await store.commit(large) } == .storeBatchTooLarge, "a store of 4 MiB has no room for it"
      )
      #expect(try await store.all().isEmpty)
    }
  }

  @Test(
    "a ring that is to be refused takes no more than its quota: H4102, without any change; another series is welcome"
  )
  func refusedByQuota() throws {
    try inStore({ $0.retention[Series.heartRate.id] = Retention(quota: 3 * RingState.chunkSpace, whenFull: .refuse) }) {
      loop, store, _ in
      var random = Seeded(3)
      var accepted = 0
      var refused: Reason?
      while refused == nil, accepted < 100 {
        var batch = try FetchedBatch(
          wearable: one, place: "f\(accepted)",
          visit: VisitRecord(number: UInt64(accepted + 1), wearable: one, began: loop.wall))
        for index in 0..<300 {
          try batch.append(
            .heartRate, Int64(random.next() >> 20), at: loop.wall + .seconds(Int64(accepted * 300 + index)))
        }
        let before = (samples: store.status.samples, visits: try store.recentVisits(100).count)
        let next = batch
        refused = await reason { _ = try await store.commit(next) }
        if refused == nil {
          accepted += 1
        } else {
          #expect(store.status.samples == before.samples)
          #expect(try store.recentVisits(100).count == before.visits)
        }
      }
      #expect(refused == .storeRefusing)
      #expect(accepted > 2)
      #expect(store.rings[0].chunks <= 3)
      #expect(store.rings[0].refuses)
      #expect(store.refusal(of: one, .heartRate)?.reason == .storeRefusing)
      #expect(store.refusal(of: two, .heartRate) == nil)
      #expect(store.refusal(of: one, .spo2) == nil)
      #expect(store.status.evictedSamples == 0)
    }
  }
}
