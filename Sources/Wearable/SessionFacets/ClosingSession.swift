// What goes on at a wearable and would not end with its link.

public import EventLoop

/// A session that begins what outlasts a link. Without this facet the hub hangs up at once.
@LoopActor
public protocol ClosingSession: WearableSession {
  /// Something goes on at the wearable that would not end with the link: it is told before the hub hangs up.
  var needsClosing: Bool { get }
  /// Ends what goes on: the hub is about to hang up.
  func close() async throws(VisitTrouble)
}

extension WearableSession {
  /// What is closed before its link; nil: nothing.
  public var closing: (any ClosingSession)? { self as? any ClosingSession }
}
