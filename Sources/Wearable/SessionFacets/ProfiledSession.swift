// Wearables that change their behaviour with the profile of their link.

public import Bluetooth
public import EventLoop

/// Session that follows its link's profile. Without this facet the wearable notices a profile only by its link.
@LoopActor
public protocol ProfiledSession: WearableSession {
  /// Called when the hub changed the link's profile. A wearable that can change its rates does so.
  func profileChanged(to profile: LinkProfile) async throws(VisitTrouble)
}

extension WearableSession {
  /// The facet for profiles; nil without it.
  public var profiled: (any ProfiledSession)? { self as? any ProfiledSession }
}
