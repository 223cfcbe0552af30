// Reasons why wearables wait for their turn, by the lane's table.

import EventLoop
import HubLane

extension Lane {
  /// Returns all that wait for the lane, in order, each with its reasons.
  func reasons() -> [QueueSnapshot] {
    var table = table()
    let demand = table.demand
    return queue().map { queued in
      guard let wearable = registry.named(queued.wearable), let candidate = table[wearable.id] else { return queued }
      var queued = queued
      let isHeard = planner.isReachable(wearable)
      queued.isHeard = isHeard
      // A visit that is not due yet needs no reason.
      guard queued.notBefore == nil else { return queued }
      let (hold, slot) = table.reasons(candidate, demand, isHeard: isHeard)
      (queued.hold, queued.slot) = (hold, slot)
      return queued
    }
  }
}
