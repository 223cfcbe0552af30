// Measuring because a person wants a value now.

public import EventLoop
public import Health

/// A session that lets its wearable measure by order: one thing at a time, for a while. Without this facet such an
/// order is refused. What streams by order is another thing (`StreamingDriver`).
@LoopActor
public protocol MeasuringSession: WearableSession {
  /// What this wearable measures by order, as it said over this link.
  var measurable: [Series] { get }
  /// Begins, hands over each value as it comes, and returns when the measuring has ended. Nothing else is asked of the
  /// wearable meanwhile.
  ///
  /// - Throws: `unsupported` for a series that is none of `measurable`, `busy` or `refused` where the wearable does not
  ///   begin, `link` where the link ends. Where the wearable is silent from the begin on: `silent`.
  func measure(_ order: MeasurementOrder, into sink: any MeasurementSink) async throws(VisitTrouble) -> MeasurementEnd
}

/// What is to be measured, how often and for how long.
public struct MeasurementOrder: Sendable, Hashable {
  public let series: Series
  /// Seconds between two values, where the wearable lets that be chosen: 1 to 255.
  public let interval: Int
  /// Seconds after which it ends by itself: 15 to 255; nil: when somebody stops it.
  public let limit: Int?

  public static let intervals = 1...255
  public static let limits = 15...255
  public static let usualLimit = 60

  /// nil for numbers out of range.
  public init?(_ series: Series, interval: Int = 1, limit: Int? = usualLimit) {
    guard Self.intervals.contains(interval), limit.map({ Self.limits.contains($0) }) ?? true else { return nil }
    (self.series, self.interval, self.limit) = (series, interval, limit)
  }
}

/// How a measurement came to its end. A link that was lost is `VisitTrouble.link`.
public enum MeasurementEnd: String, Sendable, Hashable, CaseIterable {
  /// Its time was over.
  case limit
  /// A person stopped it.
  case stopped
  /// The wearable ended it by itself: it was taken off, or has its value.
  case byWearable = "by_wearable"
}

/// Where values measured by order go. The hub stores each as a manual item of the moment at which it came.
@LoopActor
public protocol MeasurementSink: AnyObject {
  /// Values in the layout of their series.
  func append(_ series: Series, _ values: [Int64])
  /// Somebody wants it to end: looked at once a second at least.
  var isStopped: Bool { get }
}

extension WearableSession {
  /// What measures by order; nil: nothing.
  public var measuring: (any MeasuringSession)? { self as? any MeasuringSession }
}
