import EventLoop
import Foundation
import Health
import Reasons
import Testing

@testable import Hub
@testable import RingStore

@Suite("What the store's figures say to people")
struct StoreWatchTests {
  private let start = Instant(nanoseconds: 0)
  private let strap = WearableID(number: 3)
  private let band = WearableID(number: 4)

  private func status(_ change: (inout StoreStatus) -> Void = { _ in }) -> StoreStatus {
    var status = StoreStatus(path: "/var/lib/hearth", sizeBytes: 1_500_000_000)
    change(&status)
    return status
  }

  private func ring(_ wearable: WearableID, _ series: Series, evicted: UInt64 = 0, refuses: Bool = false) -> RingStatus
  {
    RingStatus(
      id: RingID(wearable: wearable, seriesNumber: series.id, way: .live), items: 10, chunks: 1, bytes: 4096,
      retention: Retention(),
      oldest: nil, newest: nil, unexported: 10, evicted: evicted, evictedUnexported: evicted,
      evictedFrom: evicted > 0 ? WallTime(microseconds: 0) : nil,
      evictedTo: evicted > 0 ? WallTime(microseconds: 60_000_000) : nil, purged: 0,
      bytesPerDay: nil, refuses: refuses)
  }

  @Test("a healthy store reports no trouble, whatever was lost before the hub started")
  func healthy() {
    let old = status {
      $0.evictedSamples = 90
      $0.evictedUnexported = 70
    }
    #expect(!StoreWatch.isEvicting(old, start))
    #expect(StoreWatch.troubles(old, [ring(strap, .heartRate, evicted: 70)], now: start).isEmpty)
  }

  @Test("what holds the store, and wrong counts, are reported; a medium that may lose data is on the store's LED too")
  func medium() {
    for (kind, reason, fails) in [
      (StoreMedium.Kind.memory, Reason.storeInMemory, true), (.unproven, .storeUnproven, true),
      (.open, .storeOpenToAll, false),
    ] {
      let status = status { $0.medium = StoreMedium(kind: kind, text: "there") }
      #expect(StoreWatch.troubles(status, [], now: start).map(\.trouble) == [HearthError(reason, "there")])
      #expect(StoreWatch.mediumFailing(status) == (fails ? reason : nil))
    }
    let counted = status { $0.miscounts = "free pages" }
    #expect(StoreWatch.troubles(counted, [], now: start).map(\.trouble.reason) == [.storeMiscounted])
    #expect(StoreWatch.mediumFailing(counted) == nil)
  }

