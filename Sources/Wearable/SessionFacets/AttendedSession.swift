// What a wearable needs from time to time while its link stays up.

public import EventLoop

/// A session that is called again and again while its link stays: a clock that must be set anew, streams to look after.
@LoopActor
public protocol AttendedSession: WearableSession {
  /// How often `attend` is called, and a reason for the link to stay. Nil: not at the moment.
  var attendance: Duration? { get }
  func attend() async throws(VisitTrouble)
}

extension WearableSession {
  /// What is attended; nil: nothing.
  public var attended: (any AttendedSession)? { self as? any AttendedSession }
}
