// Wearers and assignments of wearables, as shown to people.

public import EventLoop
import Health
import Reasons
public import RingStore
import Wearable

/// A wearer, as shown to people.
public struct WearerSnapshot: Sendable, Hashable {
  /// Record of the wearer in the store.
  public var wearer: Wearer
  /// Names of the wearables that are on this wearer now.
  public var wears: [String]

  /// A wearer; `wears`: names of the wearables.
  public init(wearer: Wearer, wears: [String]) {
    self.wearer = wearer
    self.wears = wears
  }
}

/// Start of an assignment of a wearable to a wearer, in the past or the future.
public struct AssignmentSnapshot: Sendable, Hashable {
  /// Begin of the assignment.
  public var from: WallTime
  /// nil: no wearer.
  public var wearer: String?
  /// Time at which it was entered.
  public var enteredAt: WallTime

  /// An assignment; `wearer` nil: to no person.
  public init(from: WallTime, wearer: String?, enteredAt: WallTime) {
    self.from = from
    self.wearer = wearer
    self.enteredAt = enteredAt
  }
}

/// A correction of an assignment. Fields that are nil stay.
public struct AssignmentCorrection: Sendable, Hashable {
  /// True: the assignment is deleted.
  public var deletes = false
  /// New begin.
  public var from: WallTime?
  /// New wearer.
  public var wearer: String?
  /// True: the wearable had no wearer.
  public var isNobody = false

  /// A correction of the given parts.
  public init(deletes: Bool = false, from: WallTime? = nil, wearer: String? = nil, isNobody: Bool = false) {
    self.deletes = deletes
    self.from = from
    self.wearer = wearer
    self.isNobody = isNobody
  }
}
