// The classes of the lane: by what right a wearable has its turn, and what it may displace for it.

public import EventLoop

/// In the order in which they go. What each may do is decided by `Scheduler.goesBefore` (who is next), `Lane.hold`
/// (whose attempt may begin) and `SlotKeeper.nextToYield` (whose slot it gets):
///
/// | class | connects | may have the slot of |
/// |---|---|---|
/// | reserved | at once: its slot is kept for 30 s after its link was lost | nobody: it has its own |
/// | brief | at once | who does nothing with it at once, a steady one four times and then each 150 s |
/// | operator | at once | anybody at once but a visit or a measurement, after a slice if it brought nothing before |
/// | recovering | before visits and newcomers, for 60 s | who is less steady, at once |
/// | first contact | once, before those that were of no use | who is not steady, once that had 6 s |
/// | returning | before visits, for 15 s | who is less steady, at once |
/// | scheduled | when its moment comes | who does nothing with it at once, anybody's else after a slice |
/// | unresponsive | after its wait of 2 s to 1 h, behind the others | who brought nothing, is silent, keeps its data |
public enum PriorityClass: String, Sendable, CaseIterable {
  /// Its link was lost a moment ago, and its slot is kept for it.
  case reserved
  /// It is there for seconds after it measured.
  case brief
  case asked = "operator"
  /// It was steady, and lost its link.
  case recovering
  /// It was never linked.
  case firstContact = "first_contact"
  /// It was of use, needs its link and lost it.
  case returning
  case scheduled
  /// It brought nothing when it was tried last, or its links cost more than they brought.
  case unresponsive
}

extension Candidate {
  var priority: PriorityClass {
    if claim == .kept { return .reserved }
    if isBrief { return .brief }
    if askedAt != nil { return .asked }
    switch claim {
    case .steady: return .recovering
    case .first: return .firstContact
    case .owed: return .returning
    case .kept, .fair: return standing == .doubtful || isPoor ? .unresponsive : .scheduled
    }
  }
}

/// Why the attempt of a wearable that waits may not begin now.
public enum LinkHold: Hashable, Sendable {
  /// Attempts follow each other at a pace: the next one of its kind may begin then.
  case paced(until: WallTime)
  /// The radio does not serve.
  case radio
  /// Somebody else's visit has the lane.
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
  /// One that is there for seconds goes first.
  case briefFirst
  /// Those that were of no use yet have as many attempts and slots as they may.
  case unproven
}

/// How a wearable that waits would come to a slot.
public enum SlotClaim: Hashable, Sendable {
  /// It is linked: it waits for the lane alone.
  case linked
  case free
  /// The one that is free may be taken by attempts that are under way.
  case attempted
  /// One is being given up for somebody.
  case vacating
  /// Of the one that yields next to it, and from when on.
  case of(String, at: WallTime)
  /// Nobody who has one yields to it as things are.
  case none
}
