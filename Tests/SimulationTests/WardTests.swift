import EventLoop
import StrapTwin
import Testing

@testable import hearth_sim

@Suite("A day of a ward full of sensors", .serialized)
struct WardTests {
  private func run(_ seed: UInt64, _ faults: HearthSim.FaultChoice, wearables: Int) throws -> TrialReport {
    var options = TrialOptions(seed: seed, visits: 0, wearables: wearables, faults: faults)
    options.population = .ward
    options.days = 1
    return try VirtualLoop.run { loop in try await WardMonth(loop, options).run() }
  }

  @Test(
    """
    every value that a sensor's log has as sent is there once, and every reading of a cuff: also if a cuff without \
    time stamps loses a confirmation (102), and if the hub sets the clocks of sensors that keep records (13)
    """,
    arguments: [(61, .none, 8), (62, .gym, 8), (102, .all, 16), (13, .all, 12)]
      as [(UInt64, HearthSim.FaultChoice, Int)])
  func promises(_ seed: UInt64, _ faults: HearthSim.FaultChoice, _ wearables: Int) throws {
    let report = try run(seed, faults, wearables: wearables)
    #expect(report.violations.isEmpty, "\(report.text)")
    let ward = try #require(report.ward)
    #expect(ward.share == 100 && ward.readings > 10 && ward.records > 20 && report.samples > 1000)
  }

  @Test("an oximeter that streams shows the time of its ward, and is judged by it", arguments: ["Europe/Berlin"])
  func zone(_ zone: String) throws {
    var options = TrialOptions(seed: 5, visits: 0, wearables: 2, faults: .none)
    (options.population, options.days, options.zone) = (.ward, 1, zone)
    let report = try VirtualLoop.run { loop in try await WardMonth(loop, options).run() }
    #expect(report.violations.isEmpty, "\(report.text)")
  }

  @Test("the line that replays a run names its population")
  func replay() {
    var options = TrialOptions(seed: 5, visits: 0, wearables: 8, faults: .gym)
    (options.population, options.days) = (.ward, 2)
    #expect(
      TrialReport(options: options).replay
        == "hearth-sim --seed 5 --population ward --days 2 --wearables 8 --faults gym")
  }
}
