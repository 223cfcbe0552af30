import EventLoop
import Hub
import Reasons
import RingStore
import Simulation
import StrapTwin
import Testing

@Suite("What is written down of what was lost")
struct EventTests {
  @LoopActor private func events(_ hub: SimulatedHub, _ reasons: Reason...) throws -> [StoreEvent] {
    let wanted = Set(reasons.map(\.rawValue))
    return try hub.store.recentEvents(10_000).reversed().filter { wanted.isEmpty || wanted.contains($0.reason) }
  }

  private func near(_ time: WallTime?, _ other: WallTime, within slack: Duration) -> Bool {
    guard let time else { return false }
    return abs((time - other).inSeconds) <= slack.inSeconds
  }

  private func inHub(
    straps count: Int, seed: UInt64,
    _ body: @escaping @LoopActor (VirtualLoop, SimulatedHub, [VirtualStrap]) async throws -> Void
  ) throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? seed)
      let straps = (0..<count).map { _ in world.addStrap() }
      let hub = SimulatedHub(world)
      try await hub.start(enrolling: straps)
      try await loop.sleep(for: .seconds(90))
      #expect(straps.allSatisfy { $0.subscribedAt != nil })
      try await body(loop, hub, straps)
      if hub.isRunning { await hub.stop() }
    }
  }

  @Test(
    "a strap that leaves and returns leaves two events: when its link was lost, and from when until when it was gone")
  func lostAndFound() throws {
    try inHub(straps: 2, seed: 71) { loop, hub, straps in
      let left = loop.wall
      straps[1].leave()
      try await loop.sleep(for: .seconds(600))
      let lost = try events(hub, .linkLost, .peerClosed, .attTimeout)
      #expect(lost.count == 1)
      let wearable = hub.store.wearables[1].id
      // The supervision timeout of a live link.
      #expect(lost.first?.wearable == wearable && near(lost.first?.span.from, left, within: .seconds(20)))
      #expect(lost.first?.span.to == nil)
      let returned = loop.wall
      straps[1].arrive()
      try await loop.sleep(for: .seconds(120))
      let found = try events(hub, .linkFound)
      #expect(found.map(\.wearable) == [wearable])
      // Both tell it by the monotonic clock, each with the wall clock of its own moment: a microsecond may be rounded.
      let from = try #require(lost.first?.span.from)
      #expect(near(found.first?.span.from, from, within: .milliseconds(1)))
      #expect(near(found.first?.span.to, returned, within: .seconds(60)))
      #expect(found.first?.text.hasPrefix("strap-2 is linked again after ") == true)
      #expect(found.first?.text.hasSuffix("; what it measured meanwhile is lost") == true)
    }
  }

  @Test("a strap at the edge of range leaves three events an hour at most, and they count every loss")
  func flapping() throws {
    try inHub(straps: 1, seed: 72) { loop, hub, straps in
      let before = try events(hub).count
      var away = 0
      for _ in 0..<120 {
        straps[0].leave()
        try await loop.sleep(for: .seconds(30))
        straps[0].arrive()
        try await loop.sleep(for: .seconds(90))
        away += 1
      }
      try await loop.sleep(for: .seconds(3600))
      let links = try events(hub, .linkLost, .peerClosed, .linkFound, .linkUnsteady)
      let all = try events(hub)
      // Four hours of it, with the hour that it takes to be told.
      #expect(all.count - before <= 5 * 5, "\(all.map(\.text))")
      let unsteady = links.filter { $0.reason == Reason.linkUnsteady.rawValue }
      #expect((3...5).contains(unsteady.count))
      let counted = unsteady.reduce(0) { $0 + Int($1.span.count ?? 1) }
      let single = links.count { $0.reason == Reason.linkFound.rawValue }
      #expect(counted + single > 60 && counted + single <= away)
      // Near enough now.
      try await loop.sleep(for: .seconds(3 * 3600))
      #expect(try events(hub, .linkUnsteady).count == unsteady.count)
      for event in unsteady {
        #expect(event.span.from != nil && event.span.to != nil && event.wearable == hub.store.wearables[0].id)
      }
    }
  }

  @Test("a hub says of each start how the run before ended, and since when it was silent")
  func starts() throws {
    try inHub(straps: 1, seed: 73) { loop, hub, _ in
      #expect(try events(hub, .startedFirst).count == 1)
      try await loop.sleep(for: .seconds(300))
      let killed = loop.wall
      await hub.kill()
      try await loop.sleep(for: .seconds(60))
      let started = loop.wall
      try await hub.start()
      try await loop.sleep(for: .seconds(90))
      let kill = try #require(try events(hub, .startedAfterKill).first)
      #expect(kill.span.to == started && kill.wearable == nil)
      // The last commit of samples says that it ran.
      #expect(near(kill.span.from, killed, within: .seconds(16)) && kill.span.from.map { $0 <= killed } == true)
      let stopped = loop.wall
      await hub.stop()
      try await loop.sleep(for: .seconds(1000))
      try await hub.start()
      try await loop.sleep(for: .seconds(90))
      let stop = try #require(try events(hub, .startedAfterStop).first)
      #expect(near(stop.span.from, stopped, within: .seconds(10)) && stop.span.to == stopped + .seconds(1000))
      #expect(try events(hub, .startedFirst, .startedAfterKill, .startedAfterPowerCut).count == 2)
    }
  }

  @Test("a hub that crashes every half minute for a day leaves some events an hour, which count its starts")
  func crashLoop() throws {
    try inHub(straps: 1, seed: 74) { loop, hub, _ in
      let before = try events(hub).count
      let began = loop.wall
      for _ in 0..<360 {
        await hub.kill()
        try await loop.sleep(for: .seconds(5))
        try await hub.start()
        try await loop.sleep(for: .seconds(25))
      }
      try await loop.sleep(for: .seconds(3700))
      let hours = (loop.wall - began).inSeconds / 3600
      let all = try events(hub).dropFirst(before)
      #expect(Double(all.count) <= 8 * (hours + 1), "\(all.map(\.text))")
      let again = try events(hub, .startedAgain)
      #expect(!again.isEmpty)
      let told = all.filter { $0.reason == Reason.startedAfterKill.rawValue }.count
      let counted = again.reduce(0) { $0 + Int($1.span.count ?? 1) }
      #expect(told + counted > 300 && told + counted <= 360)
      #expect(again.allSatisfy { $0.span.from != nil && $0.span.to != nil })
    }
  }

  @Test("a radio that was down is reported once for all, with its span, and not once for each link that it took along")
  func radioDown() throws {
    try inHub(straps: 4, seed: 75) { loop, hub, _ in
      let before = try events(hub).count
      let down = loop.wall
      hub.radio.powerOff()
      try await loop.sleep(for: .seconds(60))
      let up = loop.wall
      hub.radio.powerOn()
      try await loop.sleep(for: .seconds(90))
      let all = try Array(events(hub).dropFirst(before))
      #expect(
        all.map(\.reason) == [Reason.adapterPoweredOff.rawValue, Reason.radioBack.rawValue], "\(all.map(\.text))")
      #expect(near(all.first?.span.from, down, within: .seconds(2)))
      #expect(all.last?.span.from == all.first?.span.from && near(all.last?.span.to, up, within: .seconds(5)))
    }
  }

  @Test("a link that does not come back after a start is reported when it does, from the start on")
  func goneOverStart() throws {
    try inHub(straps: 2, seed: 76) { loop, hub, straps in
      straps[0].leave()
      await hub.stop()
      try await loop.sleep(for: .seconds(60))
      let started = loop.wall
      try await hub.start()
      try await loop.sleep(for: .seconds(1800))
      straps[0].arrive()
      try await loop.sleep(for: .seconds(120))
      let found = try events(hub, .linkFound)
      #expect(found.map(\.wearable) == [hub.store.wearables[0].id])
      #expect(found.first?.span.from == started)
    }
  }
}
