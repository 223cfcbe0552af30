// Live values that depend on what a session arranges.

public import EventLoop

/// A session that brings orders about while its link stays.
@LoopActor
public protocol LiveSession: WearableSession {
  /// A visit ended, the live sources are subscribed and the link stays: streams that were ordered begin, unless they
  /// run.
  func wentLive() async throws(VisitTrouble)
  /// People changed what they want of it.
  func ordersChanged() async throws(VisitTrouble)
}

/// A session that knows how to read what comes over its link. Without this facet the driver's own decoder reads it.
@LoopActor
public protocol DecodingSession: WearableSession {
  /// Reads what the live sources bring over this link.
  var decoder: any LiveDecoder { get }
}

extension WearableSession {
  /// What brings orders about; nil: nothing, and orders wait for nothing.
  public var streaming: (any LiveSession)? { self as? any LiveSession }
  /// What has a decoder of its own; nil: nothing.
  public var decoding: (any DecodingSession)? { self as? any DecodingSession }
}
