import CivilTime
import Foundation
import Testing

@testable import Health

private let automatic = SampleFlags(origin: .fetched).rawValue

private func flags(_ kind: SampleKind, manual: Bool = false) -> UInt8 {
  SampleFlags(origin: .fetched, kind: kind, isManual: manual).rawValue
}

/// What the accumulator does, item by item and day by day, without a thought for time or memory.
private struct NaiveDays: Equatable {
  struct Part: Equatable {
    var time: Int64, flags: SampleFlags, value: Int64, share: Int64, length: Int64
  }
  var parts: [LocalDate: [Part]] = [:]
  let zone: TimeZoneRules
  let isInterval: Bool

  static func == (a: NaiveDays, b: NaiveDays) -> Bool { a.parts == b.parts }

  init(_ zone: TimeZoneRules, isInterval: Bool) { (self.zone, self.isInterval) = (zone, isInterval) }

  mutating func add(_ time: Int64, _ flags: UInt8, _ value: Int64, _ length: Int64) {
    let flags = SampleFlags(rawValue: flags)!
    if !isInterval || length == 0 {
      parts[zone.date(of: time), default: []].append(
        Part(time: time, flags: flags, value: value, share: value, length: 0))
      return
    }
    // By midnights: the share up to each is rounded down, the last takes what is left.
    var cuts: [(date: LocalDate, begin: Int64, end: Int64)] = []
    var begin = time
    while begin < time + length {
      let date = zone.date(of: begin)
      let end = min(zone.span(of: date).upperBound, time + length)
      cuts.append((date, begin, end))
      begin = end
    }
    // A part of less than 20 s, and less than half of it, is of the day beside it.
    let sliver = min(20_000_000, length / 2)
    if cuts.count > 1, cuts[0].end - cuts[0].begin < sliver { cuts.removeFirst() }
    if cuts.count > 1, cuts[cuts.count - 1].end - cuts[cuts.count - 1].begin < sliver {
      cuts.removeLast()
      cuts[cuts.count - 1].end = time + length
    }
    var (shared, from) = (Int64(0), time)
    for (date, begin, end) in cuts {
      let exact = (Double(value) * Double(end - time) / Double(length)).rounded(.down)
      let upTo = end == time + length ? value : Int64(exact)
      parts[date, default: []].append(
        Part(time: begin, flags: flags, value: value, share: upTo - shared, length: end - from))
      (from, shared) = (end, upTo)
    }
  }

  func check(_ days: [DaySummary]) {
    #expect(days.map(\.date) == parts.keys.sorted())
    for day in days {
      guard let all = parts[day.date] else { continue }
      let normal = all.filter { $0.flags.kind == .normal }
      let (maxima, minima) = (all.filter { $0.flags.kind == .maximum }, all.filter { $0.flags.kind == .minimum })
      #expect(day.start..<day.end == zone.span(of: day.date))
      #expect(day.count == normal.count)
      #expect(day.manual == normal.filter { $0.flags.isManual }.count)
      #expect(day.automatic == day.count - day.manual)
      #expect(day.minimum == (normal + minima).map(\.value).min())
      #expect(day.maximum == (normal + maxima).map(\.value).max())
      #expect(day.first == all.map(\.time).min())
      #expect(day.last == all.map(\.time).max())
      let resting = all.filter { $0.flags.kind == .resting }
      let lastTime = resting.map(\.time).max()
      #expect(day.resting == resting.last { $0.time == lastTime }?.value)
      #expect(day.sum == (normal.isEmpty ? nil : Double(normal.reduce(0) { $0 + $1.share })))
      let weight = normal.reduce(0) { $0 + $1.length }
      let mean =
        weight > 0
        ? normal.reduce(0.0) { $0 + Double($1.value) * Double($1.length) } / Double(weight)
        : Double(normal.reduce(0) { $0 + $1.value }) / Double(normal.count)
      if normal.isEmpty { #expect(day.mean == nil) } else { #expect(abs(day.mean! - mean) <= 1e-9 * max(1, abs(mean))) }
    }
  }
}

@Suite("Days")
struct DaysTests {
  private let berlin = Zones.rules("Europe/Berlin")

