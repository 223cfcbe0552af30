// Renewal of an enrolled wearable that has useless keys, or seems to be another device. Name, data, orders and wearers
// stay.

import Bluetooth
import EventLoop
import Reasons
import Wearable

extension EnrolmentKeeper {
  /// Lets an enrolled wearable pair again at its next visit, which is requested now, as if it had just been enrolled.
  /// The hub also learns its identity again.
  ///
  /// Existing keys stay in the store until a pairing made others, and are not loaded into the radio meanwhile. So a
  /// failed pairing loses no key.
  ///
  /// - Returns: nil if no wearable has this name, or if its keys and its identity are in order.
  /// - Throws: `enrolTooFar`; `enrolNameTaken` for another name than it has.
  func renew(_ which: String, name: String?) throws(HearthError) -> EnrolledWearable? {
    guard let wearable = registry.named(which), needsKeys(wearable) || bonds.isDisbelieved(wearable)
    else { return nil }
    if let name, name != wearable.name {
      throw HearthError(.enrolNameTaken, "\(wearable.name) is enrolled already and keeps its name")
    }
    // A linked wearable does not advertise, so its present distance is unknown.
    let strength = presence[wearable.address]?.rssi
    guard wearable.link != nil || rules.isNear(strength) else {
      let heard = strength.map { "\(Int($0.rounded())) dBm" } ?? "not heard"
      throw HearthError(.enrolTooFar, "\(wearable.name) is too far: \(heard), needs \(rules.nearRSSI) dBm")
    }
    if needsKeys(wearable) { bonds.setAside(wearable) }
    wearable.forgetIdentity()
    bonds.noteDisbelieved(wearable, false)
    registry.persist(wearable)
    bonds.mayPairAgain(wearable.address)
    pairing.enrolled(wearable.address)
    wearable.trouble = nil
    // Until its first visit from now on has ended well (`Pairing.policy`).
    wearable.lane.visitedAt = nil
    pairing.admit(before: wearable.address)
    context.logger.notice("accepted again", metadata: ["DEVICE": "\(wearable.name)"])
    if wearable.driver != nil { lane.request(wearable) }
    context.changes.raise(.shown)
    return wearable
  }

  private func needsKeys(_ wearable: EnrolledWearable) -> Bool {
    let ofKeys: [Reason] = [.authenticationFailed, .keyMissing, .keyNotGiven, .pairingRefused, .identityClaimed]
    let isKeyTrouble = wearable.trouble.map { ofKeys.contains($0.reason) } ?? false
    return isKeyTrouble || bonds.isLost(wearable.address) || bonds.failedToPair(wearable)
  }
}
