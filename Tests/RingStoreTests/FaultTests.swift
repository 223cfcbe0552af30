import EventLoop
import Foundation
import Health
import Reasons
import Testing

@testable import RingStore

/// What the world does to a store that is open or at rest: bits that flip, clocks that are set, a map that is full.
/// Disks that fail, fill up or lose their power are tried on a real kernel, in Tests/Lab/powercut; daemons that are
/// killed in KillTests.
@Suite(.serialized) struct FaultTests {
  /// Starts of chunks with the first number `number`, found by the boot that their headers name. Pages that are free
  /// may hold older copies.
  private func places(in data: Data, layout: UInt8, bootAt: Int, number: UInt64) -> [Int] {
    var mark: [UInt8] = []
    mark.append(littleEndian: boot.high)
    mark.append(littleEndian: boot.low)
    var found: [Int] = []
    var from = data.startIndex
    while let range = data.range(of: Data(mark), in: from..<data.endIndex) {
      let place = range.lowerBound - bootAt
      let first = data[(place + 8)..<(place + 16)].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      if data[place] == layout, first == number { found.append(place) }
      from = range.upperBound
    }
    return found
  }

  private func flip(_ path: String, layout: UInt8, bootAt: Int, number: UInt64, offset: Int) throws {
    var data = try Data(contentsOf: URL(fileURLWithPath: path))
    let places = places(in: data, layout: layout, bootAt: bootAt, number: number)
    #expect(!places.isEmpty, "there is no such chunk")
    for place in places { data[place + offset] ^= 0x04 }
    try data.write(to: URL(fileURLWithPath: path))
  }

  /// Values that do not compress, so that there are several chunks.
  private func value(_ index: UInt64) -> Int64 { Int64(bitPattern: index &* 0x9E37_79B9_7F4A_7C15) >> 20 }

  @LoopActor private func fill(_ store: Store, _ loop: VirtualLoop, from first: UInt64, _ count: UInt64) async throws {
    for index in first..<(first + count) {
      store.append(one, .rrInterval, value(index), at: loop.now)
      if index % 100 == 0 { try await loop.sleep(for: .milliseconds(10)) }
    }
    try await store.flush()
  }

  /// Everything that is there is as it was written.
  private func expectSound(_ samples: [StoredSample]) {
    #expect(samples.allSatisfy { $0.value == value($0.ordinal) })
    #expect(zip(samples, samples.dropFirst()).allSatisfy { $0.ordinal < $1.ordinal })
  }

  @Test(
    """
    a flipped bit in a ring's chunk costs that chunk: it is reported with H4006, counted once, found by verify, and \
    all else is served
    """,
    arguments: [0, 3, 5, 20, 30, 66, 70, 900])
  func ringChunk(offset: Int) throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      var store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      try await self.fill(store, loop, from: 0, 10_000)
      try await store.pack()
      let ring = RingID(wearable: one, seriesNumber: Series.rrInterval.id, way: .live)
      var firsts: [UInt64] = []
      try store.disk.reading { transaction throws(DatabaseFailure) in
        try transaction.withCursor(transaction.tables.chunks) { cursor throws(DatabaseFailure) in
          var entry = try cursor.seek(ring.chunkKey(0))
          while let found = entry, let chunk = RingReading.chunk(found, ring) {
            firsts.append(chunk.first)
            entry = try cursor.next()
          }
        }
      }
      #expect(firsts.count > 5)
      await store.close()
      try self.flip(scratch.data, layout: 2, bootAt: 48, number: firsts[2], offset: offset)

