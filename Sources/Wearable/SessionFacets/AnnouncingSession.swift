// What a wearable says that it can do where only a session asks for it.

public import EventLoop

/// A session that learns in its check what this one wearable has. Without this facet it is all told by what the decoder
/// of the link saw (`LiveDecoder.announced`).
@LoopActor
public protocol AnnouncingSession: WearableSession {
  /// Beside what the decoder saw. Nil: it was not asked yet, or did not answer; then nothing is known of the whole.
  var announced: WearableCapabilities? { get }
}

extension WearableSession {
  /// What learns what the wearable has; nil: nothing.
  public var announcing: (any AnnouncingSession)? { self as? any AnnouncingSession }
}
