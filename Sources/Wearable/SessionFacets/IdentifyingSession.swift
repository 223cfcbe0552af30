// Wearables that show only over a link which driver is theirs.

public import EventLoop

/// A session that may find that its wearable speaks the protocol of another driver, which advertises alike. Without
/// this facet a wearable is whose it was recognised as.
@LoopActor
public protocol IdentifyingSession: WearableSession {
  /// Id of the driver that should have it, once that is certain: the hub moves it there, and the next link is that
  /// driver's. Nil: it is where it belongs, or nobody knows.
  var belongsTo: String? { get }
}

extension WearableSession {
  /// What may find that it is another driver's; nil: nothing.
  public var identifying: (any IdentifyingSession)? { self as? any IdentifyingSession }
}
