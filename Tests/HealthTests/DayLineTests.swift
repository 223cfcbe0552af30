import CivilTime
import Testing

@testable import Health

@Suite("Lines of days")
struct DayLineTests {
  private static let hour: Int64 = 3_600_000_000
  /// 2026-11-21T00:00:00Z.
  private static let midnight = LocalDate(year: 2026, month: 11, day: 21).map { $0.dayNumber * 86_400_000_000 } ?? 0

  private func made(_ worn: [(Int64, String?)] = [], since: Int64? = nil, until: Int64? = nil) -> DayLineAccumulator {
    DayLineAccumulator(zone: .utc, worn: worn.map { (from: $0.0, wearer: $0.1) }, since: since, until: until)
  }

  private func add(
    _ days: inout DayLineAccumulator, _ series: Series, _ time: Int64, _ values: Int64..., kind: SampleKind = .normal
  ) {
    days.add(series, time: time, flags: SampleFlags(origin: .fetched, kind: kind).rawValue) { values[$0] }
  }

  @Test("what a wearable's clock puts some seconds before midnight belongs to the day that it is for")
  func earlyMidnight() {
    var days = made()
    let early = Self.midnight - 12_000_000
    add(&days, .steps, early, 60_000_000, 90)
    add(&days, .distance, early, 86_400_000_000, 5000)
    add(&days, .recharge, early, 4, 0, 0, 0, 0, 0, 0, 0, 0)
    add(&days, .ansStatus, early, -15)
    #expect(days.days.map(\.date.text) == ["2026-11-21"])
    #expect(
      days.days.first?.steps == 90 && days.days.first?.distance == 5000 && days.days.first?.recharge?.values.first == 4
        && days.days.first?.ansStatus == -15)
  }

  @Test("a night belongs to the day on which it ended, and to its wearer in the middle of it")
  func nights() {
    var days = made([(Self.midnight - 30 * Self.hour, "Ada"), (Self.midnight + 6 * Self.hour, "Ben")])
    add(&days, .sleep, Self.midnight + 7 * Self.hour, 8 * 3600, 0, 0, 0, 0, 0, 0, 0)
    add(&days, .sleep, Self.midnight + 7 * Self.hour, 8 * 3600, 0, 0, 0, 0, 0, 0, 0)
    #expect(days.days.map(\.wearer) == ["Ada"] && days.days.map(\.date.text) == ["2026-11-21"])
    #expect(days.days.first?.nights.count == 1, "what was fetched twice is told once")
  }

  @Test(
    "each wearer has a line of the day, also after another one; values of the day as a whole say that it was shared"
  )
  func wearers() {
    let noon = Self.midnight + 12 * Self.hour
    var days = made([
      (Self.midnight, "Ada"), (noon + 2 * Self.hour, "Ben"), (noon + 4 * Self.hour, "Ada"), (noon + 6 * Self.hour, nil),
    ])
    for hour in 0..<24 as Range<Int64> {
      add(&days, .steps, Self.midnight + hour * Self.hour, 60_000_000, 10)
      add(&days, .heartRate, Self.midnight + hour * Self.hour, 60 + hour)
    }
    add(&days, .basalCalories, Self.midnight, 86_400_000_000, 16_000)
    #expect(days.days.map(\.wearer) == ["Ada", "Ben", nil] && days.days.map(\.steps) == [160, 20, 60])
    #expect(days.days.map(\.highestHeartRate) == [77, 75, 83] && days.days.map(\.lowestHeartRate) == [60, 74, 78])
    #expect(days.days.map(\.meanHeartRate) == [(Double((60...73).reduce(0, +)) + 76 + 77) / 16, 74.5, 80.5])
    #expect(days.days.map(\.basalCalories) == [16_000, nil, nil] && days.days.map(\.isShared) == [true, false, false])
    var alone = made([(Self.midnight - Self.hour, "Ben"), (Self.midnight, "Ada")])
    add(&alone, .basalCalories, Self.midnight - 12_000_000, 86_400_000_000, 16_000)
    add(&alone, .recharge, Self.midnight - 12_000_000, 4, 0, 0, 0, 0, 0, 0, 0, 0)
    #expect(alone.days.map(\.wearer) == ["Ada"] && alone.days.first?.isShared == false)
  }

  @Test("of sums that come in parts each is of the wearer in its middle, and says so if another wore it too")
  func parts() {
    var days = made([(Self.midnight, "Ada"), (Self.midnight + 14 * Self.hour, "Ben")])
    for (from, to, amount) in [(0, 9, 100), (9, 12, 30), (16, 24, 70)] as [(Int64, Int64, Int64)] {
      add(&days, .distance, Self.midnight + from * Self.hour, (to - from) * Self.hour, amount)
    }
    #expect(days.days.map(\.distance) == [130, 70] && days.days.map(\.isShared) == [false, false])
    add(&days, .distance, Self.midnight + 12 * Self.hour, 3 * Self.hour, 8)
    #expect(days.days.map(\.distance) == [138, 70] && days.days.map(\.isShared) == [true, false])
    // A minute in which it changed hands is no evidence.
    add(&days, .steps, Self.midnight + 14 * Self.hour - 30_000_000, 60_000_000, 5)
    #expect(days.days.map(\.isShared) == [true, false])
  }

  @Test("bounds count by the moment that says which day it is")
  func bounds() {
    var days = made(since: Self.midnight, until: Self.midnight + 24 * Self.hour)
    for day in -1...1 as ClosedRange<Int64> {
      let early = Self.midnight + day * 24 * Self.hour - 12_000_000
      add(&days, .distance, early, 86_400_000_000, 5000)
      add(&days, .training, early + Self.hour, 0, 0, 0, 0, 0, 0, 0)
      add(&days, .recharge, early, 4, 0, 0, 0, 0, 0, 0, 0, 0)
    }
    #expect(
      days.days.map(\.date.text) == ["2026-11-21"] && days.days.first?.distance == 5000
        && days.days.first?.trainings.count == 1)
  }

  @Test("items that no program wrote, and more lines and trainings than there can be, do no harm")
  func hostile() {
    var days = made()
    days.add(.heartRate, time: 0, flags: 0xFF) { _ in 60 }
    for length in [-1, Int64.max] { add(&days, .steps, Self.midnight, length, 5) }
    for state in [-1, 16, Int64.max] { add(&days, .activeTime, Self.midnight, 60_000_000, state) }
    #expect(days.days.isEmpty)
    for time in [Int64.min, .max] {
      add(&days, .heartRate, time, .max)
      add(&days, .steps, time, 60_000_000, .max)
      add(&days, .sleep, time, .max, 0, 0, 0, 0, 0, 0, 0)
      add(&days, .ansStatus, time, 1)
    }
    for index in 0..<Int64(DayLine.eventLimit + 5) { add(&days, .training, Self.midnight + index, 0, 0, 0, 0, 0, 0, 0) }
    #expect(days.days.contains { $0.trainings.count == DayLine.eventLimit })
    for day in 0...Int64(DayAccumulator.dayLimit) { add(&days, .heartRate, Self.midnight - day * 24 * Self.hour, 60) }
    #expect(days.days.count == DayAccumulator.dayLimit && days.overflowed > 0)
  }

  @Test("the order in which items come makes no difference")
  func order() {
    var order = [Int64](0..<48)
    order.reverse()
    var days = made()
    var sorted = made()
    for hour in order { add(&days, .heartRate, Self.midnight + hour * Self.hour, 60 + hour) }
    for hour in order.reversed() { add(&sorted, .heartRate, Self.midnight + hour * Self.hour, 60 + hour) }
    #expect(days.days == sorted.days && days.days.count == 2)
  }

  @Test("a heart rate that its wearable doubts is left out of the day's")
  func doubtful() {
    var days = made()
    let rates: [Int64] = [60, 70, 220, 30]
    for (minute, rate) in rates.enumerated() {
      let flags = SampleFlags(origin: .live, isLowQuality: minute > 1)
      days.add(.heartRate, time: Self.midnight + Int64(minute) * 60_000_000, flags: flags.rawValue) { _ in rate }
    }
    let line = days.days.first
    #expect(line?.lowestHeartRate == 60 && line?.highestHeartRate == 70 && line?.meanHeartRate == 65)
  }
}
