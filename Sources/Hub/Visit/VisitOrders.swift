// Orders of people that only visits carry out: requests, and syncs.

import EventLoop
import Reasons
import RingStore

/// Holds what waits for visits.
@LoopActor
final class VisitOrders {
  let requests: Requests
  private let syncs: PerWearable<SyncOrder>

  init(_ context: HubContext, _ registry: Registry) {
    requests = Requests(context, registry)
    syncs = PerWearable(registry)
  }

  /// The last ordered sync.
  func sync(of wearable: EnrolledWearable) -> SyncOrder? { syncs[wearable] }

  func keep(_ order: SyncOrder, of wearable: EnrolledWearable) {
    syncs[wearable] = order
    wearable.lane.isSyncing = !order.isOver
  }

  /// Ends all orders of a wearable without a result.
  func end(of wearable: EnrolledWearable, _ trouble: HearthError) {
    requests[wearable].refuse(trouble)
    syncs[wearable]?.end(trouble)
  }
}
