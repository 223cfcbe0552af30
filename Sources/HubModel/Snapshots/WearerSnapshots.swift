// Wearers and assignments of wearables, as shown to people.

public import EventLoop
import Health
import Reasons
public import RingStore
import Wearable

/// A wearer, as shown to people.
public struct WearerSnapshot: Sendable, Hashable {
  public var wearer: Wearer
  /// Names of the wearables that are on this wearer now.
  public var wears: [String]

  public init(wearer: Wearer, wears: [String]) {
    self.wearer = wearer
    self.wears = wears
  }
}

/// Start of an assignment of a wearable to a wearer, in the past or the future.
public struct AssignmentSnapshot: Sendable, Hashable {
  public var from: WallTime
  /// nil: no wearer.
  public var wearer: String?
  public var enteredAt: WallTime

  public init(from: WallTime, wearer: String?, enteredAt: WallTime) {
    self.from = from
    self.wearer = wearer
    self.enteredAt = enteredAt
  }
}

/// A correction of an assignment. Fields that are nil stay.
public struct AssignmentCorrection: Sendable, Hashable {
  public var deletes = false
  public var from: WallTime?
  public var wearer: String?
  public var isNobody = false

  public init(deletes: Bool = false, from: WallTime? = nil, wearer: String? = nil, isNobody: Bool = false) {
    self.deletes = deletes
    self.from = from
    self.wearer = wearer
    self.isNobody = isNobody
  }
}
