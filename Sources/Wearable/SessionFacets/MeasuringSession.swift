// Measurements on request of a person.

public import EventLoop
public import Health

/// Session of a wearable that measures by order: one series at a time, for a while. Without this facet such an order is
/// refused. Streams by order are a different ability (`StreamingDriver`).
@LoopActor
public protocol MeasuringSession: WearableSession {
  /// Series that this wearable measures by order, as reported over this link.
  var measurable: [Series] { get }
  /// Starts a measurement, passes each value on as it arrives, and returns after the end. The wearable gets no other
  /// request meanwhile.
  ///
  /// - Throws: `unsupported` for a series outside `measurable`. `busy` or `refused` if the wearable does not start.
  ///   `silent` if it sends no value from the start on. `link` if the link ends.
  func measure(_ order: MeasurementOrder, into sink: any MeasurementSink) async throws(VisitTrouble) -> MeasurementEnd
}

/// Series, interval and limit of a measurement.
public struct MeasurementOrder: Sendable, Hashable {
  /// Series to measure, one of those that the session offers.
  public let series: Series
  /// Seconds between two values, if the wearable offers a choice: 1 to 255.
  public let interval: Int
  /// Seconds until the measurement ends: 15 to 255; nil: until a person stops it.
  public let limit: Int?

  /// Accepted intervals in seconds.
  public static let intervals = 1...255
  /// Accepted limits in seconds.
  public static let limits = 15...255
  /// Limit without another choice, in seconds.
  public static let usualLimit = 60

  /// nil for numbers out of range.
  public init?(_ series: Series, interval: Int = 1, limit: Int? = usualLimit) {
    guard Self.intervals.contains(interval), limit.map({ Self.limits.contains($0) }) ?? true else { return nil }
    (self.series, self.interval, self.limit) = (series, interval, limit)
  }
}

/// End of a measurement. A lost link is `VisitTrouble.link`.
public enum MeasurementEnd: String, Sendable, Hashable, CaseIterable {
  /// The time limit was reached.
  case limit
  /// A person stopped it.
  case stopped
  /// The wearable ended it by itself: it was taken off, or has its result.
  case byWearable = "by_wearable"
}

/// Sink for values that are measured by order. The hub stores each as a manual item, dated at its arrival.
@LoopActor
public protocol MeasurementSink: AnyObject {
  /// Values in the layout of their series.
  func append(_ series: Series, _ values: [Int64])
  /// Whether the measurement should stop; checked at least once a second.
  var isStopped: Bool { get }
}

extension WearableSession {
  /// The facet for measurements by order; nil without it.
  public var measuring: (any MeasuringSession)? { self as? any MeasuringSession }
}
