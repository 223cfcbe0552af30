// Recorder of a band: it measures by its schedules, records its wearer's life, and overwrites its oldest items. The
// ground truth keeps everything that it ever recorded.

public import EventLoop
public import Health

/// Series that a model records, and their number.
public struct BandModel: Sendable {
  /// Initial schedules of automatic measuring.
  public var schedules: [Series: BandSchedule] = [.heartRate: BandSchedule(interval: 10)]
  /// Minutes of a slot of steps, a divisor of a day; nil: it counts no steps.
  public var stepSlot: Int? = 30
  /// Properties of a slot besides steps.
  public var hasDistance = false
  /// True if it records calories.
  public var hasCalories = false
  /// True if it records sleep.
  public var hasSleep = true
  /// True if it records trainings.
  public var hasTrainings = true
  /// Computes a resting rate at the end of each night.
  public var hasResting = true
  /// Records the highest and the lowest value of the day at midnight.
  public var hasExtremes = false
  /// Stored items of one kind.
  public var capacity: [BandBin: Int] = [:]
  /// Maximum number of items of series without a capacity of their own.
  public var otherCapacity = 2000
  /// True if no night or training is repeated when its clock is set back and shows their times again.
  public var livesOnce = false
  /// Days that it stores by its own clock, including today; nil: only its memory is the bound.
  public var daysKept: Int?

  /// A model with sleep and trainings.
  public init() {}
}

/// Recorder that catches up on demand, in the order of time, as if it had measured continuously.
public struct BandRecorder: Sendable {
  /// Model of the band.
  public let model: BandModel
  /// Life of the wearer.
  public let life: BandLife
  /// Clock of the band.
  public private(set) var clock: WristClock
  /// Schedules by series.
  public private(set) var schedules: [Series: BandSchedule]
  /// Every item that it ever recorded; the number of an item is its index plus one.
  public private(set) var items: [BandItem] = []
  /// Memory by kind of data.
  public private(set) var memories: [BandBin: BandMemory] = [:]
  /// Items that were overwritten before a host had confirmed them.
  public var overwritten: Int { memories.values.reduce(0) { $0 + $1.overwritten } }
  /// True time of its creation.
  private let made: (at: Instant, time: WallTime)
  private var next: [Source: Instant] = [:]
  /// Progress of each source by the band's clock: after a small setting back, events are not repeated.
  private var done: [Source: Int64] = [:]
  /// Time from which its clock runs without a jump.
  private var stretchBegan: Int64
  /// Sources of events in a band, in their order at one moment.
  private enum Source: Hashable, Comparable {
    case measurement(UInt16)
    case steps, button, training, wake, midnight
  }

  /// A recorder from `now` on.
  public init(_ model: BandModel, _ life: BandLife, _ clock: WristClock, now: Instant, time: WallTime) {
    self.model = model
    self.life = life
    self.clock = clock
    schedules = model.schedules
    made = (now, time)
    stretchBegan = clock.seconds(at: now)
    plan(now)
  }

  // MARK: Reading

  /// The item of this number, from 1 on.
  public func item(_ number: Int) -> BandItem { items[number - 1] }
  /// Stored items of a kind, oldest first.
  public func held(_ bin: BandBin) -> [BandItem] { (memories[bin]?.numbers ?? []).map { items[$0 - 1] } }
  /// Items still in memory.
  public var held: [BandItem] { items.filter { $0.goneAt == nil } }
  /// Civil time by a clock that is never set.
  public func time(of moment: Instant) -> WallTime { made.time + (moment - made.at) }
  /// Highest and lowest automatic value of a day by the band's clock, as far as the day is over. The day is in days
  /// since 1970.
  public func extremes(of series: Series, on day: Int64) -> (highest: BandItem, lowest: BandItem)? {
    let those = items.reversed().prefix { $0.shown >= (day - 2) * 86_400 }.filter {
      $0.series == series && $0.kind == .normal && !$0.isManual && $0.shown.floored(by: 86_400) == day
        && $0.stretch == clock.stretch
    }
    guard let highest = those.max(by: { $0.value < $1.value }), let lowest = those.min(by: { $0.value < $1.value })
    else { return nil }
    return (highest, lowest)
  }

