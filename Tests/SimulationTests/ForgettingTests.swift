import Bluetooth
import EventLoop
import Hub
import Simulation
import Testing

@Suite("Forgetting a wearable")
struct ForgettingTests {
  @Test("forgotten while its link is being made, it is not connected; forgotten while live, it is let go", arguments: [0, 1, 40])
  func forgottenAtAnyMoment(tenths: Int64) throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 61)
      let strap = world.addStrap(), other = world.addStrap()
      let hub = SimulatedHub(world)
      try await hub.start(enrolling: [strap, other])
      while hub.hearth.snapshot().laneHolder != "strap-1" { try await loop.sleep(for: .milliseconds(10)) }
      try await loop.sleep(for: .milliseconds(tenths * 100))
      try await hub.hearth.forget("strap-1")
      try await loop.sleep(for: .seconds(60))
      #expect(!hub.radio.openChannels.contains(strap.address))
      #expect(try hub.hearth.wearable(named: strap.address.description).state == .candidate)
      #expect(try hub.hearth.wearable(named: "strap-2").state == .live)
      #expect(hub.hearth.snapshot().laneHolder == nil)
      await hub.stop()
    }
  }
}
