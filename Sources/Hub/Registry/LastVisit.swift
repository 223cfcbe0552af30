// The last visit of a wearable, for people.

import EventLoop
import Reasons
import RingStore

extension VisitMemory {
  func lastSnapshot(_ store: Store) -> VisitSnapshot? { last.map { VisitSnapshot($0, store, isOfAll: wasOfAll) } }
}

extension VisitSnapshot {
  /// The last visit, from the log.
  @LoopActor
  init(_ visit: VisitRecord, _ store: Store, isOfAll: Bool? = nil) {
    self.init(
      number: visit.number, wearable: store.record(visit.wearable)?.name ?? "wearable-\(visit.wearable.number)",
      trigger: VisitTrigger(rawValue: visit.trigger) ?? .seen, began: visit.began)
    (isRunning, self.isOfAll) = (false, isOfAll)
    ended = visit.ended
    stage = VisitStage(rawValue: visit.stage) ?? .connect
    outcome = visit.ended == nil ? .interrupted : VisitOutcome(rawValue: visit.laneOutcome)
    remark = visit.outcome == 0 ? visit.remark : ""
    if let reason = Reason(rawValue: visit.outcome) {
      trouble = HearthError(reason, visit.remark.isEmpty ? reason.text.sentence : visit.remark)
    }
    bytesFetched = visit.bytesFetched
    itemsDone = Int(visit.itemsDone)
    itemsListed = Int(visit.itemsListed)
  }
}
