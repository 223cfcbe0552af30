import EventLoop
import Health
import Hub
import PolarTwin
import Reasons
import RingStore
import Simulation
import Testing

/// Orders to sync, given to a whole hub among Polar's wearables.
@Suite("Syncs of the whole hub")
struct SyncHouseTests {
  @LoopActor private func finish(_ hub: SimulatedHub, _ loop: any Loop) async throws -> SyncSnapshot {
    for _ in 0..<1800 {
      if let sync = try hub.hearth.sync(of: "polar-1"), sync.isOver { return sync }
      try await loop.sleep(for: .seconds(1))
    }
    return try #require(try hub.hearth.sync(of: "polar-1"))
  }

  /// Until no visit runs.
  @LoopActor private func rest(_ hub: SimulatedHub, _ loop: any Loop) async throws {
    for _ in 0..<600 {
      if try hub.hearth.wearable(named: "polar-1").visit == nil { return }
      try await loop.sleep(for: .seconds(1))
    }
  }

  @Test("only sleep is asked of a band over the air; a sync of everything brings the rest; what is stored is reported")
  func onlySleep() throws {
    try VirtualLoop.run { loop in
      let (_, hub, band) = try await PolarHouseTests.house(loop, .band360, seed: 171) { $0.daysBefore = 7 }
      // Before its first visit: everything is on it.
      while try hub.hearth.wearable(named: "polar-1").rssi == nil { try await loop.sleep(for: .milliseconds(100)) }
      let ordered = try hub.hearth.orderSync("polar-1", SyncRequest(["sleep", "nightly-recharge"]))
      #expect(ordered.domains.map(\.id) == ["sleep", "nightly-recharge"])
      var refusal: Reason?
      do throws(HearthError) { try hub.hearth.orderSync("polar-1", SyncRequest()) } catch { refusal = error.reason }
      #expect(refusal == .syncRunning)
      let nights = try await finish(hub, loop)
      #expect(nights.trouble == nil && nights.domains.allSatisfy { $0.isOver && $0.state != .failed }, "\(nights)")
      let whole = try hub.hearth.orderSync("polar-1", SyncRequest())
      #expect(whole.number == 2)
      let all = try await finish(hub, loop)
      #expect(all.trouble == nil && all.domains.allSatisfy { $0.state != .failed && $0.isOver }, "\(all)")
      // This sync, or the visit that was due all along.
      let marks = all.watermarks.compactMap(\.end)
      #expect(marks.count > nights.watermarks.compactMap(\.end).count && marks.allSatisfy { $0 <= loop.wall })
      #expect(band.files.lost.isEmpty)
      await hub.stop()
      try await PolarHouseTests.judge(hub)
    }
  }

  @Test("a hub that is killed in a sync knows as much as it had stored, goes on with it, and stores each item once")
  func killed() throws {
    try VirtualLoop.run { loop in
      let (_, hub, band) = try await PolarHouseTests.house(loop, .band360, seed: 172) { $0.daysBefore = 7 }
      while try hub.hearth.wearable(named: "polar-1").rssi == nil { try await loop.sleep(for: .milliseconds(100)) }
      _ = try hub.hearth.orderSync("polar-1", SyncRequest())
      while try hub.store.watermarks(of: hub.store.wearables[0].id).isEmpty {
        try await loop.sleep(for: .milliseconds(50))
      }
      let before = try hub.store.watermarks(of: hub.store.wearables[0].id)
      await hub.kill()
      try await hub.start()
      let after = try hub.store.watermarks(of: hub.store.wearables[0].id)
      for mark in before {
        let now = after.first { $0.series == mark.series }
        #expect((now?.end?.microseconds ?? .min) >= (mark.end?.microseconds ?? .min), "\(mark)")
      }
      #expect(try hub.hearth.sync(of: "polar-1")?.isOver == false)
      let all = try await finish(hub, loop)
      #expect(all.number == 1 && all.trouble == nil && all.domains.allSatisfy { $0.state != .failed }, "\(all)")
      #expect(all.domains.contains { $0.state == .done })
      #expect(band.files.lost.isEmpty)
      await hub.stop()
      try await PolarHouseTests.judge(hub)
    }
  }