  @Test("of scalars have count, extremes, mean, sum, first and last")
  func scalars() throws {
    var days = DayAccumulator(.heartRate, zone: berlin)
    days.add(time: at("2026-11-21T00:00:00+01:00"), flags: automatic, value: 60)
    days.add(time: at("2026-11-21T12:00:00+01:00"), flags: flags(.normal, manual: true), value: 90)
    days.add(time: at("2026-11-21T23:59:59+01:00"), flags: automatic, value: 63)
    days.add(time: at("2026-11-22T00:00:00+01:00"), flags: automatic, value: 50)
    #expect(days.days.map(\.date.text) == ["2026-11-21", "2026-11-22"])
    let day = try #require(days.days.first)
    #expect(day.start == at("2026-11-21T00:00:00+01:00"))
    #expect(day.end == at("2026-11-22T00:00:00+01:00"))
    #expect((day.count, day.manual, day.automatic) == (3, 1, 2))
    #expect((day.minimum, day.maximum, day.mean, day.sum) == (60, 90, 71, 213))
    #expect((day.first, day.last) == (at("2026-11-21T00:00:00+01:00"), at("2026-11-21T23:59:59+01:00")))
    #expect(day.resting == nil)
  }

  @Test("take extremes and resting values that the wearable computed for what they are")
  func kinds() throws {
    var days = DayAccumulator(.heartRate, zone: .utc)
    let noon = at("2026-11-21T12:00:00Z")
    days.add(time: noon, flags: flags(.maximum), value: 180)
    var day = try #require(days.days.first)
    #expect((day.count, day.maximum, day.minimum, day.mean, day.sum) == (0, 180, nil, nil, nil))
    days.add(time: noon, flags: automatic, value: 100)
    days.add(time: noon, flags: flags(.minimum), value: 48)
    days.add(time: noon, flags: flags(.resting, manual: true), value: 40)
    days.add(time: noon - hour, flags: flags(.resting), value: 55)
    day = try #require(days.days.first)
    #expect((day.count, day.maximum, day.minimum, day.mean, day.manual, day.automatic) == (1, 180, 48, 100, 0, 1))
    // The later one, though it came first.
    #expect(day.resting == 40)
    #expect(day.first == noon - hour)
    days.add(time: noon, flags: flags(.resting), value: 42)
    #expect(days.days.first?.resting == 42)
  }

  @Test("come ascending whatever the order of the items, and keep duplicates")
  func anyOrder() {
    var days = DayAccumulator(.spo2, zone: berlin)
    for day in [5, 3, 9, 3, 1, 9] { days.add(time: at("2026-11-0\(day)T08:00:00Z"), flags: automatic, value: 97) }
    #expect(days.days.map(\.date.day) == [1, 3, 5, 9])
    #expect(days.days.map(\.count) == [1, 2, 1, 2])
  }

  @Test("split an interval at midnight: in proportion for the sum, with its value for the rest")
  func intervals() throws {
    var days = DayAccumulator(.steps, zone: berlin)
    days.add(time: at("2026-11-21T23:40:00+01:00"), flags: automatic, value: 100, length: hour)
    days.add(time: at("2026-11-22T10:00:00+01:00"), flags: flags(.normal, manual: true), value: 400, length: 2 * hour)
    #expect(days.days.map(\.sum) == [33, 467])
    #expect(days.days.map(\.count) == [1, 2])
    #expect(days.days.map(\.maximum) == [100, 400])
    #expect(days.days.map(\.minimum) == [100, 100])
    let second = try #require(days.days.last)
    #expect(second.first == second.start)
    // 100 for 40 minutes, 400 for 120.
    #expect(second.mean == 325)
  }

