// How much a result may be trusted: the share of artefacts among the intervals, and how much of the time they cover.

/// How far a result may be relied on. What is below low is not reported.
public enum Confidence: UInt8, Sendable, Hashable, Comparable, CaseIterable {
  /// No intervals to judge by, such as a rate that the sensor computed.
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

/// What the intervals of a window are worth.
public struct SignalQuality: Sendable, Hashable {
  /// 0 to 1: reports of LT-1, dropped and half of the uncertain ones among all intervals received.
  public let artefactShare: Double
  /// Usable intervals in the time of the window, 0 and more. Above 1 they cover more time than there was: some were
  /// told twice, or are not of the time in which they came.
  public let coverage: Double

  /// - Parameter reported: intervals that LT-1 reports.
  public init(window: BeatWindow, reported: Int) {
    artefactShare = Self.share(
      received: window.received, dropped: window.dropped, uncertain: window.uncertain, reported: reported)
    let (length, duration) = (window.length, window.series.duration)
    // An interval that began before the window is no more than the window has room for.
    let covered = duration > length ? Swift.max(length, duration - window.lead) : duration
    let share = length > 0 ? covered / length : 0
    coverage = share.isFinite ? Swift.max(share, 0) : 0
  }

  public static func share(received: Int, dropped: Int, uncertain: Int, reported: Int) -> Double {
    guard received > 0 else { return 0 }
    let doubtful = Double(reported) + Double(dropped) + Double(uncertain) / 2
    return Swift.min(Swift.max(doubtful / Double(received), 0), 1)
  }

  /// Nil when results are withheld. The steps are strict since LT-1 misses part of the beats where one in twelve is
  /// ectopic.
  public var confidence: Confidence? { Self.confidence(artefactShare: artefactShare, coverage: coverage) }

  /// The intervals cover more time than there was, by more than is admitted.
  public var isOverfull: Bool { coverage > Self.coverages.low.upperBound }

  /// What is missing of the time, and what is too much of it, is admitted alike: for a high confidence a twentieth of
  /// the intervals may be wrong, a tenth for a medium one, a fifth for a low one. Crystals, and the arrivals that beats
  /// are drawn to, make some tenths of a second of it.
  private static let coverages = (high: 0.95...1.05, medium: 0.90...1.10, low: 0.80...1.20)

  /// What a share alone admits, where no window is looked at: of the last 10 s of a running measurement.
  public static func confidence(artefactShare: Double, coverage: Double = 1) -> Confidence? {
    if artefactShare <= 0.05, coverages.high.contains(coverage) { return .high }
    if artefactShare <= 0.10, coverages.medium.contains(coverage) { return .medium }
    if artefactShare <= 0.20, coverages.low.contains(coverage) { return .low }
    return nil
  }
}
