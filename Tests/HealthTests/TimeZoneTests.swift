import Foundation
import Testing

@testable import CivilTime

@Suite("A time zone")
struct TimeZoneTests {
  /// Lines of zone, seconds since 1970, offset. `HEARTH_ZONES=FILE` gives others, of zones of this machine.
  static let offsets: [(zone: String, second: Int64, offset: Int)] = {
    let other = ProcessInfo.processInfo.environment["HEARTH_ZONES"]
    let file = other.map { URL(fileURLWithPath: $0) } ?? Zones.folder.appendingPathComponent("offsets.txt")
    return try! String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
      let parts = line.split(separator: " ")
      return (String(parts[0]), Int64(parts[1])!, Int(parts[2])!)
    }
  }()

  @Test("has the offsets that another implementation finds before and after every change of clocks")
  func vectors() throws {
    let isOwn = ProcessInfo.processInfo.environment["HEARTH_ZONES"] == nil
    var zones: [String: TimeZoneRules] = [:]
    var wrong: [String] = []
    #expect(Self.offsets.count > 2000)
    for line in Self.offsets {
      let zone =
        try zones[line.zone]
        ?? (isOwn ? Zones.rules(line.zone) : #require(TimeZoneRules.named(line.zone), "\(line.zone)"))
      zones[line.zone] = zone
      if zone.offset(at: line.second * second) != line.offset { wrong.append("\(line)") }
    }
    #expect(wrong.count == 0, "\(wrong.prefix(5))")
  }

  @Test("says when clocks change next, and by how much; a change of the name alone is no change")
  func nextChange() throws {
    let berlin = Zones.rules("Europe-Berlin")
    // 2026-11-21T10:00:00Z, then each change on from there.
    var time: Int64 = 1_795_255_200 * second
    var found: [String] = []
    for _ in 0..<3 {
      let change = try #require(berlin.nextChange(after: time))
      found.append("\(change.time / second) \(change.shift)")
      time = change.time
    }
    #expect(found == ["1806195600 3600", "1824944400 -3600", "1837645200 3600"])
    #expect(berlin.nextChange(after: 1_795_255_200 * second, within: 86_400) == nil)
    #expect(TimeZoneRules.utc.nextChange(after: 0) == nil)
    #expect(Zones.rules("Australia-Lord_Howe").nextChange(after: 1_795_255_200 * second)?.shift == -1800)
    for line in Self.offsets.prefix(400) {
      let zone = Zones.rules(line.zone)
      guard let change = zone.nextChange(after: line.second * second) else { continue }
      #expect(
        change.shift != 0 && zone.offset(at: change.time) - zone.offset(at: change.time - second) == change.shift,
        "\(line)")
    }
  }

  struct Day: CustomTestStringConvertible, Sendable {
    let zone: String
    let date: String
    let start: String
    let hours: Double
    var testDescription: String { "\(zone) \(date)" }
    init(_ zone: String, _ date: String, _ start: String, _ hours: Double) {
      (self.zone, self.date, self.start, self.hours) = (zone, date, start, hours)
    }
  }

  @Test(
    "gives a day its true begin and length",
    arguments: [
      Day("Europe/Berlin", "2026-11-21", "2026-11-21T00:00:00+01:00", 24),
      Day("Europe/Berlin", "2026-03-29", "2026-03-29T00:00:00+01:00", 23),
      Day("Europe/Berlin", "2026-10-25", "2026-10-25T00:00:00+02:00", 25),
      Day("Europe/Berlin", "2996-10-31", "2996-10-31T00:00:00+01:00", 24),
      // Standard time is the one in summer, by law.
      Day("Europe/Dublin", "2026-10-25", "2026-10-25T00:00:00+01:00", 25),
      // Clocks go forward at 00:00: the day begins at 01:00.
      Day("America/Sao_Paulo", "2018-11-04", "2018-11-04T01:00:00-02:00", 23),
      Day("Asia/Beirut", "2022-03-27", "2022-03-27T01:00:00+03:00", 23),
      Day("Africa/Cairo", "2023-04-28", "2023-04-28T01:00:00+03:00", 23),
      Day("Africa/Cairo", "2045-04-28", "2045-04-28T01:00:00+03:00", 23),
      // Back at 24:00: the last hour comes twice.
      Day("America/Sao_Paulo", "2018-02-17", "2018-02-17T00:00:00-02:00", 25),
      Day("America/Sao_Paulo", "2018-02-18", "2018-02-18T00:00:00-03:00", 24),
      Day("Africa/Cairo", "2023-10-26", "2023-10-26T00:00:00+03:00", 25),
      Day("America/Nuuk", "2026-10-24", "2026-10-24T00:00:00-01:00", 25),
      // Forward on the evening before.
      Day("America/Nuuk", "2026-03-28", "2026-03-28T00:00:00-02:00", 23),
      // Back at 01:00: 00:00 comes twice.
      Day("America/Havana", "2026-11-01", "2026-11-01T00:00:00-04:00", 25),
      // Back at 00:01: the minute counts to the day that comes back.
      Day("America/St_Johns", "2010-11-06", "2010-11-06T00:00:00-02:30", 25),
      Day("America/St_Johns", "2010-11-07", "2010-11-07T00:00:00-03:30", 24),
      // Half an hour.
      Day("Australia/Lord_Howe", "2026-04-05", "2026-04-05T00:00:00+11:00", 24.5),
      Day("Australia/Lord_Howe", "2026-10-04", "2026-10-04T00:00:00+10:30", 23.5),
      // The date line.
      Day("Pacific/Apia", "2011-12-29", "2011-12-29T00:00:00-10:00", 24),
      Day("Pacific/Apia", "2011-12-30", "2011-12-31T00:00:00+14:00", 0),
      Day("Pacific/Apia", "2011-12-31", "2011-12-31T00:00:00+14:00", 24),
      Day("Pacific/Kwajalein", "1993-08-21", "1993-08-22T00:00:00+12:00", 0),
      // Forward and back for Ramadan.
      Day("Africa/Casablanca", "2026-02-15", "2026-02-15T00:00:00+01:00", 25),
    ])
  func days(_ day: Day) {
    let zone = Zones.rules(day.zone)
    let span = zone.span(of: date(day.date))
    #expect(span.lowerBound == at(day.start))
    #expect(Double(span.upperBound - span.lowerBound) == day.hours * Double(hour))
    if !span.isEmpty {
      #expect(zone.date(of: span.lowerBound).text == day.date)
      #expect(zone.date(of: span.upperBound - 1).text == day.date)
    }
    #expect(zone.date(of: span.lowerBound - 1) < date(day.date))
    #expect(zone.date(of: span.upperBound) > date(day.date))
  }

  @Test("repeats a day if the date line moved the other way")
  func repeatedDay() {
    let zone = Zones.rules("America/Juneau")
    // Alaska was sold, and one Friday came twice.
    let span = zone.span(of: date("1867-10-18"))
    #expect(span.upperBound - span.lowerBound == 48 * hour)
    #expect(zone.date(of: span.lowerBound).text == "1867-10-18")
  }

  @Test("has days that tile all time, each time in the day it belongs to", arguments: Zones.names)
  func tiles(_ name: String) {
    let zone = Zones.rules(name)
    var random = Seeded(name.utf8.count)
    for _ in 0..<300 {
      let time = Int64.random(in: at("1860-01-01T00:00:00Z")...at("2100-01-01T00:00:00Z"), using: &random)
      let day = zone.date(of: time)
      let span = zone.span(of: day)
      #expect(span.contains(time))
      let next = zone.span(of: LocalDate(dayNumber: day.dayNumber + 1))
      #expect(next.lowerBound == span.upperBound)
      #expect(zone.date(of: span.upperBound - 1) == day)
      #expect(zone.date(of: span.upperBound) > day)
      #expect(zone.date(of: span.lowerBound) == day)
    }
  }

  @Test("has the days that clocks show, looked at minute by minute", arguments: Zones.names)
  func naive(_ name: String) {
    let zone = Zones.rules(name)
    func shown(_ time: Int64) -> Int64 {
      let seconds = time / second + Int64(zone.offset(at: time))
      return seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
    }
    // The days around some changes of clocks, by table and by rule: all would take minutes.
    let changes = TimeZoneTests.changes(of: name).filter { $0 > 0 && $0 < at("2047-01-01T00:00:00Z") / second }
    for line in changes.prefix(6) + changes.dropFirst(6).suffix(2) {
      let from = (line / 86_400 - 2) * 86_400 * second
      // A day is over when no clock will show it again.
      var lowest = Int64.max
      var index = 6 * 1440
      while index >= 0 {
        let time = from + Int64(index) * 60 * second
        lowest = min(lowest, shown(time))
        if index <= 4 * 1440, zone.date(of: time).dayNumber != lowest {
          Issue.record("\(name) at \(time)")
          return
        }
        index -= 1
      }
    }
  }

  /// Seconds since 1970 from which on the vectors know another offset.
  static func changes(of name: String) -> [Int64] {
    let own = offsets.filter { $0.zone == name.replacingOccurrences(of: "/", with: "-") }
    return zip(own, own.dropFirst()).filter { $0.offset != $1.offset && $1.second == $0.second + 1 }.map { $1.second }
  }

  @Test("answers at both ends of time")
  func ends() {
    for name in Zones.names + ["UTC"] {
      let zone = name == "UTC" ? .utc : Zones.rules(name)
      for time in [Int64.min, .min + 1, -1, 0, .max - 1, .max] {
        let day = zone.date(of: time)
        let span = zone.span(of: day)
        #expect(span.contains(time) || time == .max && span.upperBound == .max)
      }
      for date in [LocalDate(year: 300_000, month: 12, day: 31)!, LocalDate(year: -300_000, month: 1, day: 1)!] {
        #expect(zone.span(of: date).isEmpty)
      }
    }
  }

  @Test("in UTC has days of 24 hours and no surprises")
  func utc() {
    #expect(TimeZoneRules.utc.name == "UTC")
    #expect(TimeZoneRules.utc.offset(at: at("2026-07-01T00:00:00Z")) == 0)
    #expect(TimeZoneRules.utc.span(of: date("2026-11-21")) == at("2026-11-21T00:00:00Z")..<at("2026-11-22T00:00:00Z"))
    #expect(TimeZoneRules.utc.date(of: -1).text == "1969-12-31")
  }

  @Test("is found on this machine by name alone, never by a path")
  func names() {
    #expect(TimeZoneRules.named("UTC")?.name == "UTC")
    #expect(TimeZoneRules.named("Nowhere/Atlantis") == nil)
    for name in [
      "", "/etc/localtime", "../../../etc/localtime", "Europe/../Europe/Berlin", "Europe//Berlin", "Europe/", "a\0b",
      String(repeating: "a", count: 65),
    ] {
      #expect(!TimeZoneRules.isZoneName(name))
      #expect(TimeZoneRules.named(name) == nil)
    }
    #expect(TimeZoneRules.isZoneName("America/Argentina/ComodRivadavia"))
    #expect(TimeZoneRules.isZoneName("Etc/GMT+12"))
    let name = TimeZoneRules.local().name
    #expect(name == "local" || TimeZoneRules.isZoneName(name))
  }

  @Test("is the same from a long file as from a short one with a rule")
  func longFile() {
    let (long, short) = (Zones.rules("Europe/Berlin-long"), Zones.rules("Europe/Berlin"))
    for hours in 0..<800_000 where hours % 7 == 0 {
      let time = Int64(hours) * hour
      if long.offset(at: time) != short.offset(at: time) {
        Issue.record("differs at \(time)")
        return
      }
    }
  }
}

