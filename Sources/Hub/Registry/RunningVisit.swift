// A visit that runs, for those below visits: what it is, and how it is ended.

import EventLoop
import Health
import Reasons
import RingStore
import Wearable

/// The visit of one wearable that runs now.
@LoopActor
protocol RunningVisit: AnyObject {
  /// As it will be written.
  var record: VisitRecord { get }
  var stage: VisitStage { get }
  /// It is to bring everything.
  var isOfAll: Bool { get }
  /// An item is on its way that would have to come anew from its first byte.
  var isIndivisible: Bool { get }

  /// Ends it at the next point where nothing is lost.
  func interrupt(_ trouble: VisitTrouble)
  /// An operator asked for a visit that runs already.
  func absorb()
  /// Everything was asked for while it runs.
  ///
  /// - Returns: it brings everything.
  func allWasAsked() -> Bool
  /// A sync was ordered while it runs.
  func syncWasOrdered()
  /// Makes durable what the wearable's clock shows before that is moved.
  func keepClock(_ shown: ClockEvidence) async throws(HearthError)
  func snapshot() -> VisitSnapshot
}

/// What brings the time over a link without a visit.
@LoopActor
protocol ClockBringer: AnyObject {
  /// Makes durable what the clock shows before it is moved.
  func keep(_ shown: ClockEvidence) async throws(HearthError)
}