  @Test("a loss of samples that were never exported is news for a day, with its count, series and times")
  func eviction() {
    let status = status {
      $0.evictedUnexported = 100
      $0.evictedUnexportedSinceStart = 30
      $0.lastUnexportedEviction = start
    }
    let rings = [ring(strap, .heartRate), ring(strap, .ecg, evicted: 5), ring(band, .acc, evicted: 25)]
    let found = StoreWatch.troubles(status, rings, now: start)
    #expect(
      found.map(\.trouble) == [
        HearthError(
          .storeEvicting,
          """
          30 samples that were never exported were evicted since the hub started; ever evicted: ecg, acc of \
          1970-01-01T00:00:00.000Z to 1970-01-01T00:01:00.000Z
          """
        )
      ])
    #expect(found.allSatisfy { $0.wearable == nil })
    let end = start + StoreWatch.newsTime
    #expect(StoreWatch.isEvicting(status, end + .nanoseconds(-1)))
    #expect(!StoreWatch.isEvicting(status, end))
    #expect(StoreWatch.troubles(status, rings, now: end).isEmpty)
  }

  /// A store of its own, on a disk of its own.
  private func inStore(
    _ path: String, _ change: (inout StoreOptions) -> Void, from wall: Duration = .zero,
    _ body: @escaping @LoopActor (VirtualLoop, Store) async throws -> Void
  ) throws {
    var options = StoreOptions(path: path, sizeBytes: 64 << 20)
    change(&options)
    let ready = options
    try VirtualLoop.run { loop in
      loop.stepWall(by: wall)
      let store = try Store.open(ready, loop: loop, disk: InlineDiskLane())
      try await body(loop, store)
      await store.close()
    }
  }

  /// Heart beats that no codec makes smaller.
  @LoopActor private func fill(_ loop: VirtualLoop, _ store: Store, _ count: Int) async throws {
    var random = SplitMix64(seed: UInt64(store.status.samples))
    for index in 0..<count {
      store.append(strap, .rrInterval, Int64(random.next() >> 8), at: loop.now)
      if index % 100 == 0 { try await loop.sleep(for: .milliseconds(100)) }
    }
    try await store.flush()
    try await store.pack()
  }

  @LoopActor private func codes(_ loop: VirtualLoop, _ store: Store) -> [Reason] {
    StoreWatch.troubles(store.status, store.rings, now: loop.now).map(\.trouble.reason)
  }

  @Test("H4101: with a reader that exports each hour only exported samples go, and the code is gone after a day")
  func exported() throws {
    let path = NSTemporaryDirectory() + "hearth-evicting-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let small = Retention(quota: 3 * RingState.chunkSpace)
    try inStore(path, { $0.retention[Series.rrInterval.id] = small }) { loop, store in
      while store.status.evictedUnexportedSinceStart == 0 { try await fill(loop, store, 2000) }
      #expect(codes(loop, store) == [.storeEvicting])
      @LoopActor func export() async throws {
        let session = try await store.export(SampleQuery(), reader: "ward")
        while try await session.next(limit: 5000) != nil {}
        try await session.confirm()
      }
      try await export()
      let lost = store.status.evictedUnexportedSinceStart
      for _ in 0..<25 {
        try await loop.sleep(for: .seconds(3600))
        try await fill(loop, store, 1000)
        try await export()
      }
      #expect(store.status.evictedSamples > lost && store.status.evictedUnexportedSinceStart == lost)
      #expect(codes(loop, store).isEmpty)
    }
  }

  @Test("H4101: with a higher quota, and started again, no sample is given up")
  func raised() throws {
    let path = NSTemporaryDirectory() + "hearth-evicting-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    for chunks in [3, 300] {
      let quota = Retention(quota: chunks * RingState.chunkSpace)
      try inStore(path, { $0.retention[Series.rrInterval.id] = quota }) { loop, store in
        for _ in 0..<5 { try await fill(loop, store, 2000) }
        #expect(codes(loop, store) == (chunks == 3 ? [.storeEvicting] : []))
      }
    }
  }

  @Test("H4114: samples that wait too long are said until a reader has confirmed them, and never without being asked")
  func unread() throws {
    let path = NSTemporaryDirectory() + "hearth-unread-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let limit = Duration.seconds(3600)
    @LoopActor func export(_ store: Store) async throws {
      let session = try await store.export(SampleQuery(), reader: "uplink")
      while try await session.next(limit: 5000) != nil {}
      try await session.confirm()
    }
    try inStore(path, { _ in }) { loop, store in
      var watch = ExportWatch()
      @LoopActor func reason(_ within: Duration? = limit) -> Reason? {
        watch.trouble(within: within, store.status, loop.wall)?.reason
      }
      // No samples came for a while: the queue is empty.
      #expect(reason() == nil)
      try await loop.sleep(for: limit + limit)
      #expect(reason() == nil)
      try await fill(loop, store, 100)
      #expect(reason() == nil, "the first sample after a while is not late")
      try await loop.sleep(for: limit)
      #expect(reason() == nil)
      try await loop.sleep(for: .seconds(60))
      #expect(reason() == .storeUnread && reason(nil) == nil)
      try await export(store)
      #expect(reason() == nil)
      try await fill(loop, store, 100)
      #expect(reason() == nil)
      try await loop.sleep(for: limit + limit)
      #expect(reason() == .storeUnread)
    }
    // Started again: what waited then is as late as before.
    try inStore(path, { _ in }, from: .seconds(86_400)) { loop, store in
      var watch = ExportWatch()
      #expect(store.status.confirmedAt != nil && store.status.unexported > 0)
      try await loop.sleep(for: limit + limit)
      #expect(watch.trouble(within: limit, store.status, loop.wall)?.reason == .storeUnread)
      try await export(store)
      #expect(watch.trouble(within: limit, store.status, loop.wall) == nil)
    }
  }

  @Test("H4110: with longer intervals between commits a day's writing is within its budget again")
  func budget() throws {
    let path = NSTemporaryDirectory() + "hearth-budget-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    for (day, every) in [(0, 1), (1, 60)] as [(Int64, Int64)] {
      try inStore(
        path,
        {
          ($0.commitEvery, $0.commitBytes, $0.budgetPerDay) = (.seconds(every), 65_536, 2_000_000)
        }, from: .seconds(day * 86_400)
      ) { loop, store in
        for index in 0..<600 {
          store.append(strap, .heartRate, 60 + Int64(index % 40), at: loop.now)
          try await loop.sleep(for: .seconds(1))
        }
        #expect(
          codes(loop, store) == (every == 1 ? [.storeBudgetExceeded] : []),
          "each \(every) s: \(store.status.wear.bytesToday)")
      }
    }
  }

  @Test("a budget that is passed, damage, and rings that refuse are named; refusals belong to their wearable")
  func others() {
    let worn = status {
      $0.wear = WearStatus(bytesToday: 164_300_000, budgetPerDay: 150_000_000, odometer: 1, forecastPerYear: nil)
      $0.corruptChunks = 2
      $0.corruptRecords = 1
    }
    let rings = [
      ring(strap, .ecg, refuses: true), ring(strap, .acc, refuses: true), ring(band, .heartRate),
      ring(band, .ppg, refuses: true),
    ]
    let found = StoreWatch.troubles(worn, rings, now: start)
    #expect(found.map(\.wearable) == [nil, nil, strap, band])
    #expect(
      found.map(\.trouble) == [
        HearthError(.storeChunkCorrupt, "2 chunks of samples and 1 record with a wrong checksum, not served"),
        HearthError(.storeBudgetExceeded, "164 MB written to the card today, the budget is 150 MB"),
        HearthError(.storeRefusing, "ecg, acc: left on the wearable, as its ring is full"),
        HearthError(.storeRefusing, "ppg: left on the wearable, as its ring is full"),
      ])
    let within = status {
      $0.wear = WearStatus(bytesToday: 150_000_000, budgetPerDay: 150_000_000, odometer: 1, forecastPerYear: nil)
    }
    #expect(StoreWatch.troubles(within, [], now: start).isEmpty)
  }
}
