import CivilTime
import EventLoop
import Health
import HubProtocol
import StoreDocuments
import Testing

@testable import hearth

@Suite("Trainings for people")
struct CLITrainingTests {
  private func training(_ ends: String?, origin: String = "found", zones: [Double]? = [0, 130, 1510, 0, 0])
    -> TrainingDocument
  {
    TrainingDocument(
      device: "strap-07", origin: origin, begins: "2026-11-21T17:30:00Z", ends: ends, lengthS: 1800, activeS: 1740,
      knownS: 1640, zonesS: zones, meanHeartRate: 141.6, highestHeartRate: 158,
      caloriesKcal: zones == nil ? nil : 301.4, caloriesKnownS: 1640, extrapolated: false)
  }

  @Test("days say of a training that the hub found that it did, and of one that was ordered that it was")
  func days() throws {
    let zone = TimeZoneRules.utc
    let midnight = zone.span(of: try #require(LocalDate(year: 2026, month: 11, day: 21))).lowerBound
    var days = DayLineAccumulator(zone: zone, worn: [])
    func add(_ hour: Int64, _ flags: SampleFlags) {
      let values: [Int64] = [0, 0, 1740, 0, 301, 142, 158]
      days.add(.training, time: midnight + hour * 3_600_000_000, flags: flags.rawValue) { values[$0] }
    }
    add(6, SampleFlags(origin: .live))
    add(8, SampleFlags(origin: .live, isManual: true))
    add(10, SampleFlags(origin: .fetched, isManual: true))
    add(12, .fetched)
    let document = DaysDocument(device: "strap-07", zone: zone, lines: days.days, series: [])
    #expect(document.lines.first?.trainings.map(\.byHub) == [true, true, false, false])
    let text = renderLines(document, HubTime(zone: zone, now: WallTime(microseconds: midnight)), .plain)
    let rows = text.split(separator: "\n").filter { $0.contains("training") }.map { String($0) }
    let told = "training  0:29  301 kcal  mean 142, highest 158 bpm"
    #expect(
      rows == [
        "            06:00  \(told)  found by the hub", "            08:00  \(told)  as ordered",
        "            10:00  \(told)", "            12:00  \(told)  begun by itself",
      ])
  }

  @Test("a training that goes on is a row of its wearable; its summary is shown at its end")
  func running() {
    #expect(
      trainingText(training(nil))
        == "for 30:00; mean 142, highest 158 bpm; zone 2 2:10, 3 25:10; 301 kcal; found by the hub")
    let time = HubTime(zone: .utc, now: WallTime(microseconds: 1_795_284_000_000_000))
    #expect(
      render(training(nil, origin: "ordered"), time, .plain)
        == "strap-07: a training has begun; end it with: hearth training strap-07 end\n")
    #expect(
      render(training("2026-11-21T18:00:00Z", origin: "ordered", zones: nil), time, .plain) == """
        strap-07   training, as ordered
        from           17:30 to 18:00, 30:00
        active         29:00
        with values    27:20
        heart rate     mean 142, highest 158 bpm

        """)
  }

  @Test("what begins and ends a training is taken")
  func taken() {
    for words in [["training", "strap-07", "begin"], ["training", "strap-07", "end"]] {
      #expect(throws: Never.self) { try HearthCommand.parseAsRoot(words) }
    }
  }
}
