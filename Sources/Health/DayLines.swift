// Days of a wearable: one line for each wearer of a day, with sums, heart rates, nights and trainings.

public import CivilTime

/// Summary of a local day for one wearer. Values are in the stored scale of their series.
public struct DayLine: Sendable, Equatable {
  /// Local day.
  public let date: LocalDate
  /// nil: unknown wearer.
  public let wearer: String?

  /// Number of steps; nil: not reported.
  public internal(set) var steps: Int64?
  /// Distance in the stored scale; nil: not reported.
  public internal(set) var distance: Int64?
  /// Calories of activity, of trainings, of rest.
  public internal(set) var calories: Int64?
  /// Calories of trainings.
  public internal(set) var trainingCalories: Int64?
  /// Calories of rest.
  public internal(set) var basalCalories: Int64?
  /// Another person wore it for a part of a period for which calories or distance were reported as one sum.
  public internal(set) var isShared = false
  /// Time in each class of activity, by its number, µs; empty if unknown.
  public internal(set) var activity: [Int64] = []

  /// bpm, of all measurements without those of low quality.
  public internal(set) var lowestHeartRate: Int64?
  /// Highest heart rate in bpm, of all measurements without those of low quality.
  public internal(set) var highestHeartRate: Int64?
  /// Latest value by its time, whatever its arrival.
  public internal(set) var restingHeartRate: Int64?
  var restingTime: Int64 = .min
  var rateSum: Int64 = 0
  var rateCount: Int64 = 0
  /// Mean heart rate in bpm; nil: no value.
  public var meanHeartRate: Double? { rateCount > 0 ? Double(rateSum) / Double(rateCount) : nil }

  /// Nights that ended on this day, in the order of time.
  public internal(set) var nights: [Event] = []
  /// Recharge of the night that ended on this day.
  public internal(set) var recharge: Event?
  /// Calming of the autonomic nervous system in that night.
  public internal(set) var ansStatus: Int64?
  /// Trainings of the day, in the order of time.
  public internal(set) var trainings: [Event] = []

  /// Item of a series of whole events: a night, a training.
  public struct Event: Sendable, Hashable {
    /// Start of the event, microseconds since 1970.
    public let time: Int64
    /// Values in the order of the series' names.
    public let values: [Int64]
    /// True if the user started it.
    public let isManual: Bool
    /// Computed by the hub from live values; otherwise reported by the wearable.
    public let isLive: Bool
  }

  /// Maximum number of trainings or nights of one day; more are implausible.
  public static let eventLimit = 64
}

/// Sums up items in any order. Memory: some hundred bytes per line.
public struct DayLineAccumulator: Sendable {
  /// Series that the accumulator reads.
  public static let series: [Series] = [
    .steps, .distance, .calories, .trainingCalories, .basalCalories, .activeTime, .heartRate, .sleep, .recharge,
    .ansStatus, .training,
  ]
  /// Longest interval that is counted, µs. An item's own time lies at most this far before the moment that determines
  /// its day.
  private static let lead: Int64 = 2 * 86_400_000_000
  /// Start of reading for days from `since` on, µs.
  public static func start(_ since: Int64?) -> Int64? { since.map { max($0, .min + lead) - lead } }

  private let zone: TimeZoneRules
  private let since: Int64
  private let until: Int64
  /// Wearers with the begin of each, ascending.
  private let worn: [(from: Int64, wearer: String?)]
  /// Lines in the order in which they were opened.
  private var lines: [DayLine] = []
  private var places: [Key: Int] = [:]
  /// Line of the preceding item, and its period.
  private var current: (index: Int, from: Int64, to: Int64)?
  /// Items left out because the number of lines was at its limit.
  public private(set) var overflowed = 0

  private struct Key: Hashable, Comparable {
    let day: Int64
    /// Index in `worn` of the first entry with this wearer; -1: before all entries.
    let place: Int
    static func < (a: Key, b: Key) -> Bool { (a.day, a.place) < (b.day, b.place) }
  }

  /// Times are in microseconds since 1970.
  /// - Parameters:
  ///   - worn: wearers with the begin of each.
  ///   - since: first moment, by the moment that counts for an item (`DayMoment`).
  ///   - until: end, likewise.
  public init(zone: TimeZoneRules, worn: [(from: Int64, wearer: String?)], since: Int64? = nil, until: Int64? = nil) {
    self.zone = zone
    self.worn = worn.sorted { $0.from < $1.from }
    self.since = since ?? .min
    self.until = until ?? .max
  }

  /// Lines ascending; within one day in the order of wearers.
  public var days: [DayLine] { places.sorted { $0.key < $1.key }.map { lines[$0.value] } }

  // MARK: items

  /// - Parameter value: by index in the layout of the series; for an interval the length comes first.
  public mutating func add(_ series: Series, time: Int64, flags: UInt8, _ value: (Int) -> Int64) {
    // Of an item in several parts the last one counts.
    guard let flags = SampleFlags(rawValue: flags), !flags.goesOn else { return }
    switch series {
    case .heartRate: if !flags.isDoubtful { addRate(time, flags.kind, value(0)) }
    case .activeTime: addActivity(time, length: value(0), state: value(1))
    case .steps, .distance, .calories, .trainingCalories, .basalCalories:
      addAmount(series, time, length: value(0), value(1))
    case .sleep, .recharge, .training: addEvent(series, time, flags, value)
    case .ansStatus:
      let status = value(0)
      let moment = series.dayMoment
      change(dayAt: moment.day(time), wornAt: moment.worn(time, length: 0)) { $0.ansStatus = status }
    default: break
    }
  }

