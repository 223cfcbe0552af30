import CivilTime
import Drawing
import Health
import HubProtocol
import StoreDocuments
import Testing

@testable import EventLoop
@testable import hearth

private let hostile = "<script>alert('x')</script>\"&\u{1B}[2J"
private let hour: Int64 = 3_600_000_000

private func report(
  _ date: String = "2026-11-20", zone: TimeZoneRules = .utc, wearer: String? = "Ada", series: Int = 3, gaps: Int = 2
) throws -> ReportDay {
  let date = try #require(LocalDate(text: date))
  let span = zone.span(of: date)
  let line = DaysDocument.Line(
    date: date.text, wearer: wearer, steps: 8042, distanceM: 6120, shared: false, activity: [], lowestHeartRate: 52,
    meanHeartRate: 71, highestHeartRate: 134, nights: [], trainings: [])
  func time(_ moment: Int64) -> String { WallTime(microseconds: moment).rfc3339 }
  let lost = (0..<gaps).map { index in
    let from = span.lowerBound + Int64(index) * hour / 4
    return CoverageDocument.Gap(
      from: time(from), to: time(from + 600_000_000), seconds: 600,
      causes: [.init(from: time(from), to: time(from + 600_000_000), cause: "<b>odd</b>", code: "H2104")])
  }
  let coverage = CoverageDocument(
    device: hostile, zone: zone.name, since: time(span.lowerBound), until: time(span.upperBound), seconds: 86_400,
    series: (0..<series).map {
      .init(
        series: "series_\($0)", occasional: false, way: "live", samples: 9, share: 0.9, gaps: lost, gapsLeftOut: 0,
        damaged: 0)
    })
  let events = (0..<gaps).map { index in
    EventDocument(
      number: UInt64(index), time: time(span.lowerBound + hour), code: "<i>", area: "", device: nil, text: hostile)
  }
  var day = ReportDay(
    coverage, lines: [line], events: events, date: date,
    time: HubTime(zone: zone, now: WallTime(microseconds: span.upperBound + hour)), hub: hostile, kind: "band")
  for index in 0..<288 {
    let moment = span.lowerBound + Int64(index) * 300_000_000
    day.add(.heartRate, moment, end: nil, 60 + Double(index % 50))
    day.add(.skinTemperature, moment, end: nil, 33)
    day.add(.spo2, moment, end: nil, 97)
    day.add(.steps, moment, end: moment + 60_000_000, 30)
  }
  for index in 0..<16 {
    let moment = span.lowerBound - 2 * hour + Int64(index) * hour / 2
    day.add(.sleepStage, moment, end: moment + hour / 2, Double(1 + index % 4))
  }
  return day
}

/// How often a text has another in it.
private func count(_ text: String, _ part: String) -> Int { text.indices.count { text[$0...].hasPrefix(part) } }

struct CLIReportTests {
  @Test func `a name that would run is shown there as text, whatever it belongs to`() throws {
    let page = renderPage([try report(wearer: hostile)])
    #expect(!page.contains("<script") && !page.contains("<b>odd") && !page.contains("\u{1B}"))
    #expect(page.contains("worn by <b>&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"))
    // Every tag that is opened is of ours.
    let ours = [
      "!DOCTYPE", "html", "head", "meta", "title", "style", "body", "main", "header", "h1", "h2", "span", "p", "b",
      "dl",
      "div", "dt", "dd", "section", "svg", "line", "rect", "text", "path", "table", "tr", "td", "i",
    ]
    let tags = Set(page.split(separator: "<").dropFirst().map { $0.prefix { $0.isLetter || $0.isNumber || $0 == "!" } })
    #expect(tags.subtracting([""]).map(String.init).allSatisfy(ours.contains), "\(tags)")
  }

  @Test func `the page needs no other file, and has each curve`() throws {
    let page = renderPage([try report()])
    for foreign in ["http:", "https:", "src=", "url(", "@import", "<link", "onload"] {
      #expect(!page.contains(foreign))
    }
    #expect(page.contains("default-src 'none'"))
    #expect(count(page, "<svg ") == 6)
    for title in ["Heart rate", "Sleep", "Steps in each hour", "Skin temperature", "Oxygen saturation", "Coverage"] {
      #expect(page.contains("<h2>\(title)"), "\(title)")
    }
  }

  @Test func `a person's page has a sheet for each wearable, with the times of wearing and without the others`() throws
  {
    func sheet(_ device: String, _ enrolment: Int, _ worn: [Range<Int64>]) throws -> ReportDay {
      let day = try report()
      var coverage = day.coverage
      (coverage.device, coverage.enrolment, coverage.wearer) = (device, enrolment, "Ada")
      coverage.worn = worn.map { part in
        func time(_ hours: Int64) -> String { WallTime(microseconds: day.span.lowerBound + hours * hour).rfc3339 }
        return .init(from: time(part.lowerBound), to: time(part.upperBound))
      }
      return ReportDay(
        coverage, lines: [], events: [], date: day.date, time: day.time, hub: "gym", kind: "HR strap")
    }
    let sheets = [try sheet("band-02", 1, [0..<24]), try sheet("strap-07", 2, [8..<12, 20..<24])]
    let page = renderPage(sheets)
    #expect(count(page, "<main>") == 2 && count(page, "worn by <b>Ada</b>") == 2 && count(page, "<title>Ada, ") == 1)
    #expect(page.contains("<b>Ada</b></p>") && page.contains("<b>Ada</b>, 08:00 to 12:00, 20:00 to 24:00</p>"))
    #expect(sheets[1].wearers == ["Ada"])
    // The strip is white only in the eight hours of wearing.
    #expect(count(page, "class=\"uncovered\"") == 3 * 1 + 3 * 2)
    let none = renderPage([try sheet("Ada", 0, [])])
    #expect(none.contains("wore no wearable on this day") && !none.contains("<svg"))
  }

