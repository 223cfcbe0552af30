import Drawing
import Export
import Health
import HubProtocol
import Reasons
import StateCodec
import Testing

@testable import EventLoop
@testable import RingStore
@testable import StoreDocuments
@testable import hearth

private let now = VirtualLoop.morning
private let hubTime = HubTime(zone: .utc, now: now)
private let minute: Int64 = 60_000_000
private let strap = WearableID(number: 1)

private func record(
  enrolled: WallTime = now + .seconds(-86_400), _ uncollected: UncollectedSpans = UncollectedSpans()
) throws -> WearableRecord {
  var record = WearableRecord(
    id: strap, addressValue: 1, addressKind: 1, name: "strap-03", driver: "strap", kind: "HR strap",
    enrolledAt: enrolled)
  try record.hubState.keep(uncollected)
  return record
}

/// An hour before now, of which values are missing from minute 10 to 20 and from 40 on.
private func hour(
  enrolled: WallTime = now + .seconds(-86_400), rings: [RingStatus] = [], events: [StoreEvent] = [],
  visits: [VisitRecord] = [], battery: [StoredSample] = [], uncollected: UncollectedSpans = UncollectedSpans(),
  way: Way = .live
) throws -> CoverageDocument {
  let request = try CoverageRequest(
    "strap-03", "heart_rate", since: now + .seconds(-3600), until: nil, now: now,
    [try record(enrolled: enrolled, uncollected)])
  var values = CoverageAccumulator(request.window, least: 30_000_000)
  for second in 0..<2400 where !(600..<1200).contains(second) {
    values.add(request.window.lowerBound + Int64(second) * 1_000_000)
  }
  let none = CoverageAccumulator(request.window, least: 30_000_000)
  let found = SeriesCoverage(
    series: .heartRate, fetched: way == .fetched ? values : none, live: way == .live ? values : none, damaged: 0)
  let evidence = GapEvidence(
    request, rings: rings, events: events, visits: visits, battery: battery, now: now)
  return CoverageDocument(request, [found], evidence, device: "strap-03", zone: .utc)
}

private func causes(_ document: CoverageDocument) -> [[String]] {
  document.series[0].gaps.map { $0.causes.map { $0.cause.rawValue + ($0.code ?? "") } }
}

private func visit(_ number: UInt64, _ began: WallTime, _ outcome: Reason?) -> VisitRecord {
  VisitRecord(
    number: number, wearable: strap, began: began, ended: began + .seconds(5), outcome: outcome?.rawValue ?? 0,
    laneOutcome: outcome == nil ? VisitOutcome.done.rawValue : VisitOutcome.interrupted.rawValue)
}

/// A battery's reading in that second of the hour.
private func reading(_ second: Int64, _ percent: Int64) -> StoredSample {
  .live(
    strap, .battery, [percent], [], at: now + .seconds(second - 3600), monotonic: Instant(nanoseconds: 0), bootID: nil,
    clockTrusted: true)
}

