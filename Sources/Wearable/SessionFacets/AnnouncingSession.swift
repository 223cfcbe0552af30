// Capabilities of a wearable that only a session can request.

public import EventLoop

/// Session that learns the capabilities of this wearable in its check. Without this facet the link's decoder has seen
/// all of them (`LiveDecoder.announced`).
@LoopActor
public protocol AnnouncingSession: WearableSession {
  /// Capabilities besides those that the decoder saw. nil: not requested yet, or not answered; then the whole is
  /// unknown.
  var announced: WearableCapabilities? { get }
}

extension WearableSession {
  /// The facet for announced capabilities; nil without it.
  public var announcing: (any AnnouncingSession)? { self as? any AnnouncingSession }
}
