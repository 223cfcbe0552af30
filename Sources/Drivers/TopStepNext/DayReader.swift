// Decoder of the messages of a day: values with their times, for one item.

import Health
import TopStepMessages
import Wearable

/// Reads one item. Pure: the same bytes give the same values.
struct DayReader {
  let item: DayItem
  let sink: any ItemSink
  /// Values decoded so far.
  private(set) var count = 0
  /// Index of the next message.
  private var place = 0

  init(_ item: DayItem, into sink: any ItemSink) { (self.item, self.sink) = (item, sink) }

  /// Seconds between two automatic values.
  static let automaticStep: Int64 = 300
  /// Automatic values of one day.
  static let automaticLimit = 288

  /// Reads all messages at once.
  mutating func read() throws(ItemDefect) { while try next() {} }

  /// Reads one message. With at most 4 KiB it has some hundreds of values at most.
  ///
  /// - Returns: whether more messages follow.
  mutating func next() throws(ItemDefect) -> Bool {
    guard place < item.messages.count else { return false }
    let bytes = item.messages[place]
    place += 1
    do throws(MalformedMessage) {
      switch item.kind {
      case .heartRate: read(try TopStepHeartRateDay(wire: bytes))
      case .spo2: read(try TopStepMeasuredDay(wire: bytes), .spo2)
      case .stress: read(try TopStepMeasuredDay(wire: bytes), .stress)
      case .sleep: read(try TopStepSleepNight(wire: bytes))
      case .activity: read(try TopStepActivityDay(wire: bytes))
      case .sport: read(try TopStepSport(wire: bytes))
      }
    } catch { throw .malformed("a message of \(item.kind.id) that is none") }
    return place < item.messages.count
  }

  // MARK: Values with a moment

  private mutating func read(_ day: TopStepHeartRateDay) {
    manual(day.manual, .heartRate)
    automatic([UInt8](day.automatic), from: day.start, .heartRate)
    for reading in day.resting { put(reading, .heartRate, .resting) }
    extremes(day.extremes, .heartRate)
  }

  private mutating func read(_ day: TopStepMeasuredDay, _ series: Series) {
    manual(day.manual, series)
    automatic([UInt8](day.automatic), from: day.start, series)
    extremes(day.extremes, series)
  }

  private mutating func manual(_ readings: [TopStepReading], _ series: Series) {
    if item.isAutomaticOnly { return }
    for reading in readings { put(reading, series, .normal, isManual: true) }
  }

  private mutating func automatic(_ values: [UInt8], from start: Int64, _ series: Series) {
    if values.count > Self.automaticLimit { sink.noteAnomaly("more automatic values than a day has") }
    guard !values.isEmpty, TopStep.times.contains(start) else {
      if !values.isEmpty { sink.noteAnomaly("automatic values of a day without a begin") }
      return
    }
    for (place, value) in values.prefix(Self.automaticLimit).enumerated() where value != 0 {
      let time = start + Int64(place) * Self.automaticStep
      // A band may fill slots of the future with any number.
      if time > Int64(item.settled) { break }
      put(Int64(value), time, series, .normal, isManual: false)
    }
  }

  /// Stores the daily maximum and minimum. The message does not say which is which, so the values decide.
  private mutating func extremes(_ readings: [TopStepReading], _ series: Series) {
    let known = readings.filter { $0.value != 0 }
    guard let least = known.min(by: { $0.value < $1.value }), let most = known.max(by: { $0.value < $1.value }) else {
      return
    }
    guard known.count == 2 else { return sink.noteAnomaly("a maximum and a minimum that are not two") }
    put(most, series, .maximum)
    put(least.value == most.value ? known[0] : least, series, .minimum)
  }

  private mutating func put(
    _ reading: TopStepReading, _ series: Series, _ kind: SampleKind, isManual: Bool = false
  ) {
    if reading.value == 0 { return }
    put(Int64(reading.value), reading.time, series, kind, isManual: isManual)
  }

  /// Valid values: bpm in one byte; percent and scores up to 100.
  private static func range(_ series: Series) -> ClosedRange<Int64> { series == .heartRate ? 1...255 : 1...100 }

  private mutating func put(
    _ value: Int64, _ seconds: Int64, _ series: Series, _ kind: SampleKind, isManual: Bool
  ) {
    guard Self.range(series).contains(value) else { return sink.noteAnomaly("a value out of its range") }
    put(series, [value], seconds, kind, isManual: isManual)
  }

