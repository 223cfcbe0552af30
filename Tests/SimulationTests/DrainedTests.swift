import EventLoop
import Hub
import Simulation
import StrapTwin
import Testing

@testable import Health

@Suite("A wearable with no data left to send gives its slot away")
struct DrainedTests {
  /// Half an hour beside a cuff that keeps its link for ten minutes after each measurement.
  ///
  /// - Returns: seconds for which it was linked, and its measurements.
  @LoopActor
  private func link(tells: Bool, isWatched: Bool = false, _ loop: VirtualLoop) async throws -> (seconds: Int, uses: Int)
  {
    let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 1829)
    let cuff = world.addCuff { traits in
      traits.sensor.tellsDrained = tells
      traits.keeping.staysFor = .seconds(600)
      traits.keeping.measuresEvery = .seconds(240)...(.seconds(300))
      traits.failed = 0
      // Readings of the same bytes cannot be distinguished.
      traits.hasTime = false
    }
    let hub = SimulatedHub(world)
    try await hub.start(enrolling: [("cuff", cuff, "heart-rate", "cuff")])
    if isWatched { hub.hearth.watch("cuff", for: .seconds(3600)) }
    var seconds = 0
    for _ in 0..<1800 {
      try await loop.sleep(for: .seconds(1))
      if cuff.link != nil { seconds += 1 }
    }
    await hub.stop()
    #expect(hub.watch.violations.isEmpty, "\(hub.watch.violations)")
    #expect(cuff.ledger.faults.isEmpty, "\(cuff.ledger.faults)")
    #expect(cuff.kept.allSatisfy { cuff.ledger.confirmed.contains($0) }, "it still has \(cuff.kept)")
    var verdict = SensorVerdict(expects: SensorVerdict.pressures)
    verdict.tolerance = .seconds(30)
    try await verdict.judge(hub, cuff)
    return (seconds, cuff.ledger.confirmed.count)
  }

  @Test("a cuff that says so is hung up on as soon as it has sent what it kept")
  func drained() throws {
    try VirtualLoop.run { loop in
      let (seconds, uses) = try await link(tells: true, loop)
      #expect(uses > 4 && seconds < uses * 10, "linked for \(seconds) s, \(uses) measurements")
    }
  }

  @Test("one with features that do not let it say so keeps its link for as long as it wants")
  func untold() throws {
    try VirtualLoop.run { loop in
      let (seconds, _) = try await link(tells: false, loop)
      #expect(seconds > 1200, "linked for \(seconds) s")
    }
  }

  @Test("a viewer keeps the link")
  func watched() throws {
    try VirtualLoop.run { loop in
      let (seconds, _) = try await link(tells: true, isWatched: true, loop)
      #expect(seconds > 1200, "linked for \(seconds) s")
    }
  }
}