  @Test("how far it is: kinds of data go one by one, the one that runs is the one of the item, and bytes grow")
  func progress() throws {
    try VirtualLoop.run { loop in
      let (_, hub, _) = try await PolarHouseTests.house(loop, .band360, seed: 174) { $0.daysBefore = 7 }
      while try hub.hearth.wearable(named: "polar-1").rssi == nil { try await loop.sleep(for: .milliseconds(100)) }
      _ = try hub.hearth.orderSync("polar-1", SyncRequest())
      var seen: [SyncSnapshot] = []
      for _ in 0..<20_000 {
        let sync = try #require(try hub.hearth.sync(of: "polar-1"))
        if sync != seen.last { seen.append(sync) }
        if sync.isOver { break }
        try await loop.sleep(for: .milliseconds(50))
      }
      #expect(seen.last?.isOver == true && seen.last?.trouble == nil && seen.last?.domainsOver == 8)
      let over = seen.map(\.domainsOver)
      #expect(over == over.sorted() && Set(over).count >= 3, "\(Set(over))")
      let bytes = seen.map { $0.domains.reduce(0) { $0 + $1.bytes } }
      #expect(bytes == bytes.sorted() && Set(bytes).count > 4)
      let fetching = seen.filter { $0.item != nil }
      #expect(fetching.allSatisfy { sync in sync.domains.count { $0.state == .running } == 1 })
      #expect(Set(fetching.compactMap { $0.domains.first { $0.state == .running }?.id }).count >= 3)
      #expect(fetching.contains { $0.item?.contains("/SLEEP/") == true && $0.domains[3].state == .running })
      await hub.stop()
      try await PolarHouseTests.judge(hub)
    }
  }

  @Test("a sync of sleep does not wait behind files of a visit that goes on by itself, and each of those comes once")
  func interrupts() throws {
    try VirtualLoop.run { loop in
      let (_, hub, band) = try await PolarHouseTests.house(loop, .band360, seed: 175) { $0.daysBefore = 20 }
      while try (hub.hearth.wearable(named: "polar-1").visit?.itemsDone ?? 0) < 3 {
        try await loop.sleep(for: .milliseconds(10))
      }
      let visit = try #require(try hub.hearth.wearable(named: "polar-1").visit)
      #expect(visit.itemsListed - visit.itemsDone > 20 && visit.trigger != .operatorAsked)
      let ordered = loop.now
      _ = try hub.hearth.orderSync("polar-1", SyncRequest(["sleep"]))
      while try hub.hearth.sync(of: "polar-1")?.domains[0].state == .waiting {
        try await loop.sleep(for: .milliseconds(10))
      }
      #expect(loop.now - ordered < .seconds(8), "\(loop.now - ordered)")
      let sleep = try await finish(hub, loop)
      #expect(sleep.trouble == nil && sleep.domains.map(\.state) == [.done])
      #expect(try #require(sleep.visit) == visit.number + 1)
      // What is left comes in the visit after that.
      for _ in 0..<600 where try hub.hearth.visits(1, of: nil).first?.number ?? 0 < visit.number + 2 {
        try await loop.sleep(for: .seconds(1))
      }
      try await rest(hub, loop)
      let last = try #require(try hub.hearth.visits(1, of: nil).first)
      #expect(last.outcome == .done && last.itemsDone > 20, "\(last)")
      let fetched = band.requestLog.filter { $0.hasPrefix("get /U/0/2") && !$0.hasSuffix("/") }
      // What is of today grows, and whether a night is over is looked up at each visit.
      let days = fetched.filter { !$0.contains("/20261121/") && !$0.contains("/SLEEP/") }
      let twice = Set(days).filter { path in days.count { $0 == path } > 1 }
      #expect(days.count > 40 && twice.isEmpty, "\(twice.sorted())")
      #expect(band.files.lost.isEmpty)
      await hub.stop()
      try await PolarHouseTests.judge(hub)
    }
  }

  @Test("a band is not asked for any folder of another phase")
  func wire() throws {
    try VirtualLoop.run { loop in
      let (_, hub, band) = try await PolarHouseTests.house(loop, .band360, seed: 173) { $0.daysBefore = 5 }
      try await loop.sleep(for: .seconds(600))
      try await rest(hub, loop)
      let before = band.requestLog.count
      _ = try hub.hearth.orderSync("polar-1", SyncRequest(["sleep"]))
      let sync = try await finish(hub, loop)
      #expect(sync.trouble == nil && sync.domains.map(\.id) == ["sleep"])
      let asked = Array(try #require(band.requestLog.count >= before ? band.requestLog[before...] : nil))
      #expect(!asked.isEmpty)
      for folder in ["/ACT/", "/DSUM/", "/NR/", "/SKINTEMP/", "/SPO2TEST/", "/E/", "/R/", "/AUTOS/"] {
        #expect(!asked.contains { $0.contains(folder) }, "\(folder): \(asked)")
      }
      await hub.stop()
      try await PolarHouseTests.judge(hub)
    }
  }
}