@Suite("A time zone file")
struct TZifTests {
  /// A file of version 2 with an empty first part.
  private func file(
    changes: [(Int64, UInt8)] = [], offsets: [Int32] = [0], rule: String = "", leaps: UInt32 = 0, version: String = "2"
  ) -> [UInt8] {
    func header(_ counts: [UInt32]) -> [UInt8] {
      Array("TZif".utf8) + Array(version.utf8) + [UInt8](repeating: 0, count: 15) + counts.flatMap { big($0) }
    }
    var bytes = header([0, 0, 0, 0, 1, 1]) + [UInt8](repeating: 0, count: 7)
    bytes += header([0, 0, leaps, UInt32(changes.count), UInt32(offsets.count), 4])
    for change in changes { bytes += big(change.0) }
    for change in changes { bytes.append(change.1) }
    for offset in offsets { bytes += big(offset) + [0, 0] }
    bytes += Array("LMT\0".utf8)
    bytes += [UInt8](repeating: 0, count: Int(leaps) * 12)
    return bytes + Array("\n\(rule)\n".utf8)
  }

  private func big(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }

  @Test("is read: changes, offsets, what holds before the first and after the last")
  func made() throws {
    let zone = try #require(
      TimeZoneRules(tzif: file(changes: [(-100, 1), (100, 2)], offsets: [60, 3600, 7200]), name: "Test/Zone"))
    #expect(zone.name == "Test/Zone")
    #expect([-101, -100, 99, 100, 1_000_000_000].map { zone.offset(at: $0 * second) } == [60, 3600, 3600, 7200, 7200])
  }

  @Test("of version 1 is read without a rule")
  func versionOne() throws {
    var bytes = Array("TZif".utf8) + [UInt8](repeating: 0, count: 16)
    for count in [0, 0, 0, 1, 2, 4] as [UInt32] { bytes += big(count) }
    bytes += big(Int32(-5)) + [1]
    bytes += big(Int32(0)) + [0, 0]
    bytes += big(Int32(-3600)) + [0, 0]
    bytes += Array("LMT\0".utf8)
    let zone = try #require(TimeZoneRules(tzif: bytes, name: "old"))
    #expect([-6, -5, 7].map { zone.offset(at: $0 * second) } == [0, -3600, -3600])
  }

  @Test("with a change before the world is read")
  func bigBang() throws {
    let zone = try #require(TimeZoneRules(tzif: file(changes: [(.min, 1), (0, 0)], offsets: [60, 3600]), name: ""))
    #expect([-1, 0].map { zone.offset(at: $0 * second) } == [3600, 60])
    #expect(zone.date(of: .min) < date("1970-01-01"))
  }

  @Test("that is damaged is refused")
  func damaged() {
    let good = file(changes: [(0, 0), (1, 1)], offsets: [0, 3600], rule: "CET-1CEST,M3.5.0,M10.5.0/3")
    #expect(TimeZoneRules(tzif: good, name: "") != nil)
    for length in 0..<good.count {
      #expect(TimeZoneRules(tzif: Array(good[..<length]), name: "") == nil, "cut to \(length)")
    }
    #expect(TimeZoneRules(tzif: file(changes: [(1, 0), (1, 0)]), name: "") == nil)
    #expect(TimeZoneRules(tzif: file(changes: [(1, 0), (0, 0)]), name: "") == nil)
    #expect(TimeZoneRules(tzif: file(changes: [(0, 1)]), name: "") == nil)
    #expect(TimeZoneRules(tzif: file(offsets: []), name: "") == nil)
    #expect(TimeZoneRules(tzif: file(offsets: [93_600]), name: "") == nil)
    #expect(TimeZoneRules(tzif: file(offsets: [-90_000]), name: "") == nil)
    #expect(TimeZoneRules(tzif: file(rule: "CET-1CEST"), name: "") == nil)
    #expect(TimeZoneRules(tzif: file(leaps: 1), name: "") == nil)
    #expect(TimeZoneRules(tzif: file(version: "5"), name: "") == nil)
    #expect(TimeZoneRules(tzif: file(changes: (0..<4097).map { ($0, 0) }), name: "") == nil)
    #expect(TimeZoneRules(tzif: good + [UInt8](repeating: 0, count: 65_536), name: "") == nil)
  }

  @Test("with any byte changed is refused or gives a zone that still answers", arguments: 0..<8)
  func hostile(seed: Int) {
    var random = Seeded(seed)
    let names = Zones.names
    for _ in 0..<400 {
      var bytes = Zones.bytes(names[Int.random(in: names.indices, using: &random)])
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      guard let zone = TimeZoneRules(tzif: bytes, name: "") else { continue }
      for _ in 0..<20 {
        let time = Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<24, using: &random)
        #expect(zone.span(of: zone.date(of: time)).contains(time))
      }
    }
  }
}