      store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      let lost = firsts[2]..<firsts[3]
      for _ in 0..<2 {
        let samples = try await store.all()
        self.expectSound(samples)
        #expect(samples.map { $0.ordinal } == (UInt64(0)..<10_000).filter { !lost.contains($0) })
      }
      #expect(store.status.corruptChunks == 1)
      #expect(try store.recentEvents(10).filter { $0.reason == Reason.storeChunkCorrupt.rawValue }.count == 1)
      #expect(try await !store.verify().isClean)
      // The store takes samples and moves them behind the damage as before.
      try await self.fill(store, loop, from: 10_000, 2000)
      try await store.pack()
      let samples = try await store.all()
      self.expectSound(samples)
      #expect(samples.count == 12_000 - lost.count)
      #expect(store.status.trouble == nil)
      await store.close()
    }
  }

  @Test(
    """
    a flipped bit in a journal's chunk costs that chunk, which is put into quarantine when its turn comes; all else \
    is moved
    """,
    arguments: [0, 2, 5, 20, 60, 89, 500])
  func journalChunk(offset: Int) throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      var store = try Store.open(.tables(scratch.store), loop: loop, disk: InlineDiskLane())
      try await self.fill(store, loop, from: 0, 6000)
      var keys: [UInt64] = []
      try store.disk.reading { transaction throws(DatabaseFailure) in
        try transaction.withCursor(transaction.tables.journal) { cursor throws(DatabaseFailure) in
          var entry = try cursor.first()
          while let key = entry?.sequence {
            keys.append(key)
            entry = try cursor.next()
          }
        }
      }
      #expect(keys.count > 4)
      await store.close()
      try self.flip(scratch.data, layout: 3, bootAt: 64, number: keys[1], offset: offset)

      store = try Store.open(.tables(scratch.store), loop: loop, disk: InlineDiskLane())
      let lost = Int(keys[2] - keys[1])
      // The wearables of the lost samples are unknown, so ordinals behind them are as if they had never been.
      let gone = (keys[1] - keys[0])..<(keys[2] - keys[0])
      let values = (UInt64(0)..<6000).filter { !gone.contains($0) }.map { self.value($0) }
      #expect(try await store.all().map { $0.value } == values)
      #expect(store.status.corruptChunks == 1)
      try await store.pack()
      try await self.fill(store, loop, from: 6000, 2000)
      #expect(try await store.all().map { $0.value } == values + (UInt64(6000)..<8000).map { self.value($0) })
      try await store.pack()
      #expect(store.status.samples == UInt64(8000 - lost))
      #expect(try store.recentEvents(10).filter { $0.reason == Reason.storeChunkCorrupt.rawValue }.count == 1)
      #expect(
        try store.disk.reading { transaction throws(DatabaseFailure) in
          transaction.entries(transaction.tables.quarantine)
        }
          == 1)
      #expect(try await store.verify().isClean, "what was damaged is out of the way")
      #expect(store.status.trouble == nil)
      await store.close()
    }
  }

  @Test(
    """
    a clock set back by a year: reported with H5002, samples keep their order of arrival, and all stay whatever their \
    age
    """
  )
  func clockBack() throws {
    try inStore({ $0.standardRetention = Retention(keep: .seconds(30 * 86_400)) }) { loop, store, _ in
      try await self.fill(store, loop, from: 0, 5000)
      loop.stepWall(by: .seconds(-365 * 86_400))
      try await self.fill(store, loop, from: 5000, 5000)
      try await store.pack()
      // And right again, as a time server does it.
      loop.stepWall(by: .seconds(365 * 86_400))
      loop.wallIsTrusted = false
      try await self.fill(store, loop, from: 10_000, 5000)
      try await store.pack()
      let samples = try await store.all()
      #expect(samples.map { $0.ordinal } == Array(0..<15_000))
      self.expectSound(samples)
      #expect(samples.map { $0.monotonic } == samples.map { $0.monotonic }.sorted())
      #expect(store.status.clockSteps == 2)
      #expect(store.status.evictedSamples == 0)
      let told = try store.recentEvents(10).filter { $0.reason == Reason.clockStepped.rawValue }
      #expect(told.count == 2 && told.contains { $0.text.contains("back by 31536000 s") })
      #expect(try await store.verify().isClean)
    }
  }

  @Test("a clock set forward by a year makes no sample too old while it is not trusted")
  func clockAhead() throws {
    try inStore({ $0.standardRetention = Retention(keep: .seconds(30 * 86_400)) }) { loop, store, _ in
      try await self.fill(store, loop, from: 0, 5000)
      loop.wallIsTrusted = false
      loop.stepWall(by: .seconds(365 * 86_400))
      try await self.fill(store, loop, from: 5000, 5000)
      try await store.pack()
      #expect(store.status.evictedSamples == 0)
      #expect(try await store.all().count == 10_000)
      // If a time source says so, they are.
      loop.wallIsTrusted = true
      try await self.fill(store, loop, from: 10_000, 5000)
      try await store.pack()
      #expect(store.status.evictedSamples > 0)
      self.expectSound(try await store.all())
    }
  }

  @Test("if one write failed, the environment is opened again, and every sample and change arrives once")
  func failedWrite() throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      let disk = FaultyDisk()
      let store = try Store.open(.test(scratch.store), loop: loop, disk: disk)
      try await self.fill(store, loop, from: 0, 1000)
      let before = store.disk.environment
      disk.failure = DatabaseFailure(call: "mdb_txn_commit", code: EIO)
      for index in UInt64(1000)..<2000 { store.append(one, .rrInterval, self.value(index), at: loop.now) }
      do throws(HearthError) {
        try await store.flush()
        Issue.record("a commit that failed was called durable")
      } catch { #expect(error.reason == .storeFailing) }
      // Served from what is known to be durable meanwhile.
      #expect(try await store.all().count == 1000)
      disk.failure = nil
      try await store.flush()
      #expect(store.disk.environment !== before)
      #expect(store.status.trouble == nil)
      #expect(try await store.all().map { $0.ordinal } == Array(0..<2000))
      await store.close()
    }
  }
}
