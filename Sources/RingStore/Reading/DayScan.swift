// Days of the stored samples: columns given to the accumulators of Health, chunk by chunk.

public import CivilTime
public import EventLoop
public import Health
public import Reasons

/// Gives items of chunks to the day accumulator, and collects the days in a range.
struct DayCount {
  private var accumulator: DayAccumulator
  private let isInterval: Bool
  private let isVector: Bool
  private let range: (since: Int64?, until: Int64?)

  init(_ series: Series, _ zone: TimeZoneRules, since: WallTime?, until: WallTime?) {
    let layout = series.layout
    accumulator = DayAccumulator(series, zone: zone)
    isInterval = layout == .interval
    if case .vector = layout { isVector = true } else { isVector = false }
    range = zone.wholeDays(since: since?.microseconds, until: until?.microseconds)
  }

  /// The time from which to read: an interval may reach into the first day from long before it.
  var since: WallTime? {
    let lead = isInterval ? DayAccumulator.longestInterval : 0
    return range.since.map { WallTime(microseconds: max($0, .min + lead) - lead) }
  }
  var until: WallTime? { range.until.map { WallTime(microseconds: $0) } }

  /// Counts the items in `columns`, which have the shape of the series. For waveforms and records only their number.
  mutating func count(_ columns: ItemColumns, of source: ItemSource) {
    let values = columns.values[isInterval ? 1 : 0]
    let (first, last) = (since?.microseconds ?? .min, range.until ?? .max)
    for index in 0..<columns.count {
      let time = columns.times[index]
      // Of an item in several parts the last one counts.
      if time < first || time >= last || columns.flags[index] & Self.goesOn != 0 { continue }
      if !source.wants(time) { continue }
      let flags = UInt8(truncatingIfNeeded: columns.flags[index])
      if isVector {
        accumulator.add(time: time, flags: flags) { columns.values[$0][index] }
      } else {
        accumulator.add(
          time: time, flags: flags, value: values[index], length: isInterval ? columns.values[0][index] : 0)
      }
    }
  }

  private static let goesOn = Int64(SampleFlags(origin: .live, goesOn: true).rawValue)

  var days: SeriesDays {
    var days = SeriesDays(accumulator)
    days.days.removeAll { day in
      day.end <= range.since ?? .min || day.start >= range.until ?? .max
    }
    return days
  }
}

extension SleepDayAccumulator {
  /// Adds all items in `columns`, which have the shape of the series.
  mutating func add(_ columns: ItemColumns, of source: ItemSource) {
    for index in 0..<columns.count where source.wants(columns.times[index]) {
      add(
        time: columns.times[index], flags: UInt8(truncatingIfNeeded: columns.flags[index]),
        length: columns.values[0][index], stage: columns.values[1][index])
    }
  }

  static func times(_ date: LocalDate, _ zone: TimeZoneRules) -> (since: WallTime, until: WallTime) {
    let window = window(date, zone: zone)
    return (WallTime(microseconds: window.lowerBound), WallTime(microseconds: window.upperBound))
  }
}

extension DayLineAccumulator {
  /// Adds all items in `columns`, which have the shape of the series.
  mutating func add(_ series: Series, _ columns: ItemColumns) {
    for index in 0..<columns.count {
      add(series, time: columns.times[index], flags: UInt8(truncatingIfNeeded: columns.flags[index])) {
        columns.values[$0][index]
      }
    }
  }

  /// The days of a wearable, with its wearers.
  init(_ wearable: WearableID, _ people: People, zone: TimeZoneRules, since: WallTime?, until: WallTime?) {
    let worn = people.assignments(of: wearable).map {
      (from: $0.from.microseconds, wearer: $0.wearer.flatMap { people.wearer($0)?.name })
    }
    let days = zone.wholeDays(since: since?.microseconds, until: until?.microseconds)
    self.init(zone: zone, worn: worn, since: days.since, until: days.until)
  }

  /// The time from which to read for days from `since` on.
  static func start(_ since: WallTime?, _ zone: TimeZoneRules) -> WallTime? {
    start(zone.wholeDays(since: since?.microseconds, until: nil).since).map { WallTime(microseconds: $0) }
  }
}

extension StoreReader {
  /// Returns days like `Store.days`.
  ///
  /// - Throws: the reader's error, see `StoreReader`.
  public func days(
    _ sources: [ItemSource], _ series: Series, zone: TimeZoneRules, since: WallTime? = nil, until: WallTime? = nil
  ) throws(HearthError) -> SeriesDays {
    var days = DayCount(series, zone, since: since, until: until)
    for source in sources {
      try scan(source.wearable, series, since: days.since, until: days.until) { days.count($0, of: source) }
    }
    return days.days
  }

  /// Returns sleep like `Store.sleep`.
  ///
  /// - Throws: the reader's error, see `StoreReader`.
  public func sleep(_ sources: [ItemSource], _ date: LocalDate, zone: TimeZoneRules) throws(HearthError) -> SleepDay? {
    var sleep = SleepDayAccumulator(date, zone: zone)
    let times = SleepDayAccumulator.times(date, zone)
    for source in sources {
      try scan(source.wearable, .sleepStage, since: times.since, until: times.until) { sleep.add($0, of: source) }
    }
    return sleep.day
  }

  /// Returns lines like `Store.dayLines`.
  ///
  /// - Throws: the reader's error, see `StoreReader`.
  public func dayLines(
    _ wearable: WearableID, zone: TimeZoneRules, since: WallTime? = nil, until: WallTime? = nil
  ) throws(HearthError) -> [DayLine] {
    var lines = DayLineAccumulator(wearable, people, zone: zone, since: since, until: until)
    let start = DayLineAccumulator.start(since, zone)
    for series in DayLineAccumulator.series { try scan(wearable, series, since: start) { lines.add(series, $0) } }
    return lines.days
  }
}