@Suite("A yearly rule")
struct YearlyRuleTests {
  private func rule(_ text: String) -> YearlyRule? { YearlyRule(text.utf8) }

  /// Offsets in hours at the first of each month.
  private func months(_ text: String, _ year: Int) -> [Double]? {
    guard let rule = rule(text) else { return nil }
    return (1...12).map {
      Double(rule.stretch(at: LocalDate(year: year, month: $0, day: 1)!.dayNumber * 86_400).offset) / 3600
    }
  }

  @Test("without another time holds all year")
  func fixed() {
    #expect(months("<-03>3", 2030) == Array(repeating: -3, count: 12))
    #expect(months("<+0545>-5:45", 2030) == Array(repeating: 5.75, count: 12))
    #expect(rule("<+12>-12")?.stretch(at: 0) == TimeZoneRules.Stretch(offset: 43_200))
  }

  @Test("is followed on both halves of the Earth")
  func halves() {
    #expect(months("CET-1CEST,M3.5.0,M10.5.0/3", 2030) == [1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 1, 1])
    #expect(months("AEST-10AEDT,M10.1.0,M4.1.0/3", 2030) == [11, 11, 11, 11, 10, 10, 10, 10, 10, 10, 11, 11])
    #expect(months("IST-1GMT0,M10.5.0,M3.5.0/1", 2030) == [0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0])
  }

