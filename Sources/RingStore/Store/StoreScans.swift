// Days, coverage and pages of items of an open store: the loop gets its turn between chunks.

public import CivilTime
public import EventLoop
public import Health
public import Reasons

extension Store {
  /// A page of measured items. The loop gets its turn between steps.
  ///
  /// - Throws: why the store cannot be read, see `Store`.
  public func items(_ query: ItemQuery) async throws(HearthError) -> ItemPage {
    var scan = ItemScan(query, journalEnd: live.durableBelow, rebuilt: keeper.rebuilt)
    while !scan.isDone {
      let damaged = try disk.reading { transaction throws(DatabaseFailure) in try scan.step(transaction) }
      keeper.noteDamage(damaged)
      await Task.yield()
    }
    return scan.page
  }
}

extension Store {
  /// A summary for each local day in a range of times, ascending; nil bounds do not limit.
  ///
  /// - Throws: why the store cannot be read, see `Store`.
  public func days(
    _ sources: [ItemSource], _ series: Series, zone: TimeZoneRules, since: WallTime? = nil, until: WallTime? = nil
  ) async throws(HearthError) -> SeriesDays {
    var days = DayCount(series, zone, since: since, until: until)
    for source in sources {
      try await scan(source.wearable, series, since: days.since, until: days.until) { days.count($0, of: source) }
    }
    return days.days
  }

  /// The sleep of a date, from 20:00 to 20:00; nil without sleep stages.
  ///
  /// - Throws: why the store cannot be read, see `Store`.
  public func sleep(_ sources: [ItemSource], _ date: LocalDate, zone: TimeZoneRules) async throws(HearthError)
    -> SleepDay?
  {
    var sleep = SleepDayAccumulator(date, zone: zone)
    let times = SleepDayAccumulator.times(date, zone)
    for source in sources {
      try await scan(source.wearable, .sleepStage, since: times.since, until: times.until) {
        sleep.add($0, of: source)
      }
    }
    return sleep.day
  }

  /// The lines of a wearable's days in a range of times, ascending; nil bounds do not limit.
  ///
  /// - Throws: why the store cannot be read, see `Store`.
  public func dayLines(
    _ wearable: WearableID, zone: TimeZoneRules, since: WallTime? = nil, until: WallTime? = nil
  ) async throws(HearthError) -> [DayLine] {
    var lines = DayLineAccumulator(wearable, registry.people, zone: zone, since: since, until: until)
    let start = DayLineAccumulator.start(since, zone)
    for series in DayLineAccumulator.series { try await scan(wearable, series, since: start) { lines.add(series, $0) } }
    return lines.days
  }
}

extension Store {
  /// The parts of a window (microseconds since 1970) for which a wearable's series has values. The loop gets its turn
  /// between chunks.
  ///
  /// - Throws: why the store cannot be read, see `Store`.
  public func coverage(_ wearable: WearableID, _ series: Series, window: Range<Int64>) async throws(HearthError)
    -> SeriesCoverage
  {
    var scan = CoverageScan(wearable, series, window, keeper.rebuilt)
    var done = 0
    while !scan.isDone {
      done += try disk.reading { transaction throws(DatabaseFailure) in try scan.step(transaction) }
      if done >= Packer.itemsPerTurn {
        done = 0
        await Task.yield()
      }
    }
    keeper.noteDamage(Array(scan.damage))
    return scan.result
  }
}
