// Reasons why wearables wait for their turn, by the lane's table.

import EventLoop
import HubLane

extension Lane {
  /// Returns all that wait for the lane, in the order in which it takes them, each with its reasons.
  func reasons() -> [QueueSnapshot] {
    var table = table()
    let demand = table.demand
    return inOrder(queue(), table, demand).map { queued in
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

  /// Those that can have their turn first. Visits that are not due yet stay last.
  private func inOrder(_ queue: [QueueSnapshot], _ table: LaneTable, _ demand: LinkDemand) -> [QueueSnapshot] {
    let pool = table.pool(demand)
    let standings = queue.map { queued -> LineStanding? in
      guard queued.notBefore == nil, let wearable = registry.named(queued.wearable) else { return nil }
      return table[wearable.id].map { table.standing(of: $0, pool, demand) }
    }
    let last = LineStanding.unheard.rawValue + 1
    let order = queue.indices.sorted { (standings[$0]?.rawValue ?? last, $0) < (standings[$1]?.rawValue ?? last, $1) }
    return order.map { queue[$0] }
  }
}
