import Bluetooth
import EventLoop
import Health
import PolarTwin
import RingStore
import Simulation
import Testing

@testable import Hub

@Suite("What comes of a Polar wearable's link, and what is shown of it")
struct PolarLivenessTests {
  @LoopActor
  private static func house(_ loop: VirtualLoop, _ model: PolarTraits.Model, seed: UInt64) async throws -> (
    SimulatedHub, VirtualPolar
  ) {
    let house = try await polarHouse(loop, seed: seed, [.of(model) { _ in }])
    return (house.hub, house.wearables[0])
  }

  @Test("a band that lost its bond is not believed, and what needs a person is said")
  func lostBond() throws {
    try VirtualLoop.run { loop in
      let (hub, band) = try await Self.house(loop, .band360, seed: 301)
      try await loop.sleep(for: .seconds(300))
      #expect(try hub.hearth.wearable(named: "polar-1").heartRate != nil)
      // Pairing is no longer allowed, and the band is reset.
      var options = hub.options.hub
      options.pairing = .enrolment
      hub.hearth.apply(options)
      band.bond = nil
      band.leave()
      try await loop.sleep(for: .seconds(120))
      #expect(try hub.hearth.wearable(named: "polar-1").heartRate == nil)
      band.arrive()
      try await loop.sleep(for: .seconds(240))
      let shown = try hub.hearth.wearable(named: "polar-1")
      #expect(
        shown.state == .attention && shown.trouble != nil, "\(shown.state) \(shown.trouble.map { "\($0)" } ?? "")")
      #expect(shown.trouble?.reason == .keyMissing && shown.heartRate == nil)
      await hub.stop()
      #expect(hub.watch.violations.isEmpty, "\(hub.watch.violations)")
    }
  }

  @Test("in SDK mode no heart rate comes or is shown, though the link is live")
  func sdkMode() throws {
    try VirtualLoop.run { loop in
      let (hub, _) = try await Self.house(loop, .veritySense, seed: 302)
      try await loop.sleep(for: .seconds(120))
      #expect(try hub.hearth.wearable(named: "polar-1").heartRate != nil)
      _ = try await hub.hearth.orderStreams("polar-1", [.acc])
      _ = try await hub.hearth.orderRates("polar-1", [.acc: 208])
      try await loop.sleep(for: .seconds(100))
      let shown = try hub.hearth.wearable(named: "polar-1")
      #expect(shown.state == .live && shown.heartRate == nil)
      _ = try await hub.hearth.orderRates("polar-1", [:])
      try await loop.sleep(for: .seconds(30))
      #expect(try hub.hearth.wearable(named: "polar-1").heartRate != nil)
      await hub.stop()
    }
  }

  @Test(
    "bands that were live when the hub was stopped, or killed, are live again within seconds", arguments: [true, false])
  func restart(isKilled: Bool) throws {
    try VirtualLoop.run { loop in
      let (_, hub, bands) = try await polarHouse(loop, seed: 303, [.of(.band360) { _ in }, .of(.veritySense) { _ in }])
      try await loop.sleep(for: .seconds(600))
      #expect(hub.hearth.snapshot().live == 2)
      if isKilled { await hub.kill() } else { await hub.stop() }
      try await loop.sleep(for: .seconds(2))
      let began = loop.now
      try await hub.start()
      while loop.now - began < .seconds(100),
        try !bands.indices.allSatisfy({ try hub.hearth.wearable(named: "polar-\($0 + 1)").heartRate != nil })
      {
        try await loop.sleep(for: .seconds(1))
      }
      #expect(loop.now - began < .seconds(30), "\((loop.now - began).inSeconds) s")
      await hub.stop()
    }
  }
}
