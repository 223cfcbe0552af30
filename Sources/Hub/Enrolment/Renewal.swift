// A wearable that is enrolled and whose keys are of no use, or that seems to be another one, is accepted anew. Its
// name, data, orders and wearers stay.

import Bluetooth
import EventLoop
import Reasons
import Wearable

extension EnrolmentKeeper {
  /// Lets an enrolled wearable pair anew, as if it had just been enrolled: at its next visit, which is asked for. Who
  /// it is is learned anew.
  ///
  /// Keys that are there stay in the store until pairing made others, and are not loaded into the radio meanwhile: a
  /// pairing that comes to nothing takes nothing away.
  ///
  /// - Returns: nil where nobody is called so, or nothing is wrong with its keys and with who it is.
  /// - Throws: `enrolTooFar`; `enrolNameTaken` for another name than it has.
  func renew(_ which: String, name: String?) throws(HearthError) -> EnrolledWearable? {
    guard let wearable = registry.named(which), needsKeys(wearable) || bonds.isDisbelieved(wearable)
    else { return nil }
    if let name, name != wearable.name {
      throw HearthError(.enrolNameTaken, "\(wearable.name) is enrolled already and keeps its name")
    }
    // One that is linked does not advertise: nobody knows how near it is now.
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
    context.logger.notice("accepted anew", metadata: ["DEVICE": "\(wearable.name)"])
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