  @Test(
    "have 1,440 minutes each and no neighbour, whatever milliseconds a wearable's midnight is off",
    arguments: [-20_000, -900, -7, 7, 900, 20_000] as [Int64])
  func midnight(shift: Int64) {
    let start = at("2026-11-21T00:00:00+01:00")
    var days = DayAccumulator(.steps, zone: berlin)
    for minute in 0..<1440 {
      days.add(time: start + Int64(minute) * 60 * second + shift * 999, flags: automatic, value: 1, length: 60 * second)
    }
    #expect(days.days.map(\.date.text) == ["2026-11-21"])
    #expect(days.days.map(\.count) == [1440] && days.days.map(\.sum) == [1440])
    // And a sum of the whole day is of one day.
    var whole = DayAccumulator(.calories, zone: berlin)
    whole.add(time: start + shift * 999, flags: automatic, value: 20_000, length: 24 * hour)
    #expect(whole.days.map(\.date.text) == ["2026-11-21"] && whole.days.map(\.sum) == [20_000])
  }

  @Test("end an interval at the end of the day, and count one without length at its begin")
  func edges() {
    var days = DayAccumulator(.steps, zone: berlin)
    let midnight = at("2026-11-22T00:00:00+01:00")
    days.add(time: midnight - hour, flags: automatic, value: 10, length: hour)
    #expect(days.days.map(\.sum) == [10])
    days.add(time: midnight, flags: automatic, value: 7, length: 0)
    #expect(days.days.map(\.sum) == [10, 7])
    #expect(days.days.map(\.mean) == [10, 7])
  }

  @Test("of 23 and 25 hours split an interval by the time that passed")
  func clockChange() {
    var days = DayAccumulator(.steps, zone: berlin)
    // Three local days from midnight on, 24 + 23 + 24 hours.
    days.add(time: at("2026-03-28T00:00:00+01:00"), flags: automatic, value: 71_000, length: 71 * hour)
    #expect(days.days.map(\.sum) == [24_000, 23_000, 24_000])
    // Over a day that did not exist.
    var apia = DayAccumulator(.steps, zone: Zones.rules("Pacific/Apia"))
    apia.add(time: at("2011-12-29T12:00:00-10:00"), flags: automatic, value: 24, length: 24 * hour)
    #expect(apia.days.map(\.date.text) == ["2011-12-29", "2011-12-31"])
    #expect(apia.days.map(\.sum) == [12, 12])
  }

  @Test("of vectors take the first component, of records and waveforms only count whole items")
  func otherLayouts() throws {
    var ppi = DayAccumulator(.ppi, zone: .utc)
    ppi.add(time: 0, flags: automatic, value: 800)
    #expect(ppi.days.first?.mean == 800)
    var ecg = DayAccumulator(.ecg, zone: .utc)
    let piece = SampleFlags(origin: .fetched, goesOn: true).rawValue
    for flags in [piece, piece, automatic, automatic] { ecg.add(time: 0, flags: flags, value: 7_692_307) }
    let day = try #require(ecg.days.first)
    #expect((day.count, day.mean, day.sum, day.minimum, day.maximum) == (2, nil, nil, nil, nil))
  }

  @Test("leave out and count what no program of ours wrote")
  func malformed() {
    var days = DayAccumulator(.steps, zone: .utc)
    for flags in [0x80, 0x83, 0xA3, 0xFF] as [UInt8] { days.add(time: 0, flags: flags, value: 1) }
    for length in [-1, .min, .max, DayAccumulator.longestInterval + 1] {
      days.add(time: 0, flags: automatic, value: 1, length: length)
    }
    #expect(days.malformed == 8)
    days.add(time: 0, flags: automatic, value: 1, length: DayAccumulator.longestInterval)
    #expect(days.days.count == 32)
    #expect(days.malformed == 8)
  }

