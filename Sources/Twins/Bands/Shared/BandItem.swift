// Measurement of a band: the truth, its time on the band's clock, and its fate.

public import EventLoop
public import Health

/// Measurement of the ground truth. Created when the band records it; only its end changes later.
public struct BandItem: Sendable {
  /// Reason why the band no longer has it.
  public enum End: Sendable, Hashable {
    /// A newer one needed its place, or its day is too old.
    case overwritten
    /// The host confirmed it.
    case confirmed
    /// The band was reset or bound again.
    case reset
  }

  /// Number from 1 on, in the order of recording.
  public let number: Int
  /// Measured series.
  public let series: Series
  /// Meaning of the value.
  public let kind: SampleKind
  /// Whether the wearer started it with a button.
  public let isManual: Bool
  /// Time of the measurement; for a span its beginning.
  public let at: Instant
  /// The same by a civil clock that is never set.
  public let time: WallTime
  /// Time on the band's clock: seconds since 1970, without a zone.
  public let shown: Int64
  /// Stretch of the clock, and whether the clock had been set.
  public let stretch: Int
  /// True if the clock was set at that time.
  public let isClockSet: Bool
  /// Number of settings of its clock until then. 0: it showed its initial time.
  public let settings: Int
  /// Whether the last setting was by another device than the hub.
  public var isClockForeign = false
  /// Zero for a single moment.
  public let length: Duration
  /// Values in the stored scale of the series. Pressure: systolic and diastolic, under `systolicPressure`. A training:
  /// the columns of `training`.
  public let values: [Int64]
  /// Time of recording: stages of a night are recorded at its end.
  public let recordedAt: Instant
  /// Time of deletion from memory; nil: still stored.
  public internal(set) var goneAt: Instant?
  /// Reason why it is gone; nil: still in memory.
  public internal(set) var end: End?

  /// The first value; 0 if there is none.
  public var value: Int64 { values.first ?? 0 }
  /// Whether it was in memory at this moment.
  public func wasHeld(at moment: Instant) -> Bool {
    recordedAt <= moment && goneAt.map { $0 > moment } ?? true
  }
}

/// Place of an item in memory: each kind of data has its own.
public struct BandBin: Sendable, Hashable {
  /// Series of the items.
  public let series: Series
  /// True for manual measurements.
  public let isManual: Bool
  /// Meaning of the values.
  public let kind: SampleKind

  /// A place in memory.
  public init(_ series: Series, isManual: Bool = false, kind: SampleKind = .normal) {
    (self.series, self.isManual, self.kind) = (series, isManual, kind)
  }
}

/// Schedule of automatic measuring for one series.
public struct BandSchedule: Sendable, Hashable {
  /// True if it measures automatically.
  public var isOn: Bool
  /// Minutes after midnight by its own clock, 0 to 1440: from the first up to, but excluding, the last.
  public var start: Int
  /// End of the window, in minutes after midnight.
  public var end: Int
  /// Minutes, at least 1. Measurements are at multiples of it since midnight.
  public var interval: Int

  /// A schedule; times in minutes after midnight, `interval` in minutes.
  public init(isOn: Bool = true, start: Int = 0, end: Int = 1440, interval: Int = 10) {
    (self.isOn, self.start, self.end, self.interval) = (isOn, start, end, interval)
  }

  /// First measurement at or after a moment, seconds since 1970 by the band's clock; nil: never.
  func first(from seconds: Int64) -> Int64? {
    guard isOn, interval > 0, start < end, start < 1440 else { return nil }
    let midnight = seconds.floored(by: 86_400) * 86_400
    let grid = Int64(interval) * 60
    for day in [midnight, midnight + 86_400] {
      let from = max(seconds, day + Int64(start) * 60)
      let next = day - (day - from).floored(by: grid) * grid
      if next < day + Int64(min(end, 1440)) * 60 { return next }
    }
    return nil
  }
}
