// A running visit as modules below visits see it: its kind, and how to end it.

import EventLoop
import Health
import Reasons
import RingStore
import Wearable

/// The visit of one wearable that runs now.
@LoopActor
protocol RunningVisit: AnyObject {
  /// The record as it will be written.
  var record: VisitRecord { get }
  var stage: VisitStage { get }
  /// Whether it is to fetch everything.
  var isOfAll: Bool { get }
  /// Whether the item under way would have to come again from its first byte.
  var isIndivisible: Bool { get }

  /// Ends it at the next point without loss.
  func interrupt(_ trouble: VisitTrouble)
  /// Takes over an operator's request for a visit, as this one runs already.
  func absorb()
  /// Takes over a request for everything while it runs.
  ///
  /// - Returns: whether it fetches everything.
  func allWasAsked() -> Bool
  /// Notes that a sync was ordered while it runs.
  func syncWasOrdered()
  /// Makes durable what the wearable's clock shows before it is moved.
  func keepClock(_ shown: ClockEvidence) async throws(HearthError)
  func snapshot() -> VisitSnapshot
}

/// Sets the time over a link without a visit.
@LoopActor
protocol ClockBringer: AnyObject {
  /// Makes durable what the clock shows before it is moved.
  func keep(_ shown: ClockEvidence) async throws(HearthError)
}
