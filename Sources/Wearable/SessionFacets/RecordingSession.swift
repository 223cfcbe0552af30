// Recordings that a wearable should make by itself but does not.

public import EventLoop
public import Health

/// Session that reads back what its wearable records.
@LoopActor
public protocol RecordingSession: WearableSession {
  /// Series that are ordered, but not recorded according to the last read-back. `finish` then throws
  /// `recordingNotArmed`.
  var unrecorded: [Series] { get }
}

extension WearableSession {
  /// The facet for recordings; nil without it.
  public var recording: (any RecordingSession)? { self as? any RecordingSession }
}
