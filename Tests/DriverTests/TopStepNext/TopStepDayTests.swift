import EventLoop
import Foundation
import Health
import Testing
import TopStepMessages
import Wearable

@testable import DriverTestSupport
@testable import TopStepNextFamily

@Suite("Days of a band of the new platform")
struct TopStepDayTests {
  /// 2026-03-01 00:00 UTC.
  private static let day: Int64 = 825_638_400

  private static func item(_ kind: DayKind, _ messages: [[UInt8]]) -> DayItem {
    var item = DayItem(kind)
    item.messages = messages
    return item
  }

  @Test("have heart rates by hand, every five minutes, at rest, and their extremes distinguished by their values")
  func heartRates() throws {
    var day = TopStepHeartRateDay()
    (day.start, day.end) = (Self.day, Self.day + 86_399)
    day.manual = [.of(Self.day + 70, 88), .of(Self.day + 90, 0)]
    day.automatic = Data([0, 60, 0, 62])
    day.resting = [.of(Self.day + 3600, 51)]
    day.extremes = [.of(Self.day + 300, 60), .of(Self.day + 900, 62)]
    for isTurned in [false, true] {
      if isTurned { day.extremes.reverse() }
      let sink = try DaySink.reading(Self.item(.heartRate, [try day.wire()]))
      #expect(
        sink.values == [
          .init(series: .heartRate, values: [88], time: Self.day + 70, isManual: true),
          .init(series: .heartRate, values: [60], time: Self.day + 300),
          .init(series: .heartRate, values: [62], time: Self.day + 900),
          .init(series: .heartRate, values: [51], time: Self.day + 3600, kind: .resting),
          .init(series: .heartRate, values: [62], time: Self.day + 900, kind: .maximum),
          .init(series: .heartRate, values: [60], time: Self.day + 300, kind: .minimum),
        ])
      #expect(sink.anomalies == [])
    }
  }

  @Test("have one extreme value twice, or one that cannot be distinguished")
  func extremes() throws {
    var day = TopStepMeasuredDay()
    day.extremes = [.of(Self.day + 300, 97), .of(Self.day + 900, 97)]
    let alike = try DaySink.reading(Self.item(.spo2, [try day.wire()]))
    #expect(Set(alike.values.map(\.kind)) == [.maximum, .minimum] && alike.values.count == 2)
    day.extremes = [.of(Self.day + 300, 97)]
    let one = try DaySink.reading(Self.item(.spo2, [try day.wire()]))
    #expect(one.values == [] && one.anomalies.count == 1)
    day.extremes = [.of(0, 0), .of(0, 0)]
    let none = try DaySink.reading(Self.item(.spo2, [try day.wire()]))
    #expect(none.values == [] && none.anomalies == [])
  }

  @Test("leave out what is out of its range or has no time")
  func ranges() throws {
    var day = TopStepMeasuredDay()
    day.start = Self.day
    day.manual = [.of(Self.day, 101), .of(-5, 97), .of(.max, 97), .of(0, 97), .of(1 << 32, 97), .of(Self.day, 100)]
    day.automatic = Data([UInt8](repeating: 255, count: 2) + [99])
    let sink = try DaySink.reading(Self.item(.stress, [try day.wire()]))
    #expect(sink.values.map(\.values) == [[100], [99]] && sink.anomalies.count == 7)
    day.start = .min
    let timeless = try DaySink.reading(Self.item(.stress, [try day.wire()]))
    #expect(timeless.values.count == 1 && timeless.anomalies.count == 6)
    day.start = Self.day
    day.manual = []
    day.automatic = Data([UInt8](repeating: 50, count: 300))
    let long = try DaySink.reading(Self.item(.stress, [try day.wire()]))
    #expect(long.values.count == 288 && long.anomalies.count == 1)
  }

  @Test("have stages of sleep in seconds, and in minutes if seconds are impossible")
  func sleep() throws {
    var night = TopStepSleepNight()
    night.midnight = Self.day
    night.items = [
      .of(Self.day, 1800, .light), .of(Self.day + 1800, 3600, .deep), .of(Self.day + 5400, 900, .rem),
      .of(Self.day + 6300, 300, .awake), .of(Self.day + 6600, 60, .UNRECOGNIZED(9)),
    ]
    let seconds = try DaySink.reading(Self.item(.sleep, [try night.wire()]))
    #expect(
      seconds.values.map(\.values) == [
        [1_800_000_000, 3], [3_600_000_000, 4], [900_000_000, 2], [300_000_000, 1], [60_000_000, 0],
      ])
    #expect(seconds.values.allSatisfy { !$0.isLowQuality } && seconds.anomalies == [])
    night.items = [.of(Self.day, 30, .light), .of(Self.day + 1800, 60, .deep), .of(Self.day + 5400, 15, .rem)]
    let minutes = try DaySink.reading(Self.item(.sleep, [try night.wire()]))
    #expect(minutes.values.map(\.values) == [[1_800_000_000, 3], [3_600_000_000, 4], [900_000_000, 2]])
    #expect(minutes.values.allSatisfy(\.isLowQuality) && minutes.anomalies.count == 1)
    // A nap: each stage begins so many minutes after the one before as that lasted.
    night.items = [.of(Self.day, 10, .light), .of(Self.day + 600, 15, .deep)]
    #expect(SleepLengths(night.items).areMinutes)
    night.items = [.of(Self.day, 600, .light), .of(Self.day + 600, 900, .deep)]
    #expect(!SleepLengths(night.items).areMinutes)
    night.items = [.of(Self.day, 600, .light)]
    #expect(!SleepLengths(night.items).areMinutes)
  }

  @Test("have the unit of other nights if one leaves it open, and no length of a minute in seconds")
  func sleepUnits() throws {
    let alone: [TopStepSleepItem] = [.of(Self.day, 300, .light)]
    #expect(SleepLengths(alone).seconds == [300] && SleepLengths(alone).shown == nil)
    let short: [TopStepSleepItem] = [.of(Self.day, 15, .light)]
    #expect(SleepLengths(short).seconds == [900] && SleepLengths(short).shown == nil)
    #expect(SleepLengths(short, known: .seconds).seconds == [15])
    #expect(SleepLengths(alone, known: .minutes).seconds == [18_000])
    // A night's own times have precedence, even if its clock was set within.
    let minutes: [TopStepSleepItem] = [
      .of(Self.day, 10, .light), .of(Self.day + 600, 30, .deep), .of(Self.day + 6000, 45, .light),
    ]
    #expect(
      SleepLengths(minutes, known: .seconds).seconds == [600, 1800, 2700] && SleepLengths(minutes).shown == .minutes)
    let seconds: [TopStepSleepItem] = [.of(Self.day, 600, .light), .of(Self.day + 600, 2700, .deep)]
    #expect(SleepLengths(seconds, known: .minutes).seconds == [600, 2700] && SleepLengths(seconds).shown == .seconds)
    #expect(SleepLengths([.of(Self.day, 1500, .deep)]).shown == .seconds, "a day has fewer minutes")
    var night = TopStepSleepNight()
    night.items = alone
    var item = Self.item(.sleep, [try night.wire()])
    for unit in [SleepUnit.seconds, .minutes] {
      item.sleepUnit = unit
      #expect(try item.bytes.withUnsafeBytes { try DayItem($0) } == item)
      #expect(try DaySink.reading(item).values.map { $0.values[0] } == [300_000_000 * unit.seconds])
    }
  }

  @Test("leave out the last stage of a night that may go on, and half-hours that are not over")
  func unsettled() throws {
    var night = TopStepSleepNight()
    night.midnight = Self.day
    night.items = [.of(Self.day, 3600, .light), .of(Self.day + 3600, 1800, .deep)]
    var item = Self.item(.sleep, [try night.wire()])
    item.settled = UInt32(Self.day + 5400)
    #expect(try DaySink.reading(item).values.map(\.time) == [Self.day])
    item.settled = UInt32(Self.day + 7200)
    #expect(try DaySink.reading(item).values.count == 2)
    var activity = TopStepActivityDay()
    activity.start = Self.day
    activity.steps = [10, 20, 30]
    item = Self.item(.activity, [try activity.wire()])
    item.settled = UInt32(Self.day + 3600)
    #expect(try DaySink.reading(item).values.map(\.values) == [[1_800_000_000, 10], [1_800_000_000, 20]])
  }

  @Test("have half-hours of activity, with small calories as tenths of large ones")
  func activity() throws {
    var day = TopStepActivityDay()
    day.start = Self.day
    (day.steps, day.calories, day.distance, day.active) = ([0, 420], [0, 21_040], [0, 310], [31, 6])
    let sink = try DaySink.reading(Self.item(.activity, [try day.wire()]))
    let time = Self.day + 1800
    #expect(
      sink.values == [
        .init(series: .steps, values: [1_800_000_000, 420], time: time),
        .init(series: .distance, values: [1_800_000_000, 3100], time: time),
        .init(series: .calories, values: [1_800_000_000, 210], time: time),
        .init(series: .activeTime, values: [360_000_000, 3], time: time),
      ])
    #expect(sink.anomalies.count == 1, "31 minutes of a half-hour")
  }

  @Test("have trainings as what is certain of them")
  func sport() throws {
    var sport = TopStepSport()
    (sport.start, sport.end, sport.type) = (Self.day, Self.day + 1800, 5)
    (sport.distance, sport.calories, sport.heartRateMean, sport.heartRateMax) = (5000, 300, 140, 171)
    let sink = try DaySink.reading(Self.item(.sport, [try sport.wire()]))
    #expect(sink.values == [.init(series: .training, values: [0, 5, 1800, 5000, 300, 140, 171], time: Self.day)])
    sport.duration = 1000
    #expect(try DaySink.reading(Self.item(.sport, [try sport.wire()])).values.first?.values[2] == 1000)
    sport.duration = .max
    #expect(try DaySink.reading(Self.item(.sport, [try sport.wire()])).anomalies.count == 1)
  }

  @Test("are kept as bytes that are read again, and refused if they are cut or of no kind")
  func bytes() throws {
    var item = Self.item(.sleep, [[], [1, 2, 3]])
    (item.isOver, item.isBeforeSetting, item.from, item.until, item.settled) = (true, true, 5, 6, 7)
    let bytes = item.bytes
    #expect(try bytes.withUnsafeBytes { try DayItem($0) } == item)
    func defect(_ bytes: [UInt8]) -> ItemDefect? {
      bytes.withUnsafeBytes { bytes -> ItemDefect? in
        do throws(ItemDefect) { _ = try DayItem(bytes) } catch { return error }
        return nil
      }
    }
    for count in [0, 1, 14, bytes.count - 1] {
      guard case .cut? = defect(Array(bytes.prefix(count))) else { return #expect(Bool(false), "\(count)") }
    }
    guard case .unknownVersion? = defect([2]), case .unknownVersion? = defect([1, 3] + bytes.dropFirst(2)) else {
      return #expect(Bool(false))
    }
    #expect(throws: ItemDefect.self) { try DaySink.reading(Self.item(.sleep, [[0x0A, 0x7F]])) }
  }

  @Test("of any messages cause no trap")
  func hostile() throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<4000 {
      let kind = try #require(DayKind.allCases.randomElement(using: &generator))
      var item = Self.item(kind, [generator.bytes(), generator.bytes()])
      item.settled = UInt32(truncatingIfNeeded: generator.next())
      _ = try? DaySink.reading(item)
      _ = try? kind.span(of: generator.bytes())
      let bytes = generator.bytes()
      bytes.withUnsafeBytes { _ = try? DayItem($0) }
    }
  }
}
