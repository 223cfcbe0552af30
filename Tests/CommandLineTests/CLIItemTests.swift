import CivilTime
import Export
import Health
import HubProtocol
import StoreDocuments
import Testing

@testable import EventLoop
@testable import RingStore
@testable import hearth

private let now = VirtualLoop.morning
private let hubTime = HubTime(zone: .utc, now: now)

@Suite("What the command line prints of items and of one day")
struct CLIItemTests {
  private func item(_ minutes: Int64, _ value: Double, kind: String = "normal", manual: Bool = false)
    -> ItemsDocument.Item
  {
    let time = (now + .seconds(minutes * 60)).rfc3339
    return ItemsDocument.Item(
      device: "band-07", start: time, end: time, durationS: 0, value: value, components: [], kind: kind, manual: manual,
      origin: "fetched")
  }

  @Test("items are a line each, with only the columns that one of them has, and the place of the next page")
  func items() {
    var items = [item(0, 62), item(5, 48, kind: "resting"), item(7, 81, manual: true)]
    let document = ItemsDocument(
      name: "band-07", series: "heart_rate", unit: "bpm", components: [], zone: "UTC", items: items)
    #expect(
      render(document, hubTime, .plain) == """
        band-07 heart_rate in bpm   3 items, times in UTC
        START                    VALUE  KIND     BY         CAME
        2026-11-21 10:00:00         62  normal   automatic  fetched
        2026-11-21 10:05:00         48  resting  automatic  fetched
        2026-11-21 10:07:00         81  normal   hand       fetched

        """)
    items[0].wearer = "Ada"
    items[0].quality = "low"
    items[0].durationS = 90
    let pressure = ItemsDocument(
      name: "Ada", series: "blood_pressure", unit: "mmHg", components: ["systolic", "diastolic"], zone: "UTC",
      items: items.map {
        var item = $0
        item.components = [item.value, item.value - 20]
        return item
      }, next: "1.a.1.1.1")
    #expect(
      render(pressure, hubTime, .plain) == """
        Ada blood_pressure in mmHg   3 items, times in UTC
        START                   LASTED   SYSTOLIC  DIASTOLIC  KIND     BY         CAME        FROM          \
        WORN BY       REMARK
        2026-11-21 10:00:00    0:01:30         62         42  normal   automatic  fetched     band-07       \
        Ada           quality low
        2026-11-21 10:05:00          -         48         28  resting  automatic  fetched     band-07       -
        2026-11-21 10:07:00          -         81         61  normal   hand       fetched     band-07       -
        more behind these: --after 1.a.1.1.1

        """)
    let none = ItemsDocument(name: "a", series: "spo2", unit: "%", components: [], zone: "UTC", items: [])
    #expect(render(none, hubTime, .plain) == "a spo2   no items\n")
  }

  @Test("one day says what the wearable marked with a star, what was measured by hand, sums and sleep")
  func day() throws {
    let berlin = try #require(TimeZoneRules.named("Europe/Berlin"))
    // 25 hours long.
    let date = try #require(LocalDate(year: 2026, month: 10, day: 25))
    let start = berlin.span(of: date).lowerBound
    let band = WearableRecord(
      id: WearableID(number: 1), addressValue: 1, addressKind: 2, name: "band-07", driver: "d", kind: "k",
      enrolledAt: now)
    let names = SampleExport(.ndjson, wearables: [band])
    let subject = try ItemSubject("band-07", [band], names)
    var request = try DailyRequest(
      subject, at: WallTime(microseconds: start), series: nil, zone: berlin, names)
    var rate = DayAccumulator(.heartRate, zone: berlin)
    var page = ItemPage(limit: 10)
    let rows: [(Int64, Int64, SampleKind, Bool)] = [
      (8, 60, .normal, false), (9, 90, .normal, true), (10, 131, .maximum, false), (4, 47, .resting, false),
    ]
    for (hour, value, kind, manual) in rows {
      let flags = SampleFlags(origin: .fetched, kind: kind, isManual: manual)
      let time = start + hour * 3_600_000_000
      rate.add(time: time, flags: flags.rawValue, value: value)
      if manual {
        page.add(
          MeasuredItem(.heartRate, source: 1, way: 1, ordinal: 0, time: time, flags: flags, values: [value]))
      }
    }
    request.add(.heartRate, try #require(rate.days.first), devices: subject.sources, [nil, page, nil])
    var steps = DayAccumulator(.steps, zone: berlin)
    steps.add(time: start, flags: SampleFlags.fetched.rawValue, value: 8042, length: 60_000_000)
    request.add(.steps, try #require(steps.days.first), devices: subject.sources, [nil, nil, nil])
    var sleep = SleepDayAccumulator(date, zone: berlin)
    let stages: [(Int64, Int64, Int64)] = [(-60, 120, 3), (60, 60, 4), (120, 20, 2), (780, 30, 3)]
    for (begin, minutes, stage) in stages {
      sleep.add(
        time: start + begin * 60_000_000, flags: SampleFlags.fetched.rawValue, length: minutes * 60_000_000,
        stage: stage)
    }
    request.add(sleep.day)
    #expect(
      render(request.document, HubTime(zone: berlin, now: now), .plain) == """
        band-07   2026-10-25 of Europe/Berlin, 25 hours
        SERIES                       LOWEST    AVERAGE    HIGHEST    AT REST       HAND       AUTO
        heart_rate bpm                   60         75       131*         47          1          1
            by hand  08:00 90
        * as the wearable said; all others are derived from what was measured
        steps                     8042   band-07
        night                     2026-10-24 23:00:00 to 2026-10-25 02:20:00+02:00   asleep 3:20
            rem 0:20 (10 %), light 2:00 (60 %), deep 1:00 (30 %)
        nap                       2026-10-25 12:00:00 to 12:30:00   asleep 0:30
            light 0:30 (100 %)
        sleep of the day          3:50

        """)
  }
}
