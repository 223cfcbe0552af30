// One thing that a band measured: what is true of it, what its clock said, and what became of it.

public import EventLoop
public import Health

/// One measurement of the ground truth. It is written down when the band records it, and never changes but for its end.
public struct BandItem: Sendable {
  /// Why the band has it no longer.
  public enum End: Sendable, Hashable {
    /// Something newer needed its place, or its day is too old.
    case overwritten
    /// The host said that it has it.
    case confirmed
    /// The band was reset or bound anew.
    case reset
  }

  /// From 1 on, in the order in which they were recorded.
  public let number: Int
  public let series: Series
  public let kind: SampleKind
  /// The wearer pressed a button for it.
  public let isManual: Bool
  /// When it was measured; where it begins, if it is of a span.
  public let at: Instant
  /// The same by a civil clock that nobody steps.
  public let time: WallTime
  /// What the band's clock said of it: seconds since 1970, without a zone.
  public let shown: Int64
  /// Which stretch of the clock, and whether anybody had set it.
  public let stretch: Int
  public let isClockSet: Bool
  /// How often somebody had set its clock until then. 0: it showed what it came with.
  public let settings: Int
  /// Somebody else than the hub had set it last.
  public var isClockForeign = false
  /// Zero for what is of one moment.
  public let length: Duration
  /// In the stored scale of the series. Pressure: systolic and diastolic, under `systolicPressure`. A training: as the
  /// columns of `training`.
  public let values: [Int64]
  /// When it came into memory: the stages of a night come with its end.
  public let recordedAt: Instant
  /// Until when memory kept it; nil: it still does.
  public internal(set) var goneAt: Instant?
  public internal(set) var end: End?

  public var value: Int64 { values.first ?? 0 }
  /// It was in memory at this moment.
  public func wasHeld(at moment: Instant) -> Bool {
    recordedAt <= moment && goneAt.map { $0 > moment } ?? true
  }
}

/// Where an item is kept: each kind of data has its own place.
public struct BandBin: Sendable, Hashable {
  public let series: Series
  public let isManual: Bool
  public let kind: SampleKind

  public init(_ series: Series, isManual: Bool = false, kind: SampleKind = .normal) {
    (self.series, self.isManual, self.kind) = (series, isManual, kind)
  }
}

/// When a band measures one series by itself.
public struct BandSchedule: Sendable, Hashable {
  public var isOn: Bool
  /// Minutes after midnight by its own clock, 0 to 1440: from the first up to, not including, the last.
  public var start: Int
  public var end: Int
  /// Minutes, at least 1. Measurements lie on its multiples since midnight.
  public var interval: Int

  public init(isOn: Bool = true, start: Int = 0, end: Int = 1440, interval: Int = 10) {
    (self.isOn, self.start, self.end, self.interval) = (isOn, start, end, interval)
  }

  /// The first measurement after a moment, or at it; seconds since 1970 by the band's clock. nil: never.
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
