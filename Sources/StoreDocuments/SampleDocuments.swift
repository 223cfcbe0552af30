// Documents about samples, from the store: the newest of a series, and its days.

public import CivilTime
internal import EventLoop
public import Export
public import Health
public import HubProtocol
internal import JSONText
public import RingStore

extension PeekDocument {
  /// Limit of all samples as text, in bytes; if they are longer, only the newest are given. Half of a reply's limit.
  static let sizeLimit = 4 << 20

  /// Creates documents from samples in order of time.
  public init(_ samples: [StoredSample], of series: Series, device: String, names: SampleExport) {
    var lines: [JSON] = []
    var size = 0
    for sample in samples.reversed() {
      var line: [UInt8] = []
      names.append(sample, to: &line)
      size += line.count
      guard size <= Self.sizeLimit, let json = try? JSON.parse(line) else { break }
      lines.append(json)
    }
    self.init(
      device: device, series: series.name, unit: series.unit, layout: series.layout.name, samples: lines.reversed())
  }
}

extension DaysDocument.Days {
  /// Converts days of a series; values in its unit.
  public init(_ series: Series, _ found: SeriesDays, of wearable: WearableID, names: SampleExport) {
    self.init(
      series: series.name, unit: series.unit,
      days: found.days.map { day in
        let span = (WallTime(microseconds: day.first), WallTime(microseconds: day.last))
        return DaysDocument.Day(day, series, wearers: names.wearers(of: wearable, from: span.0, to: span.1))
      },
      overflowed: found.overflowed, malformed: found.malformed)
  }
}

extension DaysDocument {
  /// Converts days of a wearable.
  ///
  /// - Parameter wearable: nil for a person that wore none.
  public init(
    device: String, _ wearable: WearableID? = nil, zone: TimeZoneRules, lines: [DayLine] = [], series: [Days]
  ) {
    self.init(
      device: device, zone: zone.name, lines: lines.map { Line($0) }, series: series,
      enrolment: wearable.map { Int($0.number) })
  }
}

extension DaysDocument.Day {
  init(_ day: DaySummary, _ series: Series, wearers: [String]) {
    func inUnit(_ value: Double) -> Double { value * Double(series.numerator) / Double(series.denominator) }
    func inUnit(_ value: Int64?) -> Double? { value.map { inUnit(Double($0)) } }
    let isState = series.daily == .state
    self.init(
      date: day.date.text, start: WallTime(microseconds: day.start).rfc3339,
      end: WallTime(microseconds: day.end).rfc3339, count: day.count, manual: day.manual, automatic: day.automatic,
      doubtful: day.doubtful, minimum: isState ? nil : inUnit(day.minimum),
      maximum: isState ? nil : inUnit(day.maximum),
      mean: isState ? nil : day.mean.map { inUnit($0) }, resting: isState ? nil : inUnit(day.resting),
      sum: series.daily == .amount ? day.sum.map { inUnit($0) } : nil,
      states: day.states.indices.filter { day.states[$0] > 0 }.map {
        DaysDocument.State(state: $0, seconds: Double(day.states[$0]) / 1e6)
      },
      first: WallTime(microseconds: day.first).rfc3339, last: WallTime(microseconds: day.last).rfc3339,
      wearers: wearers, parts: DaysDocument.Part.all(day, series))
  }
}
