import EventLoop
import Health
import PolarTwin
import Reasons
import RingStore
import Simulation
import StrapTwin
import Testing

@testable import Hub

@Suite("A wearable that was enrolled before its own driver was known")
struct IdentificationTests {
  @LoopActor private static func record(_ hub: SimulatedHub, _ name: String = "polar-1") throws -> WearableRecord {
    try #require(hub.store.wearables.first { $0.name == name })
  }

  @Test(
    "an H10 that was enrolled as any strap goes on over its link and moves with the next one; what is kept of it stays",
    arguments: [false, true])
  func moves(isKilledBetween: Bool) throws {
    try VirtualLoop.run { loop in
      let house = try await polarHouse(loop, seed: 85, [PolarTraits(.h10)], driver: "heart-rate", kind: "HR strap")
      let (hub, strap) = (house.hub, house.wearables[0])
      _ = try await hub.hearth.setListening("polar-1", false)
      let wearable = try Self.record(hub).id
      try await loop.sleep(for: .seconds(120))
      // Named in the registry, without a request over the open link.
      #expect(try Self.record(hub).driver == "polar-strap" && hub.hearth.registry.all[0].driver?.id == "heart-rate")
      #expect(strap.commandLog.isEmpty && strap.requestLog.isEmpty && strap.links == 1)
      let shown = try hub.hearth.wearable(named: "polar-1")
      #expect(shown.driver == "heart-rate" && shown.nextDriver == "polar-strap")
      #expect(
        try hub.store.recentEvents(10).contains {
          $0.reason == Reason.driverChanged.rawValue && $0.wearable == wearable
        })
      if isKilledBetween {
        // Events wait a minute for a commit at most.
        await hub.kill()
        try await hub.start()
      } else {
        strap.hangUp()
      }
      try await loop.sleep(for: .seconds(60))
      _ = try await hub.hearth.orderStreams("polar-1", [.ecg])
      try await loop.sleep(for: .seconds(120))
      #expect(strap.streams.count == 1 && strap.links == 2)
      let kept = try Self.record(hub)
      #expect(
        kept.id == wearable && kept.hubState[ListeningChoice.self]?.isOn == false && kept.driver == "polar-strap"
          && kept.kind == "HR strap")
      #expect(try hub.store.recentEvents(100).count { $0.reason == Reason.driverChanged.rawValue } == 1)
      await hub.stop()
      let samples = try await hub.storedSamples()
      #expect(samples.contains { $0.series == .ecg } && samples.count { $0.series == .heartRate } > 200)
      #expect(Set(samples.map(\.wearable)).count == 1)
    }
  }

  @Test("one with a new driver that gets nowhere is moved once, and heard as often as its links allow")
  func failing() throws {
    try VirtualLoop.run { loop in
      let house = try await polarHouse(
        loop, seed: 88, [.of(.h10) { $0.conduct = .silentFiles }], driver: "heart-rate", kind: "HR strap")
      let (hub, strap) = (house.hub, house.wearables[0])
      try await loop.sleep(for: .seconds(60))
      strap.hangUp()
      for _ in 0..<6 {
        try await loop.sleep(for: .seconds(300))
        strap.hangUp()
      }
      #expect(
        try Self.record(hub).driver == "polar-strap" && hub.hearth.wearable(named: "polar-1").driver == "polar-strap")
      #expect(try hub.store.recentEvents(100).count { $0.reason == Reason.driverChanged.rawValue } == 1)
      await hub.stop()
      #expect(try await hub.storedSamples().count { $0.series == .heartRate } > 600)
    }
  }

  @Test(
    """
    a band that was enrolled as any strap is visited as a band with its next link, and pairs if that is always allowed
    """
  )
  func band() throws {
    try VirtualLoop.run { loop in
      var traits = PolarTraits(.band360)
      traits.daysBefore = 3
      let house = try await polarHouse(loop, seed: 86, [traits], driver: "heart-rate", kind: "HR strap")
      let (hub, band) = (house.hub, house.wearables[0])
      try await loop.sleep(for: .seconds(120))
      #expect(band.files.removed.isEmpty)
      band.hangUp()
      try await loop.sleep(for: .seconds(600))
      let kept = try Self.record(hub)
      #expect(kept.driver == "polar" && kept.kind == "band")
      #expect(!band.files.removed.isEmpty && band.files.lost.isEmpty)
      await hub.stop()
      try await PolarHouseTests.judge(hub)
    }
  }

  @Test(
    "a band that was just accepted as any strap is paired by its own driver, one that was accepted long ago is not",
    arguments: [0, 900])
  func pairing(wait: Int) throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 89)
      let band = world.add { VirtualPolar($0, address: $1, random: $2, traits: PolarTraits(.band360)) }
      let hub = SimulatedHub(world, options: SimulatedHubOptions())
      try await hub.start(enrolling: [("polar-1", band, "heart-rate", "HR strap")])
      hub.hearth.pairing.enrolled(band.address)
      try await loop.sleep(for: .seconds(120 + wait))
      #expect(try Self.record(hub).driver == "polar" && hub.store.bonds.isEmpty)
      band.hangUp()
      try await loop.sleep(for: .seconds(300))
      #expect(hub.store.bonds.count == (wait == 0 ? 1 : 0))
      #expect((hub.hearth.registry.all[0].trouble?.reason == .pairingRefused) == (wait != 0))
      await hub.stop()
    }
  }

  @Test(
    """
    a wearable with only an advertised name stays with its driver: without the services, or with another Device Name, \
    and whatever a driver that is no heir claims
    """
  )
  func forged() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 87)
      let strap = world.addStrap { $0.name = "Polar H10 1234567C" }
      var traits = PolarTraits(.h10)
      (traits.deviceName, traits.deviceID) = ("Strap 7", "1234568F")
      let other = world.add { VirtualPolar($0, address: $1, random: $2, traits: traits) }
      let insole = world.add { VirtualPolar($0, address: $1, random: $2, traits: PolarTraits(.h10)) }
      let hub = SimulatedHub(world, options: SimulatedHubOptions())
      try await hub.start(enrolling: [
        ("plain", strap, "heart-rate", "HR strap"), ("other", other, "heart-rate", "HR strap"),
        ("insole", insole, "botz", "insole"),
      ])
      for _ in 0..<3 {
        try await loop.sleep(for: .seconds(90))
        for wearable in [strap, other, insole] { wearable.hangUp() }
      }
      try await loop.sleep(for: .seconds(60))
      #expect(try Self.record(hub, "plain").driver == "heart-rate" && Self.record(hub, "other").driver == "heart-rate")
      #expect(try Self.record(hub, "insole").driver == "botz")
      #expect(other.commandLog.isEmpty && other.links > 1)
      await hub.stop()
    }
  }
}