struct CLICoverageTests {
  @Test func `what visits leave out by order is said so for its series alone, for as long as it was ordered`() throws {
    func left(_ from: Int64, _ to: Int64?, _ series: [Series]? = [.heartRate]) -> UncollectedSpans {
      var spans = UncollectedSpans()
      spans.begin(series.map { $0.map(\.id) }, at: now + .seconds(from))
      if let to { spans.end(ofAll: series == nil, at: now + .seconds(to)) }
      return spans
    }
    let going = try hour(uncollected: left(-3600, nil), way: .fetched)
    #expect(causes(going) == [["by_orderH2460"], ["by_orderH2460"]])
    #expect(why(try #require(going.series[0].gaps.first), hubTime) == "not taken, by order (H2460)")
    let over = try hour(uncollected: left(-3600, -2000), way: .fetched)
    #expect(causes(over) == [["by_orderH2460"], ["not_fetched"]])
    #expect(
      causes(try hour(uncollected: left(-3600, nil, [.sleepStage]), way: .fetched)) == [
        ["not_fetched"], ["not_fetched"],
      ])
    #expect(causes(try hour(uncollected: left(-3600, nil))) == [["unknown"], ["unknown"]])
    // The wearable was left alone, however long ago that began and whatever events are stored.
    #expect(causes(try hour(uncollected: left(-9_000_000, nil, nil))) == [["by_orderH2461"], ["by_orderH2461"]])
  }

  @Test func `beyond the stretches that are kept with a wearable events say what was left out by order`() throws {
    func spans(_ count: Int) -> UncollectedSpans {
      var spans = UncollectedSpans()
      for number in 0..<count {
        spans.begin([Series.sleepStage.id], at: now + .seconds(Int64(number - 900)))
      }
      return spans
    }
    func told(_ text: String) -> StoreEvent {
      StoreEvent(
        number: 1, time: now, reason: Reason.phasesLeftOut.rawValue, wearable: strap,
        text: "strap-03: not taken, by order: \(text)",
        span: EventSpan(from: now + .seconds(-3600), to: now + .seconds(-1500)))
    }
    let event = told("day (heart_rate, steps)")
    // As long as all stretches are kept, they alone say it.
    #expect(
      causes(try hour(events: [event], uncollected: spans(31), way: .fetched)) == [["not_fetched"], ["not_fetched"]])
    #expect(
      causes(try hour(events: [event], uncollected: spans(40), way: .fetched)) == [
        ["by_orderH2460"], ["not_fetched"],
      ])
    // Another series, and a name that was cut.
    for text in ["night (sleep_stage)", "day (steps, heart_rate"] {
      #expect(
        causes(try hour(events: [told(text)], uncollected: spans(40), way: .fetched)) == [
          ["not_fetched"], ["not_fetched"],
        ])
    }
  }

  @Test func `no word of an event or a name says of which series no values were taken`() throws {
    let event = StoreEvent(
      number: 1, time: now, reason: Reason.phasesLeftOut.rawValue, wearable: strap,
      text: "heart_rate: not taken, by order: nights (sleep_stage)", span: EventSpan(from: now + .seconds(-3600)))
    #expect(causes(try hour(events: [event], way: .fetched)) == [["not_fetched"], ["not_fetched"]])
    var unarmed = visit(1, now + .seconds(-3000), .recordingNotArmed)
    unarmed.remark = "heart_rate does not record acc (no heart_rate without it)"
    #expect(causes(try hour(visits: [unarmed], way: .fetched)) == [["not_fetched"], ["not_fetched"]])
  }

  @Test func `stretches without collection are bounded, read as they were written, and what goes on is never dropped`()
  {
    var spans = UncollectedSpans()
    spans.begin(nil, at: now)
    for number in 0..<100 { spans.begin([UInt16(number)], at: now + .seconds(Int64(number))) }
    #expect(spans.spans.count == UncollectedSpans.limit && spans.current(ofAll: true)?.from == now)
    #expect(spans.current(ofAll: false)?.series == [99])
    var states = RememberedStates()
    #expect(throws: Never.self) { try states.keep(spans) }
    #expect(states[UncollectedSpans.self] == spans)
    spans.begin([], at: now + .seconds(200))
    #expect(spans.current(ofAll: false) == nil && spans.spans.last?.to == now + .seconds(200))
    let entry = RememberedStates.Entry(spans)
    for place in entry.fields.indices {
      var states = RememberedStates()
      states.load(
        UncollectedSpans.name, RememberedStates.Entry(version: 1, fields: Array(entry.fields[..<place])))
      #expect((states[UncollectedSpans.self]?.spans.count ?? 0) <= UncollectedSpans.limit)
    }
  }

  @Test func `a visit that found a series unrecorded explains what is missing of that series alone`() throws {
    var unarmed = visit(1, now + .seconds(-3000), .recordingNotArmed)
    unarmed.remark = "band-07 does not record acc, heart_rate (not while it is charging)"
    #expect(causes(try hour(visits: [unarmed], way: .fetched)) == [["not_recordingH2128"], ["not_recordingH2128"]])
    let armed = visit(2, now + .seconds(-2500), nil)
    #expect(
      causes(try hour(visits: [armed, unarmed], way: .fetched))
        == [["not_recordingH2128", "not_fetched"], ["not_fetched"]])
    let gap = try #require(try hour(visits: [unarmed], way: .fetched).series[0].gaps.first)
    #expect(gap.causes.first?.text == unarmed.remark && why(gap, hubTime) == "it did not record this (H2128)")
    // What comes live does not depend on it, and another series is not meant.
    #expect(causes(try hour(visits: [unarmed])) == [["unknown"], ["unknown"]])
    unarmed.remark = "band-07 does not record acc"
    #expect(causes(try hour(visits: [unarmed], way: .fetched)) == [["not_fetched"], ["not_fetched"]])
    // What the visit found goes before its words, which are cut.
    unarmed.unrecorded = [Series.acc.id, Series.heartRate.id]
    #expect(causes(try hour(visits: [unarmed], way: .fetched)) == [["not_recordingH2128"], ["not_recordingH2128"]])
    // A visit that ended with something else explains the other series by that.
    var refused = visit(1, now + .seconds(-3000), .visitRefused)
    refused.unrecorded = [Series.heartRate.id]
    #expect(causes(try hour(visits: [refused], way: .fetched)) == [["not_recordingH2128"], ["not_recordingH2128"]])
    refused.unrecorded = [Series.acc.id]
    #expect(causes(try hour(visits: [refused], way: .fetched)) == [["visit_failedH2121"], ["visit_failedH2121"]])
    unarmed.remark = "band-07 does not record acc, heart_rate"
    unarmed.unrecorded = [Series.acc.id]
    #expect(causes(try hour(visits: [unarmed], way: .fetched)) == [["not_fetched"], ["not_fetched"]])
  }

  @Test func `a battery that rose during silence says that it was charged`() throws {
    let charged = [reading(10, 32), reading(590, 30), reading(1195, 85), reading(2300, 84)]
    #expect(causes(try hour(battery: charged)) == [["charging"], ["unknown"]])
    #expect(try hour(battery: charged).series[0].gaps[0].causes[0].text == "its battery rose from 30 % to 85 %")
    // The event says more than that the wearable was away, and less than that the hub was down.
    let lost = StoreEvent(
      number: 1, time: now, reason: 2109, wearable: strap, text: "",
      span: EventSpan(from: now + .seconds(605 - 3600), to: now + .seconds(1190 - 3600)))
    let down = StoreEvent(
      number: 2, time: now, reason: 8001, wearable: nil, text: "",
      span: EventSpan(from: now + .seconds(800 - 3600), to: now + .seconds(1000 - 3600)))
    #expect(
      causes(try hour(events: [lost, down], battery: charged))[0] == ["charging", "hub_downH8001", "charging"])
    // A gauge that corrects itself, and a battery that only empties, are no evidence.
    #expect(causes(try hour(battery: [reading(590, 30), reading(1195, 34)]))[0] == ["unknown"])
    #expect(causes(try hour(battery: [reading(590, 80), reading(1195, 20)]))[0] == ["unknown"])
  }

  @Test func `readings that rise one by one are one rise, from the last low one to the first high one`() {
    let steps = (0..<50).map { reading(Int64($0) * 10 + 300, Int64($0) + 20) }
    let all = [reading(0, 20), reading(100, 20)] + steps + [reading(900, 69), reading(1000, 60), reading(1100, 100)]
    let start = (now + .seconds(-3600)).microseconds
    #expect(
      BatteryRise.all(all) == [
        BatteryRise(span: (start + 300_000_000)..<(start + 790_000_000), from: 20, to: 69),
        BatteryRise(span: (start + 1_000_000_000)..<(start + 1_100_000_000), from: 60, to: 100),
      ])
    #expect(BatteryRise.all([]).isEmpty && BatteryRise.all([reading(0, 255), reading(10, -1)]).isEmpty)
  }

  @Test func `coverage is a strip, a share and the longest gap with its reason`() throws {
    let text = render(try hour(), hubTime, .plain, ChartStyle(), allGaps: false)
    #expect(
      text == """
        strap-03   2026-11-21 09:00:00 to 10:00:00 UTC
        SERIES      COVERED  GAPS      LONGEST  09:00     09:15     09:30     09:45
        heart_rate     50 %     2       20 min  ██████▓······▓████████████▓·············

        heart_rate  2026-11-21 09:40:00 to 10:00:00   20 min   unknown
          the longest of each; all of them with --gaps, or with a series

        """)
    let all = render(try hour(), hubTime, .plain, ChartStyle(isASCII: true), allGaps: true)
    #expect(all.contains("  2026-11-21 09:10:00 to 09:20:00   10 min   unknown\n"))
    #expect(all.utf8.allSatisfy { $0 < 0x80 })
    #expect(all.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test func `an unexplained gap is unknown, and a known cause is said with its code`() throws {
    #expect(causes(try hour()) == [["unknown"], ["unknown"]])
    let silent = visit(1, now + .seconds(-3000), .visitSilent)
    let done = visit(2, now + .seconds(-2400), nil)
    #expect(causes(try hour(visits: [done, silent])) == [["visit_failedH2123"], ["unknown"]])
    let full = visit(1, now + .seconds(-3000), .slotsFull)
    #expect(causes(try hour(visits: [full])).first == ["no_slotH2101"])
    #expect(causes(try hour(enrolled: now + .seconds(-2700))) == [["not_enrolled", "unknown"], ["unknown"]])
    // What it keeps comes from before, too: what is missing of that has no other reason either.
    #expect(
      causes(try hour(enrolled: now + .seconds(-2700), visits: [done], way: .fetched))
        == [["not_enrolled", "unknown"], ["not_fetched"]])
  }

  @Test func `a slot that was given away is no fault of the wearable, nor of the air`() throws {
    let waited = StoreEvent(
      number: 1, time: now, reason: 2101, wearable: strap, text: "strap-03 has a slot again after 10 min",
      span: EventSpan(from: now + .seconds(605 - 3600), to: now + .seconds(1190 - 3600)))
    let gone = StoreEvent(
      number: 2, time: now, reason: 2101, wearable: strap, text: "strap-03 gave its slot to strap-04",
      span: EventSpan(from: now + .seconds(2405 - 3600)))
    #expect(causes(try hour(events: [gone, waited])) == [["no_slotH2101"], ["no_slotH2101"]])
  }

  @Test func `what a wearable recorded beside a series says that it did not record this`() throws {
    let request = try CoverageRequest(
      "strap-03", nil, since: now + .seconds(-3600), until: nil, now: now, [try record()])
    func values(_ minutes: Range<Int64>) -> CoverageAccumulator {
      var values = CoverageAccumulator(request.window, least: 30_000_000)
      for minute in minutes { values.add(request.window.lowerBound + minute * 60_000_000) }
      return values
    }
    let none = CoverageAccumulator(request.window, least: 30_000_000)
    let rates = SeriesCoverage(series: .heartRate, fetched: values(0..<60), live: none, damaged: 0)
    let night = SeriesCoverage(series: .ppi, fetched: values(10..<14), live: none, damaged: 0)
    let evidence = GapEvidence(request, rings: [], events: [], visits: [], now: now)
    let document = CoverageDocument(request, [rates, night], evidence, device: "strap-03", zone: .utc)
    let line = try #require(document.series.first { $0.series == "ppi" })
    #expect(line.gaps.map { $0.causes.map(\.cause) } == [["not_recording"], ["not_recording"]])
  }

  @Test func `what a wearable keeps is not fetched yet after its last complete visit`() throws {
    let done = visit(1, now + .seconds(-1000), nil)
    #expect(causes(try hour(visits: [done], way: .fetched)) == [["unknown"], ["unknown", "not_fetched"]])
    #expect(causes(try hour(visits: [done])) == [["unknown"], ["unknown"]])
  }

  @Test func `events that say from when until when something was so explain what was to be heard then`() throws {
    func event(_ reason: UInt16, _ from: Int64, _ to: Int64?, of wearable: WearableID? = strap) -> StoreEvent {
      StoreEvent(
        number: 1, time: now, reason: reason, wearable: wearable, text: "",
        span: EventSpan(from: now + .seconds(from - 3600), to: to.map { now + .seconds($0 - 3600) }))
    }
    let lost = event(2109, 605, 1200)
    #expect(causes(try hour(events: [lost])) == [["out_of_reachH2109"], ["unknown"]])
    // What the hub could not hear it could not hear of anybody.
    let down = event(8001, 800, 1000, of: nil)
    #expect(causes(try hour(events: [lost, down]))[0] == ["out_of_reachH2109", "hub_downH8001", "out_of_reachH2109"])
    // A wearable records on while the hub is down.
    #expect(causes(try hour(events: [down], way: .fetched))[0] == ["not_fetched"])
    // Of two that have not ended only the newer one goes on.
    let open = event(2109, 2400, nil)
    #expect(causes(try hour(events: [open])) == [["unknown"], ["out_of_reachH2109"]])
    #expect(causes(try hour(events: [lost, open])) == [["out_of_reachH2109"], ["unknown"]])
    #expect(causes(try hour(events: [event(2109, 605, 1200, of: WearableID(number: 9))]))[0] == ["unknown"])
  }

  @Test func `a part that is explained takes what is no gap by itself beside it, and not more`() throws {
    // The visit failed 20 s after the last value: below half a minute, which is no gap.
    let soon = visit(1, now + .seconds(-2980), .visitSilent)
    #expect(causes(try hour(visits: [soon]))[0] == ["visit_failedH2123"])
    let late = visit(1, now + .seconds(-2900), .visitSilent)
    #expect(causes(try hour(visits: [late]))[0] == ["unknown", "visit_failedH2123"])
  }

  @Test func `of a person only the times of wearing count, and they are listed`() throws {
    let (ada, bob) = (WearerID(number: 1), WearerID(number: 2))
    func worn(_ minutes: Int64, _ wearer: WearerID) -> Assignment {
      Assignment(wearable: strap, from: now + .seconds(60 * (minutes - 60)), wearer: wearer, enteredAt: now)
    }
    let record = try record()
    let names = SampleExport(
      .ndjson, wearables: [record],
      people: People(
        wearers: [Wearer(id: ada, name: "Ada", createdAt: now), Wearer(id: bob, name: "Bob", createdAt: now)],
        assignments: [worn(0, ada), worn(20, bob), worn(40, ada)]))
    let requests = try CoverageRequests(
      "Ada", "heart_rate", since: now + .seconds(-3600), until: nil, now: now, [record], names)
    let request = try #require(requests.all.first)
    #expect(requests.all.count == 1 && request.parts.map { ($0.upperBound - $0.lowerBound) / minute } == [20, 20])
    // Values of Bob's time would be of no part; of Ada's, minutes 10 to 15 are missing.
    let found = request.parts.map { part in
      var live = CoverageAccumulator(part, least: 30_000_000)
      for second in 0..<3600 where !(600..<900).contains(second) {
        live.add(request.window.lowerBound + Int64(second) * 1_000_000)
      }
      return SeriesCoverage(
        series: .heartRate, fetched: CoverageAccumulator(part, least: 30_000_000), live: live, damaged: 0)
    }
    let evidence = GapEvidence(request, rings: [], events: [], visits: [], now: now)
    let document = requests.document(request, found, evidence, zone: .utc)
    let line = try #require(document.series.first)
    #expect(document.wearer == "Ada" && document.seconds == 2400 && line.samples == 2100)
    #expect(line.gaps.map(\.seconds) == [300] && line.coveredS == 2100 && line.share == 0.875)
    #expect(line.covered(in: document.counted).length == 2100 * 1_000_000)
    let text = render(document, hubTime, .plain, ChartStyle(), allGaps: false)
    #expect(
      text.hasPrefix("Ada   strap-03   2026-11-21 09:00:00 to 10:00:00 UTC\nworn 2026-11-21 09:00:00 to 09:20:00\n"))
    #expect(text.contains("\nworn 2026-11-21 09:40:00 to 10:00:00\n") && text.contains("   87.5 %"))
    let nobody = try CoverageRequests(
      "Bob", nil, since: now + .seconds(-600), until: nil, now: now, [record], names)
    #expect(nobody.all.isEmpty)
    #expect(
      render(nobody.nothingWorn(.utc), hubTime, .plain, ChartStyle(), allGaps: false)
        == "Bob   2026-11-21 09:50:00 to 10:00:00 UTC\nwore no wearable in this time\n")
    #expect(throws: HearthError.self) {
      try CoverageRequests("Eve", nil, since: nil, until: nil, now: now, [record], names)
    }
  }

  @Test(arguments: ["2026-11-21T10:00:00Z", "2025-01-01T00:00:00Z", "2026-11-21T11:00:00Z"])
  func `an empty span and one of years are refused`(since: String) throws {
    let from = try #require(WallTime(rfc3339: since))
    #expect(throws: HearthError.self) {
      try CoverageRequest("strap-03", nil, since: from, until: nil, now: now, [try record(enrolled: now)])
    }
  }

  @Test func `days of a longer time have a strip each`() throws {
    let since = now + .seconds(-3 * 86_400)
    let request = try CoverageRequest(
      "strap-03", "heart_rate", since: since, until: nil, now: now, [try record(enrolled: since)])
    let values = CoverageAccumulator(request.window, least: 30_000_000)
    let document = CoverageDocument(
      request, [SeriesCoverage(series: .heartRate, fetched: values, live: values, damaged: 0)],
      GapEvidence(request, rings: [], events: [], visits: [], now: now), device: "strap-03", zone: .utc)
    let text = render(document, hubTime, .plain, ChartStyle(), allGaps: true)
    for day in 18...21 { #expect(text.contains("\n2026-11-\(day)      0 %  ·····")) }
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test func `live values have a trail on a terminal with room, and are as they were elsewhere`() {
    let sample: JSON = ["device": "strap-03", "series": "heart_rate", "value": 72]
    var none = LiveTrails(ChartStyle(), width: nil)
    #expect(none.extend("a line\n", sample) == "a line\n")
    var narrow = LiveTrails(ChartStyle(), width: 10)
    #expect(narrow.extend("a line\n", sample) == "a line\n")
    var wide = LiveTrails(ChartStyle(), width: 20)
    for value in [60, 70, 80] as [Int64] {
      _ = wide.extend("a line\n", ["device": "strap-03", "series": "heart_rate", "value": .integer(value)])
    }
    #expect(wide.extend("a line\n", ["device": "strap-03", "series": "heart_rate", "value": 60]) == "a line  ▁▅█▁\n")
  }

  @Test func `days are drawn as bars of what adds up and ranges of what is measured`() {
    func day(_ date: String, _ steps: Int, _ low: Int, _ mean: Double, _ high: Int) -> DaysDocument.Line {
      DaysDocument.Line(
        date: date, steps: steps, shared: false, activity: [], lowestHeartRate: low, meanHeartRate: mean,
        highestHeartRate: high, nights: [], trainings: [])
    }
    let days = DaysDocument(
      device: "band-07", zone: "UTC",
      lines: [day("2026-11-20", 8000, 50, 70, 150), day("2026-11-21", 4000, 60, 80, 120)], series: [])
    #expect(
      renderBars(days, .plain, ChartStyle(width: 40)) == """

        steps
        2026-11-20  ███████████████████████ 8000
        2026-11-21  ███████████▌ 4000

        heart rate, bpm
                    50           100         150
        2026-11-20  ━━━━━●━━━━━━━━━━━━━━━━━━━━━━
        2026-11-21     ━━━━━●━━━━━━━━━━━

        """)
  }
}
