import EventLoop
import Testing

@testable import hearth_sim

@Suite("The whole hub in a world of failures", .serialized)
struct TrialTests {
  private func run(_ seed: UInt64, _ faults: HearthSim.FaultChoice, visits: Int = 60, wearables: Int = 5) throws
    -> TrialReport
  {
    try VirtualLoop.run { loop in
      try await Trial(loop, TrialOptions(seed: seed, visits: visits, wearables: wearables, faults: faults)).run()
    }
  }

  @Test("keeps its promises", arguments: [(1, .none), (2, .gym), (3, .all)] as [(UInt64, HearthSim.FaultChoice)])
  func promises(_ seed: UInt64, _ faults: HearthSim.FaultChoice) throws {
    let report = try run(seed, faults)
    #expect(report.violations.isEmpty, "\(report.text)")
    #expect(report.visits >= 60 && report.samples > 100 && report.files > 0)
  }

  @Test("is the same again for the same seed, and another for another")
  func replays() throws {
    let first = try run(11, .all)
    let again = try run(11, .all)
    let other = try run(12, .all)
    #expect(
      first.contentHash == again.contentHash && first.visits == again.visits && first.virtualTime == again.virtualTime)
    #expect(first.contentHash != other.contentHash)
    #expect(first.tail == again.tail)
  }

  @Test("a report names the seed and the line that replays it")
  func report() {
    var report = TrialReport(options: TrialOptions(seed: 77, visits: 5, wearables: 3, faults: .gym))
    report.violations = ["5 s: something \"odd\""]
    #expect(report.text.hasSuffix("replay: hearth-sim --seed 77 --visits 5 --wearables 3 --faults gym"))
    #expect(report.json.contains("\"5 s: something \\\"odd\\\"\"") && report.json.hasPrefix("{\"seed\":77,"))
  }

  @Test("the least time for a file is an event for each request and its packets, ten an event at 15 ms")
  func bound() {
    #expect(LaneBound.time(forFile: 0, interval: .milliseconds(15)) == .zero)
    #expect(LaneBound.time(forFile: 100, interval: .milliseconds(15)) == .milliseconds(30))
    #expect(LaneBound.time(forFile: 2431, interval: .milliseconds(15)) == .milliseconds(60))
    #expect(LaneBound.time(forFile: 2431 * 3 + 1, interval: .milliseconds(15)) == .milliseconds(210))
  }
}
