// Body of a band's wearer: pulse, breath, stress, temperature, steps, nights and trainings, from a seed. Everything is
// a pure function of the seed and of the band's own time, without stored state.

import EventLoop
public import Health
import Simulation

/// Habits of the wearer.
public struct BandHabits: Sendable {
  /// A band that is not worn measures no values.
  public var isWorn = true
  /// Series that the wearer measures by button, and how often a day at most.
  public var manualSeries: [Series] = [.heartRate, .spo2, .stress]
  /// Maximum number of measurements by button a day.
  public var manualPerDay = 4
  /// Seconds: manual measurements are at multiples of it. Bands that report whole minutes need 60.
  public var manualStep: Int64 = 1
  /// Share of automatic measurements that find no pulse.
  public var missed = 0.03
  /// True if the wearer sleeps at night.
  public var sleeps = true
  /// Share of days with a training.
  public var trainsOn = 0.4

  /// Habits of an average wearer.
  public init() {}
}

/// A body, from a seed.
public struct BandLife: Sendable {
  /// Night: its beginning and its stages, each unlike the one before.
  public struct Night: Sendable {
    /// Seconds since 1970 by the band's clock, a multiple of five minutes.
    public let start: Int64
    /// Lengths in seconds, multiples of five minutes. Stages as in `sleep_stage`: 1 awake, 2 REM, 3 light, 4 deep.
    public let stages: [(length: Int64, stage: Int64)]
    /// End of the night, on the band's clock.
    public var end: Int64 { start + stages.reduce(0) { $0 + $1.length } }
  }

  /// Training of the wearer.
  public struct Training: Sendable {
    /// Seconds since 1970 by the band's clock, in whole minutes.
    public let start: Int64
    /// Seconds.
    public let length: Int64
    /// Sport in the numbering of this maker's bands.
    public let sport: Int64
    /// End of the training, on the band's clock.
    public var end: Int64 { start + length }
  }

  /// Habits of the wearer.
  public let habits: BandHabits
  private let random: SeededRandom
  private static let day: Int64 = 86_400, slot: Int64 = 300

  private enum Stream { static let night: UInt64 = 1, training: UInt64 = 2, manual: UInt64 = 3, value: UInt64 = 16 }

  /// A life; equal seeds give equal lives.
  public init(seed: UInt64, habits: BandHabits = BandHabits()) {
    random = SeededRandom(seed: seed)
    self.habits = habits
  }

  private func draw(_ stream: UInt64, _ number: Int64) -> SeededRandom {
    random.split(stream).split(UInt64(bitPattern: number))
  }

  // MARK: Nights, trainings, buttons

  /// The night that ends on a day; days since 1970 by the band's clock.
  public func night(endingOn day: Int64) -> Night {
    var draw = draw(Stream.night, day)
    let start = day * Self.day + Int64(draw.integer(in: -18...12)) * Self.slot
    // Six to nine hours.
    let end = start + Int64(draw.integer(in: 72...108)) * Self.slot
    var stages: [(length: Int64, stage: Int64)] = []
    var at = start
    var last: Int64 = 0
    while at < end {
      var stage = [3, 3, 4, 4, 2, 2, 1][draw.below(7)]
      if stage == last { stage = stage == 3 ? 4 : 3 }
      // Awake for a moment, other stages up to an hour.
      let length = min(end - at, Int64(draw.integer(in: stage == 1 ? 1...2 : 3...12)) * Self.slot)
      stages.append((length, Int64(stage)))
      at += length
      last = Int64(stage)
    }
    return Night(start: start, stages: stages)
  }

  /// Returns the training of a day: at most one, in the early evening.
  public func training(on day: Int64) -> Training? {
    var draw = draw(Stream.training, day)
    guard draw.chance(habits.trainsOn) else { return nil }
    // Outdoor running, indoor running, walking, rowing, spinning.
    let sport = [0x05, 0x09, 0x0D, 0x35, 0x1D1][draw.below(5)]
    return Training(
      start: day * Self.day + Int64(draw.integer(in: 17 * 60...19 * 60)) * 60,
      length: Int64(draw.integer(in: 20...60)) * 60, sport: Int64(sport))
  }

