// What a report of one day shows, gathered from the documents and samples of that day: values, no text.

import CivilTime
import Drawing
import EventLoop
import Health
import HubProtocol
import StoreDocuments

/// One wearable's local day.
struct ReportDay {
  /// One stretch of sleep.
  struct Stage {
    let span: Range<Int64>
    /// As `sleep_stage` numbers them.
    let stage: Int
  }

  /// Where zones of the heart rate begin, and who says so.
  struct Zones: Equatable {
    let highest: Int
    /// In words: what it rests on.
    let basis: String
  }

  let coverage: CoverageDocument
  /// Of the date; more than one where it changed hands.
  let lines: [DaysDocument.Line]
  let events: [EventDocument]
  let date: LocalDate
  let time: HubTime
  /// The local day, microseconds since 1970: 23 to 25 hours.
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
  /// For each hour of the day; nil where nothing was counted.
  private(set) var steps: [Double?]
  private var heartBefore: Int64?

  /// Columns of a curve across the page.
  static let columns = 700
  /// Stages of two days that are believed.
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
    // The last one is shorter where clocks change by half an hour.
    steps = Array(repeating: nil, count: max(1, Int((span.upperBound - span.lowerBound + Self.hour - 1) / Self.hour)))
  }

  /// What a report reads, and from when on: stages of sleep begin the evening before.
  static let series: [(series: Series, lead: Int64)] = [
    (.heartRate, 0), (.sleepStage, 24 * hour), (.steps, hour), (.skinTemperature, 0), (.spo2, 0),
  ]

  /// A sample: its time, its end where it is an interval, its value in the unit of the series.
  mutating func add(_ series: Series, _ time: Int64, end: Int64?, _ value: Double) {
    // What lies days away belongs to no such day.
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

  /// Steps of an interval, shared among the hours that it lies in.
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

  /// Three usual distances, a minute at least: as for coverage.
  var heartBridge: Int64 { max(60_000_000, (heartRhythm.period ?? 0) * 3) }

  /// Who wore it, as far as it is known.
  var wearers: [String] {
    var names: [String] = []
    for name in lines.compactMap(\.wearer) where !names.contains(name) { names.append(name) }
    return names
  }
}

extension ReportDay.Zones {
  /// From the highest heart rate that somebody entered, else from the age at that day; nil where neither is known.
  ///
  /// The age gives 208 - 0.7 a year (Tanaka, Monahan and Seals, J Am Coll Cardiol 2001;37:153-6).
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

  /// Begins of the five zones, bpm: 50, 60, 70, 80 and 90 % of the highest; and the highest.
  var edges: [Double] { (5...10).map { Double(highest * $0) / 10 } }
}
