import CivilTime
import EventLoop
import Health
import Testing

@testable import hearth_sim

@Suite("A gym of Polar's wearables", .serialized)
struct PolarMonthTests {
  @Test(
    "everything that was recorded is in the store, at its time and under its wearer",
    arguments: [(1, .gym), (2, .all)] as [(UInt64, HearthSim.FaultChoice)])
  func short(_ seed: UInt64, _ faults: HearthSim.FaultChoice) throws {
    let report = try VirtualLoop.run { loop in
      let options = TrialOptions(seed: seed, visits: 0, wearables: 4, faults: faults, population: .polar, days: 1)
      return try await PolarMonth(loop, options).run()
    }
    #expect(report.violations.isEmpty, "\(report.text)")
    let month = try #require(report.month)
    #expect(month.recorded > 10_000 && month.worstError < 100)
  }

  // Four: a strap, a sensor that shows Berlin's time, a band from six hours further west and a watch that was never
  // told a zone. Clocks are put back, and forward, in the night.
  @Test(
    """
    a hub in Berlin puts the clocks of wearables from elsewhere right, over the change of its own; what they \
    recorded keeps its times
    """,
    arguments: ["2026-10-24", "2027-03-27"])
  func berlin(_ from: String) throws {
    var options = TrialOptions(seed: 5, visits: 0, wearables: 4, faults: .gym, population: .polar, days: 2)
    (options.zone, options.from) = ("Europe/Berlin", LocalDate(text: from))
    #expect(options.rules.name == "Europe/Berlin")
    let wanted = options
    let (report, offsets) = try VirtualLoop.run(wall: options.morning) { loop in
      let month = PolarMonth(loop, wanted)
      let report = try await month.run()
      return (report, month.zones)
    }
    #expect(report.violations.isEmpty, "\(report.text)")
    let month = try #require(report.month)
    #expect(month.recorded > 10_000 && month.worstError < 100)
    let offset = Int32(wanted.rules.offset(at: wanted.morning.microseconds + 4 * 86_400_000_000) / 60)
    #expect(
      offsets == [offset, offset, offset, offset]
        && report.replay.hasSuffix("--zone Europe/Berlin --from \(from) --wearables 4 --faults gym"))
  }

  @Test(
    """
    a recording that was too young to have a file when the hub ended it and set the clock back has the times of the \
    clock as it was
    """
  )
  func setBackAfterYoungRecording() throws {
    let report = try VirtualLoop.run { loop in
      let options = TrialOptions(seed: 203_173_324, visits: 0, wearables: 8, faults: .all, population: .polar, days: 1)
      return try await PolarMonth(loop, options).run()
    }
    #expect(report.violations.isEmpty, "\(report.text)")
  }

  @Test("a report names the line that replays it")
  func replay() {
    let report = TrialReport(
      options: TrialOptions(seed: 7, visits: 1, wearables: 40, faults: .all, population: .polar, days: 30))
    #expect(report.replay == "hearth-sim --seed 7 --population polar --days 30 --wearables 40 --faults all")
  }

  @Test("the lane is measured, however little there is")
  func lane() throws {
    let report = try VirtualLoop.run { loop in
      let options = TrialOptions(
        seed: 1, visits: 0, wearables: 1, faults: .none, measuresLane: true, population: .polar)
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
