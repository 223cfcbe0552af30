import BotzTwin
import EventLoop
import Hub
import Simulation
import StrapTwin
import Testing

@testable import Health

@Suite("A wearable that is only listened to waits for no visit")
struct BesideTests {
  /// A hub with an insole that holds minutes of fetching, and a strap. The insole is in its visit when this returns.
  @LoopActor
  private func busyHouse(
    _ loop: VirtualLoop, seed: UInt64, slots: Int = 4, straps: Int = 1
  ) async throws -> (hub: SimulatedHub, insole: VirtualInsole, straps: [VirtualStrap]) {
    let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? seed)
    var traits = InsoleTraits()
    traits.files = .sessions([Int](repeating: 36_000, count: 5))
    let insole = world.add { VirtualInsole($0, address: $1, random: $2, traits: traits) }
    let straps = (0..<straps).map { _ in world.addStrap() }
    var options = SimulatedHubOptions()
    options.hub.pairing = .always
    options.radio.slots = slots
    let hub = SimulatedHub(world, options: options)
    let others = straps.enumerated().map { ("strap-\($0)", $1 as VirtualPeripheral, "heart-rate", "HR strap") }
    try await hub.start(enrolling: [("insole", insole, "botz", "insole")] + others)
    while try hub.hearth.wearable(named: "insole").state != .visiting { try await loop.sleep(for: .milliseconds(100)) }
    return (hub, insole, straps)
  }

  @LoopActor
  private func state(_ hub: SimulatedHub, _ name: String) throws -> WearableState {
    try hub.hearth.wearable(named: name).state
  }

  @Test(
    "a strap that comes while an insole is fetched is live within seconds, and the fetch goes on",
    arguments: [7300, 7301, 7302, 7303, 7304] as [UInt64])
  func strapBesideFetch(_ seed: UInt64) throws {
    try VirtualLoop.run { loop in
      let (hub, insole, straps) = try await busyHouse(loop, seed: seed)
      straps[0].leave()
      try await loop.sleep(for: .seconds(40))
      #expect(try state(hub, "insole") == .visiting && state(hub, "strap-0") != .live)
      straps[0].arrive()
      let came = loop.now
      while try state(hub, "strap-0") != .live, loop.now - came < .seconds(60) {
        try await loop.sleep(for: .milliseconds(100))
      }
      #expect(loop.now - came < .seconds(8), "live after \(loop.now - came)")
      #expect(try state(hub, "insole") == .visiting && insole.links == 1)
      try await loop.sleep(for: .seconds(10))
      await hub.stop()
      try await judge(hub, "BesideTests")
    }
  }

  @Test("if every slot is taken, no wearable takes the link of the visit that runs")
  func slotsFull() throws {
    try VirtualLoop.run { loop in
      let (hub, insole, straps) = try await busyHouse(loop, seed: 7301, slots: 2, straps: 3)
      // The straps take turns at the slot that is left.
      var heard = Set<Int>()
      let began = loop.now
      while heard.count < straps.count, loop.now - began < .seconds(300) {
        try await loop.sleep(for: .seconds(1))
        for (number, _) in straps.enumerated() where try state(hub, "strap-\(number)") == .live { heard.insert(number) }
        if insole.links > 1 { break }
      }
      #expect(heard.count == straps.count && insole.links == 1, "\(heard), \(insole.links) links of the insole")
      await hub.stop()
      try await judge(hub, "BesideTests")
    }
  }

  @Test("a hub that is stopped while it links one beside a visit ends both in order")
  func stopped() throws {
    try VirtualLoop.run { loop in
      let (hub, _, straps) = try await busyHouse(loop, seed: 7302)
      straps[0].leave()
      try await loop.sleep(for: .seconds(20))
      straps[0].arrive()
      while try state(hub, "strap-0") != .connecting { try await loop.sleep(for: .milliseconds(10)) }
      await hub.stop()
      try await judge(hub, "BesideTests")
    }
  }
}