  private mutating func addRate(_ time: Int64, _ kind: SampleKind, _ rate: Int64) {
    change(dayAt: time, wornAt: time) { line in
      switch kind {
      case .normal:
        line.lowestHeartRate = min(line.lowestHeartRate ?? rate, rate)
        line.highestHeartRate = max(line.highestHeartRate ?? rate, rate)
        line.rateSum &+= rate
        line.rateCount += 1
      case .maximum: line.highestHeartRate = max(line.highestHeartRate ?? rate, rate)
      case .minimum: line.lowestHeartRate = min(line.lowestHeartRate ?? rate, rate)
      case .resting:
        guard time >= line.restingTime else { return }
        (line.restingHeartRate, line.restingTime) = (rate, time)
      }
    }
  }

  /// Adds an amount to the day of its middle. A wearable's midnight may be a second early, and a minute of steps before
  /// it belongs to its own day.
  private mutating func addAmount(_ series: Series, _ time: Int64, length: Int64, _ amount: Int64) {
    guard (0...Self.lead).contains(length) else { return }
    let middle = time &+ length / 2
    // Partly of another person: a sum over a period in which the wearer changed. The first and the last minute do not
    // count.
    let edge: Int64 = 60_000_000
    let isShared = length > 2 * edge && place(at: time &+ edge) != place(at: time &+ length &- edge)
    change(dayAt: middle, wornAt: middle) { line in
      switch series {
      case .steps: line.steps = (line.steps ?? 0) &+ amount
      case .distance: line.distance = (line.distance ?? 0) &+ amount
      case .calories: line.calories = (line.calories ?? 0) &+ amount
      case .trainingCalories: line.trainingCalories = (line.trainingCalories ?? 0) &+ amount
      default: line.basalCalories = (line.basalCalories ?? 0) &+ amount
      }
      if isShared { line.isShared = true }
    }
  }

  private mutating func addActivity(_ time: Int64, length: Int64, state: Int64) {
    guard (0...Self.lead).contains(length), let state = Int(exactly: state),
      (0..<DailyMeaning.stateLimit).contains(state)
    else { return }
    let middle = time &+ length / 2
    change(dayAt: middle, wornAt: middle) { line in
      if line.activity.isEmpty { line.activity = Array(repeating: 0, count: DailyMeaning.stateLimit) }
      line.activity[state] &+= length
    }
  }

  private mutating func addEvent(_ series: Series, _ time: Int64, _ flags: SampleFlags, _ value: (Int) -> Int64) {
    let event = DayLine.Event(
      time: time, values: (0..<series.layout.valueCount).map(value), isManual: flags.isManual,
      isLive: flags.origin == .live)
    func insert(_ events: inout [DayLine.Event]) {
      // Duplicates are dropped. Of a recomputed night the last version counts.
      if series == .sleep { events.removeAll { Self.isSameNight($0, event) } }
      guard events.count < DayLine.eventLimit, !events.contains(event) else { return }
      events.insert(
        event, at: events.firstIndex { ($0.time, $0.values[0]) > (event.time, event.values[0]) } ?? events.count)
    }
    let moment = series.dayMoment
    let length = series == .sleep ? min(max(value(0), 0), 2 * 86_400) &* 1_000_000 : 0
    change(dayAt: moment.day(time), wornAt: moment.worn(time, length: length)) { line in
      switch series {
      case .sleep: insert(&line.nights)
      case .training: insert(&line.trainings)
      default: line.recharge = event
      }
    }
  }

  /// Two nights are the same if they overlap by more than half of the shorter one.
  private static func isSameNight(_ a: DayLine.Event, _ b: DayLine.Event) -> Bool {
    func span(_ night: DayLine.Event) -> (from: Int64, to: Int64) {
      let end = night.time
      return (end &- min(max(night.values[0], 0), 2 * 86_400) &* 1_000_000, end)
    }
    let (a, b) = (span(a), span(b))
    let both = min(a.to, b.to) &- max(a.from, b.from)
    return both > 0 && both > min(a.to &- a.from, b.to &- b.from) / 2
  }

  // MARK: lines

  /// Entries of `worn` that have begun by then; the last of them names the wearer.
  private func begun(by time: Int64) -> Int {
    var (low, high) = (0, worn.count)
    while low < high {
      let middle = (low + high) / 2
      if worn[middle].from <= time { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Wearer at a time, as the index of the first entry in `worn` with that wearer.
  private func place(at time: Int64) -> Int {
    let begun = begun(by: time)
    guard begun > 0 else { return -1 }
    return worn.firstIndex { $0.wearer == worn[begun - 1].wearer } ?? begun - 1
  }

  private mutating func change(dayAt day: Int64, wornAt time: Int64, _ body: (inout DayLine) -> Void) {
    guard day >= since, day < until else { return }
    // Most items have the day and wearer of the preceding one.
    if day == time, let current, day >= current.from, day < current.to {
      body(&lines[current.index])
      return
    }
    let date = zone.date(of: day)
    let key = Key(day: date.dayNumber, place: place(at: time))
    if places[key] == nil {
      guard lines.count < DayAccumulator.dayLimit else {
        overflowed += 1
        return
      }
      places[key] = lines.count
      lines.append(DayLine(date: date, wearer: key.place < 0 ? nil : worn[key.place].wearer))
    }
    guard let index = places[key] else { return }
    body(&lines[index])
    guard day == time else {
      current = nil
      return
    }
    let span = zone.span(of: date)
    let begun = begun(by: day)
    current = (
      index, max(span.lowerBound, begun > 0 ? worn[begun - 1].from : .min),
      min(span.upperBound, begun < worn.count ? worn[begun].from : .max)
    )
  }
}
