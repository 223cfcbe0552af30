import EventLoop
import Foundation
import Health
import Reasons
import RingStore
import Testing
import Vitals
import Wearable

@testable import Hub

@Suite("Measurements of vital signs, from the order to the record")
struct SessionMeasuringTests {
  /// What `VitalSigns` makes of the intervals that the strap sent.
  @LoopActor private func expected(
    _ house: LaneHouse, _ strap: BeatingStrap, _ ear: SessionEar, _ record: MeasurementRecord
  ) -> (report: VitalReport, window: BeatWindow) {
    let offset = house.loop.wall.microseconds - house.loop.now.nanoseconds / 1000
    let (start, end) = (Double(record.start - offset) / 1e6, Double(record.end - offset) / 1e6)
    var timeline = BeatTimeline()
    // A packet of the very moment of the end comes behind it.
    for (arrival, intervals) in strap.sent where arrival.seconds < end {
      guard let opened = ear.openedAt, arrival > opened else { continue }
      let received = intervals.map { ReceivedInterval(Double($0) * 1000 / 1024) }
      timeline.take(received, atMicroseconds: arrival.nanoseconds / 1000)
    }
    let window = timeline.window(from: start, to: end)
    var signs = VitalSigns()
    return (signs.report(VitalRequest(sensor: .electrical, phase: .final), of: window), window)
  }

