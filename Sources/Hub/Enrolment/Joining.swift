// How a wearable that is heard becomes an enrolled one.

import Bluetooth
import EventLoop
import Reasons
import RingStore
import Wearable

extension EnrolmentKeeper {
  /// Enrols what is heard at `address`. Durable when it returns.
  ///
  /// An address that changes is no name for a wearable: it is paired first, and enrolled under the identity address
  /// that its key resolves.
  ///
  /// - Parameter byItself: no person asked for it, so that it is not paired for its address: each pairing holds the
  ///   lane, and advertisers of changing addresses are without number.
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
    // Where nothing works without keys there is no enrolment without them.
    let keys: BondKeys? = need == .required || !address.isIdentity ? try await pair(address, name) : nil
    let (identity, record) = try await enrol(heard, name, keys)
    guard let wearable = registry.admit(record) else {
      throw HearthError(.enrolNotRecognised, "\(address) has an address of an unknown type")
    }
    pairing.enrolled(identity)
    if wearable.noteSighting(name: heard.sighting.name, services: heard.sighting.services) {
      registry.persist(wearable)
    }
    bonds.mayPairAgain(identity)
    if keys != nil { bonds.loadKeys() }
    // From now on it is heard under its identity.
    if identity != address { presence.forget(address) }
    context.logger.notice("enrolled", metadata: ["DEVICE": "\(record.name)", "KIND": "\(record.kind)"])
    context.changes.raise(.lane)
    context.changes.raise(.shown)
    return wearable
  }

  /// - Throws: `enrolAddressChanges` for an address that changes, and no key would tell whose it is then.
  private func checkAddress(_ address: BluetoothAddress, _ need: PairingNeed?, byItself: Bool) throws(HearthError) {
    let why: String
    switch address.permanence {
    case .identity: return
    case .unresolvable: why = "and no key tells whose it is"
    case .resolvable where need == .never || need == nil: why = "and its kind is not paired, which it would have to be"
    case .resolvable where byItself: why = "and it is paired only if a person accepts it"
    case .resolvable: return
    }
    throw HearthError(.enrolAddressChanges, "\(address) is an address that changes, \(why)")
  }

  /// Makes the record, under the address by which the wearable is known for good.
  ///
  /// - Throws: `enrolAddressChanges` where it gave none, or the store's trouble; nothing is enrolled then, and its keys
  ///   are kept nowhere.
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
      .enrolAddressChanges, "\(address) is an address that changes, and pairing gave no key that tells whose it is")
  }

  /// Links with a wearable that cannot be enrolled without keys, and pairs.
  ///
  /// - Throws: `authenticationFailed`, `keyNotGiven`, `identityClaimed`, or why there was no link. Nothing was enrolled
  ///   then.
  private func pair(_ address: BluetoothAddress, _ name: String) async throws(HearthError) -> BondKeys {
    // What the store would refuse is refused before the wearable has a key.
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
