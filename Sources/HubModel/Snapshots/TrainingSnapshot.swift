// A training that the hub detected, or that was ordered, as shown to people; and for which wearables the hub makes
// trainings.

public import EventLoop
import Health
public import Vitals
import Wearable

/// A training that is under way, or one that just ended.
public struct TrainingSnapshot: Sendable, Hashable {
  /// Name of the wearable.
  public var wearable: String
  /// Begin of the training.
  public var began: WallTime
  /// nil: it goes on.
  public var ended: WallTime?
  /// Values of the training so far.
  public var effort: TrainingResult

  /// A training; `ended` nil: it goes on.
  public init(wearable: String, began: WallTime, ended: WallTime? = nil, effort: TrainingResult) {
    (self.wearable, self.began, self.ended, self.effort) = (wearable, began, ended, effort)
  }
}
