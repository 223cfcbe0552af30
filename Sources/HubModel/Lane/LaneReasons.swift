// What stands between a wearable that waits and its turn, for people.

public import EventLoop

/// Why the attempt of a wearable that waits may not begin now.
public enum LinkHold: Hashable, Sendable {
  /// Attempts follow each other at a pace: the next one of its kind may begin then.
  case paced(until: WallTime)
  /// The radio does not serve.
  case radio
  /// Another visit has the lane.
  case lane
  /// A wearable is being paired.
  case pairing
  /// As many attempts as the controller takes are under way.
  case attempts
  /// A steady one that lost its link goes first.
  case steadyFirst
  /// One that was never linked goes first.
  case newcomerFirst
  /// One that lost its link goes first.
  case recoveringFirst
  /// One that is on for seconds goes first.
  case briefFirst
  /// Those that were of no use yet have as many attempts and slots as they may.
  case unproven
}

/// How a wearable that waits would get a slot.
public enum SlotClaim: Hashable, Sendable {
  /// It is linked: it waits for the lane alone.
  case linked
  case free
  /// The one that is free may be taken by attempts that are under way.
  case attempted
  /// One is being given up for another wearable.
  case vacating
  /// That of the holder that gives its slot up next, and from when on.
  case of(String, at: WallTime)
  /// No holder gives its slot to it as things are.
  case none
}
