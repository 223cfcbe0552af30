import EventLoop
import Foundation
import Health
import Reasons
import Testing

@testable import RingStore

@Suite(.serialized) struct StoreTests {
  @Test("samples come back as they went in, with hub time, in order, also after a restart")
  func roundTrip() throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      var expected: [Int64] = []
      for round in 0..<3 {
        let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
        for index in 0..<500 {
          store.append(index % 2 == 0 ? one : two, .heartRate, Int64(round * 500 + index), at: loop.now)
          expected.append(Int64(round * 500 + index))
          if index % 50 == 0 { try await loop.sleep(for: .milliseconds(500)) }
        }
        await store.close()
        await store.close()
      }
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      let samples = try await store.all(limit: 77)
      #expect(samples.map { $0.value } == expected)
      #expect(samples.filter { $0.wearable == one }.map { $0.ordinal } == Array(0..<750))
      #expect(samples.filter { $0.wearable == two }.map { $0.ordinal } == Array(0..<750))
      #expect(samples.allSatisfy { $0.wearable == ($0.value % 2 == 0 ? one : two) })
      #expect(samples[0].time == VirtualLoop.morning)
      #expect(samples[0].monotonic == Instant(nanoseconds: 1_000_000_000))
      #expect(samples.last.map { $0.time } == VirtualLoop.morning + .seconds(15))
      #expect(samples.allSatisfy { $0.bootID == boot && $0.clockTrusted && $0.origin == .live })
      #expect(store.status.samples == 1500)
      await store.close()
    }
  }

  @Test("what is appended is not served before it is durable, and a flush makes it so")
  func durableOnly() throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      store.append(one, .heartRate, 72, at: loop.now)
      #expect(try await store.all().isEmpty)
      #expect(store.status.pendingSamples == 1)
      try await store.flush()
      #expect(try await store.all().count == 1)
      #expect(store.status.pendingSamples == 0)
      #expect(store.status.commitCauses.first { $0.cause == .flush }?.count == 1)
      try await store.flush()
      #expect(store.status.commits == 1, "nothing pending, nothing written")
      await store.close()
    }
  }

  @Test("the commit begins 15 s after the first sample that waits, not after the last")
  func byTime() throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      let journal = Journal(store)
      try await loop.sleep(for: .seconds(100))
      #expect(journal.reports.isEmpty)
      let first = loop.now
      for _ in 0..<14 {
        store.append(one, .heartRate, 72, at: loop.now)
        try await loop.sleep(for: .seconds(1))
      }
      #expect(journal.reports.isEmpty)
      try await loop.sleep(for: .seconds(2))
      #expect(journal.times == [first + .seconds(15)])
      #expect(journal.reports.map { $0.cause } == [.time])
      #expect(journal.reports[0].samples == 14)
      try await loop.sleep(for: .seconds(100))
      #expect(journal.reports.count == 1, "an empty store is not written to")
      await store.close()
    }
  }

  @Test("the status says when samples last became durable, live or fetched, and not while the disk refuses them")
  func lastCommit() throws {
    try onFaultyDisk { loop, store, disk, _ in
      #expect(store.status.lastCommit == nil)
      store.append(one, .heartRate, 60, at: loop.now)
      try await store.flush()
      let first = loop.wall
      #expect(store.status.lastCommit == first)
      try await loop.sleep(for: .seconds(5))
      disk.failure = DatabaseFailure(call: "mdb_txn_commit", code: 28)
      store.append(one, .heartRate, 61, at: loop.now)
      try? await store.flush()
      #expect(store.status.lastCommit == first)
      disk.failure = nil
      try await loop.sleep(for: .milliseconds(1500))
      #expect(store.status.lastCommit.map { $0 > first } == true)
      try await loop.sleep(for: .seconds(5))
      var batch = try FetchedBatch(
        wearable: one, place: "file", visit: VisitRecord(number: 1, wearable: one, began: loop.wall))
      try batch.append(.spo2, 97, at: loop.wall)
      _ = try await store.commit(batch)
      #expect(store.status.lastCommit == loop.wall)
    }
  }

  @Test("the commit begins before more than 4 KB wait, as one chunk of one page")
  func bySize() throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      let journal = Journal(store)
      for index in 0..<5000 {
        store.append(WearableID(number: UInt32(index % 30)), .rrInterval, Int64(800 + index % 100), at: loop.now)
        #expect(store.status.pendingBytes <= 2 * 4096)
        if index % 30 == 29 { try await loop.sleep(for: .milliseconds(10)) }
      }
      await store.close()
      #expect(
        journal.reports.dropLast().allSatisfy {
          $0.cause == .bytes && $0.chunks == 1 && $0.bytes > 4040 && $0.bytes <= ChunkBuffer.capacity
        })
      #expect(journal.reports.last?.cause == .flush)
      #expect(journal.reports.reduce(0) { $0 + $1.samples } == 5000)
    }
  }

  @Test("larger and smaller commit sizes are kept to as well", arguments: [256, 1000, 16_384])
  func otherSizes(bytes: Int) throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store, bytes: bytes), loop: loop, disk: InlineDiskLane())
      let journal = Journal(store)
      for index in 0..<8000 {
        store.append(one, .heartRate, Int64(index), at: loop.now)
        if index % 10 == 9 { try await loop.sleep(for: .milliseconds(1)) }
      }
      try await store.flush()
      #expect(journal.reports.count > 1)
      #expect(journal.reports.dropLast().allSatisfy { $0.bytes <= bytes && $0.bytes > bytes / 2 })
      #expect(try await store.all().map { $0.value } == Array(0..<8000))
      await store.close()
    }
  }

  @Test(
    "a stepped clock begins a new chunk: every sample has the wall time of its own moment",
    arguments: [3600, -3600, -31_536_000])
  func clockStep(seconds: Int) throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      var expected: [WallTime] = []
      for index in 0..<60 {
        if index == 30 { loop.stepWall(by: .seconds(seconds)) }
        if index == 40 { loop.stepWall(by: .milliseconds(9)) }
        expected.append(loop.wall)
        store.append(one, .heartRate, 70, at: loop.now)
        try await loop.sleep(for: .seconds(1))
      }
      try await store.flush()
      let samples = try await store.all()
      // 9 ms are within the tolerance of 10 ms: those samples keep their chunk's base until it ends.
      for (sample, wall) in zip(samples, expected) {
        #expect((sample.time - wall).wholeNanoseconds.magnitude <= 9_000_000)
      }
      #expect(samples[29].time == expected[29])
      #expect(samples[30].time == expected[30])
      #expect(samples.map { $0.monotonic } == samples.map { $0.monotonic }.sorted())
      // Searching by time finds both sides of the step.
      let middle = expected[35]
      let found = try await store.all(SampleQuery(since: middle))
      #expect(Set(found.map { $0.ordinal }) == Set(samples.filter { $0.time >= middle }.map { $0.ordinal }))
      await store.close()
    }
  }

  @Test("filters by wearable, series and time give exactly what a scan of everything would", arguments: 0..<6)
  func filters(seed: Int) throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      var random = Seeded(UInt64(seed))
      let store = try Store.open(.test(scratch.store, bytes: 300), loop: loop, disk: InlineDiskLane())
      for _ in 0..<3000 {
        if random.next() % 200 == 0 { loop.stepWall(by: .seconds(Int64(random.next() % 20_000) - 10_000)) }
        let series = [Series.heartRate, .rrInterval, .battery, .spo2, .skinTemperature][Int(random.next() % 5)]
        store.append(
          WearableID(number: UInt32(random.next() % 5)), series, Int64(random.next() % 200),
          at: loop.now - .milliseconds(Int64(random.next() % 900)))
        if random.next() % 3 == 0 { try await loop.sleep(for: .milliseconds(Int64(random.next() % 3000))) }
      }
      try await store.flush()
      let everything = try await store.all()
      #expect(everything.count == 3000)
      for _ in 0..<60 {
        var query = SampleQuery()
        if random.next() % 2 == 0 {
          query.wearables = [
            WearableID(number: UInt32(random.next() % 6)), WearableID(number: UInt32(random.next() % 6)),
          ]
        }
        if random.next() % 2 == 0 { query.series = [.heartRate, .battery] }
        let moments = (0..<2).map { _ in everything[Int(random.next() % 3000)].time }
        if random.next() % 2 == 0 { query.since = moments[0] }
        if random.next() % 2 == 0 { query.until = moments[1] }
        let wanted = everything.filter { sample in
          if let wearables = query.wearables, !wearables.contains(sample.wearable) { return false }
          if let series = query.series, !series.contains(sample.series) { return false }
          if let since = query.since, sample.time < since { return false }
          if let until = query.until, sample.time >= until { return false }
          return true
        }
        #expect(try await store.all(query, limit: 1 + Int(random.next() % 400)) == wanted)
      }
      await store.close()
    }
  }

  @Test("a page is bounded in samples and in work, and the next one goes on after it")
  func paging() throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store, bytes: 256), loop: loop, disk: InlineDiskLane())
      for index in 0..<10_000 {
        store.append(one, .heartRate, Int64(index), at: loop.now)
        if index % 50 == 0 { try await loop.sleep(for: .milliseconds(1)) }
      }
      try await store.flush()
      #expect(store.status.journalChunks > 2 * SampleWalk.chunkLimit)
      let nobody = try await store.export(SampleQuery(wearables: [two]))
      var pages = 0
      while let page = try await nobody.next(limit: 10) {
        #expect(page.samples.isEmpty)
        pages += 1
      }
      #expect(
        pages == (store.status.journalChunks + SampleWalk.chunkLimit - 1) / SampleWalk.chunkLimit,
        "some chunks are enough for one page")
      #expect(try await nobody.next() == nil)

      let session = try await store.export(SampleQuery())
      #expect(try await session.next(limit: 5)?.samples.map { $0.value } == [0, 1, 2, 3, 4])
      #expect(try await session.next(limit: 2)?.samples.map { $0.value } == [5, 6])
      store.append(one, .heartRate, -1, flags: .fetched, at: loop.now)
      try await store.flush()
      var rest: [Int64] = []
      while let page = try await session.next(limit: 999) { rest += page.samples.map { $0.value } }
      #expect(rest == Array(7..<10_000), "what came later is the next export's")
      #expect(try await store.all().last?.value == -1)
      await store.close()
    }
  }

  @Test("appends go on while the disk takes its time, and are committed when it answers")
  func slowDisk() throws {
    try onFaultyDisk { loop, store, disk, journal in
      disk.isHolding = true
      store.append(one, .heartRate, 0, at: loop.now)
      try await loop.sleep(for: .seconds(16))
      for index in 1..<10 {
        store.append(one, .heartRate, Int64(index), at: loop.now)
        try await loop.sleep(for: .seconds(5))
      }
      // A commit each fifteen seconds, which wait behind each other.
      #expect(disk.attempts == 4)
      #expect(try await store.all().isEmpty)
      disk.letGo()
      try await loop.sleep(for: .milliseconds(1))
      #expect(try await store.all().map { $0.value } == Array(0..<10))
      #expect(journal.reports.map { $0.samples } == [1, 3, 3, 3])
      #expect(journal.reports[0].duration == .seconds(46))
    }
  }

  @Test("a failing disk loses no sample that memory can hold, is tried again at growing intervals, and says so once")
  func failingDisk() throws {
    try onFaultyDisk { loop, store, disk, journal in
      disk.failure = DatabaseFailure(call: "mdb_txn_commit", code: ENOSPC)
      for index in 0..<600 {
        store.append(one, .heartRate, Int64(index), at: loop.now)
        try await loop.sleep(for: .seconds(1))
      }
      #expect(journal.troubles.map { $0?.reason } == [.storeFull])
      #expect(store.status.trouble?.reason == .storeFull)
      // At 15 s, then after 1, 2, 4, 8, 16, 32, 60, 60 … s.
      #expect(disk.attempts == 7 + (600 - 15 - 63) / 60)
      await #expect(throws: HearthError.self) { try await store.flush() }
      disk.failure = nil
      try await loop.sleep(for: .seconds(61))
      #expect(journal.troubles.map { $0?.reason } == [.storeFull, nil])
      #expect(try await store.all().map { $0.value } == Array(0..<600))
      #expect(store.status.droppedSamples == 0)
      #expect(journal.reports.first?.cause == .retry)
    }
  }

  @Test("when memory is full too, the oldest samples go, are counted, and the rest keeps its order")
  func memoryLimit() throws {
    try onFaultyDisk { loop, store, disk, journal in
      disk.failure = DatabaseFailure(call: "mdb_txn_commit", code: EIO)
      let total = 400_000
      for index in 0..<total {
        store.append(one, .heartRate, Int64(index), at: loop.now)
        if index % 1000 == 0 { try await loop.sleep(for: .milliseconds(100)) }
      }
      let status = store.status
      #expect(status.pendingBytes <= Store.memoryLimit + 2 * ChunkBuffer.capacity)
      #expect(status.pendingBytes > Store.memoryLimit * 15 / 16)
      #expect(status.droppedSamples == UInt64(total - status.pendingSamples))
      #expect(status.trouble?.reason == .storeFailing)
      disk.failure = nil
      try await store.flush()
      let samples = try await store.all(limit: 10_000)
      #expect(samples.count == total - Int(store.status.droppedSamples))
      #expect(zip(samples, samples.dropFirst()).allSatisfy { $0.value < $1.value && $0.ordinal + 1 == $1.ordinal })
      #expect(samples.last?.value == Int64(total - 1))
      #expect(store.status.samples == UInt64(samples.count))
      #expect(journal.troubles.last.map { $0 == nil } == true)
    }
  }

  @Test("a batch whose commit arrived although it was reported as failed is not written twice")
  func nothingTwice() throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      let disk = LyingDisk()
      let store = try Store.open(.test(scratch.store), loop: loop, disk: disk)
      for index in 0..<100 { store.append(one, .heartRate, Int64(index), at: loop.now) }
      disk.lies = 1
      await #expect(throws: HearthError.self) { try await store.flush() }
      for index in 100..<120 { store.append(one, .heartRate, Int64(index), at: loop.now) }
      try await store.flush()
      #expect(try await store.all().map { $0.value } == Array(0..<120))
      #expect(store.status.samples == 120)
      await store.close()
    }
  }

  @Test("after close, samples are counted as dropped and reads are refused")
  func afterClose() throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      await store.close()
      store.append(one, .heartRate, 1, at: loop.now)
      #expect(store.status.droppedSamples == 1)
      await #expect(throws: HearthError.self) { try await store.all() }
      await #expect(throws: HearthError.self) { try await store.pack() }
      await #expect(throws: HearthError.self) { try await store.purge(PurgePlan(parts: [])) }
      await #expect(throws: HearthError.self) {
        try await store.enrol(name: "a", addressValue: 1, addressKind: 2, driver: "d", kind: "k")
      }
    }
  }

  @Test("the disk thread of the hub does the same work")
  func realThread() throws {
    let scratch = Scratch()
    let disk = DiskThread()
    try EpollLoop.run { loop in
      let store = try Store.open(.test(scratch.store), loop: loop, disk: disk)
      for round in 0..<20 {
        for index in 0..<2000 { store.append(one, .heartRate, Int64(round * 2000 + index), at: loop.now) }
        try await store.flush()
      }
      #expect(try await store.all(limit: 10_000).map { $0.value } == Array(0..<40_000))
      await store.close()
    }
    disk.shutDown()
  }
}

/// A disk that does the work and then says that its roots could not be written, so that the environment has to be
/// opened again.
@LoopActor
final class LyingDisk: DiskLane {
  nonisolated init() {}
  var lies = 0

  func perform<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
    let result = try work()
    if lies > 0 {
      lies -= 1
      throw DatabaseFailure(call: "mdb_txn_commit", code: -30795)
    }
    return result
  }
}
