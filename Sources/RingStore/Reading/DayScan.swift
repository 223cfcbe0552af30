// Days of what is in the store: columns handed to the accumulators of Health, chunk by chunk.

public import EventLoop
public import Health
public import Reasons

/// Hands items of chunks to the day accumulator.
private struct DayCount {
  private var accumulator: DayAccumulator
  private let isInterval: Bool
  private let since: Int64
  private let until: Int64

  init(_ series: Series, _ zone: TimeZoneRules, since: WallTime?, until: WallTime?) {
    let layout = series.layout
    accumulator = DayAccumulator(series, zone: zone)
    isInterval = layout == .interval
    self.since = since?.microseconds ?? .min
    self.until = until?.microseconds ?? .max
  }

  /// Counts what is in `columns`, which have the shape of the series. Of a vector the first component is counted; of
  /// waveforms and records, how many there are.
  mutating func count(_ columns: ItemColumns) {
    let values = columns.values[isInterval ? 1 : 0]
    for index in 0..<columns.count {
      let time = columns.times[index]
      // Of an item in several parts the last one counts.
      if time < since || time >= until || columns.flags[index] & Self.goesOn != 0 { continue }
      accumulator.add(
        time: time, flags: UInt8(truncatingIfNeeded: columns.flags[index]), value: values[index],
        length: isInterval ? columns.values[0][index] : 0)
    }
  }

  private static let goesOn = Int64(SampleFlags(origin: .live, goesOn: true).rawValue)

  var days: SeriesDays { SeriesDays(accumulator) }
}

extension DayLineAccumulator {
  /// Everything in `columns`, which have the shape of the series.
  fileprivate mutating func add(_ series: Series, _ columns: ItemColumns) {
    for index in 0..<columns.count {
      add(series, time: columns.times[index], flags: UInt8(truncatingIfNeeded: columns.flags[index])) {
        columns.values[$0][index]
      }
    }
  }

  /// Of a wearable, as its people say.
  fileprivate init(_ wearable: WearableID, _ people: People, zone: TimeZoneRules, since: WallTime?, until: WallTime?) {
    let worn = people.assignments(of: wearable).map {
      (from: $0.from.microseconds, wearer: $0.wearer.flatMap { people.wearer($0)?.name })
    }
    self.init(zone: zone, worn: worn, since: since?.microseconds, until: until?.microseconds)
  }

  fileprivate static func start(_ since: WallTime?) -> WallTime? {
    start(since?.microseconds).map { WallTime(microseconds: $0) }
  }
}

extension Store {
  /// One summary for each local day, ascending; nil bounds do not bound.
  public func days(
    _ wearable: WearableID, _ series: Series, zone: TimeZoneRules, since: WallTime? = nil, until: WallTime? = nil
  ) async throws(HearthError) -> SeriesDays {
    var days = DayCount(series, zone, since: since, until: until)
    try await scan(wearable, series, since: since) { days.count($0) }
    return days.days
  }

  /// The lines of a wearable's days, ascending; nil bounds do not bound.
  public func dayLines(
    _ wearable: WearableID, zone: TimeZoneRules, since: WallTime? = nil, until: WallTime? = nil
  ) async throws(HearthError) -> [DayLine] {
    var lines = DayLineAccumulator(wearable, registry.people, zone: zone, since: since, until: until)
    let start = DayLineAccumulator.start(since)
    for series in DayLineAccumulator.series { try await scan(wearable, series, since: start) { lines.add(series, $0) } }
    return lines.days
  }
}

extension StoreReader {
  /// As `Store.days`.
  public func days(
    _ wearable: WearableID, _ series: Series, zone: TimeZoneRules, since: WallTime? = nil, until: WallTime? = nil
  ) throws(HearthError) -> SeriesDays {
    var days = DayCount(series, zone, since: since, until: until)
    try scan(wearable, series, since: since) { days.count($0) }
    return days.days
  }

  /// As `Store.dayLines`.
  public func dayLines(
    _ wearable: WearableID, zone: TimeZoneRules, since: WallTime? = nil, until: WallTime? = nil
  ) throws(HearthError) -> [DayLine] {
    var lines = DayLineAccumulator(wearable, people, zone: zone, since: since, until: until)
    let start = DayLineAccumulator.start(since)
    for series in DayLineAccumulator.series { try scan(wearable, series, since: start) { lines.add(series, $0) } }
    return lines.days
  }
}
