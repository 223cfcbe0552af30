import EventLoop
import Testing

@testable import hearth_sim

@Suite("A gym of Polar's wearables", .serialized)
struct PolarMonthTests {
  @Test("everything that was recorded is in the store, at its time and under who wore it", arguments: [(1, .gym), (2, .all)] as [(UInt64, HearthSim.FaultChoice)])
  func short(_ seed: UInt64, _ faults: HearthSim.FaultChoice) throws {
    let report = try VirtualLoop.run { loop in
      let options = TrialOptions(seed: seed, visits: 0, wearables: 4, faults: faults, population: .polar, days: 1)
      return try await PolarMonth(loop, options).run()
    }
    #expect(report.violations.isEmpty, "\(report.text)")
    let month = try #require(report.month)
    #expect(month.recorded > 10_000 && month.worstError < 100)
  }

  @Test("a report names the line that replays it")
  func replay() {
    let report = TrialReport(options: TrialOptions(seed: 7, visits: 1, wearables: 40, faults: .all, population: .polar, days: 30))
    #expect(report.replay == "hearth-sim --seed 7 --population polar --days 30 --wearables 40 --faults all")
  }

  @Test("the lane is measured, however little there is")
  func lane() throws {
    let report = try VirtualLoop.run { loop in
      let options = TrialOptions(seed: 1, visits: 0, wearables: 1, faults: .none, measuresLane: true, population: .polar)
      return try await PolarLane(loop, options, recording: .seconds(900)).run()
    }
    #expect(report.violations.isEmpty, "\(report.text)")
    let lane = try #require(report.lane)
    #expect(lane.bytes > 80_000 && (0.2...1).contains(lane.share), "\(report.text)")
  }

  @Test("the least time for a file is an event for the request and six packets of 228 octets an event")
  func bound() {
    #expect(PolarLane.time(forFile: 0) == .milliseconds(30))
    #expect(PolarLane.time(forFile: 6 * 228) == .milliseconds(30))
    #expect(PolarLane.time(forFile: 6 * 228 + 1) == .milliseconds(45))
  }
}