  @Test("a minute of a strap gives exactly what the methods make of its intervals; the record is stored once, and sent")
  func minute() throws {
    try withStraps { house, straps in
      let ear = SessionEar()
      ear.begin(house)
      try await house.wait(.seconds(3)) { ear.state == .processing }
      #expect(house.hearth.profiles[house.wearable]?.wanted == .foreground && house.wearable.lane.measuring.isAny)
      #expect(try house.hearth.wearable(named: "recorder-0").isMeasuring)
      try await house.wait(.seconds(70)) { ear.isOver }
      #expect(ear.states == SessionEar.whole && ear.notices.isEmpty && ear.error == nil)
      let record = try #require(ear.records.first)
      #expect(ear.result?.record == record && ear.result?.trouble == nil && ear.result?.code == nil)
      #expect(record.actual == 60_000_000 && record.endReason == .duration && record.basis == .rr)
      #expect(record.device == "recorder-0" && record.person == "" && record.number == 1 && record.leftOut == 0)
      let (report, window) = expected(house, straps[0], ear, record)
      #expect(record.results == report.results.map { VitalResult($0) })
      #expect(record.results.count > 15 && record.results.contains { $0.name == "rmssd" && $0.value > 5 })
      #expect(record.notReported.map(\.name) == report.notReported.map(\.sign.rawValue))
      #expect(record.artefactShare == report.quality?.artefactShare && record.coverage == report.quality?.coverage)
      let sent = window.series.intervals.map { UInt32(($0 * 1000).rounded()) }
      #expect(record.intervals.map(\.microseconds) == sent && record.gaps.isEmpty)
      #expect(record.intervals.first?.flags.contains(.beginsStretch) == true)
      // A value a second, and signs every five.
      let elapsed: [Int64] = ear.values.map(\.elapsed)
      #expect(elapsed == Array(stride(from: 1_000_000, through: 60_000_000, by: 1_000_000)))
      #expect(ear.values.compactMap(\.report).count == 12 && ear.values.dropFirst(8).allSatisfy { $0.pulseRate != nil })
      #expect(try await house.records().map(\.bytes) == [record.bytes])
      #expect(house.hearth.profiles[house.wearable]?.wanted != .foreground && !house.wearable.lane.measuring.isAny)
      #expect(!house.wearable.live.taps.contains { $0 is VitalsTap })
      // Durable as soon as it is told.
      try house.killAndRestart()
      #expect(try await house.records().map(\.bytes) == [record.bytes])
      let again = SessionEar()
      again.begin(house)
      try await house.wait(.seconds(90)) { again.isOver }
      let (first, second) = (try #require(ear.opened?.id), try #require(again.opened?.id))
      #expect(second > first, "no id comes again")
    }
  }

  @Test("stopped early, its results stand; a wearable without a session cannot be stopped")
  func stopped() throws {
    try withStraps { house, _ in
      @LoopActor func stop() -> String? {
        do throws(HearthError) { try house.hearth.stopVitals("recorder-0") } catch { return "\(error)" }
        return nil
      }
      #expect(stop()?.contains("6005") == true)
      let ear = SessionEar()
      ear.begin(house)
      try await house.wait(.seconds(60)) { ear.values.count == 40 }
      #expect(stop() == nil)
      try await house.wait(.seconds(2)) { ear.isOver }
      let record = try #require(ear.records.first)
      #expect(record.endReason == .stop && record.requested == 60_000_000 && record.actual >= 40_000_000)
      #expect(record.results.contains { $0.name == "rmssd" } && !record.results.contains { $0.name == "pnn50" })
      #expect(ear.states == SessionEar.whole && ear.result?.trouble == nil)
      #expect(try await house.records().count == 1)
    }
  }

  @Test("if its client goes away, the session ends through its states, without results")
  func left() throws {
    try withStraps { house, _ in
      let ear = SessionEar()
      ear.begin(house)
      try await house.wait(.seconds(60)) { ear.values.count == 30 }
      ear.isThere = false
      try await house.wait(.seconds(3)) { ear.isOver }
      #expect(ear.states == SessionEar.whole && ear.records.isEmpty)
      #expect(ear.result?.record == nil && ear.result?.trouble?.reason == .requestNotDone)
      #expect(try await house.records().isEmpty && !house.wearable.lane.measuring.isAny)
    }
  }

  @Test("a strap that sends rates alone is measured by them, whatever it announced")
  func rateOnly() throws {
    try withStraps { house, straps in
      straps[0].hidesIntervals = true
      let ear = SessionEar()
      try await house.pass(.seconds(2))
      ear.begin(house, seconds: 30)
      try await house.wait(.seconds(60)) { ear.isOver }
      let record = try #require(ear.records.first)
      #expect(ear.opened?.sensor == .electrical && ear.result?.session.sensor == .rateOnly && record.basis == .rate)
      #expect(record.results.map(\.name) == ["pulse_rate"] && record.results.first?.value == 70)
      #expect(record.results.first?.flags == .passedThrough && record.coverage > 0.95)
      #expect(record.intervals.isEmpty && ear.values.allSatisfy { $0.pulseRate == 70 })
    }
  }

  @Test("contact that is lost for three seconds is reported as 8501, and when it is back; no artefact is made of it")
  func contact() throws {
    try withStraps { house, straps in
      let ear = SessionEar()
      ear.begin(house)
      try await house.wait(.seconds(60)) { ear.values.count == 20 }
      #expect(house.hearth.sessions.isOnBody(house.wearable) == true)
      straps[0].contact = 1
      try await house.wait(.seconds(6)) { ear.notices.contains("+8501") }
      #expect(house.hearth.sessions.isOnBody(house.wearable) == false)
      straps[0].contact = 2
      try await house.wait(.seconds(6)) { ear.notices.contains("-8501") }
      try await house.wait(.seconds(60)) { ear.isOver }
      let record = try #require(ear.records.first)
      #expect(record.intervals.count { $0.flags.contains(.beginsStretch) } == 2)
      #expect(record.gaps.count == 1 && record.coverage < 0.95)
    }
  }

  @Test("forty sessions at once end all at their time, each with its own record")
  func forty() throws {
    try withStraps(40) { house, straps in
      let ears = straps.map { _ in SessionEar() }
      for (number, ear) in ears.enumerated() { ear.begin(house, "recorder-\(number)") }
      try await house.wait(.seconds(70)) { ears.allSatisfy(\.isOver) }
      for (ear, strap) in zip(ears, straps) {
        let record = try #require(ear.records.first)
        let same = record.results == expected(house, strap, ear, record).report.results.map { VitalResult($0) }
        #expect(same)
      }
      let records = try await house.records()
      #expect(records.count == 40 && Set(records.map(\.session)).count == 40)
    }
  }

  /// Processor time of hub and test, which `board/check --all` asks for with `HEARTH_VITALS_COST=1`.
  @Test(
    "forty sessions cost a fiftieth of a core at most, and so do forty trainings",
    .enabled(if: ProcessInfo.processInfo.environment["HEARTH_VITALS_COST"] != nil))
  func cost() throws {
    try withStraps(40) { house, straps in
      func spent(_ body: () async throws -> Void) async throws -> Double {
        let before = clock()
        try await body()
        return Double(clock() - before) / Double(CLOCKS_PER_SEC)
      }
      let without = try await spent { try await house.pass(.seconds(60)) }
      let ears = straps.map { _ in SessionEar() }
      for (number, ear) in ears.enumerated() { ear.begin(house, "recorder-\(number)") }
      let with = try await spent { try await house.pass(.seconds(60)) }
      try await house.wait(.seconds(10)) { ears.allSatisfy(\.isOver) }
      for number in ears.indices { _ = try await house.hearth.beginTraining("recorder-\(number)") }
      let training = try await spent { try await house.pass(.seconds(60)) }
      print("a minute of 40 straps: \(without) s of CPU, with 40 sessions \(with) s, with 40 trainings \(training) s")
      #expect(with - without <= 60.0 / 50)
      #expect(training - without <= 60.0 / 50)
    }
  }
}
