import CivilTime
import EventLoop
import Foundation
import Testing

@testable import Health

/// Fresh seeds; `HEARTH_SEED=N` runs one again.
private let seeds: [UInt64] = {
  if let seed = ProcessInfo.processInfo.environment["HEARTH_SEED"].flatMap({ UInt64($0) }) { return [seed] }
  let drawn = (0..<12).map { _ in UInt64.random(in: 0...UInt64(Int64.max)) }
  print("days and lists of items: seeds \(drawn)")
  return drawn
}()

/// An item as an export has it.
private struct Raw {
  var time: Int64
  var flags: SampleFlags
  var values: [Int64]
}

/// A zone and a moment near which its clocks are changed, drawn from a seed.
private struct Place {
  let zone: TimeZoneRules
  let around: Int64
  var random: SplitMix64

  init(_ seed: UInt64) {
    random = SplitMix64(seed: seed)
    let name = Zones.names.randomElement(using: &random) ?? "Europe/Berlin"
    zone = Zones.rules(name)
    let changes = TimeZoneTests.changes(of: name).filter { $0 > 0 && $0 < 2_400_000_000 }
    around = (changes.randomElement(using: &random) ?? 1_700_000_000) * second
  }

  mutating func time() -> Int64 { around + Int64.random(in: -4 * 24 * hour...4 * 24 * hour, using: &random) }

  mutating func flags() -> SampleFlags {
    let kind = SampleKind(rawValue: UInt8(max(0, Int.random(in: -4...3, using: &random)))) ?? .normal
    return SampleFlags(
      origin: .fetched, kind: kind, isManual: Bool.random(using: &random),
      isLowQuality: Int.random(in: 0..<6, using: &random) == 0)
  }
}

@Suite("Days and lists of items, for any zone and any change of clocks,")
struct DailyPropertyTests {
  @Test("are what a naive computation over all items says", arguments: seeds)
  func days(seed: UInt64) {
    var place = Place(seed)
    // Two components, as a pressure has, and one alone.
    for series in [Series.groundTime, .heartRate] {
      let width = series.layout.valueCount
      var raw: [Raw] = []
      for _ in 0..<1500 {
        let values = (0..<width).map { _ in Int64.random(in: 40...200, using: &place.random) }
        raw.append(Raw(time: place.time() / second * second, flags: place.flags(), values: values))
      }
      var days = DayAccumulator(series, zone: place.zone)
      for item in raw { days.add(time: item.time, flags: item.flags.rawValue) { item.values[$0] } }
      let byDate = Dictionary(grouping: raw) { place.zone.date(of: $0.time) }
      #expect(days.days.map(\.date) == byDate.keys.sorted(), "seed \(seed)")
      for day in days.days {
        let all = byDate[day.date] ?? []
        #expect(all.allSatisfy { $0.time >= day.start && $0.time < day.end }, "seed \(seed)")
        check(day, all, seed)
      }
    }
  }

  private func check(_ day: DaySummary, _ all: [Raw], _ seed: UInt64) {
    func of(_ kind: SampleKind) -> [Raw] { all.filter { $0.flags.kind == kind && !$0.flags.isLowQuality } }
    #expect(day.doubtful == all.count(where: \.flags.isLowQuality), "seed \(seed)")
    #expect(day.first == all.map(\.time).min() && day.last == all.map(\.time).max(), "seed \(seed)")
    let manual = of(.normal).filter(\.flags.isManual).count
    #expect((day.count, day.manual) == (of(.normal).count, manual), "seed \(seed)")
    #expect(day.restingCount == of(.resting).count, "seed \(seed)")
    for (place, part) in day.parts.enumerated() {
      func values(_ kind: SampleKind) -> [Int64] { of(kind).map { $0.values[place] } }
      #expect(part.markedMaximum?.value == values(.maximum).max(), "seed \(seed)")
      #expect(part.markedMinimum?.value == values(.minimum).min(), "seed \(seed)")
      let derivedMaximum = values(.maximum).isEmpty ? values(.normal).max() : nil
      let derivedMinimum = values(.minimum).isEmpty ? values(.normal).min() : nil
      #expect(part.derivedMaximum?.value == derivedMaximum, "seed \(seed)")
      #expect(part.derivedMinimum?.value == derivedMinimum, "seed \(seed)")
      // The first time of each.
      let first = of(.normal).filter { $0.values[place] == derivedMaximum }.map(\.time).min()
      #expect(part.derivedMaximum?.time == first, "seed \(seed)")
      let latest = of(.resting).map(\.time).max()
      #expect(part.resting?.value == of(.resting).last { $0.time == latest }?.values[place], "seed \(seed)")
      let normal = values(.normal)
      let mean = normal.isEmpty ? nil : Double(normal.reduce(0, +)) / Double(normal.count)
      #expect(day.mean(of: part) == mean, "seed \(seed)")
    }
  }

