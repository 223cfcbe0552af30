// What the store must contain of a Polar wearable, from its twin's ledgers, without any code of the driver.

import EventLoop
import Health
import PolarTwin

/// A measured value with its real time.
struct GroundTruthValue {
  /// Numbers of the item, folded into one.
  let value: Int64
  /// Nanoseconds of a clock that is never set. There is more than one moment if a wearable's clock was set over a time,
  /// or showed it twice.
  let from, to: Int64
  /// Doubt about its time: others set the clock between two readings, by this amount.
  var inDoubt = PolarDoubts.Doubt()
  /// ns.
  var doubt: Int64 { inDoubt.amount }
  var isInDoubt: Bool { inDoubt.amount > 0 || inDoubt.again > 0 }
  /// Moment at which the state of the hub's clock decides its time, whenever it was fetched, ns. nil: its measurement,
  /// or later.
  var timedAt: Int64?
  /// Content that was still changing at the last fetch: it may be in the store, but need not.
  var isOptional = false
  /// Whether several stored values may be this one (loose): true values with only one choice go first.
  var isLoose: Bool { isInDoubt || from < to }
}

/// Folds the numbers of an item, so that items compare as one word.
func folded(_ numbers: some Sequence<Int64>) -> Int64 {
  var word: UInt64 = 0xCBF2_9CE4_8422_2325
  for number in numbers { word = (word ^ UInt64(bitPattern: number)) &* 0x100_0000_01B3 ^ word >> 29 }
  return Int64(bitPattern: word)
}

/// Measurements of one twin, series by series. Days have few numbers and are stored; recordings are computed again,
/// window by window.
@LoopActor
struct PolarTruth {
  private let twin: VirtualPolar
  /// Values of days, nights and exercises, in the order of time.
  private var kept: [UInt16: [GroundTruthValue]] = [:]
  private var runs: [UInt16: [PolarRecorded]] = [:]
  private(set) var doubts: PolarDoubts

  /// - Parameter today: by the wearable's clock, days from 2000. The day's files and nights may be in the store as far
  ///   as they were written, but need not before they are complete.
  init(_ twin: VirtualPolar, today: Int, _ wallSteps: [(at: Instant, total: Int64)], hubEnded ends: [Instant]) {
    self.twin = twin
    doubts = PolarDoubts(twin, wallSteps, hubEnded: ends)
    for run in twin.recordedRuns {
      if let recorded = PolarRecorded(run) { runs[recorded.series.id, default: []].append(recorded) }
    }
    for exercise in twin.exercises { add(exercise, wallSteps) }
    for training in twin.trainings { add(training) }
    let lastNight = twin.dayParts.filter { $0.what == .sleep }.map(\.day).max() ?? .min
    func mustBeStored(_ part: PolarDayPart) -> Bool {
      part.isOfANight ? part.day < max(today - 1, min(today, lastNight)) : part.what != .oxygen || part.day < today
    }
    for part in twin.dayParts { add(part, mustBeStored: mustBeStored(part)) }
    let whole = Set(twin.dayParts.map { DayOf(day: $0.day, what: $0.what) })
    for (day, minutes) in twin.daysInPart {
      for what in [PolarDayPart.What.activity, .automatic, .temperature]
      where !whole.contains(DayOf(day: day, what: what)) {
        add(
          PolarDayPart(day: day, what: what, firstMinute: minutes.lowerBound), mustBeStored: false,
          until: minutes.upperBound)
      }
    }
    for number in kept.keys { kept[number]?.sort { ($0.from, $0.value) < ($1.from, $1.value) } }
  }

  /// Returns the span from the first value of a series to after the last one; nil: no values.
  func span(of series: UInt16) -> Range<Int64>? {
    let own = kept[series] ?? []
    let recorded = runs[series] ?? []
    var spans = recorded.map(\.span)
    if let first = own.first, let last = own.last { spans.append(first.from..<last.from + 1) }
    guard let first = spans.map(\.lowerBound).min(), let end = spans.map(\.upperBound).max() else { return nil }
    return first..<end
  }

  /// The values of a series that were measured within a window, in the order of time.
  func values(of series: UInt16, in window: Range<Int64>) -> [GroundTruthValue] {
    let all = kept[series] ?? []
    func place(_ moment: Int64) -> Int {
      var (low, high) = (0, all.count)
      while low < high {
        let middle = (low + high) / 2
        if all[middle].from < moment { low = middle + 1 } else { high = middle }
      }
      return low
    }
    var values = Array(all[place(window.lowerBound)..<place(window.upperBound)])
    for run in runs[series] ?? [] where run.span.overlaps(window) {
      run.forEach(in: window) { at, value in
        values.append(
          GroundTruthValue(value: value, from: at, to: at, inDoubt: doubts.at(at, recordingSince: run.began)))
      }
    }
    values.sort { ($0.from, $0.value) < ($1.from, $1.value) }
    return values
  }

  // MARK: Exercises

  /// A strap's exercise is timed by its name: the hub's clock at its start.
  private mutating func add(_ exercise: StrapExercise, _ wallSteps: [(at: Instant, total: Int64)]) {
    let began = exercise.began.nanoseconds
    let doubt = doubts.noteExercise(exercise, wallSteps)
    for (index, rate) in exercise.rates.enumerated() where rate > 0 {
      let at = began + Int64(index) * 1_000_000_000
      kept[Series.heartRate.id, default: []].append(
        GroundTruthValue(value: folded([Int64(rate)]), from: at, to: at, inDoubt: doubt(at), timedAt: began))
    }
    var passed: Int64 = 0
    for interval in exercise.intervals {
      passed += Int64(interval) * 1_000_000
      kept[Series.rrInterval.id, default: []].append(
        GroundTruthValue(
          value: folded([(Int64(interval) * 1024 + 500) / 1000]), from: began + passed, to: began + passed,
          inDoubt: doubt(began + passed), timedAt: began))
    }
  }

