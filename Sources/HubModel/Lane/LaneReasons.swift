// Why a wearable waits for its turn, for people.

public import EventLoop

/// Reasons why the attempt of a waiting wearable may not begin now.
public enum LinkHold: Hashable, Sendable {
  /// The pace of attempts: the next one of its kind may begin at this time.
  case paced(until: WallTime)
  /// The radio is not ready.
  case radio
  /// Another visit has the lane.
  case lane
  /// A wearable is being paired.
  case pairing
  /// The controller's limit of attempts is reached.
  case attempts
  /// A stable wearable that lost its link goes first.
  case stableFirst
  /// A wearable that was never linked goes first.
  case newcomerFirst
  /// A wearable that lost its link goes first.
  case recoveringFirst
  /// A wearable that is on for seconds goes first.
  case shortPresenceFirst
  /// Wearables without data so far have reached their limit of attempts or slots.
  case unproven
}

/// Ways in which a waiting wearable would get a slot.
public enum SlotAvailability: Hashable, Sendable {
  /// The wearable is linked, and waits only for the lane.
  case linked
  case free
  /// The free slot may be taken by attempts that are under way.
  case attempted
  /// A slot is being vacated for another wearable.
  case vacating
  /// The slot of the holder that yields next, from this time on.
  case of(String, at: WallTime)
  /// Hold: no holder yields to it as things are.
  case none
}
