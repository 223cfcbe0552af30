// Data of a day's report, gathered from documents and samples: values without text.

import CivilTime
import Drawing
import EventLoop
import Health
import HubProtocol
import StoreDocuments

/// A local day of a wearable; of a person's wearable, the times in which the person wore it.
struct ReportDay {
  /// A stretch of sleep.
  struct Stage {
    let span: Range<Int64>
    /// Number as in `sleep_stage`.
    let stage: Int
  }

  /// Bounds of the heart rate zones, and their source.
  struct Zones: Equatable {
    let highest: Int
    /// Source of the bounds in words.
    let basis: String
  }

  let coverage: CoverageDocument
  /// Lines of the date; more than one if the wearable changed its wearer.
  let lines: [DaysDocument.Line]
  let events: [EventDocument]
  let date: LocalDate
  let time: HubTime
  /// The local day in microseconds since 1970: 23 to 25 hours.
  let span: Range<Int64>
  /// nil without a daemon.
  let hub: String?
  let kind: String?
  var zones: Zones?

  private(set) var heart: CurveColumns
  private(set) var heartRhythm = Rhythm()
  private(set) var skin: CurveColumns
  private(set) var oxygen: CurveColumns
  private(set) var stages: [Stage] = []
  /// Steps for each hour of the day; nil without a count.
  private(set) var steps: [Double?]
  private var heartBefore: Int64?

  /// Columns of a curve across the page.
  static let columns = 700
  /// Maximum number of stages of two days that are accepted.
  private static let stageLimit = 5000
  private static let hour: Int64 = 3_600_000_000
  private static let reach = 72 * hour

  init(
    _ coverage: CoverageDocument, lines: [DaysDocument.Line], events: [EventDocument], date: LocalDate, time: HubTime,
    hub: String?, kind: String?
  ) {
    self.coverage = coverage
    self.lines = lines
    self.events = events
    self.date = date
    self.time = time
    self.hub = hub
    self.kind = kind
    span = time.zone.span(of: date)
    heart = CurveColumns(span, columns: Self.columns)
    skin = CurveColumns(span, columns: Self.columns / 2)
    oxygen = skin
    // The last hour is shorter if clocks change by half an hour.
    steps = Array(repeating: nil, count: max(1, Int((span.upperBound - span.lowerBound + Self.hour - 1) / Self.hour)))
  }

  /// Series of a report, each with its lead time: stages of sleep begin the evening before.
  static let series: [(series: Series, lead: Int64)] = [
    (.heartRate, 0), (.sleepStage, 24 * hour), (.steps, hour), (.skinTemperature, 0), (.spo2, 0),
  ]

  /// Adds a sample with its time, its end for an interval, and its value in the unit of the series.
  mutating func add(_ series: Series, _ time: Int64, end: Int64?, _ value: Double) {
    // Samples that are days away do not belong to this day.
    let reach = (span.lowerBound - Self.reach)...(span.upperBound + Self.reach)
    guard reach.contains(time), end.map(reach.contains) ?? true else { return }
    switch series {
    case .heartRate:
      heart.add(time, value)
      if let before = heartBefore { heartRhythm.add(time &- before) }
      heartBefore = time
    case .skinTemperature: skin.add(time, value)
    case .spo2: oxygen.add(time, value)
    case .sleepStage:
      guard let end, end > time, stages.count < Self.stageLimit,
        let stage = Int(exactly: value), (1...4).contains(stage)
      else { return }
      stages.append(Stage(span: time..<end, stage: stage))
    case .steps: count(value, time..<max(time, end ?? time))
    default: break
    }
  }

  /// Shares the steps of an interval among the hours that it touches.
  private mutating func count(_ value: Double, _ interval: Range<Int64>) {
    guard value.isFinite, value >= 0 else { return }
    let length = Double(interval.upperBound - interval.lowerBound)
    for hour in steps.indices {
      let start = span.lowerBound + Int64(hour) * Self.hour
      let slot = start..<min(start + Self.hour, span.upperBound)
      if interval.isEmpty {
        if slot.contains(interval.lowerBound) { steps[hour] = (steps[hour] ?? 0) + value }
        continue
      }
      let from = max(interval.lowerBound, slot.lowerBound)
      let to = min(interval.upperBound, slot.upperBound)
      if from < to { steps[hour] = (steps[hour] ?? 0) + value * Double(to - from) / length }
    }
  }

  /// The longest sleep that ended on this day: stages that follow each other within two hours.
  var night: [Stage] {
    var nights: [[Stage]] = []
    for stage in stages.sorted(by: { $0.span.lowerBound < $1.span.lowerBound }) {
      if let last = nights.last?.last, stage.span.lowerBound - last.span.upperBound <= 2 * Self.hour {
        nights[nights.count - 1].append(stage)
      } else {
        nights.append([stage])
      }
    }
    func length(_ night: [Stage]) -> Int64 { night.map(\.span).joined(within: 0).length }
    return nights.filter { night in night.last.map { span.contains($0.span.upperBound - 1) } ?? false }
      .max { length($0) < length($1) } ?? []
  }

  /// Three usual intervals, at least a minute: as for coverage.
  var heartBridge: Int64 { max(60_000_000, (heartRhythm.period ?? 0) * 3) }

  /// Wearers of the day, as far as known.
  var wearers: [String] {
    if let wearer = coverage.wearer { return [wearer] }
    var names: [String] = []
    for name in lines.compactMap(\.wearer) where !names.contains(name) { names.append(name) }
    return names
  }
}

extension ReportDay.Zones {
  /// Zones by the highest heart rate in the body data, else by the age on that day; nil without both.
  ///
  /// The formula by age is 208 - 0.7 a year (Tanaka, Monahan and Seals, J Am Coll Cardiol 2001;37:153-6).
  init?(_ wearer: WearerDocument, on date: LocalDate) {
    self.init(
      highest: wearer.maximumHeartRate, born: wearer.born.flatMap { LocalDate(text: $0) }, on: date)
  }

  init?(highest: Int?, born: LocalDate?, on date: LocalDate) {
    if let highest, BodyFacts.maximumHeartRates.contains(highest) {
      self.init(highest: highest, basis: "of the highest heart rate entered for the wearer, \(highest) bpm")
      return
    }
    guard let born, born <= date else { return nil }
    let age = born.age(on: date)
    guard (0...130).contains(age) else { return nil }
    let estimate = Int((208 - 0.7 * Double(age)).rounded())
    self.init(
      highest: estimate, basis: "of \(estimate) bpm, estimated from an age of \(age): 208 - 0.7 x age (Tanaka 2001)")
  }

  /// Lower bounds of the five zones in bpm: 50, 60, 70, 80 and 90 % of the highest rate; and that rate.
  var edges: [Double] { (5...10).map { Double(highest * $0) / 10 } }
}
