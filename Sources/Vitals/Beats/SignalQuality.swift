// Signal quality: the share of artefacts among the intervals, and the share of time that they cover.

/// Confidence in a result. Results below `low` are not reported.
public enum Confidence: UInt8, Sendable, Hashable, Comparable, CaseIterable {
  /// Quality without intervals to assess, as for a rate that the sensor computed.
  case unknown = 0
  case low = 1
  case medium = 2
  case high = 3

  /// `unknown`, `low`, `medium`, `high`
  public var name: String {
    switch self {
    case .unknown: "unknown"
    case .low: "low"
    case .medium: "medium"
    case .high: "high"
    }
  }

  public static func < (a: Confidence, b: Confidence) -> Bool { a.rawValue < b.rawValue }
}

/// Quality of the intervals of a window.
public struct SignalQuality: Sendable, Hashable {
  /// 0 to 1: intervals reported by LT-1, dropped ones and half of the uncertain ones, among all received.
  public let artefactShare: Double
  /// Sum of usable intervals divided by the window's length, 0 and more. Above 1 they cover more time than there was:
  /// some were sent twice, or belong to another time.
  public let coverage: Double

  /// - Parameter reported: number of intervals that LT-1 reports.
  public init(window: BeatWindow, reported: Int) {
    artefactShare = Self.share(
      received: window.received, dropped: window.dropped, uncertain: window.uncertain, reported: reported)
    let (length, duration) = (window.length, window.series.duration)
    // An interval that began before the window counts only up to the window's length.
    let covered = duration > length ? Swift.max(length, duration - window.lead) : duration
    let share = length > 0 ? covered / length : 0
    coverage = share.isFinite ? Swift.max(share, 0) : 0
  }

  /// Share of artefacts, 0 to 1; uncertain intervals count half.
  public static func share(received: Int, dropped: Int, uncertain: Int, reported: Int) -> Double {
    guard received > 0 else { return 0 }
    let doubtful = Double(reported) + Double(dropped) + Double(uncertain) / 2
    return Swift.min(Swift.max(doubtful / Double(received), 0), 1)
  }

  /// Nil if results are withheld. The limits are strict, because LT-1 misses part of the beats if one in twelve is
  /// ectopic.
  public var confidence: Confidence? { Self.confidence(artefactShare: artefactShare, coverage: coverage) }

  /// Whether the intervals cover more time than allowed.
  public var isOverfull: Bool { coverage > Self.coverages.low.upperBound }

  /// Coverage allowed for each confidence: time may be missing or too much by a twentieth for high, a tenth for medium,
  /// a fifth for low. Clock tolerances, and the alignment of beats to arrivals, cause some tenths of a second.
  private static let coverages = (high: 0.95...1.05, medium: 0.90...1.10, low: 0.80...1.20)

  /// Confidence from the artefact share only, if there is no window: for the last 10 s of a running measurement.
  public static func confidence(artefactShare: Double, coverage: Double = 1) -> Confidence? {
    if artefactShare <= 0.05, coverages.high.contains(coverage) { return .high }
    if artefactShare <= 0.10, coverages.medium.contains(coverage) { return .medium }
    if artefactShare <= 0.20, coverages.low.contains(coverage) { return .low }
    return nil
  }
}
