import Testing

@testable import Health

@Suite("Days of sleep")
struct SleepDayTests {
  private let berlin = Zones.rules("Europe/Berlin")
  private static let minute = 60 * second
  private static let (unknown, awake, rem, light, deep) = (0, 1, 2, 3, 4)

  /// Stages one after the other, in minutes.
  private func slept(_ of: String, _ told: [(from: String, stages: [(Int, Int)])]) -> SleepDay? {
    var sleep = SleepDayAccumulator(date(of), zone: berlin)
    for part in told {
      var time = at(part.from)
      for (stage, minutes) in part.stages {
        let length = Int64(minutes) * Self.minute
        sleep.add(
          time: time, flags: SampleFlags(origin: .fetched).rawValue, length: length, stage: Int64(stage))
        time += length
      }
    }
    return sleep.day
  }

  @Test("a night belongs to the date on which it ends, its stages have percentages of the sleep")
  func night() throws {
    let stages = [
      (Self.light, 60), (Self.deep, 90), (Self.awake, 10), (Self.rem, 50), (Self.light, 100), (Self.awake, 30),
    ]
    let told = [(from: "2026-11-20T22:30:00+01:00", stages: stages)]
    let day = try #require(slept("2026-11-21", told))
    #expect(day.segments.map(\.kind) == [.night])
    let night = try #require(day.summary(.withoutNaps))
    #expect(night.asleep == 300 * Self.minute, "300 minutes asleep of 310")
    #expect(night.length == 310 * Self.minute, "awake at the end is not part of it")
    #expect(night.end == at("2026-11-21T03:40:00+01:00"))
    #expect([Self.rem, Self.light, Self.deep].map { night.percent($0) } == [16.7, 53.3, 30])
    #expect(night.percent(Self.awake) == nil, "shares of a night are 100 % together")
    #expect(night.episodes == [0, 1, 1, 2, 1])
    #expect(self.slept("2026-11-20", told) == nil)
    #expect(self.slept("2026-11-22", told) == nil)
  }

  @Test("what begins at 20:00 is of the next date, what begins a minute before is not")
  func evening() {
    let early = [(from: "2026-11-20T19:59:00+01:00", stages: [(Self.light, 30)])]
    #expect(slept("2026-11-20", early)?.segments.map(\.kind) == [.nap])
    #expect(slept("2026-11-21", early) == nil)
    let late = [(from: "2026-11-20T20:00:00+01:00", stages: [(Self.light, 30)])]
    #expect(slept("2026-11-20", late) == nil)
    #expect(slept("2026-11-21", late)?.segments.map(\.kind) == [.night])
  }

  @Test(
    "by day 20 minutes to 3 hours of sleep are a nap",
    arguments: [(19, SleepDay.Kind.other), (20, .nap), (180, .nap), (181, .other)])
  func naps(minutes: Int, kind: SleepDay.Kind) throws {
    let day = try #require(
      slept(
        "2026-11-21",
        [
          (from: "2026-11-21T01:00:00+01:00", stages: [(Self.deep, 60)]),
          (from: "2026-11-21T14:00:00+01:00", stages: [(Self.light, minutes), (Self.awake, 15)]),
        ]))
    #expect(day.segments.map(\.kind) == [.night, kind])
    #expect(day.summary(.withoutNaps)?.asleep == 60 * Self.minute)
    #expect(day.summary(.withNaps)?.asleep == Int64(kind == .nap ? 60 + minutes : 60) * Self.minute)
    #expect(day.summary(.longestNight)?.asleep == 60 * Self.minute)
    #expect(day.summary(.longest)?.asleep == Int64(max(60, minutes)) * Self.minute)
  }

  @Test("a night that goes on after 09:00 stays one night; a rest of more than 20 minutes ends it")
  func longNight() {
    let until10 = [(from: "2026-11-21T08:30:00+01:00", stages: [(Self.light, 90)])]
    #expect(slept("2026-11-21", until10)?.segments.map(\.kind) == [.night])
    func nights(_ second: String) -> Int? {
      slept(
        "2026-11-21",
        [
          (from: "2026-11-21T01:00:00+01:00", stages: [(Self.light, 60)]),
          (from: second, stages: [(Self.light, 60)]),
        ])?.segments.count
    }
    #expect(nights("2026-11-21T02:20:00+01:00") == 1)
    #expect(nights("2026-11-21T02:21:00+01:00") == 2)
  }

  @Test("a night that was computed again counts as reported last")
  func again() {
    let day = slept(
      "2026-11-21",
      [
        (from: "2026-11-21T01:00:00+01:00", stages: [(Self.light, 120)]),
        (from: "2026-11-21T01:30:00+01:00", stages: [(Self.deep, 30)]),
      ])
    #expect(day?.summary(.withoutNaps)?.stages == [0, 0, 0, 90, 30].map { $0 * Self.minute })
    #expect(day?.summary(.withoutNaps)?.episodes == [0, 0, 0, 2, 1])
  }

  @Test("nights in which clocks change are as long as they were", arguments: ["2026-03-29", "2026-10-25"])
  func clockChange(text: String) throws {
    let span = berlin.span(of: date(text))
    let evening = span.lowerBound - 2 * hour
    var sleep = SleepDayAccumulator(date(text), zone: berlin)
    // From 22:00 to 07:00 by the clocks.
    let length = berlin.moment(date(text), inDay: 7 * hour) - evening
    for part in 0..<(length / (10 * Self.minute)) {
      sleep.add(
        time: evening + part * 10 * Self.minute, flags: SampleFlags(origin: .fetched).rawValue,
        length: 10 * Self.minute, stage: 3)
    }
    let asleep = try #require(sleep.day?.summary(.longestNight)?.asleep)
    #expect(asleep == (text.contains("-03-") ? 8 : 10) * hour)
  }

  @Test("no value that a wearable can send traps, and too many stages are counted")
  func hostile() {
    var sleep = SleepDayAccumulator(date("2026-11-21"), zone: berlin)
    for time in [Int64.min, .max, 0, at("2026-11-21T01:00:00+01:00")] {
      for length in [Int64.min, -1, 0, 1, .max] {
        for flags in [0x80, 0x01, 0x41, 0x09] as [UInt8] {
          sleep.add(time: time, flags: flags, length: length, stage: .max)
        }
      }
    }
    #expect(sleep.day == nil, "a microsecond of an unknown stage is no sleep")
    let start = at("2026-11-21T01:00:00+01:00")
    for index in 0..<Int64(SleepDayAccumulator.limit + 10) {
      sleep.add(time: start + index, flags: 1, length: 1, stage: 3)
    }
    #expect(sleep.overflowed > 0)
    #expect(sleep.day?.segments.count == 1)
  }
}
