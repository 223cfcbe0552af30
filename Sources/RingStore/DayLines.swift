// Days of a wearable, each as one line for each who wore it: sums, the heart, the night, the trainings.

public import EventLoop
public import Health
public import Reasons

/// What a local day was like for one wearer. Values are in the stored scale of their series.
public struct DayLine: Sendable, Equatable {
  public let date: LocalDate
  /// nil: nobody known.
  public let wearer: String?

  public internal(set) var steps: Int64?
  public internal(set) var distance: Int64?
  /// Of activity, of trainings, of rest.
  public internal(set) var calories: Int64?
  public internal(set) var trainingCalories: Int64?
  public internal(set) var basalCalories: Int64?
  /// Somebody else wore it for a part of this day, of which the three and the distance were told as a whole.
  public internal(set) var isShared = false
  /// Time in each class of activity, by its number, µs; empty where nothing is known of it.
  public internal(set) var activity: [Int64] = []

  /// bpm, of everything that was measured.
  public internal(set) var lowestHeartRate: Int64?
  public internal(set) var highestHeartRate: Int64?
  public internal(set) var restingHeartRate: Int64?
  var rateSum: Int64 = 0
  var rateCount: Int64 = 0
  public var meanHeartRate: Double? { rateCount > 0 ? Double(rateSum) / Double(rateCount) : nil }

  /// Of the nights that ended on this day, in the order of time.
  public internal(set) var nights: [Event] = []
  public internal(set) var recharge: Event?
  public internal(set) var ansStatus: Int64?
  public internal(set) var trainings: [Event] = []

  /// An item of one of the series that tell of something whole: a night, a training.
  public struct Event: Sendable, Hashable {
    public let time: WallTime
    /// As the series names them.
    public let values: [Int64]
    public let isManual: Bool
  }

  /// Trainings of one day, and nights: a wearable that says more is not believed.
  public static let eventLimit = 64
}

/// Sums up items in whatever order they come. Memory: some hundred bytes for each line.
public struct DayLineAccumulator: Sendable {
  /// What is read for it.
  public static let series: [Series] = [
    .steps, .distance, .calories, .trainingCalories, .basalCalories, .activeTime, .heartRate, .sleep, .recharge, .ansStatus, .training,
  ]
  /// How far an item's own time lies before the moment by which it is counted, µs: half of the longest interval that is counted.
  static let lead: Int64 = 2 * 86_400_000_000

  private let zone: TimeZoneRules
  private let since: Int64
  private let until: Int64
  /// From when on who wears it, ascending.
  private let worn: [(from: Int64, wearer: String?)]
  /// In the order in which they were opened.
  private var lines: [DayLine] = []
  private var places: [Key: Int] = [:]
  /// The line of the item before, and the time for which it is the one.
  private var current: (index: Int, from: Int64, to: Int64)?
  /// Items left out because their line would have been one too many.
  public private(set) var overflowed = 0

  private struct Key: Hashable, Comparable {
    let day: Int64
    /// Place in `worn`, of the first entry with this wearer; -1: before them all.
    let place: Int
    static func < (a: Key, b: Key) -> Bool { (a.day, a.place) < (b.day, b.place) }
  }

  /// - Parameters:
  ///   - worn: from when on who wears it.
  ///   - since: at or after this; by the middle of intervals, the end of nights, and for what is told of a night at midnight, the noon after.
  ///   - until: before.
  public init(zone: TimeZoneRules, worn: [(from: WallTime, wearer: String?)], since: WallTime? = nil, until: WallTime? = nil) {
    self.zone = zone
    self.worn = worn.map { ($0.from.microseconds, $0.wearer) }.sorted { $0.from < $1.from }
    self.since = since?.microseconds ?? .min
    self.until = until?.microseconds ?? .max
  }

  /// Ascending; of one day in the order in which they wore it.
  public var days: [DayLine] { places.sorted { $0.key < $1.key }.map { lines[$0.value] } }

  // MARK: items

