// Live values that a session has to start.

public import EventLoop

/// Session that carries out orders while its link stays.
@LoopActor
public protocol LiveSession: WearableSession {
  /// Called after a visit, when the live sources are subscribed and the link stays. Starts ordered streams that do not
  /// run.
  func wentLive() async throws(VisitTrouble)
  /// Called when people changed their orders.
  func ordersChanged() async throws(VisitTrouble)
}

/// Session with a decoder for its link. Without this facet the driver's own decoder is used.
@LoopActor
public protocol DecodingSession: WearableSession {
  /// Decoder of the live sources of this link.
  var decoder: any LiveDecoder { get }
}

extension WearableSession {
  /// The facet for orders on a live link; nil: the session has no such orders, and orders are not delayed.
  public var streaming: (any LiveSession)? { self as? any LiveSession }
  /// The facet for an own decoder; nil without it.
  public var decoding: (any DecodingSession)? { self as? any DecodingSession }
}
