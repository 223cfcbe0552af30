// What a measurement tells: results with all that belongs to them, and what is missing with its reason.

/// The value of a result.
public enum VitalValue: Sendable, Hashable {
  case number(Double)
  /// A level or a zone by name.
  case named(String)
  case intervals([CorrectedInterval])

  public var number: Double? { if case .number(let value) = self { value } else { nil } }
}

/// What else is to be known of a result.
public enum VitalFlag: String, Sendable, Hashable, CaseIterable {
  /// The window is shorter than the value usually needs: `window: short`.
  case windowShort = "window_short"
  /// Breathing is outside the high band: HF is not its power.
  case hfUnreliable = "hf_unreliable"
  /// Outside what the regression was fitted on.
  case extrapolated
  /// Correction changed intervals that the value was computed from.
  case corrected
  /// Skin of the wrist, not the body.
  case wrist

  /// The best that a result with it can have, however good the intervals are: a band that does not hold the breathing
  /// is not what its name says, and nobody tried a formula outside its data.
  var bestConfidence: Confidence {
    switch self {
    case .hfUnreliable: .low
    case .extrapolated: .medium
    case .windowShort, .corrected, .wrist: .high
    }
  }
}

/// One vital sign of one measurement.
public struct ReportedVital: Sendable, Hashable {
  public var sign: VitalSign
  public var value: VitalValue
  public var confidence: Confidence
  /// s
  public var window: Double
  public var method: MethodName
  /// Nil for a value that is passed through.
  public var basis: Basis?
  /// In the order of `VitalFlag`.
  public var flags: [VitalFlag]

  public var unit: String { sign.unit }
}

/// Why an enabled sign has no result.
public enum NotReportedReason: String, Sendable, Hashable, CaseIterable {
  case windowTooShort = "window_too_short"
  /// The longest stretch without a gap is.
  case stretchTooShort = "stretch_too_short"
  /// Too many artefacts, or too much of the time without intervals.
  case insufficientQuality = "insufficient_quality"
  /// The intervals cover more time than there was.
  case intervalsOverlap = "intervals_overlap"
  /// Not defined for these intervals: too few, or all the same.
  case undefined
  case outOfRange = "out_of_range"
  /// No line of breathing that is strong enough.
  case noBreathingLine = "no_breathing_line"
  /// Sex, age or weight is unknown.
  case personUnknown = "person_unknown"
  /// Age, weight or height is outside its limits.
  case personOutOfLimits = "person_out_of_limits"
  /// Below 90 beats a minute the rate does not tell energy.
  case rateTooLow = "rate_too_low"
  /// The sensor told none.
  case noValue = "no_value"
  /// The sensor told one, and nothing tells when it was measured.
  case timeUnknown = "time_unknown"
}

/// A sign without a result.
public struct UnreportedVital: Sendable, Hashable {
  public var sign: VitalSign
  public var reason: NotReportedReason
}

/// All that is said of one window. Each enabled sign is in exactly one of the lists.
public struct VitalReport: Sendable, Hashable {
  public internal(set) var results: [ReportedVital] = []
  public internal(set) var notReported: [UnreportedVital] = []
  /// Of the intervals; nil for a sensor without.
  public internal(set) var quality: SignalQuality?
  /// Intervals that LT-1 reports.
  public internal(set) var reported = 0
  /// Intervals after correction that are not as received.
  public internal(set) var correctedCount = 0

  public func result(_ sign: VitalSign) -> ReportedVital? { results.first { $0.sign == sign } }
  public func reason(_ sign: VitalSign) -> NotReportedReason? { notReported.first { $0.sign == sign }?.reason }
}
