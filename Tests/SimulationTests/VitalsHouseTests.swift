import EventLoop
import Simulation
import Testing

@Suite("Measurements of vital signs in the whole hub", .serialized)
struct VitalsHouseTests {
  /// 500 orders each: one fixed seed, and two fresh ones.
  private static let seeds: [UInt64] = {
    if let seedFromEnvironment { return [seedFromEnvironment] }
    return [2026] + (0..<2).map { _ in UInt64.random(in: 0...UInt64(UInt32.max)) }
  }()

  @Test(
    """
    500 measurements of twenty wearables through lost links, lost contact, stops and kills: each ends, none is \
    reported twice or after an error, and what was reported is in the store once
    """, arguments: seeds)
  func fiveHundred(_ seed: UInt64) throws {
    try VirtualLoop.run { loop in
      let house = VitalsHouse(loop, seed: seed)
      try await house.begin()
      try await loop.sleep(for: .seconds(40))
      try await house.live(orders: 500)
      house.judgeIntervals()
      let told = house.ears.count { $0.record != nil }
      print("seed \(seed): \(house.summary)")
      let replay = "seed \(seed); replay: HEARTH_SEED=\(seed) swift test --filter SimulationTests.VitalsHouseTests"
      #expect(house.faults.isEmpty, "\(house.faults.joined(separator: "\n"))\n\(house.summary)\n\(replay)")
      // Otherwise the test would be void.
      #expect(told >= 150 && house.kills >= 1 && house.stops >= 1 && house.stopped >= 5, "\(house.summary)\n\(replay)")
      try await judge(house.hub, "VitalsHouseTests")
    }
  }
}
