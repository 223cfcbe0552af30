// What the control socket says about samples: the newest of a series, and what its days were like.

internal import EventLoop
public import Export
public import Health
public import RingStore

/// The newest samples of one series of one wearable.
public struct PeekDocument: Sendable, Hashable {
  public var device: String
  public var series: String
  public var unit: String
  /// `scalar`, `vector`, `waveform`, `interval`, `record`
  public var layout: String
  /// In order of time, each as an export gives it.
  public var samples: [JSON]

  public static let schema = "io.hearth.peek/1"
  /// Bytes of all samples as text; of longer ones only the newest are given. Half of what a reply may have.
  static let sizeLimit = 4 << 20

  public init(device: String, series: String, unit: String, layout: String, samples: [JSON]) {
    self.device = device
    self.series = series
    self.unit = unit
    self.layout = layout
    self.samples = samples
  }

  /// From samples in order of time.
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
    self.init(device: device, series: series.name, unit: series.unit, layout: series.layout.name, samples: lines.reversed())
  }

  public var json: JSON {
    [
      "schema": .string(Self.schema), "device": .string(device), "series": .string(series), "unit": .string(unit), "layout": .string(layout),
      "samples": .array(samples),
    ]
  }

  /// nil for JSON that is no such document.
  public init?(_ json: JSON) {
    guard json["schema"]?.text == Self.schema, let device = json["device"]?.text, let series = json["series"]?.text,
      let unit = json["unit"]?.text, let layout = json["layout"]?.text, case .array(let samples) = json["samples"]
    else { return nil }
    self.init(device: device, series: series, unit: unit, layout: layout, samples: samples)
  }
}

/// What the local days of a wearable were like.
public struct DaysDocument: Codable, Sendable, Hashable {
  public struct State: Codable, Sendable, Hashable {
    public var state: Int
    public var seconds: Double
  }

  public struct Day: Codable, Sendable, Hashable {
    /// `2026-11-21`, in the zone.
    public var date: String
    /// Its 00:00, and that of the next day.
    public var start: String
    public var end: String
    /// Normal items; of these, how many the user started, and the others.
    public var count: Int
    public var manual: Int
    public var automatic: Int
    /// In the unit of the series; nil where the day has no such value.
    public var minimum: Double?
    public var maximum: Double?
    public var mean: Double?
    public var resting: Double?
    /// Of what is counted.
    public var sum: Double?
    /// Of numbers of classes, which have no values of their own: the time in each, in the order of the numbers.
    public var states: [State]
    public var first: String
    public var last: String
    /// Who wore it between these, by name, in the order of time.
    public var wearers: [String]
  }

  public struct Days: Codable, Sendable, Hashable {
    public var series: String
    public var unit: String
    /// Ascending; days without items are left out.
    public var days: [Day]
    /// Items left out: of more days than are counted, and such as no program of Hearth writes.
    public var overflowed: Int
    public var malformed: Int

    public init(_ series: Series, _ found: SeriesDays, of wearable: WearableID, names: SampleExport) {
      self.series = series.name
      unit = series.unit
      days = found.days.map { day in
        let span = (WallTime(microseconds: day.first), WallTime(microseconds: day.last))
        return Day(day, series, wearers: names.wearers(of: wearable, from: span.0, to: span.1))
      }
      overflowed = found.overflowed
      malformed = found.malformed
    }
  }

  public var schema = "io.hearth.days/1"
  public var device: String
  /// `Europe/Berlin`, or `local`.
  public var zone: String
  /// Each day in one line for each who wore it, ascending; none where one series was asked for.
  public var lines: [Line]
  public var series: [Days]

  public init(device: String, zone: TimeZoneRules, lines: [DayLine] = [], series: [Days]) {
    self.device = device
    self.zone = zone.name
    self.lines = lines.map { Line($0) }
    self.series = series
  }
}

extension DaysDocument.Day {
  init(_ day: DaySummary, _ series: Series, wearers: [String]) {
    func inUnit(_ value: Double) -> Double { value * Double(series.numerator) / Double(series.denominator) }
    func inUnit(_ value: Int64?) -> Double? { value.map { inUnit(Double($0)) } }
    date = day.date.text
    start = WallTime(microseconds: day.start).rfc3339
    end = WallTime(microseconds: day.end).rfc3339
    count = day.count
    manual = day.manual
    automatic = day.automatic
    let isState = series.daily == .state
    minimum = isState ? nil : inUnit(day.minimum)
    maximum = isState ? nil : inUnit(day.maximum)
    mean = isState ? nil : day.mean.map { inUnit($0) }
    resting = isState ? nil : inUnit(day.resting)
    sum = series.daily == .amount ? day.sum.map { inUnit($0) } : nil
    states = day.states.indices.filter { day.states[$0] > 0 }.map { DaysDocument.State(state: $0, seconds: Double(day.states[$0]) / 1e6) }
    first = WallTime(microseconds: day.first).rfc3339
    last = WallTime(microseconds: day.last).rfc3339
    self.wearers = wearers
  }
}