  /// A training's times are by the clock at its start.
  private mutating func add(_ training: PolarTraining) {
    func put(_ kind: Series, _ values: [Int64], _ second: Int) {
      let at = training.clock.instant(of: training.start + Int64(second) * 1_000_000_000).nanoseconds
      kept[kind.id, default: []].append(
        GroundTruthValue(
          value: folded(values), from: at, to: at, inDoubt: doubts.at(at, recordingSince: training.began.nanoseconds)))
    }
    for second in 0..<training.seconds { put(.heartRate, [Int64(training.rate(second))], second) }
    let (sport, active, distance, calories) = (
      Int64(PolarTraining.sport), Int64(training.seconds), Int64(training.distance), Int64(training.calories)
    )
    // The session and its one exercise, each as a record and in numbers.
    put(.exercise, [2], 0)
    put(.training, [0, sport, active, distance, calories, Int64(training.mean), Int64(training.highest)], 0)
    put(.exercise, [3], 0)
    put(.training, [1, sport, active, distance, calories, 0, 0], 0)
  }

  // MARK: Days

  private func doubt(_ from: Int64, _ to: Int64) -> PolarDoubts.Doubt {
    let (a, b) = (doubts.at(from), doubts.at(to))
    return a.amount + a.again < b.amount + b.again ? b : a
  }

  private struct DayOf: Hashable { let day: Int, what: PolarDayPart.What }

  private mutating func add(_ part: PolarDayPart, mustBeStored: Bool = true, until end: Int = 1440) {
    let midnight = Int64(part.day) * 86_400_000_000_000
    let second: Int64 = 1_000_000_000
    func put(_ kind: Series, _ values: [Int64], _ local: Int64) {
      let (from, to) = moments(of: local)
      var value = GroundTruthValue(value: folded(values), from: from, to: to, inDoubt: doubt(from, to))
      value.isOptional = !mustBeStored
      kept[kind.id, default: []].append(value)
    }
    let minutes = part.firstMinute..<max(part.firstMinute, end)
    let steps = minutes.map { Int64(twin.life.steps(day: part.day, minute: $0)) }
    switch part.what {
    case .activity:
      for (minute, count) in zip(minutes, steps) {
        put(.steps, [60_000_000, count], midnight + Int64(minute) * 60 * second)
        for half in 0..<2 {
          put(
            .metabolicEquivalent, [30_000_000, count == 0 ? 100 : 350],
            midnight + Int64(minute * 60 + half * 30) * second)
        }
      }
    // In parts of any length (`PolarSums`).
    case .summary: break
    case .oxygen:
      let test = twin.life.oxygenTest(day: part.day)
      put(.spo2, [Int64(test.percent)], midnight + Int64(test.second) * second)
      put(.heartRate, [Int64(test.rate)], midnight + Int64(test.second) * second)
    case .automatic:
      for slot in 0..<288 where slot * 5 < end {
        put(.heartRate, [Int64(twin.life.heartRate(day: part.day, slot: slot))], midnight + Int64(slot) * 300 * second)
      }
      if end <= 240 { break }
      var passed: Int64 = 0
      for sample in twin.life.nightIntervals(day: part.day) {
        put(.ppi, [Int64(sample.interval), Int64(sample.error), 1], midnight + 3 * 3600 * second + passed)
        passed += Int64(sample.interval) * 1_000_000
      }
    case .temperature:
      for slot in 0..<end / 5 {
        let celsius = Float(twin.life.skin(slot: slot)) / 100
        put(.skinTemperature, [Int64((Double(celsius) * 1000).rounded())], midnight + Int64(slot) * 300 * second)
      }
    case .sleep:
      let (start, end) = twin.life.sleep(day: part.day)
      let stages: [Int64] = [3, 4, 2, 1]
      var lengths = [Int64](repeating: 0, count: 5)
      for (index, offset) in stride(from: 0, to: end - start, by: 1500).enumerated() {
        let length = min(offset + 1500, end - start) - offset
        put(.sleepStage, [Int64(length) * 1_000_000, stages[index % 4]], midnight + Int64(start + offset) * second)
        lengths[Int(stages[index % 4])] += Int64(length)
      }
      put(.sleep, [Int64(end - start)] + lengths[1...] + [0, 28_800, 0], midnight + Int64(end) * second)
    case .recharge:
      put(.nightlyRecharge, [1], midnight)
      put(.recharge, [4, 0, 0, 1050, 48, 0, 0, 0, 0], midnight)
      put(.ansStatus, [15], midnight)
      put(.heartRateVariability, [480], midnight)
    }
  }

  /// Moments at which its clock showed that time.
  func moments(of local: Int64) -> (from: Int64, to: Int64) {
    var all: [Int64] = []
    var near: [Int64] = []
    for (index, era) in twin.clocks.enumerated() where era.clock.isSet {
      let at = era.clock.instant(of: local)
      let until = index + 1 < twin.clocks.count ? twin.clocks[index + 1].from : Instant(nanoseconds: .max)
      // Before the first era it ran as in it.
      if index == 0 || at >= era.from, at < until { all.append(at.nanoseconds) }
      near.append(at.nanoseconds)
    }
    // A time that no clock showed is between the two that skipped it.
    if all.isEmpty { all = near }
    return (all.min() ?? 0, all.max() ?? 0)
  }
}
