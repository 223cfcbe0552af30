// What a wearable should record by itself and does not.

public import EventLoop
public import Health

/// A session that reads back what its wearable records.
@LoopActor
public protocol RecordingSession: WearableSession {
  /// Series that the last read-back found unrecorded though they are ordered; `finish` throws `recordingNotArmed` then.
  var unrecorded: [Series] { get }
}

extension WearableSession {
  /// What reads back what is recorded; nil: nothing.
  public var recording: (any RecordingSession)? { self as? any RecordingSession }
}
