// How wearables measure by themselves, as shown to people.

public import EventLoop
public import Health
public import Reasons
public import Wearable

/// Progress of an order for one series.
public enum MonitoringProgress: String, Sendable, Hashable, CaseIterable {
  /// State without an order.
  case none
  /// The wearable did not get the order yet.
  case waiting
  /// The wearable was read back with the ordered value.
  case taken
  /// The wearable has another value, or does not support the order.
  case refused
}

/// Monitoring of a series of a wearable: requested, effective, as the device reports it.
public struct MonitoredSeries: Sendable {
  /// Series that the wearable measures by itself.
  public var series: Series
  /// Parts that can be ordered, as far as known.
  public var parts: MonitoringParts
  /// Possible intervals between two measurements; nil if they cannot be ordered.
  public var intervals: MonitoringIntervals?
  /// Order of an operator; nil: no order.
  public var asked: MonitoringOrder?
  /// Order that the wearable accepted; nil: unknown.
  public var got: MonitoringOrder?
  /// State that the wearable reported last; nil: it was never read.
  public var says: MonitoringOrder?
  /// Progress of the order.
  public var progress: MonitoringProgress

  /// A series with its order, and the wearable's own report.
  public init(
    _ series: Series, _ parts: MonitoringParts, intervals: MonitoringIntervals? = nil, asked: MonitoringOrder? = nil,
    got: MonitoringOrder? = nil, says: MonitoringOrder? = nil, _ progress: MonitoringProgress = .none
  ) {
    (self.series, self.parts, self.intervals, self.progress) = (series, parts, intervals, progress)
    (self.asked, self.got, self.says) = (asked, got, says)
  }
}

/// State of what one wearable measures by itself.
public struct MonitoringSnapshot: Sendable {
  /// Name of the wearable.
  public var wearable: String
  /// Series that the wearable can measure by itself, by number.
  public var series: [MonitoredSeries]
  /// Time since which it has reported this; nil: it was never read.
  public var since: WallTime?
  /// Reason why an order was not taken.
  public var trouble: HearthError?

  /// Series of one wearable; `since`: start of the reported state.
  public init(
    wearable: String, series: [MonitoredSeries], since: WallTime? = nil, trouble: HearthError? = nil
  ) { (self.wearable, self.series, self.since, self.trouble) = (wearable, series, since, trouble) }
}
