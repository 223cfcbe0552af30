// How a record is taken away, whoever wanted that.

import Reasons
import RingStore

extension EnrolmentKeeper {
  /// Takes its record away, its link and its keys.
  func remove(_ wearable: EnrolledWearable) async throws(HearthError) {
    let keys = bonds.bonds(of: wearable)
    // What was not collected of it by order outlasts it.
    await registry.settle()
    try await context.store.remove(wearable.id)
    registry.remove(wearable)
    pairing.forgotten(wearable.address)
    lane.cancelTurn(of: wearable)
    links.drop(wearable)
    let gone = HearthError(.noSuchWearable, "\(wearable.name) was forgotten")
    registry.onRemoved(wearable, gone)
    context.changes.raise(.shown)
    context.changes.raise(.lane)
    await bonds.forgetKeys(of: keys)
    // Without its key it is heard under another address, if that changes.
    presence.forget(wearable.address)
    registry.letGo(wearable)
  }
}