  // MARK: Spans

  /// Length of a half-hour, s.
  private static let halfHour: Int64 = 1800
  /// Half-hours of one day.
  private static let halfHours = 48
  /// Class of `active_time`. The band counts minutes in motion without their intensity, so this is the lowest class of
  /// motion.
  private static let lightActivity: Int64 = 3

  private mutating func read(_ day: TopStepActivityDay) {
    let lists = [day.steps, day.calories, day.distance, day.active]
    guard let longest = lists.map(\.count).max(), longest > 0 else { return }
    if longest > Self.halfHours { sink.noteAnomaly("more half-hours than a day has") }
    guard TopStep.times.contains(day.start) else {
      return sink.noteAnomaly("half-hours of a day without a begin")
    }
    for place in 0..<min(longest, Self.halfHours) {
      let start = day.start + Int64(place) * Self.halfHour
      // An unfinished half-hour is sent again later with more.
      if start + Self.halfHour > Int64(item.settled) { break }
      func value(_ list: [UInt32]) -> Int64 { place < list.count ? Int64(list[place]) : 0 }
      span(.steps, value(day.steps), start)
      span(.distance, value(day.distance) * Series.distance.denominator, start)
      // Convert small calories to tenths of a large one.
      span(.calories, (value(day.calories) * Series.calories.denominator + 500) / 1000, start)
      let active = value(day.active)
      if active == 0 { continue }
      guard active <= Self.halfHour / 60 else {
        sink.noteAnomaly("more minutes in motion than a half-hour has")
        continue
      }
      put(.activeTime, [active * 60_000_000, Self.lightActivity], start, .normal)
    }
  }

  private mutating func span(_ series: Series, _ value: Int64, _ start: Int64) {
    if value > 0 { put(series, [Self.halfHour * 1_000_000, value], start, .normal) }
  }

  // MARK: Nights

  /// Stores the stages of a night. The last stage is left out while it may still grow.
  private mutating func read(_ night: TopStepSleepNight) {
    let lengths = SleepLengths(night.items, known: item.sleepUnit)
    if lengths.areMinutes { sink.noteAnomaly("lengths of sleep that can only be minutes") }
    for (place, stage) in night.items.enumerated() {
      let length = lengths.seconds[place]
      if length == 0 { continue }
      guard length <= SleepLengths.longest else {
        sink.noteAnomaly("a stage of sleep of more than a day")
        continue
      }
      let isLast = place == night.items.count - 1
      if isLast, stage.time.addingReportingOverflow(length).partialValue > Int64(item.settled) - Self.halfHour {
        continue
      }
      put(
        .sleepStage, [length * 1_000_000, Self.stage(stage.stage)], stage.time, .normal,
        isLowQuality: lengths.areMinutes)
    }
  }

  /// Number of a stage in the series `sleep_stage`.
  private static func stage(_ stage: TopStepSleepItem.Stage) -> Int64 {
    switch stage {
    case .awake: 1
    case .rem: 2
    case .light: 3
    case .deep: 4
    case .UNRECOGNIZED: 0
    }
  }

  // MARK: Trainings

  /// Longest plausible training, s: a week.
  private static let longestTraining: Int64 = 604_800

  private mutating func read(_ sport: TopStepSport) {
    let whole = sport.end.subtractingReportingOverflow(sport.start)
    let length = sport.duration > 0 ? Int64(sport.duration) : whole.overflow ? 0 : max(0, whole.partialValue)
    guard length <= Self.longestTraining else { return sink.noteAnomaly("a training of more than a week") }
    put(
      .training,
      [
        0, Int64(sport.type), length, Int64(sport.distance), Int64(sport.calories), Int64(sport.heartRateMean),
        Int64(sport.heartRateMax),
      ], sport.start, .normal)
  }

  // MARK: Appending

  private mutating func put(
    _ series: Series, _ values: [Int64], _ seconds: Int64, _ kind: SampleKind, isManual: Bool = false,
    isLowQuality: Bool = false
  ) {
    guard let time = TopStep.microseconds(seconds) else { return sink.noteAnomaly("a value without a time") }
    guard item.has(seconds) else { return }
    count += 1
    sink.append(
      series, values, bytes: [], at: time, kind: kind, isManual: isManual, isLowQuality: isLowQuality)
  }
}
