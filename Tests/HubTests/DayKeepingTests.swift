import Testing

@testable import CivilTime
@testable import Health
@testable import Hub

@Suite("A corrected time at midnight")
struct DayKeepingTests {
  private let day: Int64 = 86_400_000_000
  private let midnight: Int64 = 20_000 * 86_400_000_000

  @Test(
    "is of the day that the wearable meant, if milliseconds lie between the two",
    arguments: [0, 3600, -12_600] as [Int64])
  func kept(_ offset: Int64) {
    let zone =
      offset == 0
      ? TimeZoneRules.utc : TimeZoneRules(name: "there", changes: [], offsets: [], firstOffset: offset, rule: nil)
    let shift = offset * 1_000_000
    // The hub's time of the wearable's 00:00:00.000, and of its 23:59:59.990.
    #expect(zone.keepingDay(midnight - shift - 7000, shown: midnight) == midnight - shift)
    #expect(zone.keepingDay(midnight - shift + 3000, shown: midnight - 10_000) == midnight - shift - 1)
    // On one side of midnight the time stays unchanged. So does a time that is further off than a reading can be wrong,
    // or of a clock of another zone.
    #expect(zone.keepingDay(midnight - shift - 7000, shown: midnight - 2000) == midnight - shift - 7000)
    #expect(zone.keepingDay(midnight - shift + 7000, shown: midnight) == midnight - shift + 7000)
    #expect(zone.keepingDay(midnight - shift - 70_000, shown: midnight) == midnight - shift - 70_000)
    #expect(zone.keepingDay(midnight - shift - 7000, shown: midnight + 7_200_000_000) == midnight - shift - 7000)
    for extreme in [Int64.min, .max] { #expect(zone.keepingDay(extreme, shown: 0) == extreme) }
  }
}
