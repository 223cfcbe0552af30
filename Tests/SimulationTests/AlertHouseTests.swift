import EventLoop
import Hub
import Lights
import Reasons
import Simulation
import StrapTwin
import Testing

@Suite("A strap with a pulse that stays high", .serialized)
struct AlertHouseTests {
  /// A world of three straps, of which one tells 150 bpm for as long as it is worn.
  @LoopActor private func makeWorld(_ loop: VirtualLoop, _ seed: UInt64) -> (
    world: VirtualWorld, straps: [VirtualStrap]
  ) {
    let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? seed)
    let straps = [150.0, 70, 70].map { rate in
      world.addStrap { traits in
        (traits.heldRate, traits.hasContact) = (rate, false)
      }
    }
    return (world, straps)
  }

  @Test("is reported after a quarter of an hour, lights LINK calmly, outlives a kill, and goes when it is acknowledged")
  func high() throws {
    try VirtualLoop.run { loop in
      let (world, straps) = makeWorld(loop, 2401)
      let hub = SimulatedHub(world)
      try await hub.start(enrolling: straps)
      for number in 1...3 {
        _ = try await hub.hearth.orderAlerts("strap-\(number)") {
          ($0.limits[.restAbove], $0.limits[.restBelow]) = (120, 40)
        }
      }
      try await loop.sleep(for: .seconds(840))
      #expect(hub.hearth.alerts().allSatisfy { $0.alerts.isEmpty })
      try await loop.sleep(for: .seconds(180))
      #expect(hub.hearth.alerts().map { $0.alerts.map(\.alert.kind) } == [[.restAbove], [], []])
      #expect(hub.lights.meanings[Lamp.link.rawValue].pattern == .calm)
      #expect(hub.hearth.snapshot().attention.map(\.trouble.reason) == [.restRateBeyond])
      try await loop.sleep(for: .seconds(30))
      await hub.kill()
      try await hub.start()
      #expect(hub.hearth.alerts().map { $0.alerts.map(\.alert.kind) } == [[.restAbove], [], []])
      try await loop.sleep(for: .seconds(1200))
      #expect(hub.lights.meanings[Lamp.link.rawValue].pattern == .calm)
      _ = try await hub.hearth.acknowledgeAlerts("strap-1")
      try await loop.sleep(for: .seconds(30))
      #expect(hub.lights.meanings[Lamp.link.rawValue].pattern == .steady)
      let told = try hub.store.recentEvents(1000).filter { $0.reason == Reason.restRateBeyond.rawValue }
      #expect(told.count == 1 && told.first?.text.hasPrefix("strap-1: heart rate above 120 bpm") == true)
      await hub.stop()
      try await judge(hub, "AlertHouseTests")
    }
  }

  @Test("is reported in exercise by that limit alone")
  func exercise() throws {
    try VirtualLoop.run { loop in
      let (world, straps) = makeWorld(loop, 2402)
      let hub = SimulatedHub(world)
      try await hub.start(enrolling: straps)
      _ = try await hub.hearth.orderAlerts("strap-1") {
        ($0.exercise, $0.limits[.restAbove], $0.limits[.exerciseAbove]) = (.on, 120, 145)
      }
      try await loop.sleep(for: .seconds(120))
      #expect(try hub.hearth.alerts(of: "strap-1").alerts.map(\.trouble.reason) == [.exerciseRateBeyond])
      try await loop.sleep(for: .seconds(1200))
      #expect(try hub.hearth.alerts(of: "strap-1").alerts.map(\.alert.count) == [1])
      await hub.stop()
      try await judge(hub, "AlertHouseTests")
    }
  }
}
