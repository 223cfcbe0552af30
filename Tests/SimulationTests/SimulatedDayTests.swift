import EventLoop
import Hub
import Simulation
import StrapTwin
import Testing

@Suite("A simulated day", .serialized)
struct SimulatedDayTests {
  /// What one run leaves behind, for comparison with its replay.
  private struct Day: Equatable, Sendable {
    var content: UInt64
    var matched: Int
    var links: Int
    var attempts: Int
    var advertisements: UInt64
  }

  @Test("ten straps that come and go for a day: every beat is in the store once, exactly, and no other value")
  func day() throws {
    let day = try run(seed: seedFromEnvironment ?? 20_261_121, for: .seconds(86_400))
    #expect(day.matched > 100_000 && day.links > 30)
  }

  @Test("a replay of a seed gives the same bytes, and no two seeds give the same", arguments: [1, 2, 3] as [UInt64])
  func replays(_ seed: UInt64) throws {
    let seed = seedFromEnvironment ?? seed
    let first = try run(seed: seed, for: .seconds(10_800))
    #expect(first.links > 0)
    #expect(try run(seed: seed, for: .seconds(10_800)) == first)
    #expect(try run(seed: seed + 1000, for: .seconds(1800)).content != first.content)
  }

  private func run(seed: UInt64, for length: Duration) throws -> Day {
    try VirtualLoop.run { loop in
      var air = WorldOptions()
      air.directNotifications = true
      air.advertisementSpacing = .seconds(5)
      let world = VirtualWorld(loop: loop, seed: seed, options: air, faults: .gym)
      let enrolled = (0..<10).map { _ in world.addStrap(.gym) }
      // A neighbour's strap and three other devices, always there: the hub must not touch them.
      world.addStrap()
      for _ in 0..<3 { world.addBystander() }
      var options = SimulatedHubOptions()
      options.radio.slots = 10
      options.hub.enrolmentMode = .closed
      options.watchEvery = .seconds(30)
      let hub = SimulatedHub(world, options: options)
      try await hub.start(enrolling: enrolled)
      try await loop.sleep(for: length)
      let ledger = hub.radio.ledger
      await hub.stop()
      let check = try await judge(hub, "SimulatedDayTests")
      #expect(check.lostToKills == 0)
      #expect(hub.watch.lampLooks > 10)
      return Day(
        content: check.contentHash, matched: check.matched, links: ledger.linksMade, attempts: ledger.attempts,
        advertisements: ledger.advertisements)
    }
  }
}