  // MARK: Changes

  /// Sets its clock: recorded items keep their times.
  ///
  /// - Parameter isForeign: set by another device than the hub.
  public mutating func setClock(_ seconds: Int64, at now: Instant, isForeign: Bool = false) {
    advance(to: now)
    let stretch = clock.stretch
    clock.set(seconds, at: now, isForeign: isForeign)
    clockChanged(from: stretch, now)
  }

  /// Loses the time, as without power.
  public mutating func loseClock(at now: Instant) {
    advance(to: now)
    let stretch = clock.stretch
    clock.lose(at: now)
    clockChanged(from: stretch, now)
  }

  private mutating func clockChanged(from stretch: Int, _ now: Instant) {
    if clock.stretch != stretch {
      done = [:]
      stretchBegan = clock.seconds(at: now)
    }
    plan(now)
  }

  /// Changes the schedule of a series.
  public mutating func setSchedule(_ schedule: BandSchedule, of series: Series, at now: Instant) {
    advance(to: now)
    schedules[series] = schedule
    plan(now)
  }

  /// Deletes these items, since the host has them.
  public mutating func forget(_ numbers: Set<Int>, at now: Instant) {
    for bin in memories.keys { close(memories[bin]?.forget(numbers) ?? [], .confirmed, now) }
  }

  /// Deletes everything that it measured.
  public mutating func reset(at now: Instant) {
    advance(to: now)
    for bin in memories.keys { close(memories[bin]?.clear() ?? [], .reset, now) }
  }

  /// Carries out all events until this moment.
  public mutating func advance(to now: Instant) {
    guard life.habits.isWorn else { return }
    while let first = next.min(by: { ($0.value, $0.key) < ($1.value, $1.key) }), first.value <= now {
      carryOut(first.key, at: first.value)
      plan(first.key, after: first.value)
    }
  }

  // MARK: Plan

  private mutating func plan(_ now: Instant) {
    next = [:]
    for series in schedules.keys { plan(.measurement(series.id), after: now) }
    for source in [Source.steps, .button, .training, .wake, .midnight] { plan(source, after: now) }
  }

  /// Plans the next event of a source by the band's clock, later than `now`.
  private mutating func plan(_ source: Source, after now: Instant) {
    let shown = max(clock.seconds(at: now), done[source] ?? .min) + 1
    let today = shown.floored(by: 86_400)
    // Habits have no pause of more than forty days.
    let days = today...(today + 40)
    let life = life
    var at: Int64?
    switch source {
    case .measurement(let id): at = schedules.first { $0.key.id == id }?.value.first(from: shown)
    case .steps: at = model.stepSlot.map { -(-shown).floored(by: Int64($0) * 60) * Int64($0) * 60 }
    case .button: at = days.lazy.flatMap { life.buttons(on: $0) }.first { $0.shown >= shown }?.shown
    case .training:
      at = model.hasTrainings ? days.lazy.compactMap { life.training(on: $0)?.end }.first { $0 >= shown } : nil
    case .wake: at = life.habits.sleeps ? days.lazy.map { life.night(endingOn: $0).end }.first { $0 >= shown } : nil
    case .midnight: at = (today + (shown == today * 86_400 ? 0 : 1)) * 86_400
    }
    next[source] = at.map { max(clock.instant(of: $0), now) }
    if let at { due[source] = at }
  }

  /// Time on the band's clock at which a source is due.
  private var due: [Source: Int64] = [:]

  private mutating func carryOut(_ source: Source, at now: Instant) {
    guard let shown = due[source] else { return }
    done[source] = shown
    switch source {
    case .measurement(let id):
      guard let series = schedules.keys.first(where: { $0.id == id }),
        let values = life.values(of: series, at: shown, stretch: clock.stretch)
      else { return }
      record(BandBin(series), shown, values, now)
    case .steps: closeSlot(shown, now)
    case .button:
      let today = shown.floored(by: 86_400)
      for press in life.buttons(on: today) where press.shown == shown {
        guard let values = life.values(of: press.series, at: shown, stretch: clock.stretch, isManual: true) else {
          continue
        }
        record(BandBin(press.series, isManual: true), shown, values, now)
      }
    case .training: endTraining(shown, now)
    case .wake: endNight(shown, now)
    case .midnight: endDay(shown, now)
    }
  }