  @Test("are at most so many; what would need more is counted, and the days that are there stay complete")
  func overflow() {
    var days = DayAccumulator(.steps, zone: .utc)
    for day in 0..<Int64(DayAccumulator.dayLimit) {
      days.add(time: day * 24 * hour, flags: automatic, value: 1, length: 0)
    }
    #expect(days.overflowed == 0)
    days.add(time: -1, flags: automatic, value: 1)
    let last = Int64(DayAccumulator.dayLimit) * 24 * hour
    // Half of it would have a day.
    days.add(time: last - hour, flags: automatic, value: 1, length: 2 * hour)
    #expect(days.overflowed == 2)
    days.add(time: hour, flags: automatic, value: 1)
    #expect(days.overflowed == 2)
    #expect(days.days.count == DayAccumulator.dayLimit)
    #expect(days.days.first?.count == 2)
    #expect(days.days.last?.count == 1)
  }

  @Test("hold at the ends of time and of values")
  func extremes() {
    for series in [Series.heartRate, .steps] {
      var days = DayAccumulator(series, zone: Zones.rules("Australia/Lord_Howe"))
      for time in [Int64.min, .max, 0, .max - 1, .min + 1, .max] {
        for value in [Int64.min, .max] { days.add(time: time, flags: automatic, value: value, length: 31 * 24 * hour) }
      }
      #expect(days.malformed + days.overflowed == 0)
      #expect(days.days.map(\.start) == days.days.map(\.start).sorted())
      #expect(days.days.allSatisfy { $0.minimum == .min && $0.maximum == .max })
    }
  }

  @Test("equal a naive computation for any items in any order", arguments: Zones.names, 0..<3)
  func property(name: String, seed: Int) {
    let zone = Zones.rules(name)
    var random = Seeded(seed * 1000 + name.utf8.count)
    let changes = TimeZoneTests.changes(of: name).filter { $0 > 0 && $0 < 2_400_000_000 }
    for series in [Series.heartRate, .calories] {
      let isInterval = series.layout == .interval
      var days = DayAccumulator(series, zone: zone)
      var naive = NaiveDays(zone, isInterval: isInterval)
      let around = (changes.randomElement(using: &random) ?? 1_700_000_000) * second
      var time = around
      for _ in 0..<2000 {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: time = around + Int64.random(in: -5 * 24 * hour...5 * 24 * hour, using: &random)
        case 1: time -= Int64.random(in: 0...hour, using: &random)
        case 2: break
        default: time += Int64.random(in: 0...600 * second, using: &random)
        }
        let length =
          isInterval && Bool.random(using: &random)
          ? Int64.random(in: 0...(Bool.random(using: &random) ? hour : 80 * hour), using: &random) : 0
        let kind = SampleKind(rawValue: UInt8(max(0, Int.random(in: -6...3, using: &random))))!
        let flags = flags(kind, manual: Bool.random(using: &random))
        let value = Int64.random(in: -1000...100_000, using: &random)
        days.add(time: time, flags: flags, value: value, length: length)
        naive.add(time, flags, value, length)
      }
      #expect(days.overflowed == 0)
      #expect(days.malformed == 0)
      naive.check(days.days)
    }
  }

  @Test("of the same items in another order are the same but for what the order decides")
  func orderFree() {
    var random = Seeded(7)
    var items = (0..<5000).map { _ in
      (
        Int64.random(in: 1_790_000_000...1_793_000_000, using: &random) * second,
        Int64.random(in: 0...900, using: &random), Int64.random(in: 0...(20 * hour), using: &random)
      )
    }
    var (forward, shuffled) = (DayAccumulator(.steps, zone: berlin), DayAccumulator(.steps, zone: berlin))
    for item in items { forward.add(time: item.0, flags: automatic, value: item.1, length: item.2) }
    items.shuffle(using: &random)
    for item in items { shuffled.add(time: item.0, flags: automatic, value: item.1, length: item.2) }
    #expect(forward.days == shuffled.days)
    #expect(forward.days.reduce(0) { $0 + $1.sum! } == Double(items.reduce(0) { $0 + $1.1 }))
  }
}
