// Wearables that change what they do with the profile of their link.

public import Bluetooth
public import EventLoop

/// A session that follows its link's profile. Without this facet the wearable learns of a profile from its link alone.
@LoopActor
public protocol ProfiledSession: WearableSession {
  /// The hub changed the link's profile: a wearable that can change its rates does so.
  func profileChanged(to profile: LinkProfile) async throws(VisitTrouble)
}

extension WearableSession {
  /// What follows the profile; nil: nothing.
  public var profiled: (any ProfiledSession)? { self as? any ProfiledSession }
}
