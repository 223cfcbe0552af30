import BotzTwin
import EventLoop
import Hub
import Reasons
import Simulation
import StrapTwin
import Testing

@testable import Health

@Suite("A wearable with a short presence is heard, whatever else goes on")
struct ShortPresenceTests {
  @Test(
    "a strap that streams for two minutes is as stable over its first link as over any: what comes waits for a slice")
  func firstLink() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 7402)
      let first = world.addStrap()
      let late = world.addStrap(.manual)
      var options = SimulatedHubOptions()
      options.radio.slots = 1
      let hub = SimulatedHub(world, options: options)
      try await hub.start(
        enrolling: [("first", first, "heart-rate", "HR strap"), ("late", late, "heart-rate", "HR strap")])
      try await loop.sleep(for: .seconds(120))
      #expect(try hub.hearth.wearable(named: "first").state == .live)
      late.arrive()
      try await loop.sleep(for: .seconds(40))
      #expect(first.link != nil && late.link == nil)
      try await loop.sleep(for: .seconds(20))
      #expect(late.link != nil, "it has its turn")
      await hub.stop()
    }
  }

  @Test(
    "ten cuffs that are heard for six seconds each lose no reading beside a fetch and six straps",
    arguments: [7400, 7401, 4, 6, 11] as [UInt64])
  func cuffs(_ seed: UInt64) throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? seed)
      var traits = InsoleTraits()
      traits.files = .sessions([Int](repeating: 36_000, count: 6))
      let insole = world.add { VirtualInsole($0, address: $1, random: $2, traits: traits) }
      let straps = (0..<6).map { _ in world.addStrap() }
      let cuffs = (0..<10).map { _ in
        world.addCuff { traits in
          traits.keeping.advertisesFor = .seconds(6)
          // What is not taken by the next measurement is lost.
          traits.keeping.capacity = 1
          traits.failed = 0
        }
      }
      var options = SimulatedHubOptions()
      options.hub.pairing = .always
      options.radio.slots = 5
      // Straps that take turns at the slots are heard later than alone.
      options.starvationBound = .seconds(900)
      let hub = SimulatedHub(world, options: options)
      var all: [(String, VirtualPeripheral, String, String)] = [("insole", insole, "botz", "insole")]
      for (number, strap) in straps.enumerated() { all.append(("strap-\(number)", strap, "heart-rate", "HR strap")) }
      for (number, cuff) in cuffs.enumerated() { all.append(("cuff-\(number)", cuff, "heart-rate", "cuff")) }
      try await hub.start(enrolling: all)
      try await loop.sleep(for: .seconds(1800))
      // A cuff in its drawer is not missing, and has no trouble.
      for number in cuffs.indices {
        let shown = try hub.hearth.wearable(named: "cuff-\(number)")
        #expect(shown.trouble == nil, "\(String(describing: shown.trouble))")
      }
      await hub.stop()
      #expect(hub.watch.violations.isEmpty, "\(hub.watch.violations)")
      var verdict = SensorVerdict(expects: SensorVerdict.pressures)
      verdict.tolerance = .seconds(30)
      for (number, cuff) in cuffs.enumerated() {
        let lost = cuff.ledger.overwritten.count + Set(cuff.kept).subtracting(cuff.ledger.confirmed).count
        #expect(cuff.ledger.taken > 1 && lost == 0, "cuff-\(number) lost \(lost) of \(cuff.ledger.taken)")
        #expect(cuff.ledger.faults.isEmpty, "\(cuff.ledger.faults)")
        try await verdict.judge(hub, cuff)
      }
    }
  }
}
