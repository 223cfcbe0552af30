// Automatic measuring of a wearable, over one link.

public import EventLoop
internal import Reasons

/// Session that knows the automatic measuring of its wearable. Orders are carried out in its check, and at once if it
/// hears of new ones (`LiveSession`).
@LoopActor
public protocol MonitoringSession: WearableSession {
  /// States as read last over this link, only of series that were read.
  var monitoring: [MonitoringState] { get }
  /// Reads the states from the wearable now.
  func readMonitoring() async throws(VisitTrouble) -> [MonitoringState]
}

extension WearableSession {
  /// The facet for automatic measuring; nil without it.
  public var monitored: (any MonitoringSession)? { self as? any MonitoringSession }
}

extension VisitTrouble {
  /// End of a visit if an order was not accepted, with the reason.
  public static func monitoringNotTaken(_ why: String) -> VisitTrouble {
    .needsAttention(.monitoringNotTaken, "does not measure by itself as it was ordered: \(why)")
  }
}
