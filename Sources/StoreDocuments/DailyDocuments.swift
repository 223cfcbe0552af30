// A day as a document: measured values with their lists, counted values, the sleep.

public import CivilTime
public import EventLoop
public import Export
public import Health
public import HubProtocol
public import Reasons
public import RingStore

/// A request for a day, and what was found so far. The reader of the store adds the pieces.
public struct DailyRequest: Sendable {
  /// Wearable or person.
  public let subject: ItemSubject
  /// Zone of the day.
  public let zone: TimeZoneRules
  /// The day.
  public let date: LocalDate
  /// Requested series.
  public let series: [Series]
  /// True for all series with values on this day, unless one was named.
  public let isWhole: Bool
  private let names: SampleExport
  private var entries: [DailyDocument.Entry] = []
  private var sleep: SleepDay?
  private var lines: [DailyDocument.DeviceLine] = []

  /// Limits of the three lists: by hand and at rest more than anyone measures in a day, automatic one for each five
  /// minutes.
  static let listLimit = (resting: 100, manual: 100, automatic: 288)

  /// - Parameter time: any time of the day.
  /// - Throws: `controlBadParameter` for an unknown series.
  public init(
    _ subject: ItemSubject, at time: WallTime, series name: String?, zone: TimeZoneRules, _ names: SampleExport
  ) throws(HearthError) {
    self.subject = subject
    self.zone = zone
    self.names = names
    date = zone.date(of: time.microseconds)
    isWhole = name == nil
    if let name {
      let wanted = try ExportFilter.series(name)
      if wanted.layout.hasBytes || wanted.daily == .event {
        throw HearthError(.controlBadParameter, "\(wanted.name) has no values of a day")
      }
      series = [wanted]
    } else {
      series = Series.withDays
    }
  }

  /// Begin of the day.
  public var since: WallTime { WallTime(microseconds: zone.span(of: date).lowerBound) }
  /// End of the day.
  public var until: WallTime { WallTime(microseconds: zone.span(of: date).upperBound) }

  /// The times that the document may contain: the sleep begins the evening before.
  public var told: Range<WallTime> {
    let before = LocalDate(dayNumber: date.dayNumber - 1)
    let evening = WallTime(microseconds: zone.moment(before, inDay: 20 * 3_600_000_000))
    let from = isWhole ? min(evening, since) : since
    return from..<max(from, until)
  }

  /// Queries for the lists of a day: resting, manual, automatic; nil for an empty one. A doubtful value may be in each,
  /// marked as doubtful.
  public func lists(_ day: DaySummary, _ series: Series, _ sources: [ItemSource]) -> [ItemQuery?] {
    func query(_ count: Int, _ filter: ItemFilter, _ limit: Int) -> ItemQuery? {
      count == 0 ? nil : ItemQuery(sources, series, since: since, until: until, filter: filter, limit: limit)
    }
    let limit = Self.listLimit
    return [
      query(day.restingCount + day.doubtful, ItemFilter(kind: .resting), limit.resting),
      query(day.manual + day.doubtful, ItemFilter(kind: .normal, isManual: true), limit.manual),
      query(day.automatic + day.doubtful, ItemFilter(kind: .normal, isManual: false), limit.automatic),
    ]
  }

  /// - Parameters:
  ///   - devices: those of `sources` with values on this day.
  ///   - pages: of `lists`, in their order.
  public mutating func add(_ series: Series, _ day: DaySummary, devices: [ItemSource], _ pages: [ItemPage?]) {
    let lists = pages.map { page in (page?.items ?? []).map { ItemsDocument.Item($0, names: names) } }
    let span = (WallTime(microseconds: day.first), WallTime(microseconds: day.last))
    var wearers: [String] = []
    for source in devices {
      for name in names.wearers(of: source.wearable, from: span.0, to: span.1) where !wearers.contains(name) {
        wearers.append(name)
      }
    }
    if let wearer = subject.wearer { wearers = [wearer] }
    let listed = lists.reduce(0) { $0 + $1.count }
    entries.append(
      DailyDocument.Entry(
        series: series.name, unit: series.unit, place: series.place,
        devices: devices.map { names.name(of: $0.wearable) },
        day: DaysDocument.Day(day, series, wearers: wearers), resting: lists[0], manual: lists[1],
        automatic: lists[2], leftOut: max(0, day.restingCount + day.count + day.doubtful - listed)))
  }

  /// Adds the sleep, if any.
  public mutating func add(_ sleep: SleepDay?) { self.sleep = sleep }

  /// Adds lines of a wearable; for a wearer only those of that person.
  public mutating func add(_ found: [DayLine], of wearable: WearableID) {
    for line in found where line.date == date && (subject.wearer == nil || line.wearer == subject.wearer) {
      lines.append(DailyDocument.DeviceLine(device: names.name(of: wearable), line: DaysDocument.Line(line)))
    }
  }

  /// Document of all pieces so far.
  public var document: DailyDocument {
    DailyDocument(
      name: subject.name, zone: zone.name, date: date.text, start: since.rfc3339, end: until.rfc3339, series: entries,
      sleep: sleep.map { DailyDocument.SleepDay($0, zone: zone) }, lines: lines)
  }
}

extension DailyDocument.SleepDay {
  init(_ day: SleepDay, zone: TimeZoneRules) {
    let evening: Int64 = 20 * 3_600_000_000
    let before = LocalDate(dayNumber: day.date.dayNumber - 1)
    func sum(_ rule: SleepDay.Rule) -> DailyDocument.Sleep? { day.summary(rule).map { DailyDocument.Sleep($0) } }
    self.init(
      from: WallTime(microseconds: zone.moment(before, inDay: evening)).rfc3339,
      to: WallTime(microseconds: zone.moment(day.date, inDay: evening)).rfc3339, withoutNaps: sum(.withoutNaps),
      withNaps: sum(.withNaps), longestNight: sum(.longestNight), longest: sum(.longest),
      segments: day.segments.map {
        DailyDocument.Segment(kind: $0.kind.name, sum: DailyDocument.Sleep($0.summary))
      })
  }
}

extension DailyDocument.Sleep {
  init(_ summary: SleepSummary) {
    let stages = summary.stages.indices.filter { summary.stages[$0] > 0 }.map { stage in
      DailyDocument.Stage(
        stage: SleepDay.stageNames[stage], seconds: Double(summary.stages[stage]) / 1e6,
        percent: summary.percent(stage), episodes: summary.episodes[stage])
    }
    self.init(
      from: WallTime(microseconds: summary.start).rfc3339, to: WallTime(microseconds: summary.end).rfc3339,
      seconds: Double(summary.length) / 1e6, asleepS: Double(summary.asleep) / 1e6, stages: stages)
  }
}
