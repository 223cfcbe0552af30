// From a report to its record: results, and the intervals of a timeline with their classification by LT-1. Only the
// class of each interval is computed here, because a report contains just their number. All other values come from the
// report.

extension VitalResult {
  /// The result as a record stores it. A list of intervals becomes its count: the intervals themselves are in the
  /// record, as received.
  public init(_ vital: ReportedVital) {
    let value: Double
    var text = ""
    var unit = vital.unit
    switch vital.value {
    case .number(let number): value = number
    case .named(let name): (value, text) = (0, name)
    case .intervals(let intervals): (value, unit) = (Double(intervals.count), "intervals")
    }
    self.init(
      name: vital.sign.rawValue, value: value, text: text, unit: unit, confidence: vital.confidence,
      windowSeconds: vital.window, method: vital.method.rawValue, flags: Flags(vital))
  }
}

extension VitalResult.Flags {
  init(_ vital: ReportedVital) {
    self = []
    for flag in vital.flags {
      switch flag {
      case .windowShort: insert(.shortWindow)
      case .hfUnreliable: insert(.highBandUnreliable)
      case .extrapolated: insert(.extrapolated)
      case .corrected: insert(.corrected)
      case .wrist: insert(.wrist)
      }
    }
    if vital.basis == .ppi { insert(.optical) }
    if vital.method == .sensor { insert(.passedThrough) }
  }
}

extension MeasurementBasis {
  /// Values that a sensor measures itself count as rates.
  public init(_ sensor: SensorClass) {
    switch sensor.basis {
    case .rr: self = .rr
    case .ppi: self = .ppi
    case .rate, nil: self = .rate
    }
  }
}

extension MeasurementRecord {
  /// Adds results, signs not reported, and the signal quality.
  public mutating func add(_ report: VitalReport) {
    if let quality = report.quality {
      artefactShare = quality.artefactShare
      coverage = quality.coverage
    }
    for vital in report.results { append(VitalResult(vital)) }
    for missing in report.notReported {
      append(NotReported(name: missing.sign.rawValue, reason: missing.reason.rawValue))
    }
  }

  /// Adds the intervals and gaps of a period, as received.
  ///
  /// - Parameters:
  ///   - start: s, monotonic; intervals with beats after it.
  ///   - end: s, monotonic; inclusive.
  ///   - classifier: buffers for the classification.
  public mutating func add(
    _ timeline: BeatTimeline, from start: Double, to end: Double, _ classifier: inout ArtefactClassifier
  ) {
    var found: [RecordedInterval] = []
    var usable: [Double] = []
    var places: [Int] = []
    var stretch: UInt32?
    for index in 0..<timeline.count {
      let beat = timeline[index]
      guard beat.time > start, beat.time <= end else { continue }
      var flags: RecordedInterval.Flags = []
      if beat.isUsable {
        if beat.stretch != stretch {
          Self.mark(&found, usable, places, &classifier)
          usable.removeAll(keepingCapacity: true)
          places.removeAll(keepingCapacity: true)
          stretch = beat.stretch
          flags.insert(.beginsStretch)
        }
        if beat.verdict == .uncertain { flags.insert(.uncertain) }
        usable.append(beat.interval)
        places.append(found.count)
      } else {
        flags.insert(.dropped)
      }
      found.append(RecordedInterval(microseconds: Self.microseconds(beat.interval), flags: flags))
    }
    Self.mark(&found, usable, places, &classifier)
    for interval in found { append(interval) }
    addGaps(of: timeline, from: start, to: end)
  }

  private static func mark(
    _ found: inout [RecordedInterval], _ stretch: [Double], _ places: [Int], _ classifier: inout ArtefactClassifier
  ) {
    classifier.classifyScreened(stretch[...])
    for (place, beat) in zip(places, classifier.classes) {
      guard let flag = RecordedInterval.Flags(beat) else { continue }
      let before = found[place]
      found[place] = RecordedInterval(microseconds: before.microseconds, flags: before.flags.union(flag))
    }
  }

  private mutating func addGaps(of timeline: BeatTimeline, from start: Double, to end: Double) {
    for index in 0..<timeline.gapCount {
      let gap = timeline.gap(index)
      let from = Swift.max(gap.end - gap.length, start)
      let to = Swift.min(gap.end, end)
      guard to > from else { continue }
      append(Gap(start: Int64((from - start) * 1e6), length: Int64((to - from) * 1e6)))
    }
  }

  /// An invalid time, or one too long for a record, becomes the nearest valid one.
  private static func microseconds(_ milliseconds: Double) -> UInt32 {
    guard milliseconds > 0 else { return 0 }
    return UInt32(Swift.min(milliseconds * 1000, Double(UInt32.max / 2)).rounded())
  }
}

extension RecordedInterval.Flags {
  /// Nil for a normal beat.
  init?(_ beat: BeatClass) {
    switch beat {
    case .normal: return nil
    case .ectopic: self = .ectopic
    case .missed: self = .missed
    case .extra: self = .extra
    case .longShort: self = .longOrShort
    }
  }
}
