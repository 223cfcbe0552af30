import Bluetooth
import EventLoop
import Hub
import Testing

@testable import Simulation
@testable import StrapTwin

@Suite("Forgetting a wearable")
struct ForgettingTests {
  @Test(
    "forgotten while its link is being made, it is not connected; forgotten while live, it is let go",
    arguments: [0, 1, 40])
  func forgottenAtAnyMoment(tenths: Int64) throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 61)
      let strap = world.addStrap()
      let other = world.addStrap()
      let hub = SimulatedHub(world)
      try await hub.start(enrolling: [strap, other])
      while hub.hearth.snapshot().laneHolder != "strap-1" { try await loop.sleep(for: .milliseconds(10)) }
      try await loop.sleep(for: .milliseconds(tenths * 100))
      try await hub.forget("strap-1")
      try await loop.sleep(for: .seconds(60))
      #expect(!hub.radio.openChannels.contains(strap.address))
      #expect(try hub.hearth.wearable(named: strap.address.description).state == .candidate)
      #expect(try hub.hearth.wearable(named: "strap-2").state == .live)
      #expect(hub.hearth.snapshot().laneHolder == nil)
      await hub.stop()
    }
  }

  @Test(
    """
    each enrolment is held against its own time: what was purged is gone, what was only forgotten is kept, and what \
    came later is whole
    """
  )
  func enrolledAgain() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 62)
      let strap = world.addStrap()
      var options = SimulatedHubOptions()
      options.hub.nearRSSI = -127
      let hub = SimulatedHub(world, options: options)
      try await hub.start(enrolling: [strap])
      for isPurged in [false, true] {
        try await loop.sleep(for: .seconds(60))
        try await hub.forget("strap-1", purging: isPurged)
        try await loop.sleep(for: .seconds(30))
        try hub.hearth.openEnrolment(for: .seconds(60))
        _ = try await hub.hearth.accept(strap.address.description, name: "strap-1")
      }
      try await loop.sleep(for: .seconds(60))
      await hub.stop()
      try await judge(hub, "ForgettingTests")
      let samples = try await hub.storedSamples()
      let enrolments = hub.addresses().keys.sorted { $0.number < $1.number }
      #expect(enrolments.count == 3)
      let (first, last) = (enrolments[0], enrolments[2])
      // The checker looks at every one of them.
      #expect(!StoreCheck(samples.filter { $0.wearable != first }, hub).violations.isEmpty)
      #expect(!StoreCheck(samples.filter { $0.wearable != last }, hub).violations.isEmpty)
      let lastRate = try #require(samples.last { $0.wearable == last && $0.series == .heartRate })
      #expect(
        !StoreCheck(
          samples.filter { $0.wearable != last || $0.series != .heartRate || $0.ordinal != lastRate.ordinal }, hub
        ).violations.isEmpty)
      // And a purge that left everything.
      hub.watch.notePurged(first)
      #expect(StoreCheck(samples, hub).violations.contains { $0.contains("was purged") })
    }
  }
}
