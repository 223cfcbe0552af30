import CivilTime
import Control
import Drawing
import Export
import Health
import HubProtocol
import Reasons
import StoreDocuments
import Testing
import Wearable

@testable import EventLoop
@testable import RingStore
@testable import hearth

private let now = VirtualLoop.morning
private let hubTime = HubTime(zone: .utc, now: now)

@Suite("What the command line prints of samples")
struct CLISampleTests {
  private func sample(_ second: Int, _ value: JSON) -> JSON {
    ["time": .string((now + .seconds(second - 10)).rfc3339), "value": value]
  }

  private func peek(_ series: String, unit: String, layout: String, _ values: [JSON]) -> PeekDocument {
    PeekDocument(
      device: "strap-01", series: series, unit: unit, layout: layout,
      samples: values.enumerated().map { sample($0.offset, $0.element) })
  }

  @Test("a series is a curve with its lowest, mean and highest value, in ASCII if the terminal has no more")
  func curve() {
    let document = peek("heart_rate", unit: "bpm", layout: "scalar", [60, 70, 80, 90, 100, 110, 120, 130])
    #expect(
      render(document, hubTime, .plain, ChartStyle()) == """
        strap-01 heart_rate   8 samples
        2026-11-21 09:59:50 to 09:59:57 UTC   newest 3 s ago
         bpm
        140 ┤
            │                                                                   ⢀⣀⡠⠤⠔⠒⠊⠉
        120 ┤                                                         ⢀⣀⣀⡠⠤⠤⠒⠒⠊⠉⠁
            │                                               ⣀⣀⡠⠤⠤⠔⠒⠒⠉⠉⠁
        100 ┤                                     ⢀⣀⡠⠤⠔⠒⠒⠉⠉⠉
            │                            ⣀⣀⣀⠤⠤⠔⠒⠊⠉⠁
         80 ┤                  ⣀⣀⠤⠤⠔⠒⠒⠊⠉⠉
            │         ⢀⣀⣀⠤⠤⠒⠒⠉⠉
         60 ┤⣀⡠⠤⠤⠒⠒⠒⠉⠉⠁
            └┬─────────┬──────────┬──────────┬─────────┬──────────┬──────────┬──────────
             09:59:50  09:59:51   09:59:52   09:59:53  09:59:54   09:59:55   09:59:56
        min 60 bpm   mean 95 bpm   max 130 bpm

        """)
    #expect(render(document, hubTime, .plain, ChartStyle(isASCII: true)).utf8.allSatisfy { $0 < 0x80 })
  }

  @Test("components have a curve each: of vectors, and of waveforms over all their blocks")
  func components() {
    let vector = render(
      peek("ppi", unit: "ms", layout: "vector", [.array([800, 5, 0]), .array([900, 7, 1])]), hubTime, .plain,
      ChartStyle())
    #expect(vector.contains("ppi   min 800 ms   mean 850 ms   max 900 ms\n"))
    #expect(vector.contains("error   min 5 ms   mean 6 ms   max 7 ms\n"))
    let waveform = render(
      peek(
        "acc", unit: "mg", layout: "waveform",
        [.array([.array([1, 2, 3]), .array([3, 2, 1])]), .array([.array([5, 2, -1])])]), hubTime, .plain, ChartStyle())
    #expect(
      waveform.contains("x   min 1 mg   mean 3 mg   max 5 mg\n")
        && waveform.contains("z   min -1 mg   mean 1 mg   max 3 mg\n"))
    let ecg = render(
      peek("ecg", unit: "uV", layout: "waveform", [.array([1, -2, .decimal("3.5")])]), hubTime, .plain, ChartStyle())
    #expect(ecg.contains("min -2 uV   mean 0.833 uV   max 3.5 uV\n"))
  }

  @Test("what the wearable itself doubts is drawn like all others, and said to be among them")
  func doubtful() {
    let low: JSON = ["time": "2026-11-21T09:59:59.000Z", "value": 88, "quality": "low"]
    let document = PeekDocument(
      device: "finger", series: "spo2", unit: "%", layout: "scalar", samples: [sample(0, 97), low, sample(9, 96)])
    let text = render(document, hubTime, .plain, ChartStyle())
    #expect(text.contains("\n1 of low quality: the wearable itself doubts them\n") && text.contains("min 88 %"))
    let sound = peek("spo2", unit: "%", layout: "scalar", [97, 96])
    #expect(!render(sound, hubTime, .plain, ChartStyle()).contains("quality"))
  }

  @Test("numbers that no wearable measures are not drawn", arguments: ["1e308", "-1e308", "1e400", "nan"])
  func strangeNumbers(text: String) {
    let document = peek("heart_rate", unit: "bpm", layout: "scalar", [60, .decimal(text), .decimal("-1e308"), 70])
    #expect(
      render(document, hubTime, .plain, ChartStyle(isASCII: true)).contains("min 60 bpm   mean 65 bpm   max 70 bpm\n"))
  }

  @Test("values that are no numbers are listed by time and size; an empty series says so")
  func records() {
    let record: JSON = ["time": "2026-11-21T09:00:00.000Z", "record": 2, "data": "AAAA"]
    let document = PeekDocument(device: "band", series: "exercise", unit: "", layout: "record", samples: [record])
    #expect(render(document, hubTime, .plain, ChartStyle()).hasSuffix("2026-11-21 09:00:00   3 B\n"))
    let none = PeekDocument(device: "band", series: "ecg", unit: "uV", layout: "waveform", samples: [])
    #expect(render(none, hubTime, .plain, ChartStyle()) == "band ecg   no samples\n")
  }

  @Test("days are a table: resting values of what is measured, sums of what is counted")
  func days() {
    var heart = DayAccumulator(.heartRate, zone: .utc)
    heart.add(time: now.microseconds, flags: SampleFlags.live.rawValue, value: 60)
    heart.add(time: now.microseconds + 1, flags: SampleFlags(origin: .live, isManual: true).rawValue, value: 75)
    heart.add(time: now.microseconds + 2, flags: SampleFlags(origin: .fetched, kind: .resting).rawValue, value: 48)
    var steps = DayAccumulator(.distance, zone: .utc)
    steps.add(time: now.microseconds, flags: SampleFlags.fetched.rawValue, value: 123, length: 60_000_000)
    steps.add(time: now.microseconds, flags: SampleFlags.fetched.rawValue, value: 1000, length: 60_000_000)
    let document = DaysDocument(
      device: "band-07", zone: .utc,
      series: [
        .init(.heartRate, SeriesDays(heart)), .init(.ecg, SeriesDays(DayAccumulator(.ecg, zone: .utc))),
        .init(.distance, SeriesDays(steps)),
      ])
    #expect(
      render(document, .plain) == """
        band-07 heart_rate in bpm   days of UTC
        DATE            COUNT     MANUAL        MIN       MEAN        MAX       REST
        2026-11-21          2          1         60       67.5         75         48

        band-07 distance in m   days of UTC
        DATE            COUNT     MANUAL        MIN       MEAN        MAX        SUM
        2026-11-21          2          0       12.3      56.15        100      112.3

        """)
    #expect(
      render(DaysDocument(device: "band-07", zone: .utc, series: []), .plain) == "band-07   no days with values\n")
  }

  @Test(
    """
    days are a line for each wearer, with only columns that have values, trainings below, in the hub's own time of day
    """
  )
  func lines() throws {
    let berlin = try #require(TimeZoneRules.named("Europe/Berlin"))
    let midnight = berlin.span(of: berlin.date(of: now.microseconds)).lowerBound
    func at(_ hour: Double) -> Int64 { midnight + Int64(hour * 3600) * 1_000_000 }
    var days = DayLineAccumulator(zone: berlin, worn: [(at(0), "Ada"), (at(20), "Ben\u{1B}")])
    func add(_ series: Series, _ time: Int64, _ values: [Int64], manual: Bool = false) {
      days.add(series, time: time, flags: SampleFlags(origin: .fetched, isManual: manual).rawValue) { values[$0] }
    }
    add(.steps, at(9), [60_000_000, 8042])
    add(.steps, at(21), [60_000_000, 7])
    add(.distance, at(0), [86_400_000_000, 61_234])
    add(.basalCalories, at(0), [86_400_000_000, 16_000])
    add(.activeTime, at(9), [5_700_000_000, 4])
    for rate in [52, 60, 168] as [Int64] { add(.heartRate, at(10), [rate]) }
    add(.sleep, at(6.84), [27_624, 2000, 5520, 15_600, 4200, 0, 28_800, 4])
    add(.recharge, at(0) - 10_000_000, [4, 70, 3, 0, 48, 0, 0, 0, 0])
    add(.ansStatus, at(0) - 10_000_000, [15])
    add(.training, at(17.5), [0, 0, 2700, 8200, 612, 142, 171], manual: true)
    add(.training, at(17.5), [1, 1, 1200, 4000, 300, 0, 0])
    add(.training, at(17.9), [2, 83, 1500, 4200, 312, 0, 0])
    let document = DaysDocument(device: "band-07", zone: berlin, lines: days.days, series: [])
    #expect(
      renderLines(document, HubTime(zone: berlin, now: now), .plain) == """
        band-07   days of Europe/Berlin
        DATE          STEPS      KM    KCAL  ACTIVE          BPM        SLEEP  ASLEEP  DEEP/REM/LIGHT  RATED   \
        RECHARGE  WORN BY
        2026-11-21    8 042   6.12*   1600*    1:35    52/93/168  23:10-06:50    7:02  1:10/1:32/4:20    4/5   4/6 \
        +1.5  Ada
                    17:30  running, sport 83  0:45  8.2 km  612 kcal  mean 142, highest 171 bpm
        2026-11-21        7       -       -       -            -            -       -               -      -          \
        -  Ben?
        * in part of a time in which others wore it

        """)
    let strap = DaysDocument(device: "strap-01", zone: .utc, lines: [], series: [])
    #expect(renderLines(strap, hubTime, .plain).split(separator: "\n").allSatisfy { $0.count <= 120 })
  }

  @Test("today is what the wearable said, with the time at which it said it")
  func today() {
    let report = ReportDocument(
      device: "band-07", topic: "today",
      rows: [
        ReportRow("so-far", [.init("local_time", "2026-11-21T14:05:07.120")]),
        ReportRow(
          "activity",
          [
            .init("steps", "4211"), .init("distance_m", "3158.2"), .init("active_minutes", "61"),
            .init("goal_percent", "47"),
          ]),
        ReportRow("heart-rate", [.init("last_bpm", "72"), .init("at", "14:00"), .init("lowest_bpm", "48")]),
      ])
    #expect(
      renderToday(report, .plain) == """
        band-07   today so far, at 14:05
        activity          steps 4211, distance 3158.2 m, active 61 min, goal 47 %
        heart-rate        last 72 bpm, at 14:00, lowest 48 bpm

        """)
    #expect(
      renderToday(ReportDocument(device: "band-07", topic: "today", rows: [ReportRow]()), .plain)
        == "band-07   today so far, at ?\nno values yet\n")
  }

  @Test("days of classes say how long each was, in hours and minutes")
  func states() {
    var sleep = DayAccumulator(.sleepStage, zone: .utc)
    let midnight = now.microseconds - now.microseconds % 86_400_000_000
    for (begin, minutes, stage) in [(-30, 90, 3), (60, 45, 4), (105, 20, 2), (125, 5, 3)] as [(Int64, Int64, Int64)] {
      sleep.add(
        time: midnight + begin * 60_000_000, flags: SampleFlags.fetched.rawValue, value: stage,
        length: minutes * 60_000_000)
    }
    #expect(
      render(DaysDocument(device: "band-07", zone: .utc, series: [.init(.sleepStage, SeriesDays(sleep))]), .plain)
        == """
        band-07 sleep_stage in stage   days of UTC
        DATE            COUNT     MANUAL          2          3          4
        2026-11-20          1          0          -       0:30          -
        2026-11-21          4          0       0:20       1:05       0:45

        """)
  }

  @Test("days say how many items they leave out, also if they count zero")
  func leftOut() {
    var odd = DayAccumulator(.steps, zone: .utc)
    odd.add(time: now.microseconds, flags: 0xFF, value: 1)
    odd.add(time: now.microseconds, flags: SampleFlags.fetched.rawValue, value: 1, length: -1)
    for day in 0...Int64(DayAccumulator.dayLimit) {
      odd.add(time: now.microseconds + day * 86_400_000_000, flags: SampleFlags.fetched.rawValue, value: 1, length: 1)
    }
    let text = render(DaysDocument(device: "band", zone: .utc, series: [.init(.steps, SeriesDays(odd))]), .plain)
    #expect(text.hasSuffix("\nleft out: 1 item of more days than are counted\nleft out: 2 items without meaning\n"))
    var none = DayAccumulator(.steps, zone: .utc)
    none.add(time: now.microseconds, flags: 0xFF, value: 1)
    #expect(
      render(DaysDocument(device: "band", zone: .utc, series: [.init(.steps, SeriesDays(none))]), .plain).hasSuffix(
        "left out: 1 item without meaning\n"))
  }

  @Test("events come the newest last, each with time, code and wearable; what could drive a terminal does not")
  func events() {
    let strap = WearableRecord(
      id: WearableID(number: 1), addressValue: 1, addressKind: 2, name: "strap-01", driver: "heart-rate",
      kind: "HR strap", enrolledAt: now)
    let names = SampleExport(.ndjson, wearables: [strap])
    let events = [
      StoreEvent(
        number: 2, time: now + .seconds(1), reason: Reason.storeEvicting.rawValue, wearable: strap.id,
        text: "30 items\u{1B}[2J"),
      StoreEvent(number: 1, time: now, reason: Reason.clockStepped.rawValue, wearable: nil, text: "the clock was set"),
      StoreEvent(
        number: 0, time: now, reason: Reason.slotsFull.rawValue, wearable: strap.id, text: "strap-01 gave its slot"),
      StoreEvent(
        number: 0, time: now, reason: Reason.slotsFull.rawValue, wearable: strap.id, text: "strap-012 took a slot"),
    ].map { EventDocument($0, names: names) }
    #expect(
      render(events, hubTime, .plain) == """
        times in UTC
        2026-11-21 10:00:00  H2101  strap-01: strap-012 took a slot
        2026-11-21 10:00:00  H2101  strap-01 gave its slot
        2026-11-21 10:00:00  \(Reason.clockStepped.code)  the clock was set
        2026-11-21 10:00:01  \(Reason.storeEvicting.code)  strap-01: 30 items?[2J

        """)
    #expect(render([EventDocument](), hubTime, .plain) == "no events\n")
  }

  @Test("a check says that all is sound, or what is not")
  func verify() {
    var report = VerifyReport()
    report.items = 1_204_992
    report.rings = 3
    report.ringChunks = 412
    report.journalChunks = 1
    report.records = 40
    #expect(
      render(VerifyDocument(report), .plain) == """
        read   1 204 992 samples in 3 rings (412 chunks) and 1 journal chunk
               40 records
        sound

        """)
    report.findings = [VerifyReport.Finding(place: "chunks 3 heart_rate live 0", what: "its checksum is wrong\u{1B}")]
    report.findingCount = 140
    let text = render(VerifyDocument(report), .plain)
    #expect(
      text.contains(
        "H4006  140 findings\n       chunks 3 heart_rate live 0: its checksum is wrong?\n       and 139 more\n"))
    #expect(!text.contains("sound"))
  }

  @Test("a purge says whose samples, from when to when, how many, and how many were never exported")
  func purge() {
    let wearer = Wearer(id: WearerID(number: 1), name: "Ada", createdAt: now)
    let people = People(
      wearers: [wearer],
      assignments: [Assignment(wearable: WearableID(number: 1), from: now, wearer: wearer.id, enteredAt: now)])
    let record = WearableRecord(
      id: WearableID(number: 1), addressValue: 1, addressKind: 2, name: "strap-01", driver: "heart-rate",
      kind: "HR strap", enrolledAt: now)
    let plan = PurgePlan(parts: [
      PurgePlan.Part(
        ring: RingID(wearable: record.id, seriesNumber: Series.heartRate.id, way: .live), items: 2000, unexported: 12,
        from: now, to: now + .seconds(60),
        chunks: [])
    ])
    #expect(
      render(PurgeDocument(plan, names: SampleExport(.ndjson, wearables: [record], people: people)), hubTime) == """
        strap-01  heart_rate (live)   2 000 samples, 12 never exported
            2026-11-21 10:00:00 to 10:01:00   worn by Ada
        times in UTC
        in all 2 000 samples, 12 never exported: deleted for good

        """)
  }

  @Test("an export is confirmed every ten thousand lines, or every ten seconds if there was a line")
  func pace() {
    var pace = ConfirmPace(now: 0)
    #expect(!pace.isDue(60_000))
    pace.lines = 1
    #expect(!pace.isDue(9999) && pace.isDue(10_000))
    pace.lines = 10_000
    #expect(pace.isDue(1))
  }
}

extension DaysDocument.Days {
  /// For a wearable without a known wearer.
  fileprivate init(_ series: Series, _ found: SeriesDays) {
    self.init(series, found, of: WearableID(number: 1), names: SampleExport(.ndjson, wearables: []))
  }
}
