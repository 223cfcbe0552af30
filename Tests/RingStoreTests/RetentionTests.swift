import CLMDB
import EventLoop
import Foundation
import Health
import Reasons
import Testing

@testable import RingStore

@Suite(.serialized) struct RetentionTests {
  private func inSoundStore(
    _ change: @escaping @Sendable (inout StoreOptions) -> Void,
    _ body: @escaping @LoopActor (VirtualLoop, Store) async throws -> Void
  ) throws {
    try inStore(change) { loop, store, _ in
      try await body(loop, store)
      #expect(try await store.verify().findings == [])
    }
  }

  /// Values that no codec makes smaller: some 500 fill a chunk.
  @LoopActor private func fill(_ store: Store, _ wearable: WearableID, _ series: Series = .rrInterval, _ count: Int)
    async throws
  {
    var random = Seeded(UInt64(wearable.number) << 32 | UInt64(series.id))
    for index in 0..<count {
      store.append(wearable, series, Int64(bitPattern: random.next()), at: store.disk.loop.now)
      if index % 20 == 0 { try await store.disk.loop.sleep(for: .milliseconds(50)) }
    }
    try await store.flush()
  }

  @LoopActor private func fetch(
    _ store: Store, _ wearable: WearableID, _ series: Series, _ count: Int, _ source: String
  ) async throws {
    var random = Seeded(9)
    var batch = try FetchedBatch(
      wearable: wearable, place: source, visit: VisitRecord(number: 1, wearable: wearable, began: store.disk.loop.wall))
    for index in 0..<count {
      try batch.append(series, Int64(bitPattern: random.next()), at: store.disk.loop.wall + .milliseconds(Int64(index)))
    }
    _ = try await store.commit(batch)
  }

  @LoopActor private func newestChunkOnly(_ store: Store) async throws {
    // Something else becomes the newest chunk of the journal, so that all before it can be moved.
    store.append(WearableID(number: 99), .battery, 1, at: store.disk.loop.now)
    try await store.flush()
    try await store.pack()
  }

  @Test(
    """
    a ring keeps to its quota and others are not touched; what went is in ring, status and one event an hour, with \
    its times
    """
  )
  func quota() throws {
    try inSoundStore({ $0.retention[Series.rrInterval.id] = Retention(quota: 4 * RingState.chunkSpace) }) {
      loop, store in
      let start = loop.wall
      try await fill(store, one, .rrInterval, 6000)
      try await fill(store, one, .skinTemperature, 6000)
      try await newestChunkOnly(store)
      let rr = try #require(store.rings.first { $0.id.series == .rrInterval })
      let other = try #require(store.rings.first { $0.id.series == .skinTemperature })
      #expect(rr.chunks <= 4 && rr.chunks > 1)
      #expect(rr.items + rr.evicted == 6000)
      #expect(rr.evictedUnexported == rr.evicted)
      #expect(rr.evictedFrom == start)
      let first = try #require(try await store.all(SampleQuery(series: [.rrInterval])).first)
      #expect(rr.oldest == first.time)
      #expect(rr.evictedTo.map { $0 <= first.time && first.time - $0 < .seconds(1) } == true)
      #expect(other.items == 6000 && other.evicted == 0)
      #expect(store.status.evictedSamples == rr.evicted && store.status.evictedUnexported == rr.evicted)
      #expect(store.status.evictedSinceStart == rr.evicted && store.status.lastUnexportedEviction != nil)

      // Told with the next commit; then not for an hour, then all at once.
      @LoopActor func events() throws -> [StoreEvent] {
        try store.recentEvents(1000).filter { $0.reason == Reason.storeEvicting.rawValue }
      }
      try await fill(store, one, .rrInterval, 6000)
      #expect(try events().count == 1)
      for _ in 0..<5 {
        try await newestChunkOnly(store)
        try await fill(store, one, .rrInterval, 3000)
      }
      #expect(try events().count == 1)
      try await loop.sleep(for: .seconds(3600))
      try await fill(store, two, .battery, 1)
      let told = try events()
      #expect(told.count == 2)
      #expect(told.allSatisfy { $0.wearable == one && $0.text.contains("rr_interval (live) evicted") })
    }
  }

  @Test(
    """
    what is older than it is to be kept goes once an hour, also without new samples, but not by a clock that is not \
    trusted
    """
  )
  func age() throws {
    try inSoundStore({ $0.standardRetention = Retention(keep: .seconds(86_400)) }) { loop, store in
      try await fill(store, one, .rrInterval, 3000)
      try await newestChunkOnly(store)
      loop.wallIsTrusted = false
      loop.stepWall(by: .seconds(10 * 86_400))
      try await loop.sleep(for: .seconds(7200))
      #expect(store.status.evictedSamples == 0)
      loop.stepWall(by: .seconds(-10 * 86_400))
      loop.wallIsTrusted = true
      try await loop.sleep(for: .seconds(80_000))
      #expect(store.status.evictedSamples == 0)
      try await loop.sleep(for: .seconds(10_000))
      #expect(store.status.evictedSamples == 3000)
      #expect(store.rings.first?.chunks == 0)
      #expect(try await store.all().count == 1)
      // The ordinals go on.
      try await fill(store, one, .rrInterval, 1)
      #expect(try await store.all(SampleQuery(wearables: [one])).map { $0.ordinal } == [3000])
    }
  }

