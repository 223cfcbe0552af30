import EventLoop
import Hub
import Simulation
import StrapTwin
import Testing

@testable import Health

@Suite("Readings that were kept without a listener", .serialized)
struct LateReadingTests {
  private static func weights(_ delivery: Delivery) -> [(kind: Series, values: [Int64])] {
    guard delivery.characteristic == 0x2A9D else { return [] }
    return delivery.facts.compactMap { fact in
      fact.quantity == .weight ? (.weight, [fact.value.rounded(scale: 1000)]) : nil
    }
  }

  private static let presence = PresenceSchedule.comesAndGoes(
    near: .seconds(900)...(.seconds(1800)), away: .seconds(3600)...(.seconds(14_400)), startsNear: 1)

  /// Whether the times of what came late are sure.
  @LoopActor
  private func late(_ hub: SimulatedHub, _ kind: Series) async throws -> [Bool] {
    try await hub.storedSamples().filter { $0.series == kind && $0.origin == .fetched }.map(\.clockTrusted)
  }

  @Test(
    "a cuff with a clock that is read gives hours of them at their own times, however wrong it was",
    arguments: [ClockTraits.State.right, .wrong(by: .seconds(-3700)), .wrong(by: .seconds(200_000))])
  func clocked(_ state: ClockTraits.State) throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 7402)
      let cuff = world.addCuff(Self.presence) { traits in
        traits.sensor.clock.isServed = true
        traits.sensor.clock.state = state
        traits.sensor.clock.canBeSet = false
        traits.keeping.measuresEvery = .seconds(600)...(.seconds(1200))
        traits.failed = 0
      }
      let hub = SimulatedHub(world)
      try await hub.start(enrolling: [("cuff", cuff, "heart-rate", "cuff")])
      try await loop.sleep(for: .seconds(86_400))
      await hub.stop()
      #expect(hub.watch.violations.isEmpty, "\(hub.watch.violations)")
      var verdict = SensorVerdict(expects: SensorVerdict.pressures)
      verdict.tolerance = .seconds(6)
      #expect(try await verdict.judge(hub, cuff) > 60)
      let late = try await late(hub, .systolicPressure)
      #expect(late.count > 20 && late.allSatisfy { $0 })
      #expect(cuff.ledger.faults.isEmpty, "\(cuff.ledger.faults)")
    }
  }

  @Test("one with an unreadable clock gives them at the times that it shows, and they are not sure")
  func unread() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 7403)
      let scale = world.addScale(Self.presence) { traits in
        traits.keeping.measuresEvery = .seconds(600)...(.seconds(1200))
      }
      let hub = SimulatedHub(world)
      try await hub.start(enrolling: [("scale", scale, "heart-rate", "scale")])
      try await loop.sleep(for: .seconds(86_400))
      await hub.stop()
      var verdict = SensorVerdict(expects: Self.weights)
      verdict.tolerance = .seconds(61)
      #expect(try await verdict.judge(hub, scale) > 30)
      let late = try await late(hub, .weight)
      #expect(late.count > 20 && late.allSatisfy { !$0 })
    }
  }

  @Test("by a clock that is an hour fast and cannot be read, the reading of an hour ago is as unsure as the next ones")
  func fast() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 7409)
      let cuff = world.addCuff(.manual) {
        ($0.sensor.clock.state, $0.failed) = (.wrong(by: .seconds(3600)), 0)
        $0.keeping.measuresEvery = .seconds(86_400)...(.seconds(90_000))
      }
      let hub = SimulatedHub(world)
      for _ in 0..<3 {
        cuff.measureNow()
        try await loop.sleep(for: .seconds(600))
      }
      try await loop.sleep(for: .seconds(1798))
      try await hub.start(enrolling: [("cuff", cuff, "heart-rate", "cuff")])
      cuff.arrive()
      // The button is pressed, without a measurement.
      cuff.isAdvertising = true
      try await loop.sleep(for: .seconds(60))
      await hub.stop()
      let found = try await hub.storedSamples().filter { $0.series == .systolicPressure }
      #expect(found.count == 3 && found.allSatisfy { !$0.clockTrusted }, "\(found.map(\.clockTrusted))")
    }
  }

  @Test(
    "a hub that is killed with a reading in its hands gets it again, and has it once",
    arguments: [7404, 7405, 7406] as [UInt64])
  func killed(_ seed: UInt64) throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? seed)
      let cuff = world.addCuff { traits in
        traits.sensor.clock.isServed = seed % 2 == 0
        traits.sensor.conduct.lostConfirmations = 0.2
        traits.keeping.measuresEvery = .seconds(90)...(.seconds(200))
        traits.failed = 0
      }
      let hub = SimulatedHub(world)
      try await hub.start(enrolling: [("cuff", cuff, "heart-rate", "cuff")])
      var random = SeededRandom(seed: seed)
      var kills = 0
      for _ in 0..<20 {
        // Between the value and its confirmation, wherever the hub is by then.
        for _ in 0..<60_000 {
          try await loop.sleep(for: .milliseconds(Int64(3 + random.below(15))))
          if cuff.ledger.deliveries.last?.fate == .delivered { break }
        }
        guard cuff.ledger.deliveries.last?.fate == .delivered else { break }
        kills += 1
        await hub.kill()
        try await hub.start()
        try await loop.sleep(for: .seconds(Int64(1 + random.below(200))))
      }
      try await loop.sleep(for: .seconds(1200))
      await hub.stop()
      #expect(kills > 10 && !cuff.ledger.repeated.isEmpty, "\(kills) kills, \(cuff.ledger.repeated.count) repeated")
      var verdict = SensorVerdict(expects: SensorVerdict.pressures)
      verdict.tolerance = .seconds(62)
      verdict.mayMissUnconfirmed = true
      #expect(try await verdict.judge(hub, cuff) > 40)
      #expect(Set(cuff.kept).isDisjoint(with: cuff.ledger.confirmed) && cuff.ledger.overwritten.isEmpty)
    }
  }

  @Test(
    "one that sends no time stamps and never hears some confirmations has each reading there once",
    arguments: [7407, 7408] as [UInt64])
  func unstamped(_ seed: UInt64) throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? seed)
      let cuff = world.addCuff { traits in
        traits.hasTime = false
        traits.sensor.conduct.lostConfirmations = 0.3
        traits.sensor.conduct.truncated = 0.2
        traits.keeping.measuresEvery = .seconds(90)...(.seconds(200))
        traits.failed = 0.1
      }
      let hub = SimulatedHub(world)
      try await hub.start(enrolling: [("cuff", cuff, "heart-rate", "cuff")])
      try await loop.sleep(for: .seconds(6 * 3600))
      await hub.stop()
      #expect(hub.watch.violations.isEmpty, "\(hub.watch.violations)")
      #expect(cuff.ledger.repeated.count > 20)
      var verdict = SensorVerdict(expects: SensorVerdict.pressures)
      // Their time is that at which they came first.
      verdict.tolerance = .seconds(1200)
      #expect(try await verdict.judge(hub, cuff) > 150)
    }
  }
}
