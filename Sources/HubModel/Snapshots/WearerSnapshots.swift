// What people are told of wearers and of who wears what.

public import EventLoop
import Health
import Reasons
public import RingStore
import Wearable

/// One wearer, as people ask for one.
public struct WearerSnapshot: Sendable, Hashable {
  public var wearer: Wearer
  /// Names of the wearables that are on this wearer now.
  public var wears: [String]

  public init(wearer: Wearer, wears: [String]) {
    self.wearer = wearer
    self.wears = wears
  }
}

/// From when on a wearable was, is or will be on whom.
public struct AssignmentSnapshot: Sendable, Hashable {
  public var from: WallTime
  /// nil: nobody.
  public var wearer: String?
  public var enteredAt: WallTime

  public init(from: WallTime, wearer: String?, enteredAt: WallTime) {
    self.from = from
    self.wearer = wearer
    self.enteredAt = enteredAt
  }
}

/// How somebody wants an assignment put right. What is nil stays.
public struct AssignmentWish: Sendable, Hashable {
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
