// Beats and gaps of a timeline, on the hub's own clock.

/// Received interval with the time of the beat that ends it.
public struct Beat: Sendable, Hashable {
  /// s, monotonic clock of the hub.
  public var time: Double
  /// ms, from the previous beat to this one.
  public var interval: Double
  /// Number of its stretch, ascending; intervals of two stretches are never compared.
  public var stretch: UInt32
  /// Number of its packet, from 0.
  public var packet: UInt32
  /// Result of the checks.
  public var verdict: IntervalScreening.Verdict

  /// A beat; `time` in seconds of the hub's clock, `interval` in ms.
  public init(time: Double, interval: Double, stretch: UInt32, packet: UInt32, verdict: IntervalScreening.Verdict) {
    self.time = time
    self.interval = interval
    self.stretch = stretch
    self.packet = packet
    self.verdict = verdict
  }

  /// Whether the interval may be used.
  public var isUsable: Bool {
    switch verdict {
    case .usable, .uncertain: true
    case .dropped: false
    }
  }
}

/// Gap between the end of one stretch of beats and the start of the next.
public struct BeatGap: Sendable, Hashable {
  /// Reason of a gap.
  public enum Reason: Sendable, Hashable {
    /// The link was lost in between.
    case reconnect
    /// Beats came later than the intervals explain: some are missing.
    case late
    /// Beats came earlier than the intervals explain: some were delivered twice, or an interval is too long.
    case early
    /// Intervals in between were dropped.
    case dropped(IntervalScreening.Defect)

    /// `reconnect`, `late`, `early`, `dropped`
    public var name: String {
      switch self {
      case .reconnect: "reconnect"
      case .late: "late"
      case .early: "early"
      case .dropped: "dropped"
      }
    }
  }

  /// Reason of the gap.
  public var reason: Reason
  /// s, at least 0.
  public var length: Double
  /// s, when the first interval after the gap begins.
  public var end: Double
  /// Number of the first packet after the gap.
  public var packet: UInt32

  /// A gap; `length` and `end` in the units of the properties.
  public init(reason: Reason, length: Double, end: Double, packet: UInt32) {
    self.reason = reason
    self.length = length
    self.end = end
    self.packet = packet
  }
}
