// Measurements of vital signs: sessions from the order to the record.

import EventLoop
import Reasons
import Vitals

/// Runs the sessions. One wearable and one person have one at a time.
@LoopActor
final class SessionKeeper {
  private let context: HubContext
  private let registry: Registry

  init(_ context: HubContext, _ registry: Registry) {
    self.context = context
    self.registry = registry
  }

  func measure(
    _ which: String, _ order: VitalsOrder, isWanted: @escaping @LoopActor () -> Bool,
    _ tell: @escaping @LoopActor (VitalsNews) -> Void
  ) async throws(HearthError) -> VitalsResult {
    let wearable = try registry.require(which)
    throw HearthError(.requestUnsupported, "\(wearable.name): vital signs are not measured yet")
  }

  func stop(_ which: String) throws(HearthError) {
    let wearable = try registry.require(which)
    throw HearthError(.requestUntimely, "\(wearable.name) has no session")
  }
}
