import EventLoop
import HostileTwin
import Hub
import Simulation
import StrapTwin
import Testing

@Suite("A live strap keeps its link beside every wearable that was accepted")
struct LiveLinkTests {
  /// A strap that is live for some minutes, and the longest time for which it has no link after that.
  @LoopActor
  private final class House {
    let loop: VirtualLoop
    let world: VirtualWorld
    let strap: VirtualStrap
    private(set) var hub: SimulatedHub
    private(set) var longest: Duration = .zero
    private var since: Instant?

    init(_ loop: VirtualLoop, seed: UInt64) {
      self.loop = loop
      world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? seed)
      strap = world.addStrap()
      var options = SimulatedHubOptions()
      options.radio.slots = 5
      // Wearables of no use wait for long.
      options.starvationBound = .seconds(3600)
      hub = SimulatedHub(world, options: options)
    }

    func start(_ others: [(String, VirtualPeripheral, String, String)]) async throws {
      try await hub.start(enrolling: [("strap", strap, "heart-rate", "HR strap")] + others)
      try await loop.sleep(for: .seconds(180))
      #expect(strap.link != nil)
    }

    /// Lets time pass, and looks.
    func pass(_ time: Duration) async throws {
      let end = loop.now + time
      while loop.now < end {
        try await loop.sleep(for: .milliseconds(100))
        since = strap.link == nil ? since ?? loop.now : nil
        if let since { longest = max(longest, loop.now - since) }
      }
    }
  }

  @Test(
    "eight cuffs that are heard for three seconds in ten and never measure keep no strap from its link for long",
    arguments: [9100, 9101, 9102] as [UInt64])
  func cuffs(_ seed: UInt64) throws {
    try VirtualLoop.run { loop in
      let house = House(loop, seed: seed)
      let cuffs = (0..<8).map { _ in
        house.world.addCuff(.manual) {
          $0.keeping.isIntermittent = false
          $0.keeping.measuresEvery = .seconds(90_000)...(.seconds(99_000))
        }
      }
      try await house.start(cuffs.enumerated().map { ("cuff-\($0)", $1, "heart-rate", "cuff") })
      for (number, cuff) in cuffs.enumerated() {
        loop.spawn {
          try? await loop.sleep(for: .milliseconds(1250 * number))
          for _ in 0..<60 {
            cuff.arrive()
            try? await loop.sleep(for: .seconds(3))
            cuff.leave()
            try? await loop.sleep(for: .seconds(7))
          }
        }
      }
      try await house.pass(.seconds(600))
      // Two tries of each, and what of them the controller waits for.
      #expect(house.longest <= .seconds(20), "\(house.longest)")
      await house.hub.stop()
    }
  }

  @Test(
    "thirty straps that were accepted and take no connection cost a strap neither its link nor a new one's",
    arguments: [9110, 9111, 9112] as [UInt64])
  func deaf(_ seed: UInt64) throws {
    try VirtualLoop.run { loop in
      let house = House(loop, seed: seed)
      let peers = (0..<30).map { _ in house.world.addHostile(.letsNobodyIn, as: .strap) }
      let late = house.world.addStrap(.manual) { $0.rssi = -45 }
      try await house.start(peers.map { ($0.name, $0.twin, $0.driver, $0.kind) })
      for peer in peers { peer.twin.arrive() }
      try await house.pass(.seconds(300))
      #expect(house.longest <= .seconds(5), "\(house.longest) beside them")
      // Accepted by hand.
      _ = try house.hub.hearth.openEnrolment(for: .seconds(600))
      late.arrive()
      // The wearable is heard between the attempts of the others.
      let came = loop.now
      while (try? await house.hub.hearth.accept("\(late.address)", name: "late")) == nil {
        try #require(loop.now - came < .seconds(60), "it is not heard")
        try await house.pass(.milliseconds(100))
      }
      let accepted = loop.now
      while late.link == nil, loop.now - accepted < .seconds(60) { try await house.pass(.milliseconds(100)) }
      #expect(loop.now - accepted <= .seconds(15), "linked \(loop.now - accepted) after its acceptance")
      try await house.pass(.seconds(120))
      #expect(house.longest <= .seconds(5), "\(house.longest) beside an acceptance")
      await house.hub.stop()
    }
  }

  @Test(
    "a band that hangs up at its first link is linked again beside idle links that stay",
    arguments: [9120, 9121] as [UInt64])
  func idle(_ seed: UInt64) throws {
    try VirtualLoop.run { loop in
      let house = House(loop, seed: seed)
      let mute = (0..<3).map { _ in house.world.addHostile(.neverSendsAValue, as: .strap) }
      let late = house.world.addStrap(.manual)
      try await house.start(
        mute.map { ($0.name, $0.twin, $0.driver, $0.kind) } + [("late", late, "heart-rate", "HR strap")])
      for peer in mute { peer.twin.arrive() }
      try await house.pass(.seconds(120))
      late.arrive()
      while late.link == nil { try await loop.sleep(for: .milliseconds(10)) }
      try await loop.sleep(for: .milliseconds(50))
      late.hangUp()
      let lost = loop.now
      try await loop.sleep(for: .milliseconds(50))
      while late.link == nil, loop.now - lost < .seconds(195) { try await loop.sleep(for: .milliseconds(50)) }
      #expect(loop.now - lost <= .seconds(10), "linked again after \(loop.now - lost)")
      await house.hub.stop()
    }
  }
}