  @Test("a range of times is widened to the days that it touches, and no further", arguments: seeds)
  func ranges(seed: UInt64) {
    var place = Place(seed)
    for _ in 0..<300 {
      let (a, b) = (place.time(), place.time())
      let (since, until) = (min(a, b), max(a, b) + 1)
      let wide = place.zone.wholeDays(since: since, until: until)
      let touched = (place.zone.date(of: since), place.zone.date(of: until - 1))
      #expect(wide.since == place.zone.span(of: touched.0).lowerBound, "seed \(seed)")
      #expect(wide.until == place.zone.span(of: touched.1).upperBound, "seed \(seed)")
      let again = place.zone.wholeDays(since: wide.since, until: wide.until)
      #expect(again.since == wide.since && again.until == wide.until, "seed \(seed)")
    }
  }

  @Test("pages follow each other without a hole, whatever the order in which items came", arguments: seeds)
  func pages(seed: UInt64) {
    var place = Place(seed)
    var items: [MeasuredItem] = []
    for ordinal in 0..<900 {
      // Many at the same second.
      let time = place.around + Int64.random(in: 0..<200, using: &place.random) * second
      items.append(
        MeasuredItem(
          .heartRate, source: UInt32.random(in: 1...2, using: &place.random),
          way: UInt8.random(in: 0...1, using: &place.random), ordinal: UInt64(ordinal), time: time,
          flags: place.flags(), values: [Int64(ordinal)]))
    }
    let filter = ItemFilter(
      kind: [nil, .normal, .resting].randomElement(using: &place.random) ?? nil,
      isManual: [nil, true, false].randomElement(using: &place.random) ?? nil)
    let wanted = items.filter { filter.wants($0.flags) }
    let limit = Int.random(in: 1...120, using: &place.random)
    var given: [MeasuredItem] = []
    var after: ItemKey?
    repeat {
      var page = ItemPage(after: after, limit: limit)
      for item in wanted.shuffled(using: &place.random) { page.add(item) }
      #expect(page.items.count <= limit && (page.hasMore == false || page.items.count == limit), "seed \(seed)")
      given += page.items
      after = page.next.flatMap { ItemKey(text: $0.text) }
      #expect(after == page.next, "a place in the list survives being text, seed \(seed)")
    } while after != nil && given.count <= items.count
    let expected = wanted.sorted { a, b in
      let (first, second) = (a.isManual ? 0 : 1, b.isManual ? 0 : 1)
      return (a.start, first, a.key.source, a.key.way, a.key.ordinal)
        < (b.start, second, b.key.source, b.key.way, b.key.ordinal)
    }
    #expect(given == expected, "seed \(seed)")
  }

