import EventLoop
import Health
import RingStore
import Simulation
import Testing

@testable import PolarTwin

@Suite("A band's last night and its own day, in the store")
struct PolarMorningTests {
  @LoopActor private static func lines(_ hub: SimulatedHub) async throws -> [DayLine] {
    let wearable = try #require(hub.store.wearables.first?.id)
    return try await hub.store.dayLines(wearable, zone: .utc)
  }

  @LoopActor private static func days(_ hub: SimulatedHub, _ series: Series) async throws -> [DaySummary] {
    var days = DayAccumulator(series, zone: .utc)
    for sample in try await hub.storedSamples() where sample.series == series && sample.flags.origin == .fetched {
      let isInterval = series.layout == .interval
      days.add(
        time: sample.time.microseconds, flags: sample.flags.rawValue,
        value: isInterval ? sample.values[1] : sample.value, length: isInterval ? sample.values[0] : 0)
    }
    return days.days
  }

  @LoopActor private static func steps(_ band: VirtualPolar, _ day: Int, _ minutes: Range<Int>) -> Int64 {
    minutes.reduce(0) { $0 + Int64(band.life.steps(day: day, minute: $1)) }
  }

  @Test("last night is there in the morning, and today as far as it was looked at")
  func morning() throws {
    try VirtualLoop.run { loop in
      let (_, hub, band) = try await PolarHouseTests.house(loop, .band360, seed: 140) { $0.daysBefore = 1 }
      try await loop.sleep(for: .seconds(600))
      let lines = try await Self.lines(hub)
      let today = try #require(lines.last)
      #expect(today.date.dayNumber == 10_957 + Int64(band.today))
      #expect(today.nights.count == 1 && today.recharge != nil)
      // Ten o'clock: the last five minutes may still be written again.
      let known = Self.steps(band, band.today, 0..<590)
      #expect((today.steps ?? 0) >= known && today.lowestHeartRate != nil, "\(today)")
      @LoopActor func toldDistance(_ day: Int) -> Int64? {
        band.summariesServed.last { $0.day == day }.map { Int64((Double($0.distance) * 10).rounded()) }
      }
      #expect(
        today.distance == toldDistance(band.today) && (today.distance ?? 0) > 0 && today.basalCalories != nil,
        "\(today)")
      #expect(band.files.lost.isEmpty && band.removals.allSatisfy { !$0.contains(band.folder(daysBack: 0)) })
      // The day after: all of it, in parts, and no value twice.
      let day = band.today
      try await loop.sleep(for: .seconds(15 * 3600))
      let whole = try #require(try await Self.lines(hub).first { $0.date == today.date })
      #expect(whole.distance == toldDistance(day) && whole.basalCalories == 16_000, "\(whole)")
      #expect(try await hub.storedSamples().count { $0.series == .basalCalories && $0.values[0] < 86_400_000_000 } > 1)
      await hub.stop()
      #expect(hub.watch.violations.isEmpty)
    }
  }

  @Test(
    """
    a night with a recording that still runs when the wearer is up is ended and stored in the morning, and a way \
    through the house ends no night
    """,
    arguments: [143, 144] as [UInt64])
  func stillRunning(_ seed: UInt64) throws {
    try VirtualLoop.run { loop in
      let (_, hub, band) = try await PolarHouseTests.house(loop, .band360, seed: seed) { $0.daysBefore = 1 }
      band.life.nightWalk = 310..<318
      try await loop.sleep(for: .seconds(13 * 3600))
      band.isSleeping = true
      // Half past six: the only walk so far lasted eight minutes, at ten past five.
      try await loop.sleep(for: .seconds(7 * 3600 + 1800))
      #expect(band.isSleeping)
      try await loop.sleep(for: .seconds(5 * 3600 + 1800))
      #expect(!band.isSleeping, "it is noon")
      let line = try #require(try await Self.lines(hub).last)
      #expect(line.date.dayNumber == 10_957 + Int64(band.today) && line.nights.count == 1 && line.recharge != nil)
      await hub.stop()
      try await PolarHouseTests.judge(hub)
    }
  }

  @Test("a wearer asleep at ten, or at noon, is left alone, and the recording is ended when up")
  func sleepsOn() throws {
    try VirtualLoop.run { loop in
      let (_, hub, band) = try await PolarHouseTests.house(loop, .band360, seed: 145) { $0.daysBefore = 1 }
      try await loop.sleep(for: .seconds(13 * 3600))
      (band.isSleeping, band.life.liesInUntil) = (true, 13 * 60)
      // From eleven in the evening until noon.
      for _ in 0..<13 {
        try await loop.sleep(for: .seconds(3600))
        #expect(band.isSleeping)
      }
      try await loop.sleep(for: .seconds(6 * 3600))
      #expect(!band.isSleeping)
      await hub.stop()
    }
  }

  @Test(
    """
    what was looked at is there once when the days are over, none of it is gone at midnight, and each day has its \
    1,440 minutes
    """,
    arguments: [141, 142] as [UInt64])
  func midnight(_ seed: UInt64) throws {
    try VirtualLoop.run { loop in
      let (_, hub, band) = try await PolarHouseTests.house(loop, .band360, seed: seed) {
        ($0.daysBefore, $0.clockDrift) = (1, seed == 141 ? 0 : 20)
      }
      try await loop.sleep(for: .seconds(600))
      let first = band.today
      var last: Int64 = 0
      // Over midnight, look by look.
      for _ in 0..<20 {
        try await loop.sleep(for: .seconds(3600))
        let line = try await Self.lines(hub).first { $0.date.dayNumber == 10_957 + Int64(first) }
        #expect((line?.steps ?? 0) >= last && line?.nights.count == 1)
        last = line?.steps ?? 0
        if loop.wall.microseconds % 7_200_000_000 < 3_600_000_000 {
          await hub.kill()
          try await hub.start()
        }
      }
      try await loop.sleep(for: .seconds(86_400))
      let lines = try await Self.lines(hub)
      await hub.stop()
      let line = try #require(lines.first { $0.date.dayNumber == 10_957 + Int64(first) })
      #expect(line.steps == Self.steps(band, first, 0..<1440) && line.nights.count == 1 && line.distance != nil)
      for series in [Series.steps, .metabolicEquivalent, .heartRate, .skinTemperature, .ppi] {
        let days = try await Self.days(hub, series)
        let whole = days.first { $0.date.dayNumber == 10_957 + Int64(first) }
        let owed = [.steps: 1440, .metabolicEquivalent: 2880, .ppi: 120][series] ?? 288
        // A value of one moment is of the day on which it was measured, by a clock that is a second off by then.
        #expect(
          whole?.count == owed || seed == 142 && series.layout != .interval && whole?.count == owed + 1,
          "\(series.name) \(days.map(\.count))")
        #expect(
          days.count <= 4 && days[0].date.dayNumber == 10_957 + Int64(first - 1),
          "\(series.name) \(days.map(\.date.text))")
      }
      #expect(band.files.lost.isEmpty && !band.files.removed.isEmpty)
      try await PolarHouseTests.judge(hub)
    }
  }
}