  /// Manual measurements of a day: times and series, ascending, at least two minutes apart.
  public func buttons(on day: Int64) -> [(shown: Int64, series: Series)] {
    guard !habits.manualSeries.isEmpty, habits.manualPerDay > 0 else { return [] }
    var draw = draw(Stream.manual, day)
    let count = draw.integer(in: 0...habits.manualPerDay)
    var presses: [(shown: Int64, series: Series)] = []
    for _ in 0..<count {
      let second = Int64(draw.integer(in: 8 * 3600...22 * 3600)) / habits.manualStep * habits.manualStep
      let series = habits.manualSeries[draw.below(habits.manualSeries.count)]
      let shown = day * Self.day + second
      if presses.allSatisfy({ abs($0.shown - shown) >= 120 }) { presses.append((shown, series)) }
    }
    return presses.sorted { $0.shown < $1.shown }
  }

  // MARK: Values

  /// True if the wearer sleeps at this time of the band's clock.
  public func isAsleep(at shown: Int64) -> Bool {
    guard habits.sleeps else { return false }
    let day = shown.floored(by: Self.day)
    return [day, day + 1].contains { ending in
      let night = night(endingOn: ending)
      return shown >= night.start && shown < night.end
    }
  }

  /// True if the wearer trains at this time of the band's clock.
  public func isTraining(at shown: Int64) -> Bool {
    training(on: shown.floored(by: Self.day)).map { shown >= $0.start && shown < $0.end } ?? false
  }

  /// A measurement in the stored scale of its series; nil: no pulse was found, which happens only automatically.
  ///
  /// - Parameter stretch: stretch of the band's clock, so that a time that it shows twice has two values.
  public func values(of series: Series, at shown: Int64, stretch: Int, isManual: Bool = false) -> [Int64]? {
    var draw = draw(Stream.value + UInt64(series.id), shown).split(UInt64(stretch) << 1 | (isManual ? 1 : 0))
    if draw.chance(habits.missed), !isManual { return nil }
    let asleep = isAsleep(at: shown)
    switch series {
    case .heartRate: return [heartRate(at: shown, asleep, &draw)]
    case .spo2: return [Int64(draw.integer(in: asleep ? 92...98 : 95...99))]
    case .stress: return [Int64(draw.integer(in: asleep ? 5...30 : 20...75))]
    // Tenths of a degree at the wrist.
    case .skinTemperature: return [Int64(draw.integer(in: asleep ? 335...352 : 318...344)) * 100]
    case .bodyTemperature: return [Int64(draw.integer(in: 362...371)) * 100]
    case .respirationRate: return [Int64(draw.integer(in: asleep ? 11...15 : 13...19))]
    case .systolicPressure:
      let systolic = draw.integer(in: asleep ? 98...115 : 108...138)
      return [Int64(systolic) * 100, Int64(systolic - draw.integer(in: 35...50)) * 100]
    default: return nil
    }
  }

  private func heartRate(at shown: Int64, _ asleep: Bool, _ draw: inout SeededRandom) -> Int64 {
    if asleep { return Int64(draw.integer(in: 47...59)) }
    if isTraining(at: shown) { return Int64(draw.integer(in: 118...168)) }
    return Int64(draw.integer(in: 61...97))
  }

  /// Steps from a time on, at most 3000 in a slot of half an hour: more would look like a defect.
  public func steps(from shown: Int64, length: Int64, stretch: Int) -> Int64 {
    var draw = draw(Stream.value, shown).split(UInt64(stretch))
    let minutes = Int(length / 60)
    if isTraining(at: shown) { return Int64(draw.integer(in: 60 * minutes...95 * minutes)) }
    if isAsleep(at: shown) || draw.chance(0.35) { return 0 }
    return Int64(draw.integer(in: 1...25 * max(1, minutes)))
  }

  /// Resting rate of the night, computed by the band at its end.
  public func restingRate(of day: Int64) -> Int64 {
    var draw = draw(Stream.night, day).split(1)
    return Int64(draw.integer(in: 46...58))
  }
}
