import EventLoop
import Hub
import Simulation
import StrapTwin
import Testing

@Suite("No wearable takes another's time")
struct MuteNeighbourTests {
  @Test(
    """
    a strap regains its link within 5 s beside forty that never answer, close at once or never end, and a new one joins
    """,
    arguments: [8100, 8101, 8102] as [UInt64])
  func regains(_ seed: UInt64) throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? seed)
      let good = world.addStrap()
      let late = world.addStrap(.manual)
      let conducts: [HostileConduct] = [.neverAnswers, .closesAtOnce, .endlessDiscovery]
      let mute = (0..<40).map { world.addStrap(conduct: conducts[$0 % conducts.count]) }
      let hub = SimulatedHub(world, options: SimulatedHubOptions())
      let others = mute.enumerated().map { ("mute-\($0)", $1 as VirtualPeripheral, "heart-rate", "HR strap") }
      try await hub.start(
        enrolling: [("good", good, "heart-rate", "HR strap"), ("late", late, "heart-rate", "HR strap")] + others)
      @LoopActor func isLive(_ name: String) throws -> Bool { try hub.hearth.wearable(named: name).state == .live }
      while try !isLive("good") { try await loop.sleep(for: .milliseconds(100)) }
      var waits: [Duration] = []
      for loss in 0..<40 {
        try await loop.sleep(for: .seconds(40))
        guard let link = good.link else {
          Issue.record("it has no link before loss \(loss)")
          continue
        }
        if loss % 2 == 0 { link.breaks() } else { good.hangUp() }
        let began = loop.now
        try await loop.sleep(for: .milliseconds(50))
        while try !isLive("good"), loop.now - began < .seconds(60) { try await loop.sleep(for: .milliseconds(50)) }
        waits.append(loop.now - began)
      }
      let slow = waits.filter { $0 > .seconds(5) }
      #expect(slow.count * 20 <= waits.count, "\(waits.sorted().suffix(5))")
      late.arrive()
      let came = loop.now
      while try !isLive("late"), loop.now - came < .seconds(60) { try await loop.sleep(for: .milliseconds(50)) }
      #expect(loop.now - came <= .seconds(15), "joined after \(loop.now - came)")
      print("seed \(seed): slowest \(waits.max() ?? .zero), joined after \(loop.now - came)")
      await hub.stop()
    }
  }
}
