// Report of a measurement: results with their context, and missing signs with their reason.

/// The value of a result.
public enum VitalValue: Sendable, Hashable {
  case number(Double)
  /// Name of a level or a zone.
  case named(String)
  case intervals([CorrectedInterval])

  /// The number; nil: a text.
  public var number: Double? { if case .number(let value) = self { value } else { nil } }
}

/// Qualification of a result.
public enum VitalFlag: String, Sendable, Hashable, CaseIterable {
  /// The window is shorter than the value usually needs: `window: short`.
  case windowShort = "window_short"
  /// Breathing is outside the high band: HF is not the power of breathing.
  case hfUnreliable = "hf_unreliable"
  /// Value outside the data that the regression was fitted to.
  case extrapolated
  /// Correction changed intervals that the value was computed from.
  case corrected
  /// Skin temperature of the wrist, not body temperature.
  case wrist

  /// Highest confidence of a result with this flag, however good the intervals are. A band that does not contain the
  /// breathing differs from its name, and a formula is untested outside its data.
  var bestConfidence: Confidence {
    switch self {
    case .hfUnreliable: .low
    case .extrapolated: .medium
    case .windowShort, .corrected, .wrist: .high
    }
  }
}

/// Vital sign of one measurement.
public struct ReportedVital: Sendable, Hashable {
  /// Vital sign that was computed.
  public var sign: VitalSign
  /// Number in `unit`, name of a level or zone, or corrected intervals.
  public var value: VitalValue
  /// Confidence that the data allows: quality of the intervals, lowered by `flags`.
  public var confidence: Confidence
  /// Length of the window, s.
  public var window: Double
  /// Method that computed it.
  public var method: MethodName
  /// Nil for a value that is passed through.
  public var basis: Basis?
  /// Flags in the order of `VitalFlag`.
  public var flags: [VitalFlag]

  /// Unit of the sign, such as `ms`; `ratio` for a ratio, empty for a level or a zone.
  public var unit: String { sign.unit }
}

/// Reason why an enabled sign has no result.
public enum NotReportedReason: String, Sendable, Hashable, CaseIterable {
  case windowTooShort = "window_too_short"
  /// The longest stretch without a gap is too short.
  case stretchTooShort = "stretch_too_short"
  /// Intervals with too many artefacts, or too much of the time without intervals.
  case insufficientQuality = "insufficient_quality"
  /// The intervals cover more time than there was.
  case intervalsOverlap = "intervals_overlap"
  /// Value not defined for these intervals: too few, or all the same.
  case undefined
  case outOfRange = "out_of_range"
  /// Spectrum in which no line of breathing is strong enough.
  case noBreathingLine = "no_breathing_line"
  /// Sex, age or weight is unknown.
  case personUnknown = "person_unknown"
  /// Age, weight or height is outside its limits.
  case personOutOfLimits = "person_out_of_limits"
  /// Rate below 90 beats a minute, which does not allow an energy estimate.
  case rateTooLow = "rate_too_low"
  /// The sensor sent no value.
  case noValue = "no_value"
  /// The sensor sent a value without a usable time.
  case timeUnknown = "time_unknown"
}

/// Sign without a result.
public struct UnreportedVital: Sendable, Hashable {
  /// Vital sign that is enabled and has no result.
  public var sign: VitalSign
  /// Reason why it has no result.
  public var reason: NotReportedReason
}

/// Report about one window. Each enabled sign is in exactly one of the lists.
public struct VitalReport: Sendable, Hashable {
  /// Signs with a result.
  public internal(set) var results: [ReportedVital] = []
  /// Signs without a result.
  public internal(set) var notReported: [UnreportedVital] = []
  /// Quality of the intervals; nil for a sensor without intervals.
  public internal(set) var quality: SignalQuality?
  /// Number of intervals that LT-1 reports.
  public internal(set) var reported = 0
  /// Number of intervals changed by correction.
  public internal(set) var correctedCount = 0

  /// Result of a sign, if any.
  public func result(_ sign: VitalSign) -> ReportedVital? { results.first { $0.sign == sign } }
  /// Reason of a missing result; nil: it has one, or is not enabled.
  public func reason(_ sign: VitalSign) -> NotReportedReason? { notReported.first { $0.sign == sign }?.reason }
}
