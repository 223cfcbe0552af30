import Bluetooth
import Drivers
import EventLoop
import Hub
import RingStore
import Simulation
import StrapTwin
import Testing

/// Pending work of a killed hub ends all the same, without a report to its clients. The hub's memory is gone, and its
/// disk belongs to another hub.
@Suite("A hub that was killed")
struct KilledHubTests {
  enum Wait: CaseIterable {
    case link, cancelledLink, security, parameters, parametersOfHungController
  }

  @Test("no flow that waited in the radio of a killed hub goes on", arguments: Wait.allCases)
  func waitsForEver(_ wait: Wait) throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 21)
      let strap = world.addStrap()
      let radio = try await readyRadio(world)
      radio.onPairingRequest = { _ in }
      let isBack = Box(false)
      if wait == .link || wait == .cancelledLink {
        let flow = loop.spawn {
          _ = try? await radio.connect(to: strap.address, deadline: loop.now + .seconds(5))
          isBack.value = true
        }
        try await loop.sleep(for: .milliseconds(1))
        // What its last jobs begin ends no sooner.
        if wait == .cancelledLink { flow.cancel() }
      } else {
        let bearer = try await radio.connect(to: strap.address, deadline: loop.now + .seconds(5))
        if wait == .parametersOfHungController { radio.hang() }
        loop.spawn {
          switch wait {
          case .security: try? await radio.secure(bearer)
          default: _ = try? await radio.update(strap.address, to: .background)
          }
          isBack.value = true
        }
        try await loop.sleep(for: .milliseconds(1))
      }
      #expect(!isBack.value)
      radio.die()
      try await loop.sleep(for: .seconds(60))
      #expect(!isBack.value)
    }
  }

  @Test("a strap that streams over its first link until the hub is killed has delivered and is stable for the next hub")
  func firstLink() throws {
    try VirtualLoop.run { loop in
      for (minutes, isStable) in [(1, false), (3, true), (30, true)] {
        let world = VirtualWorld(loop: loop, seed: 23)
        let strap = world.addStrap()
        let hub = SimulatedHub(world, drivers: Drivers.registry)
        try await hub.start(enrolling: [strap])
        try await loop.sleep(for: .seconds(60) * minutes)
        await hub.kill()
        try await hub.start { store in
          let record = try #require(store.wearables.first)
          #expect(record.hubState[ProvenWearable.self] != nil)
          #expect((record.hubState[StableWearable.self] != nil) == isStable, "after \(minutes) min")
        }
        await hub.stop()
      }
    }
  }

  @Test("whenever it is killed while a wearable is paired, it is silent, and the next one starts on its store")
  func inTheMiddleOfPairing() throws {
    try VirtualLoop.run { loop in
      for moment in 0..<100 {
        let world = VirtualWorld(loop: loop, seed: 22)
        let cuff = world.addCuff { traits in
          traits.sensor.conduct.demandsEncryption = true
          traits.keeping.isIntermittent = false
        }
        var options = SimulatedHubOptions()
        options.hub.pairing = .always
        let tail = EventTail()
        let hub = SimulatedHub(world, drivers: Drivers.registry, options: options, tail: tail)
        try await hub.start(enrolling: [("cuff", cuff, "heart-rate", "cuff")])
        try await loop.sleep(for: .milliseconds(Int64(moment) * 50))
        await hub.kill()
        let said = tail.lines
        try await loop.sleep(for: .seconds(5))
        #expect(tail.lines == said)
        try await hub.start()
        try await loop.sleep(for: .seconds(60))
        #expect(hub.store.bonds.count == 1)
        await hub.stop()
      }
    }
  }
}
