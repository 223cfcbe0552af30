// Periodic work for a wearable while its link stays up.

public import EventLoop

/// Session that is called periodically while its link stays: to set a clock again, or to supervise streams.
@LoopActor
public protocol AttendedSession: WearableSession {
  /// Interval of `attend`, and a reason for the link to stay. nil: not needed now.
  var attendance: Duration? { get }
  func attend() async throws(VisitTrouble)
}

extension WearableSession {
  /// The facet for periodic work; nil without it.
  public var attended: (any AttendedSession)? { self as? any AttendedSession }
}
