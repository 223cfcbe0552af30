// Activities of a wearable that would continue after its link.

public import EventLoop

/// Session that starts activities which outlast a link. Without this facet the hub disconnects at once.
@LoopActor
public protocol ClosingSession: WearableSession {
  /// Whether such an activity runs, so that it must be stopped before the hub disconnects.
  var needsClosing: Bool { get }
  /// Stops such activities before the hub disconnects.
  func close() async throws(VisitTrouble)
}

extension WearableSession {
  /// The facet for closing; nil without it.
  public var closing: (any ClosingSession)? { self as? any ClosingSession }
}
