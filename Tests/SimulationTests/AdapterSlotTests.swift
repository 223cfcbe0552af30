// The whole hub with several adapters, one of which is full.

import BotzTwin
import EventLoop
import Hub
import Simulation
import StrapTwin
import Testing

@Suite("Slots of several adapters")
struct AdapterSlotTests {
  @Test("a bonded wearable gets a slot of its full adapter, and the strap that yields goes to the other adapter")
  func bonded() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 7410)
      var traits = InsoleTraits()
      traits.files = .sessions([60])
      let insole = world.add { VirtualInsole($0, address: $1, random: $2, traits: traits) }
      let straps = (0..<2).map { _ in world.addStrap(.manual) }
      let late = world.addStrap(.manual)
      var options = SimulatedHubOptions()
      options.hub.pairing = .always
      options.radio.slots = 1
      options.furtherRadios = [VirtualRadioOptions(slots: 5)]
      let hub = SimulatedHub(world, options: options)
      var all: [(String, VirtualPeripheral, String, String)] = [("insole", insole, "botz", "insole")]
      for (number, strap) in straps.enumerated() { all.append(("strap-\(number)", strap, "heart-rate", "HR strap")) }
      all.append(("late", late, "heart-rate", "HR strap"))
      try await hub.start(enrolling: all)
      try await loop.sleep(for: .seconds(60))
      #expect(hub.store.bonds.count == 1 && hub.radios[0].controller.links.count <= 1)
      insole.leave()
      try await loop.sleep(for: .seconds(60))
      for strap in straps { strap.arrive() }
      try await loop.sleep(for: .seconds(180))
      #expect(straps.allSatisfy { $0.link != nil })
      #expect(hub.radios.map(\.controller.links.count) == [1, 1], "the bond's adapter is full")
      insole.arrive()
      try await loop.sleep(for: .seconds(20))
      let waits = try hub.hearth.wearable(named: "insole").slotWait
      #expect(waits?.slots == 1 && waits?.links == 1, "\(String(describing: waits))")
      late.arrive()
      try await loop.sleep(for: .seconds(10))
      #expect(late.link != nil && insole.link == nil, "it waits for no slot of the other adapter")
      // Straps count as stable by now: the wearable waits for ten slices, as with one adapter.
      var served = false
      for _ in 0..<60 where !served {
        try await loop.sleep(for: .seconds(10))
        served = insole.link != nil
      }
      #expect(served)
      try await loop.sleep(for: .seconds(10))
      #expect(straps.allSatisfy { $0.link != nil } && hub.radios[1].controller.links.count == 3)
      await hub.stop()
      #expect(hub.watch.violations.isEmpty, "\(hub.watch.violations)")
    }
  }
}
