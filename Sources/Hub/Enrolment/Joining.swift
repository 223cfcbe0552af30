// How a wearable that is heard becomes an enrolled one.

import Bluetooth
import EventLoop
import Reasons
import RingStore
import Wearable

extension EnrolmentKeeper {
  /// Enrols the wearable that is heard at `address`. Durable when it returns.
  ///
  /// A changing address identifies no wearable. So such a wearable is paired first, and enrolled under the identity
  /// address that its key resolves.
  ///
  /// - Parameter byItself: no operator asked for it, so a changing address is not resolved by pairing. Each pairing
  ///   holds the lane, and the number of such advertisers is unlimited.
  func join(_ address: BluetoothAddress, name: String, byItself: Bool = false) async throws(HearthError)
    -> EnrolledWearable
  {
    guard let heard = presence[address], heard.isRecognised else {
      throw HearthError(.enrolNotRecognised, "\(address) is no wearable the hub knows")
    }
    guard registry[address] == nil, pairing.beginEnrolment(of: address) else {
      throw HearthError(.enrolNameTaken, "\(address) is enrolled already")
    }
    defer { pairing.endEnrolment(of: address) }
    let need = context.driver(id: heard.driverID)?.pairing
    try checkAddress(address, need, byItself: byItself)
    // A wearable that is useless without keys is not enrolled without them.
    let keys: BondKeys? = need == .required || !address.isIdentity ? try await pair(address, name) : nil
    let (identity, record) = try await enrol(heard, name, keys)
    guard let wearable = registry.admit(record) else {
      throw HearthError(.enrolNotRecognised, "\(address) has an address of an unknown type")
    }
    pairing.enrolled(identity)
    if wearable.noteSighting(name: heard.scanResult.name, services: heard.scanResult.services) {
      registry.persist(wearable)
    }
    bonds.mayPairAgain(identity)
    if keys != nil { bonds.loadKeys() }
    // From now on the wearable is heard under its identity address.
    if identity != address { presence.forget(address) }
    context.logger.notice("enrolled", metadata: ["DEVICE": "\(record.name)", "KIND": "\(record.kind)"])
    context.changes.raise(.lane)
    context.changes.raise(.shown)
    return wearable
  }

  /// - Throws: `enrolAddressChanges` if the address changes and no key would resolve later ones.
  private func checkAddress(_ address: BluetoothAddress, _ need: PairingNeed?, byItself: Bool) throws(HearthError) {
    let why: String
    switch address.permanence {
    case .identity: return
    case .unresolvable: why = "and no key resolves it"
    case .resolvable where need == .never || need == nil: why = "and its kind is not paired, which it would have to be"
    case .resolvable where byItself: why = "and it is paired only if a person accepts it"
    case .resolvable: return
    }
    throw HearthError(.enrolAddressChanges, "\(address) is an address that changes, \(why)")
  }

  /// Makes the record, under the wearable's permanent address.
  ///
  /// - Throws: `enrolAddressChanges` if the wearable gave no such address, or the store's error. Then it is not
  ///   enrolled, and its keys are not stored.
  private func enrol(_ heard: Presence, _ name: String, _ keys: BondKeys?) async throws(HearthError) -> (
    identity: BluetoothAddress, record: WearableRecord
  ) {
    do throws(HearthError) {
      let identity = try identity(of: heard.address, keys)
      let record = try await context.store.enrol(
        name: name, addressValue: identity.value, addressKind: identity.kind.rawValue, driver: heard.driverID,
        kind: heard.kind, bond: keys.map { Bond($0, of: WearableID(number: 0), at: context.loop.wall) })
      return (identity, record)
    } catch {
      if keys != nil { bonds.loadKeys() }
      throw error
    }
  }

  private func identity(of address: BluetoothAddress, _ keys: BondKeys?) throws(HearthError) -> BluetoothAddress {
    if address.isIdentity { return address }
    if let keys, keys.identityKey != nil, keys.address.isIdentity, registry[keys.address] == nil { return keys.address }
    throw HearthError(
      .enrolAddressChanges, "\(address) is an address that changes, and pairing gave no key that resolves it")
  }

  /// Connects to a wearable that cannot be enrolled without keys, and pairs.
  ///
  /// - Throws: `authenticationFailed`, `keyNotGiven`, `identityClaimed`, or why there was no link. Then the wearable is
  ///   not enrolled.
  private func pair(_ address: BluetoothAddress, _ name: String) async throws(HearthError) -> BondKeys {
    // A name that the store would refuse is refused before the wearable has a key.
    try WearableRecord.validate(name: name)
    if registry.names.contains(name) { throw HearthError(.enrolNameTaken, "another wearable is called '\(name)'") }
    let loop = context.loop
    let end = loop.now + Pairing.limit
    while !lane.isFree || context.radio.state != .ready {
      guard loop.now < end, (try? await loop.sleep(for: .milliseconds(250))) != nil else {
        throw HearthError(.requestNotDone, "the lane is busy; \(address) can be paired when it is free")
      }
    }
    lane.reserve()
    defer {
      bonds.expectKeys(of: address, nil)
      lane.release()
    }
    pairing.admit(before: address)
    return try await Bonding(context, bonds).bond(address)
  }
}
