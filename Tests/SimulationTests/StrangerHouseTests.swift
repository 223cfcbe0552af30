import Bluetooth
import EventLoop
import Hub
import RingStore
import Simulation
import StrapTwin
import Testing

@Suite("A strap beside strangers, in enrolment mode all")
struct StrangerHouseTests {
  @Test("a strap joins within the bound of its tries beside 512 fakes, all of them without a record")
  func joins() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 71)
      for _ in 0..<512 {
        let fake = world.addStrap(conduct: .neverAnswers)
        fake.rssi = -45
      }
      let strap = world.addStrap()
      strap.rssi = -70
      var options = SimulatedHubOptions()
      options.hub.enrolmentMode = .all
      let hub = SimulatedHub(world, options: options)
      try await hub.start()
      let began = loop.now
      // 513 tries, one after the other at worst (2.25 s each), while four slots are free.
      let bound: Duration = .seconds(513 * 9 / 4 + 60)
      while strap.subscribedAt == nil, loop.now - began < bound { try await loop.sleep(for: .seconds(1)) }
      try await loop.sleep(for: .seconds(30))
      #expect(strap.subscribedAt != nil, "not within \(bound)")
      let enrolled = hub.store.wearables.compactMap(\.address)
      #expect(enrolled == [strap.address], "\(enrolled.count) are enrolled")
      await hub.stop()
    }
  }
}
