// Pulse rate (method PR-1): of the last eight seconds while a measurement runs, and of a whole window afterwards.

/// Beats a minute.
public enum PulseRate {
  /// Physiological range; it equals the interval limits of 2000 and 273 ms.
  public static let plausible = 30.0...220.0
  /// s, time that the newest intervals should cover: two breaths, so that the rate does not swing with them.
  static let span = 8.0
  /// s, the least that they must cover.
  static let least = 7.0
  /// s, greatest age of an interval: twice the span, for batches that come every 5 s.
  static let oldest = 16.0

  /// 60 000 · k / Σ of the last k usable intervals that cover 8 s; nil if they cover less than 7 s.
  ///
  /// - Parameter now: s, monotonic.
  public static func instantaneous(_ timeline: BeatTimeline, at now: Double) -> Double? {
    var gathered = Gathered()
    var index = timeline.count
    while index > 0, !gathered.isEnough {
      index -= 1
      let beat = timeline[index]
      guard beat.isUsable, beat.time <= now else { continue }
      guard now - beat.time <= Self.oldest else { break }
      gathered.add(beat.interval)
    }
    return gathered.rate
  }

  /// The same for the last intervals of a window.
  public static func instantaneous(_ series: BeatSeries) -> Double? {
    var gathered = Gathered()
    for interval in series.intervals.reversed() where !gathered.isEnough { gathered.add(interval) }
    return gathered.rate
  }

  /// 60 000 / mean interval; not the mean of the momentary rates, which is larger.
  public static func mean(ofInterval milliseconds: Double) -> Double? {
    guard milliseconds > 0, milliseconds.isFinite else { return nil }
    return 60_000 / milliseconds
  }

  private struct Gathered {
    var count = 0
    /// Sum of the gathered intervals, s.
    var sum = 0.0

    var isEnough: Bool { sum >= PulseRate.span }

    mutating func add(_ milliseconds: Double) {
      count += 1
      sum += milliseconds / 1000
    }

    var rate: Double? {
      guard sum >= PulseRate.least else { return nil }
      let rate = 60 * Double(count) / sum
      return PulseRate.plausible.contains(rate) ? rate : nil
    }
  }
}

/// Pulse rate divided by respiration rate: about 4 at rest (Scholkmann and Wolf 2019). Method PQ-1.
public enum PulseRespirationQuotient {
  /// Plausible quotients, pulses per breath; others are not reported.
  public static let plausible = 2.0...12.0

  /// Pulses per breath; both rates in 1/min. Nil without a respiration rate.
  public static func value(pulseRate: Double, respirationRate: Double?) -> Double? {
    guard let respirationRate, respirationRate > 0 else { return nil }
    let quotient = pulseRate / respirationRate
    return quotient.isFinite ? quotient : nil
  }
}