  // MARK: Recording

  private mutating func closeSlot(_ shown: Int64, _ now: Instant) {
    guard let slot = model.stepSlot else { return }
    let length = Int64(slot) * 60
    // A slot with a jump of the clock is skipped.
    guard shown - length >= stretchBegan else { return }
    let steps = life.steps(from: shown - length, length: length, stretch: clock.stretch)
    guard steps > 0 else { return }
    record(BandBin(.steps), shown - length, [steps], now, length: length)
    // Three quarters of a metre and 40 small calories per step; both are stored in tenths.
    if model.hasDistance { record(BandBin(.distance), shown - length, [steps * 3 / 4 * 10], now, length: length) }
    if model.hasCalories { record(BandBin(.calories), shown - length, [steps * 40 / 1000 * 10], now, length: length) }
  }

  private mutating func endTraining(_ shown: Int64, _ now: Instant) {
    guard let training = life.training(on: shown.floored(by: 86_400)), training.start >= stretchBegan else { return }
    let minutes = training.length / 60
    record(
      BandBin(.training), training.start, [0, training.sport, training.length, minutes * 140, minutes * 9, 141, 168],
      now,
      length: training.length)
  }

  /// Records the stages of a night at its end, and the resting rate.
  private mutating func endNight(_ shown: Int64, _ now: Instant) {
    let days = shown.floored(by: 86_400)
    guard let night = [days, days + 1].map({ life.night(endingOn: $0) }).first(where: { $0.end == shown }) else {
      return
    }
    if model.hasSleep {
      var start = night.start
      for (length, stage) in night.stages {
        if start >= stretchBegan { record(BandBin(.sleepStage), start, [stage], now, length: length) }
        start += length
      }
    }
    if model.hasResting, night.start >= stretchBegan {
      record(BandBin(.heartRate, kind: .resting), shown, [life.restingRate(of: days)], now)
    }
  }

  private mutating func endDay(_ shown: Int64, _ now: Instant) {
    let day = shown.floored(by: 86_400)
    if model.hasExtremes {
      for series in schedules.keys.sorted(by: { $0.id < $1.id }) {
        guard let (highest, lowest) = extremes(of: series, on: day - 1) else { continue }
        record(BandBin(series, kind: .maximum), highest.shown, highest.values, now)
        record(BandBin(series, kind: .minimum), lowest.shown, lowest.values, now)
      }
    }
    guard let daysKept = model.daysKept else { return }
    let first = (day - Int64(daysKept) + 1) * 86_400
    for bin in memories.keys {
      let old = Set(memories[bin]?.numbers.filter { items[$0 - 1].shown < first } ?? [])
      if !old.isEmpty { close(memories[bin]?.overwrite(old) ?? [], .overwritten, now) }
    }
  }

  @discardableResult
  private mutating func record(
    _ bin: BandBin, _ shown: Int64, _ values: [Int64], _ now: Instant, length: Int64 = 0
  ) -> Int {
    let number = items.count + 1
    if model.livesOnce, length > 0, bin.series == .training || bin.series == .sleepStage,
      items.contains(where: { $0.series == bin.series && $0.shown == shown })
    {
      return number
    }
    let at = min(clock.instant(of: shown), now)
    items.append(
      BandItem(
        number: number, series: bin.series, kind: bin.kind, isManual: bin.isManual, at: at, time: time(of: at),
        shown: shown, stretch: clock.stretch, isClockSet: clock.isSet, settings: clock.settings.count,
        isClockForeign: clock.isForeign, length: .seconds(length), values: values,
        recordedAt: now, goneAt: nil, end: nil))
    let capacity = model.capacity[bin] ?? model.otherCapacity
    if let gone = memories[bin, default: BandMemory(capacity: capacity)].append(number) {
      close([gone], .overwritten, now)
    }
    return number
  }

  private mutating func close(_ numbers: [Int], _ end: BandItem.End, _ now: Instant) {
    for number in numbers {
      items[number - 1].goneAt = now
      items[number - 1].end = end
    }
  }
}
