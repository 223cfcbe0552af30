import CivilTime
import EventLoop
import Health
import Testing

@testable import RingStore

@Suite("What the card will have been written in a year")
struct ForecastTests {
  private let midnight = WallTime(microseconds: 20_000 * 86_400_000_000)

  private func forecast(_ wear: Wear, _ hours: Double) -> UInt64? {
    wear.status(budget: nil, now: midnight + .seconds(hours * 3600)).forecastPerYear
  }

  @Test("the store's first day, with all that wearables had kept, is no pace; the days after it are")
  func firstDay() {
    var wear = Wear()
    wear.begin(midnight + .seconds(18 * 3600))
    wear.odometer = 290_000_000
    for hour in [18.1, 20.5, 23.9] { #expect(forecast(wear, hour) == nil) }
    wear.begin(midnight + .seconds(86_400))
    wear.odometer += 1_000_000
    #expect(forecast(wear, 25) == nil, "not a tenth of a day yet")
    wear.odometer += 4_000_000
    // 10 MB a day. With the first day in it, it was 29 times as much.
    #expect(forecast(wear, 36) == 3_650_000_000)
    wear.odometer += 5_000_000
    wear.begin(midnight + .seconds(2 * 86_400))
    #expect(forecast(wear, 48) == 3_650_000_000)
  }

  @Test("a day begins at midnight in the hub's zone, and a day of UTC that is ahead of it goes on")
  func local() throws {
    let eastern = try #require(TimeZoneRules.named("Etc/GMT+5"))
    var wear = Wear()
    wear.begin(midnight)
    (wear.zone, wear.odometer) = (eastern, 10)
    // The day before there, which the store has begun as the next already.
    #expect(!wear.isNewDay(midnight + .seconds(4 * 3600)))
    #expect(!wear.isNewDay(midnight + .seconds(28.9 * 3600)) && wear.isNewDay(midnight + .seconds(29 * 3600)))
    wear.begin(midnight + .seconds(29 * 3600))
    wear.odometer = 25
    #expect(wear.status(budget: nil, now: midnight + .seconds(52.9 * 3600)).bytesToday == 15)
    #expect(wear.status(budget: nil, now: midnight + .seconds(53 * 3600)).bytesToday == 0)
  }

  @Test("of a store that counts for longer than it keeps days, the last seven count")
  func longLife() {
    var wear = Wear()
    for day in 0..<(Wear.dayLimit + 20) {
      wear.begin(midnight + .seconds(day * 86_400))
      wear.odometer += 2_000_000
    }
    #expect(forecast(wear, Double(Wear.dayLimit + 20) * 24) == 730_000_000)
  }
}
