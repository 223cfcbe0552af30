import Bluetooth
import EventLoop
import Hub
import Reasons
import RingStore
import Simulation
import StrapTwin
import Testing

@Suite("The whole hub in scenarios")
struct HubScenarioTests {
  @Test("a strap that vanishes is lost, and streams again soon after its return")
  func vanishesAndReturns() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 31)
      let straps = (0..<3).map { _ in world.addStrap() }
      let hub = SimulatedHub(world)
      try await hub.start(enrolling: straps)
      try await loop.sleep(for: .seconds(60))
      #expect(straps.allSatisfy { $0.subscribedAt != nil })
      straps[1].leave()
      try await loop.sleep(for: .seconds(120))
      #expect(try hub.hearth.wearable(named: "strap-2").state == .absent)
      #expect(hub.hearth.snapshot().live == 2)
      straps[1].arrive()
      try await loop.sleep(for: .seconds(60))
      #expect(straps[1].subscribedAt != nil)
      await hub.stop()
      let check = try await judge(hub, "HubScenarioTests")
      #expect(check.lostToKills == 0)
      #expect(straps[0].truth.entries.count > 220 && straps[1].truth.entries.count < 200)
    }
  }

  @Test("an adapter that is powered off and on costs links and no values")
  func adapterPowerCycle() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 32)
      let straps = (0..<4).map { _ in world.addStrap() }
      let hub = SimulatedHub(world)
      try await hub.start(enrolling: straps)
      try await loop.sleep(for: .seconds(90))
      hub.radio.powerOff()
      try await loop.sleep(for: .seconds(60))
      #expect(hub.hearth.snapshot().radioState == .down(.adapterPoweredOff))
      #expect(hub.hearth.snapshot().live == 0)
      let quiet = straps.map(\.truth.entries.count)
      hub.radio.powerOn()
      try await loop.sleep(for: .seconds(90))
      #expect(straps.allSatisfy { $0.subscribedAt != nil })
      #expect(zip(straps, quiet).allSatisfy { $0.truth.entries.count > $1 + 30 })
      await hub.stop()
      try await judge(hub, "HubScenarioTests")
      #expect(hub.watch.lampLooks > 10)
    }
  }

  @Test(
    "killed at any moment and started again, a hub loses at most its commit window",
    arguments: [41, 42, 43, 44, 45] as [UInt64])
  func killedAndRestarted(_ seed: UInt64) throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? seed)
      var moments = SeededRandom(seed: world.seed)
      let straps = (0..<4).map { _ in world.addStrap() }
      let hub = SimulatedHub(world)
      try await hub.start(enrolling: straps)
      var lost = 0
      for _ in 0..<5 {
        try await loop.sleep(for: moments.duration(in: .seconds(40)...(.seconds(100))))
        await hub.kill()
        let check = StoreCheck(try await hub.storedSamples(), hub)
        #expect(check.violations.isEmpty)
        // A kill costs only ever the tail: lost values are not found again, and no other values go.
        #expect(check.lostToKills >= lost)
        lost = check.lostToKills
        try await loop.sleep(for: moments.duration(in: .seconds(1)...(.seconds(10))))
        try await hub.start()
        #expect(hub.store.wearables.count == 4)
      }
      try await loop.sleep(for: .seconds(60))
      #expect(straps.allSatisfy { $0.subscribedAt != nil })
      await hub.stop()
      let check = try await judge(hub, "HubScenarioTests")
      // At four straps with up to five values a second: 15 s of them, per kill.
      #expect(check.lostToKills > 0 && check.lostToKills <= 5 * 4 * 15 * 6)
      #expect(check.matched > check.lostToKills)
    }
  }

  @Test(
    """
    what a strap was asked for and what it then says of its own are kept in the order in which they came, also when \
    both come in one event
    """
  )
  func answersAndNotificationsInOrder() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 36)
      // A percent a second: a level is read and the next one notified all the time.
      let straps = (0..<40).map { _ in
        world.addStrap { traits in
          (traits.hasBattery, traits.batteryNotifies, traits.battery, traits.batteryDrain) = (true, true, 100, 3600)
        }
      }
      var options = SimulatedHubOptions()
      options.radio.slots = straps.count
      let hub = SimulatedHub(world, options: options)
      try await hub.start(enrolling: straps)
      try await loop.sleep(for: .seconds(60))
      await hub.stop()
      try await judge(hub, "HubScenarioTests")
      // Otherwise the test would be void.
      let together = straps.filter { strap in
        zip(strap.truth.batteries, strap.truth.batteries.dropFirst()).contains { $0.at == $1.at }
      }
      #expect(!together.isEmpty)
    }
  }

  @Test("stopped and started again, a hub loses no sample and knows all its wearables")
  func stoppedAndStarted() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 33)
      let straps = (0..<3).map { _ in world.addStrap() }
      let hub = SimulatedHub(world)
      try await hub.start(enrolling: straps)
      for _ in 0..<3 {
        try await loop.sleep(for: .seconds(60))
        await hub.stop()
        try await loop.sleep(for: .seconds(5))
        try await hub.start()
      }
      try await loop.sleep(for: .seconds(30))
      #expect(straps.allSatisfy { $0.subscribedAt != nil })
      await hub.stop()
      let check = try await judge(hub, "HubScenarioTests")
      #expect(check.lostToKills == 0)
    }
  }

  @Test("eight straps share five slots: never more than five links, and all are served about as long")
  func eightStrapsFiveSlots() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 34)
      let straps = (0..<8).map { _ in world.addStrap() }
      var options = SimulatedHubOptions()
      options.radio.slots = 5
      // Three wait while five stream for a slice each; a turn of all eight takes two slices and the visits between.
      options.starvationBound = options.hub.slice * 3
      let hub = SimulatedHub(world, options: options)
      try await hub.start(enrolling: straps)
      try await loop.sleep(for: .seconds(1800))
      #expect(hub.radio.ledger.mostLinks == 5)
      await hub.stop()
      try await judge(hub, "HubScenarioTests")
      let served = straps.map(\.truth.entries.count)
      #expect((served.min() ?? 0) * 2 > served.max() ?? 0, "served: \(served)")
      // Five eighths of the time, less what connecting takes.
      #expect(served.allSatisfy { $0 > 1800 * 5 / 8 * 7 / 10 }, "served: \(served)")
    }
  }

  @Test("a hostile strap hurts only itself", arguments: HostileConduct.allCases)
  func hostileStrap(_ conduct: HostileConduct) throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 35)
      let good = [world.addStrap(), world.addStrap()]
      let bad = world.addStrap(conduct: conduct)
      let late = world.addStrap(.manual)
      let hub = SimulatedHub(world)
      try await hub.start(enrolling: [bad] + good + [late])
      try await loop.sleep(for: .seconds(150))
      late.arrive()
      try await loop.sleep(for: .seconds(150))
      // The good ones were served in good time and for the whole time, whatever the other did.
      #expect(good.allSatisfy { $0.truth.entries.count > 230 }, "\(good.map(\.truth.entries.count))")
      #expect(late.truth.entries.count > 80, "\(late.truth.entries.count)")
      #expect(bad.mustBeServed == (bad.truth.entries.count > 200), "\(bad.truth.entries.count)")
      if conduct == .malformedValues {
        let counters = try hub.hearth.wearable(named: "strap-1").counters
        #expect(counters.first { $0.name == "malformed_values" }?.value == UInt64(bad.truth.malformed))
      }
      if conduct == .asksBack, let bad = bad as? HostileStrap {
        #expect(bad.answersFromHub.first == [0x03, 0x05, 0x02])
        #expect(bad.answersFromHub.count >= 2)
      }
      await hub.stop()
      try await judge(hub, "HubScenarioTests")
    }
  }

  @Test("a window enrols what is held near, refuses what is far, and no wearable joins when it is closed")
  func enrolmentWindow() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 36)
      let near = world.addStrap { $0.rssi = -42 }
      let far = world.addStrap { $0.rssi = -80 }
      let hub = SimulatedHub(world)
      try await hub.start()
      try await loop.sleep(for: .seconds(30))
      #expect(await refusal(of: near, hub) == .enrolWindowClosed)
      try hub.hearth.openEnrolment(for: .seconds(60))
      try await loop.sleep(for: .seconds(10))
      let candidates = hub.hearth.enrolmentSnapshot().candidates
      #expect(candidates.count == 2)
      #expect(candidates.first { $0.address == near.address }?.isNear == true)
      #expect(candidates.first { $0.address == far.address }?.isNear == false)
      #expect(await refusal(of: far, hub) == .enrolTooFar)
      let accepted = try await hub.hearth.accept(near.address.description, name: "anna")
      #expect(accepted.name == "anna" && accepted.isEnrolled)
      try await loop.sleep(for: .seconds(120))
      #expect(near.subscribedAt != nil)
      #expect(hub.radio.ledger.attemptedEver == [near.address])
      #expect(await refusal(of: far, hub) == .enrolWindowClosed)
      await hub.stop()
      try await judge(hub, "HubScenarioTests")
    }
  }

  /// Why a strap may not join; nil if it could.
  @LoopActor
  private func refusal(of strap: VirtualStrap, _ hub: SimulatedHub) async -> Reason? {
    do throws(HearthError) {
      _ = try await hub.hearth.accept(strap.address.description, name: nil)
      return nil
    } catch { return error.reason }
  }

  @Test("a thousand advertisers at once leave the enrolled straps streaming")
  func thousandAdvertisers() throws {
    try VirtualLoop.run { loop in
      var air = WorldOptions()
      air.advertisementSpacing = .seconds(4)
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 37, options: air)
      let straps = (0..<3).map { _ in world.addStrap(.manual) }
      for _ in 0..<1000 { world.addBystander() }
      let hub = SimulatedHub(world)
      try await hub.start(enrolling: straps)
      try await loop.sleep(for: .seconds(20))
      for strap in straps { strap.arrive() }
      try await loop.sleep(for: .seconds(50))
      #expect(straps.allSatisfy { $0.truth.entries.count > 25 }, "\(straps.map(\.truth.entries.count))")
      await hub.stop()
      try await judge(hub, "HubScenarioTests")
    }
  }
}
