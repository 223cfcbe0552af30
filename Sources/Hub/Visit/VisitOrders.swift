// What people ordered of wearables that only their visits bring about: requests, and syncs.

import EventLoop
import Reasons
import RingStore

/// Keeps what waits for visits.
@LoopActor
final class VisitOrders {
  let requests: Requests
  private let syncs: PerWearable<SyncOrder>

  init(_ context: HubContext, _ registry: Registry) {
    requests = Requests(context, registry)
    syncs = PerWearable(registry)
  }

  /// The sync that was ordered last.
  func sync(of wearable: EnrolledWearable) -> SyncOrder? { syncs[wearable] }

  func keep(_ order: SyncOrder, of wearable: EnrolledWearable) {
    syncs[wearable] = order
    wearable.lane.isSyncing = !order.isOver
  }

  /// Nothing of it is brought about.
  func end(of wearable: EnrolledWearable, _ trouble: HearthError) {
    requests[wearable].refuse(trouble)
    syncs[wearable]?.end(trouble)
  }
}