  /// - Parameter value: by place, as the series' layout has them; of an interval the length first.
  public mutating func add(_ series: Series, time: Int64, flags: UInt8, _ value: (Int) -> Int64) {
    // Of an item in several parts the last one counts.
    guard let flags = SampleFlags(rawValue: flags), !flags.goesOn else { return }
    switch series {
    case .heartRate: addRate(time, flags.kind, value(0))
    case .activeTime: addActivity(time, length: value(0), state: value(1))
    case .steps, .distance, .calories, .trainingCalories, .basalCalories: addAmount(series, time, length: value(0), value(1))
    case .sleep:
      // The night belongs to the day on which it ended, and to who wore it in its middle.
      let length = min(max(value(0), 0), 2 * 86_400)
      add(series, time: time, count: series.layout.valueCount, flags, value, dayAt: time, wornAt: time &- length &* 500_000)
    // Told of the midnight that the night went over, which the wearable's clock may show some seconds early: by noon it is that day everywhere, and three
    // hours later whoever slept with it still wears it.
    case .recharge, .ansStatus:
      let (noon, asleep) = (time &+ 12 * 3_600_000_000, time &+ 3 * 3_600_000_000)
      if series == .recharge { add(series, time: time, count: series.layout.valueCount, flags, value, dayAt: noon, wornAt: asleep) } else {
        let status = value(0)
        change(dayAt: noon, wornAt: asleep) { $0.ansStatus = status }
      }
    case .training: add(series, time: time, count: series.layout.valueCount, flags, value, dayAt: time, wornAt: time)
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
      case .resting: line.restingHeartRate = rate
      }
    }
  }

  /// By the middle: a wearable's midnight may be a second early, and a minute of steps before it belongs to the day that it is for.
  private mutating func addAmount(_ series: Series, _ time: Int64, length: Int64, _ amount: Int64) {
    guard (0...Self.lead).contains(length) else { return }
    let middle = time &+ length / 2
    // Somebody else's, in part: told of a day as a whole, and the wearer changed in it. The first and the last minute do not count.
    let edge: Int64 = 60_000_000
    let isShared = length > 12 * 3_600_000_000 && place(at: time &+ edge) != place(at: time &+ length &- edge)
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
    guard (0...Self.lead).contains(length), let state = Int(exactly: state), (0..<DailyMeaning.stateLimit).contains(state) else { return }
    let middle = time &+ length / 2
    change(dayAt: middle, wornAt: middle) { line in
      if line.activity.isEmpty { line.activity = Array(repeating: 0, count: DailyMeaning.stateLimit) }
      line.activity[state] &+= length
    }
  }

  private mutating func add(_ series: Series, time: Int64, count: Int, _ flags: SampleFlags, _ value: (Int) -> Int64, dayAt: Int64, wornAt: Int64) {
    let event = DayLine.Event(time: WallTime(microseconds: time), values: (0..<count).map(value), isManual: flags.isManual)
    func insert(_ events: inout [DayLine.Event]) {
      // What was fetched twice is told once; of a night that was worked out again what came last.
      if series == .sleep { events.removeAll { Self.isSameNight($0, event) } }
      guard events.count < DayLine.eventLimit, !events.contains(event) else { return }
      events.insert(event, at: events.firstIndex { ($0.time, $0.values[0]) > (event.time, event.values[0]) } ?? events.count)
    }
    change(dayAt: dayAt, wornAt: wornAt) { line in
      switch series {
      case .sleep: insert(&line.nights)
      case .training: insert(&line.trainings)
      default: line.recharge = event
      }
    }
  }

  /// Somebody sleeps one sleep at a time: for more than half of the shorter one of the two they are the same.
  private static func isSameNight(_ a: DayLine.Event, _ b: DayLine.Event) -> Bool {
    func span(_ night: DayLine.Event) -> (from: Int64, to: Int64) {
      let end = night.time.microseconds
      return (end &- min(max(night.values[0], 0), 2 * 86_400) &* 1_000_000, end)
    }
    let (a, b) = (span(a), span(b))
    let both = min(a.to, b.to) &- max(a.from, b.from)
    return both > 0 && both > min(a.to &- a.from, b.to &- b.from) / 2
  }

  // MARK: lines

  /// Entries of `worn` that have begun by then: the last of them says who wears it.
  private func begun(by time: Int64) -> Int { worn.place { $0.from <= time } }

  /// Who wore it, as a place in `worn`: the first of all with that wearer.
  private func place(at time: Int64) -> Int {
    let begun = begun(by: time)
    guard begun > 0 else { return -1 }
    return worn.firstIndex { $0.wearer == worn[begun - 1].wearer } ?? begun - 1
  }

  private mutating func change(dayAt day: Int64, wornAt time: Int64, _ body: (inout DayLine) -> Void) {
    guard day >= since, day < until else { return }
    // Most items are of the day and of the wearer of the one before.
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
    guard day == time else { return current = nil }
    let span = zone.span(of: date), begun = begun(by: day)
    current = (
      index, max(span.lowerBound, begun > 0 ? worn[begun - 1].from : .min), min(span.upperBound, begun < worn.count ? worn[begun].from : .max)
    )
  }
}

extension DayLineAccumulator {
  /// Everything in `columns`, which have the shape of the series.
  mutating func add(_ series: Series, _ columns: ItemColumns) {
    for index in 0..<columns.count {
      add(series, time: columns.times[index], flags: UInt8(truncatingIfNeeded: columns.flags[index])) { columns.values[$0][index] }
    }
  }

  /// Of a wearable, as its people say.
  init(_ wearable: WearableID, _ people: People, zone: TimeZoneRules, since: WallTime?, until: WallTime?) {
    let worn = people.assignments(of: wearable).map { (from: $0.from, wearer: $0.wearer.flatMap { people.wearer($0)?.name }) }
    self.init(zone: zone, worn: worn, since: since, until: until)
  }

  /// Where to begin reading.
  static func start(_ since: WallTime?) -> WallTime? { since.map { WallTime(microseconds: max($0.microseconds, .min + lead) - lead) } }
}

extension Store {
  /// The lines of a wearable's days, ascending; nil bounds do not bound.
  public func dayLines(_ wearable: WearableID, zone: TimeZoneRules, since: WallTime? = nil, until: WallTime? = nil) async throws(HearthError) -> [DayLine] {
    var lines = DayLineAccumulator(wearable, registry.people, zone: zone, since: since, until: until)
    for series in DayLineAccumulator.series { try await scan(wearable, series, since: DayLineAccumulator.start(since)) { lines.add(series, $0) } }
    return lines.days
  }
}

extension StoreReader {
  /// As `Store.dayLines`.
  public func dayLines(_ wearable: WearableID, zone: TimeZoneRules, since: WallTime? = nil, until: WallTime? = nil) throws(HearthError) -> [DayLine] {
    var lines = DayLineAccumulator(wearable, people, zone: zone, since: since, until: until)
    for series in DayLineAccumulator.series { try scan(wearable, series, since: DayLineAccumulator.start(since)) { lines.add(series, $0) } }
    return lines.days
  }
}