  @Test("sleep is what counting every minute says", arguments: seeds)
  func sleep(seed: UInt64) {
    var place = Place(seed)
    let minute = 60 * second
    let date = place.zone.date(of: place.around)
    let window = SleepDayAccumulator.window(date, zone: place.zone)
    let first = window.lowerBound / minute * minute
    let count = Int((window.upperBound - first) / minute) + 1500
    var minutes = [Int?](repeating: nil, count: count)
    var sleep = SleepDayAccumulator(date, zone: place.zone)
    var cursor = 0
    for _ in 0..<120 {
      // Mostly one after the other, at times from anywhere: a night that was worked out again.
      if Int.random(in: 0..<8, using: &place.random) == 0 { cursor = Int.random(in: 0..<2400, using: &place.random) }
      cursor += max(0, Int.random(in: -90...40, using: &place.random))
      let length = Int.random(in: 1...60, using: &place.random)
      let stage = Int.random(in: 0..<5, using: &place.random)
      guard cursor + length < count else { continue }
      let begin = first + Int64(cursor) * minute
      sleep.add(
        time: begin, flags: SampleFlags(origin: .fetched).rawValue, length: Int64(length) * minute,
        stage: Int64(stage))
      if NaiveSleep.date(of: begin, place.zone) == date.dayNumber {
        for index in cursor..<(cursor + length) { minutes[index] = stage }
      }
      cursor += length
    }
    let naive = NaiveSleep(minutes, first: first, zone: place.zone)
    let day = sleep.day
    #expect(day?.segments.map(\.summary.start) ?? [] == naive.segments.map(\.start), "seed \(seed)")
    for (segment, known) in zip(day?.segments ?? [], naive.segments) {
      #expect(segment.summary.end == known.end && segment.kind == known.kind, "seed \(seed)")
      #expect(segment.summary.stages == known.stages.map { Int64($0) * minute }, "seed \(seed)")
    }
    let counted = naive.segments.filter { $0.kind != .other }
    let asleep = counted.flatMap { $0.stages[2...4] }.reduce(0, +)
    #expect(day?.summary(.withNaps)?.asleep ?? 0 == Int64(asleep) * minute, "seed \(seed)")
    let night = naive.segments.filter { $0.kind == .night }.flatMap { $0.stages[2...4] }.reduce(0, +)
    #expect(day?.summary(.withoutNaps)?.asleep ?? 0 == Int64(night) * minute, "seed \(seed)")
  }
}

/// Sleep by going through all minutes of two days.
private struct NaiveSleep {
  struct Segment {
    var start: Int64
    var end: Int64
    var stages = [Int](repeating: 0, count: 5)
    var kind: SleepDay.Kind
  }
  var segments: [Segment] = []

  static func clock(_ time: Int64, _ zone: TimeZoneRules) -> (day: Int64, hour: Double) {
    let local = Double(time / second + Int64(zone.offset(at: time)))
    let day = (local / 86_400).rounded(.down)
    return (Int64(day), (local - day * 86_400) / 3600)
  }

  static func date(of time: Int64, _ zone: TimeZoneRules) -> Int64 {
    let clock = clock(time, zone)
    return clock.hour >= 20 ? clock.day + 1 : clock.day
  }

  init(_ minutes: [Int?], first: Int64, zone: TimeZoneRules) {
    let minute = 60 * second
    var runs: [Range<Int>] = []
    for index in minutes.indices where minutes[index] != nil {
      if let last = runs.last, index - last.upperBound <= 20 {
        runs[runs.count - 1] = last.lowerBound..<(index + 1)
      } else {
        runs.append(index..<(index + 1))
      }
    }
    for var run in runs {
      while let last = run.last, minutes[last] == 1 || minutes[last] == nil { run = run.dropLast() }
      guard let begin = run.first else { continue }
      let start = first + Int64(begin) * minute
      var segment = Segment(start: start, end: first + Int64(run.upperBound) * minute, kind: .other)
      for index in run { if let stage = minutes[index] { segment.stages[stage] += 1 } }
      let asleep = segment.stages[2...4].reduce(0, +)
      if asleep == 0 { continue }
      let hour = Self.clock(start, zone).hour
      if hour >= 20 || hour < 9 { segment.kind = .night } else if (20...180).contains(asleep) { segment.kind = .nap }
      segments.append(segment)
    }
  }
}
