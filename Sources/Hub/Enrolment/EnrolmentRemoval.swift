// Removal of a wearable's record, by an operator or by the hub itself.

import Reasons
import RingStore

extension EnrolmentKeeper {
  /// Removes a wearable's record, link and keys.
  func remove(_ wearable: EnrolledWearable) async throws(HearthError) {
    let keys = bonds.bonds(of: wearable)
    // Notes about data that was not collected by order outlast the record.
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
    // Without its key, a wearable of changing address is heard under another one.
    presence.forget(wearable.address)
    registry.letGo(wearable)
  }
}
