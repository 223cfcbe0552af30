// What people are told of how wearables measure by themselves.

public import EventLoop
public import Health
public import Reasons
public import Wearable

/// What became of an order of one series.
public enum MonitoringProgress: String, Sendable, Hashable, CaseIterable {
  /// Nothing is ordered.
  case none
  /// It was not asked yet.
  case waiting
  /// It was read back as it was ordered.
  case taken
  /// The wearable has it otherwise, or has nothing of the kind.
  case refused
}

/// One series of one wearable: asked, got, device says.
public struct MonitoredSeries: Sendable {
  public var series: Series
  /// What of it can be ordered, as far as that is known.
  public var parts: MonitoringParts
  /// What may be ordered between two measurements; nil where that cannot be.
  public var intervals: MonitoringIntervals?
  /// nil: nothing is ordered.
  public var asked: MonitoringOrder?
  public var got: MonitoringOrder?
  /// nil: it was never read.
  public var says: MonitoringOrder?
  public var progress: MonitoringProgress

  public init(
    _ series: Series, _ parts: MonitoringParts, intervals: MonitoringIntervals? = nil, asked: MonitoringOrder? = nil,
    got: MonitoringOrder? = nil, says: MonitoringOrder? = nil, _ progress: MonitoringProgress = .none
  ) {
    (self.series, self.parts, self.intervals, self.progress) = (series, parts, intervals, progress)
    (self.asked, self.got, self.says) = (asked, got, says)
  }
}

/// How one wearable measures by itself.
public struct MonitoringSnapshot: Sendable {
  public var wearable: String
  /// By number.
  public var series: [MonitoredSeries]
  /// Since when it says so; nil: it was never read.
  public var since: WallTime?
  /// Why an order was not taken.
  public var trouble: HearthError?

  public init(
    wearable: String, series: [MonitoredSeries], since: WallTime? = nil, trouble: HearthError? = nil
  ) { (self.wearable, self.series, self.since, self.trouble) = (wearable, series, since, trouble) }
}