  @Test("can say that the other time holds all year")
  func always() {
    #expect(months("XXX3EDT4,0/0,J365/23", 2031) == Array(repeating: -4, count: 12))
    let rule = YearlyRule("XXX3EDT4,0/0,J365/23".utf8)
    for second in stride(from: Int64(1_900_000_000), to: 1_970_000_000, by: 1800) {
      if rule?.stretch(at: second).offset != -14_400 {
        Issue.record("not at \(second)")
        return
      }
    }
  }

  @Test("counts days of the year with and without leap days")
  func dayNumbers() throws {
    let begins = { (text: String, year: Int64) in
      try #require(YearlyRule("AAA0BBB,\(text)/0,J360".utf8)?.daylight).begin.local(in: year) / 86_400
    }
    #expect(try begins("J59", 2024) == date("2024-02-28").dayNumber)
    #expect(try begins("J60", 2024) == date("2024-03-01").dayNumber)
    #expect(try begins("J60", 2025) == date("2025-03-01").dayNumber)
    #expect(try begins("59", 2024) == date("2024-02-29").dayNumber)
    #expect(try begins("59", 2025) == date("2025-03-01").dayNumber)
    #expect(try begins("M2.5.4", 2024) == date("2024-02-29").dayNumber)
    #expect(try begins("M2.5.4", 2025) == date("2025-02-27").dayNumber)
    #expect(try begins("M3.1.6", 2025) == date("2025-03-01").dayNumber)
    #expect(try begins("M11.2.0", 2026) == date("2026-11-08").dayNumber)
  }

  @Test("may change clocks days before or after the day it names")
  func longTimes() throws {
    let rule = try #require(YearlyRule("EET-2EEST,M3.4.4/50,M10.4.4/-50:30:15".utf8))
    #expect(rule.daylight?.begin.time == 180_000)
    #expect(rule.daylight?.end.time == -181_815)
  }

  @Test(
    "that is not one is refused",
    arguments: [
      "", "C", "CE1", "CET", "CET-", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M3.5.0,M10.5.0,",
      "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0",
      "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,J0,J100", "CET-1CEST,366,J100", "CET-1CEST,M3.5.0/168,M10.5.0", "CET25",
      "<CET-1", "<>0", "CET-1:60", "CET-1 ",
      "CET-0001", String(repeating: "A", count: 300) + "0",
    ])
  func refused(_ text: String) {
    #expect(rule(text) == nil)
  }
}
