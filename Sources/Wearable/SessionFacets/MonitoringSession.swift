// How a wearable measures by itself, over one link.

public import EventLoop
internal import Reasons

/// A session that knows how its wearable measures by itself. Orders are brought about in its check, and at once where
/// it hears of new ones (`LiveSession`).
@LoopActor
public protocol MonitoringSession: WearableSession {
  /// As it was read last over this link; a series that was not is missing.
  var monitoring: [MonitoringState] { get }
  /// Read from the wearable now.
  func readMonitoring() async throws(VisitTrouble) -> [MonitoringState]
}

extension WearableSession {
  /// What knows how it measures by itself; nil: nothing.
  public var monitored: (any MonitoringSession)? { self as? any MonitoringSession }
}

extension VisitTrouble {
  /// A visit ends so where an order was not taken, and says why.
  public static func monitoringNotTaken(_ why: String) -> VisitTrouble {
    .needsAttention(.monitoringNotTaken, "does not measure by itself as it was ordered: \(why)")
  }
}