  @Test(
    "what has a time to come goes by what was measured with it, or came behind it, and not before that is too old",
    arguments: [true, false])
  func future(_ isMixed: Bool) throws {
    try inSoundStore({ $0.standardRetention = Retention(keep: .seconds(10 * 86_400)) }) { loop, store in
      if isMixed { try await fill(store, one, .rrInterval, 100) }
      loop.stepWall(by: .seconds(400 * 86_400))
      try await fill(store, one, .rrInterval, isMixed ? 20 : 3000)
      loop.stepWall(by: .seconds(-400 * 86_400))
      try await fill(store, one, .rrInterval, 3000)
      try await newestChunkOnly(store)
      let ring = try #require(store.rings.first { $0.id.series == .rrInterval })
      #expect(ring.chunks > 4)
      try await loop.sleep(for: .seconds(9 * 86_400))
      #expect(store.status.evictedSamples == 0)
      try await loop.sleep(for: .seconds(2 * 86_400))
      #expect(store.status.evictedSamples == (isMixed ? 3120 : 6000))
      #expect(try await store.all(SampleQuery(wearables: [one])).isEmpty)
    }
  }

  @Test(
    """
    bounds that time or another configuration broke are kept again as soon as the store is open, age only by a clock \
    that is trusted
    """
  )
  func atOpening() throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      @LoopActor func reopened(_ retention: Retention) async throws -> (samples: UInt64, evicted: UInt64) {
        var options = StoreOptions.test(scratch.store)
        options.standardRetention = retention
        let store = try Store.open(options, loop: loop, disk: InlineDiskLane())
        try await loop.sleep(for: .seconds(1))
        let result = (store.status.samples, store.status.evictedSamples)
        #expect(try await store.verify().findings == [])
        await store.close()
        return result
      }
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      try await fill(store, one, .rrInterval, 3000)
      try await fill(store, two, .rrInterval, 3000)
      try await newestChunkOnly(store)
      #expect(store.rings.allSatisfy { $0.chunks > 4 })
      await store.close()
      #expect(try await reopened(Retention()) == (6001, 0))
      let held = try await reopened(Retention(quota: 3 * RingState.chunkSpace))
      #expect(held.evicted > 2000 && held.samples + held.evicted == 6001)
      try await loop.sleep(for: .seconds(86_400))
      loop.wallIsTrusted = false
      #expect(try await reopened(Retention(keep: .seconds(3600))) == held)
      loop.wallIsTrusted = true
      #expect(try await reopened(Retention(keep: .seconds(3600))) == (1, 6000))
    }
  }

  @Test(
    """
    a full store gives up exported samples before others, the oldest first, and last what should have stayed on its \
    wearable
    """
  )
  func order() throws {
    try inSoundStore({
      $0.sizeBytes = StoreOptions.minimumSize
      $0.retention[Series.spo2.id] = Retention(whenFull: .refuse)
    }) { loop, store in
      try await fetch(store, one, .spo2, 20_000, "kept")
      try await fill(store, one, .rrInterval, 40_000)
      try await newestChunkOnly(store)
      try await fill(store, two, .rrInterval, 40_000)
      try await newestChunkOnly(store)
      #expect(store.status.evictedSamples == 0)
      // A reader has the younger one.
      let session = try await store.export(SampleQuery(wearables: [two]), reader: "archive")
      while try await session.next() != nil {}
      try await session.confirm()
      let three = WearableID(number: 3)
      @LoopActor func ring(_ wearable: WearableID, _ way: Way = .live) -> RingStatus? {
        store.rings.first { $0.id.wearable == wearable && $0.id.way == way }
      }
      while store.status.evictedSamples == 0 { try await fill(store, three, .rrInterval, 4000) }
      #expect(ring(two)?.evicted ?? 0 > 0 && ring(two)?.evictedUnexported == 0)
      // A transaction may need more room than all that a reader has.
      #expect(ring(one)?.evicted == 0 || ring(two)?.chunks == 0)
      #expect((store.status.lastUnexportedEviction == nil) == (ring(one)?.evicted == 0))
      while ring(one)?.evicted == 0 { try await fill(store, three, .rrInterval, 4000) }
      #expect(ring(two)?.chunks == 0, "what a reader has went first, all of it")
      #expect(ring(one, .fetched)?.evicted == 0)
      for _ in 0..<20 { try await fill(store, three, .rrInterval, 8000) }
      #expect(ring(one)?.chunks == 0)
      #expect(ring(three)?.evicted ?? 0 > 0)
      #expect(ring(one, .fetched)?.evicted == 0 && ring(one, .fetched)?.items == 20_000)
      #expect(store.status.trouble == nil)
    }
  }

  @Test("fetched samples that are to be refused take no room from others of their kind: H4102 when only they could go")
  func refusedByStore() throws {
    try inSoundStore({
      $0.sizeBytes = StoreOptions.minimumSize
      $0.standardRetention = Retention(whenFull: .refuse)
    }) { loop, store in
      try await fill(store, one, .rrInterval, 5000)
      try await newestChunkOnly(store)
      var accepted = 0
      var refusal: Reason?
      while refusal == nil, accepted < 200 {
        do {
          try await fetch(store, two, .skinTemperature, 5000, "f\(accepted)")
          accepted += 1
        } catch { refusal = (error as? HearthError)?.reason }
      }
      #expect(refusal == .storeRefusing)
      #expect(store.refusal(of: two, .skinTemperature)?.reason == .storeRefusing)
      let fetched = try #require(store.rings.first { $0.id.way == .fetched })
      #expect(fetched.items == UInt64(accepted * 5000) && fetched.evicted == 0)
      #expect(store.status.fileBytes <= StoreOptions.minimumSize)
      // Live samples have nowhere to stay: they come all the same.
      try await fill(store, one, .rrInterval, 20_000)
      #expect(store.status.trouble == nil)
      #expect(try await store.all(SampleQuery(wearables: [one], series: [.rrInterval])).isEmpty == false)
    }
  }

  @Test("what was purged is nowhere in the store's file, but for what a reader of an older state sees, until it ends")
  func overwritten() throws {
    try inStore { loop, store, scratch in
      try await fill(store, one, .rrInterval, 5000)
      try await store.pack(whole: true)
      var chunks: [[UInt8]] = []
      try store.disk.reading { transaction throws(DatabaseFailure) in
        try transaction.withCursor(transaction.tables.chunks) { cursor throws(DatabaseFailure) in
          var entry = try cursor.first()
          while let found = entry {
            chunks.append(Array(found.value.suffix(48)))
            entry = try cursor.next()
          }
        }
      }
      func left() throws -> Int {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: scratch.data))
        return chunks.count { bytes.range(of: Data($0)) != nil }
      }
      #expect(try chunks.count > 1 && left() == chunks.count)

      let environment = try #require(store.disk.environment)
      var reader: OpaquePointer?
      #expect(mdb_txn_begin(environment.handle, nil, UInt32(MDB_RDONLY), &reader) == 0)
      #expect(try await store.purge(store.purgePlan(SampleQuery(wearables: [one]))) == 5000)
      #expect(await store.overwriteDeleted() ?? 0 > 0)
      #expect(try left() == chunks.count, "the reader goes on")
      mdb_txn_abort(reader)
      #expect(await store.overwriteDeleted() == 0)
      #expect(try left() == 0)
      #expect(try await store.verify().isClean)
    }
  }

  @Test("a purge takes the whole chunks before a time, as many items as its plan said, and no later sample")
  func purge() throws {
    try inSoundStore({ _ in }) { loop, store in
      try await fill(store, one, .rrInterval, 5000)
      try await fill(store, two, .rrInterval, 5000)
      try await newestChunkOnly(store)
      let everything = try await store.all(SampleQuery(wearables: [one]))
      let until = everything[2500].time
      let plan = try await store.purgePlan(SampleQuery(wearables: [one], until: until))
      #expect(plan.parts.map { $0.ring.wearable } == [one])
      #expect(plan.items == plan.unexported && plan.items > 1000 && plan.items <= 2500)
      #expect(plan.parts[0].from == everything[0].time && plan.parts[0].to < until)
      #expect(try await store.purge(plan) == plan.items)
      #expect(try await store.all(SampleQuery(wearables: [one])) == Array(everything.dropFirst(Int(plan.items))))
      #expect(try await store.all(SampleQuery(wearables: [two])).count == 5000)
      #expect(store.rings[0].purged == plan.items && store.rings[0].evicted == 0)
      #expect(try await store.purge(plan) == 0, "a plan carried out twice takes nothing more")

      // The last chunk of a ring is written again with what comes: it is another chunk then.
      let all = try await store.purgePlan(SampleQuery(wearables: [two]))
      #expect(all.items == 5000)
      try await fill(store, two, .rrInterval, 1)
      try await newestChunkOnly(store)
      let gone = try await store.purge(all)
      let left = try await store.all(SampleQuery(wearables: [two]))
      #expect(gone < 5000 && left.count == 5001 - Int(gone))
      #expect(left.last?.ordinal == 5000)
      store.append(one, .battery, 1, at: loop.now)
      try await store.flush()
      #expect(try store.recentEvents(10).contains { $0.reason == Reason.storePurged.rawValue })
    }
  }
}