  @Test func `each sample stands on the sheet of its enrolment, and events on that of the time of wearing`() throws {
    let day = try report()
    func coverage(_ enrolment: Int, _ worn: Range<Int64>) -> CoverageDocument {
      func time(_ hours: Int64) -> String { WallTime(microseconds: day.span.lowerBound + hours * hour).rfc3339 }
      return CoverageDocument(
        device: "strap-01", zone: "UTC", since: time(0), until: time(24), seconds: 1, series: [],
        enrolment: enrolment, wearer: "Ada", worn: [.init(from: time(worn.lowerBound), to: time(worn.upperBound))])
    }
    func event(_ hours: Int64, _ device: String?) -> EventDocument {
      EventDocument(
        number: UInt64(hours), time: WallTime(microseconds: day.span.lowerBound + hours * hour).rfc3339, code: "H2104",
        area: "", device: device, text: "")
    }
    var sheets = ReportSheets(
      [coverage(1, 0..<12), coverage(2, 12..<24)], [],
      [event(25, nil), event(20, "strap-01"), event(15, nil), event(5, "strap-01"), event(4, "strap-02")], day.date,
      day.time, hub: nil, kind: { _ in nil })
    sheets.add(1, .heartRate, day.span.lowerBound, end: nil, 60)
    sheets.add(2, .heartRate, day.span.lowerBound + hour, end: nil, 61)
    sheets.add(2, .heartRate, day.span.lowerBound + 2 * hour, end: nil, 62)
    sheets.add(3, .heartRate, day.span.lowerBound + 3 * hour, end: nil, 63)
    #expect(sheets.all.map(\.heart.count) == [1, 2])
    #expect(sheets.all.map { $0.events.map(\.number) } == [[5, 15], [15, 20]])
    #expect(sheets.subject == "Ada" && sheets.devices == ["strap-01", "strap-01"])
  }

  @Test func `what is too much for a sheet is counted`() throws {
    let page = renderPage([try report(series: 12, gaps: 30)])
    #expect(count(page, "<tr>") == 2 * (ReportSize.rows + 1))
    #expect(page.contains("and 23 more"))
    #expect(page.contains("5 more with hearth coverage"))
  }

  @Test(arguments: [("2026-03-29", 23), ("2026-10-25", 25)])
  func `days on which clocks change have their hours`(date: String, hours: Int) throws {
    let day = try report(date, zone: try #require(TimeZoneRules.named("Europe/Berlin")))
    #expect(day.steps.count == hours)
    let page = renderPage([day])
    #expect(page.contains("a day of \(hours) hours") && page.contains("Europe/Berlin"))
    #expect(page.contains(">22:00</text>"))
  }

  @Test func `zones rest on the rate that was entered, else on the age, and say so; without either there are no zones`()
    throws
  {
    let date = try #require(LocalDate(text: "2026-11-20"))
    #expect(ReportDay.Zones(highest: nil, born: nil, on: date) == nil)
    let entered = try #require(ReportDay.Zones(highest: 180, born: LocalDate(text: "1980-05-17"), on: date))
    #expect(entered.edges == [90, 108, 126, 144, 162, 180])
    let estimated = try #require(ReportDay.Zones(highest: nil, born: LocalDate(text: "1980-12-17"), on: date))
    // 45 until December: 208 - 31.5.
    #expect(estimated.highest == 177 && estimated.basis.contains("Tanaka"))
    #expect(ReportDay.Zones(highest: 500, born: LocalDate(text: "2027-01-01"), on: date) == nil)
    var day = try report()
    #expect(!renderPage([day]).contains("class=\"zone"))
    day.zones = entered
    #expect(renderPage([day]).contains("class=\"zone1\""))
  }

  @Test func `of two sleeps that ended on the day the longer one is shown, of another day neither`() throws {
    var day = try report()
    let night = day.night
    #expect(night.count == 16 && night.first?.span.lowerBound == day.span.lowerBound - 2 * hour)
    let nap = day.span.lowerBound + 14 * hour
    day.add(.sleepStage, nap, end: nap + hour, 3)
    #expect(day.night.count == 16)
    var other = day
    other.add(.sleepStage, day.span.lowerBound - 20 * hour, end: day.span.lowerBound - 8 * hour, 4)
    #expect(other.night.count == 16)
    for (end, stage) in [(Int64.min, 3.0), (Int64.max, 3.0), (nap, 99.0), (nap, .nan)] {
      day.add(.sleepStage, .min, end: end, stage)
    }
    #expect(day.night.count == 16)
  }

  @Test func `steps of an interval are shared among its hours`() throws {
    var day = try report()
    let before = day.steps.compactMap { $0 }.reduce(0, +)
    day.add(.steps, day.span.lowerBound + hour / 2, end: day.span.lowerBound + 3 * hour / 2, 1000)
    let after = day.steps.compactMap { $0 }.reduce(0, +)
    #expect(abs(after - before - 1000) < 1e-6)
    #expect(abs((day.steps[0] ?? 0) - (day.steps[1] ?? 0)) < 1e-6)
    for (time, end) in [(Int64.min, Int64.max), (.max, .min)] { day.add(.steps, time, end: end, 5) }
    day.add(.steps, day.span.lowerBound, end: nil, .infinity)
    #expect(day.steps.allSatisfy { $0?.isFinite ?? true })
  }
}
