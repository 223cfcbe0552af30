import EventLoop
import Health
import Hub
import Reasons
import Simulation
import StrapTwin
import Testing

/// Cuffs, scales and oximeters that indicate values only to a bonded central.
@Suite("Sensors that want a bond")
struct BondedSensorTests {
  /// A hub that pairs with every wearable, with a cuff beside a strap.
  @LoopActor
  private static func hubThatPairs(_ world: VirtualWorld, _ cuff: VirtualPeripheral) async throws -> SimulatedHub {
    let strap = world.addStrap()
    var options = SimulatedHubOptions()
    options.hub.pairing = .always
    let hub = SimulatedHub(world, options: options)
    try await hub.start(enrolling: [
      ("cuff", cuff, "heart-rate", "cuff"), ("strap", strap, "heart-rate", "HR strap"),
    ])
    return hub
  }

  @Test("cuffs that are there for seconds are paired, lose no reading, and are encrypted again after a restart")
  func cuffs() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 1810)
      let cuffs = (0..<3).map { _ in
        world.addCuff { traits in
          traits.sensor.conduct.demandsEncryption = true
          traits.keeping.advertisesFor = .seconds(15)
          traits.failed = 0
        }
      }
      var options = SimulatedHubOptions()
      options.hub.pairing = .always
      let hub = SimulatedHub(world, options: options)
      try await hub.start(enrolling: cuffs.enumerated().map { ("cuff-\($0)", $1, "heart-rate", "cuff") })
      try await loop.sleep(for: .seconds(1800))
      #expect(hub.store.bonds.count == cuffs.count)
      await hub.stop()
      try await hub.start()
      try await loop.sleep(for: .seconds(1800))
      #expect(hub.store.bonds.count == cuffs.count, "nobody is paired twice")
      await hub.stop()
      #expect(hub.watch.violations.isEmpty, "\(hub.watch.violations)")
      var verdict = SensorVerdict(expects: SensorVerdict.pressures)
      verdict.tolerance = .seconds(45)
      for (number, cuff) in cuffs.enumerated() {
        let lost = Set(cuff.kept).subtracting(cuff.ledger.confirmed).count
        #expect(cuff.ledger.taken > 4 && lost == 0, "cuff-\(number) lost \(lost) of \(cuff.ledger.taken)")
        try await verdict.judge(hub, cuff)
      }
    }
  }

  @Test("one that wants a bond without an enrolment says so, and is served once it is accepted in a window")
  func accepted() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 1811)
      let scale = world.addCuff { traits in
        traits.sensor.conduct.demandsEncryption = true
        traits.keeping.isIntermittent = false
        traits.keeping.measuresEvery = .seconds(20)...(.seconds(40))
        traits.failed = 0
      }
      let strap = world.addStrap()
      var options = SimulatedHubOptions()
      options.hub.nearRSSI = -100
      let hub = SimulatedHub(world, options: options)
      try await hub.start(enrolling: [
        ("cuff", scale, "heart-rate", "cuff"), ("strap", strap, "heart-rate", "HR strap"),
      ])
      try await loop.sleep(for: .seconds(120))
      #expect(try hub.hearth.wearable(named: "cuff").trouble?.reason == .pairingRefused)
      #expect(try hub.hearth.wearable(named: "strap").state == .live)
      _ = try hub.hearth.openEnrolment(for: nil)
      _ = try await hub.hearth.accept("cuff", name: nil)
      try await loop.sleep(for: .seconds(300))
      #expect(try hub.hearth.wearable(named: "cuff").trouble == nil)
      #expect(hub.store.bonds.count == 1)
      #expect(try await hub.storedSamples().contains { $0.series == .systolicPressure })
      await hub.stop()
    }
  }

  @Test("one that refuses to be paired costs the others no visit, and is not paired at every link")
  func refuses() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 1812, faults: .noPairing)
      let cuff = world.addCuff { traits in
        traits.sensor.conduct.demandsEncryption = true
        traits.keeping.isIntermittent = false
      }
      let hub = try await Self.hubThatPairs(world, cuff)
      try await loop.sleep(for: .seconds(1140))
      #expect(try hub.hearth.wearable(named: "cuff").trouble?.reason == .authenticationFailed)
      #expect(world.radio?.ledger.pairingsFailed == 1)
      // After 20 min it is asked once more.
      try await loop.sleep(for: .seconds(1140))
      #expect(try hub.hearth.wearable(named: "cuff").trouble?.reason == .authenticationFailed)
      #expect(world.radio?.ledger.pairingsFailed == 2)
      #expect(try hub.hearth.wearable(named: "strap").state == .live)
      await hub.stop()
      #expect(hub.watch.violations.isEmpty, "\(hub.watch.violations)")
    }
  }

  @Test("one that pairs and keeps no key is served over no such link, says so, and costs the others no visit")
  func withoutBond() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 1813)
      let cuff = world.addCuff { traits in
        traits.sensor.conduct.demandsEncryption = true
        traits.sensor.conduct.pairsWithoutBond = true
        traits.keeping.isIntermittent = false
      }
      let hub = try await Self.hubThatPairs(world, cuff)
      for tries in 1...2 {
        try await loop.sleep(for: .seconds(1140))
        #expect(try hub.hearth.wearable(named: "cuff").trouble?.reason == .keyNotGiven)
        #expect(world.radio?.ledger.pairingsFailed == tries && hub.store.bonds.isEmpty)
        #expect(try hub.hearth.wearable(named: "strap").state == .live)
      }
      await hub.stop()
      #expect(hub.watch.violations.isEmpty, "\(hub.watch.violations)")
    }
  }
}

extension FaultPlan {
  fileprivate static var noPairing: FaultPlan {
    var plan = FaultPlan()
    plan.failedPairing = 1
    return plan
  }
}
