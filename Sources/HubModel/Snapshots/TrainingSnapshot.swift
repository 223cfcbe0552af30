// A training that the hub detected, or that was ordered, as shown to people; and for which wearables the hub makes
// trainings.

public import EventLoop
import Health
public import Vitals
import Wearable

/// A training that is under way, or one that just ended.
public struct TrainingSnapshot: Sendable, Hashable {
  public var wearable: String
  public var began: WallTime
  /// nil: it goes on.
  public var ended: WallTime?
  public var effort: TrainingResult

  public init(wearable: String, began: WallTime, ended: WallTime? = nil, effort: TrainingResult) {
    (self.wearable, self.began, self.ended, self.effort) = (wearable, began, ended, effort)
  }
}
