// Queries about the hub's bonds, and the transfer of bonds between hubs.

import Bluetooth
import EventLoop
import Reasons
import RingStore

extension Bonds {
  /// Lists the bonds, by name of the wearable.
  func list() -> [BondSnapshot] {
    context.store.bonds.compactMap { bond -> BondSnapshot? in
      guard let keys = BondKeys(bond) else { return nil }
      let wearable = registry[bond.wearable]
      let name = wearable?.name ?? context.store.record(bond.wearable)?.name ?? "wearable-\(bond.wearable.number)"
      var snapshot = BondSnapshot(wearable: name, address: keys.address, createdAt: bond.createdAt)
      snapshot.isAuthenticated = bond.isAuthenticated
      snapshot.isSecureConnections = bond.isSecureConnections
      snapshot.hasIdentityKey = bond.hasIdentityKey
      snapshot.isLost = isUseless(keys.address)
      return snapshot
    }.sorted { ($0.wearable, $0.address) < ($1.wearable, $1.address) }
  }

  /// Imports bonds of another hub. The wearable of each address gets the keys; an address that is not enrolled is
  /// enrolled under a free name. All bonds are checked before the first is stored. Each is then durable by itself, so a
  /// second import of the same file resumes the first.
  ///
  /// - Returns: number of bonds that are new or changed.
  /// - Throws: `bondFileDamaged` for malformed keys, `registryFull`, `storeTableFull`, or the store's error. Bonds that
  ///   were stored by then stay.
  func importBonds(_ bonds: [(name: String, kind: String, driver: String, bond: Bond)]) async throws(HearthError) -> Int
  {
    for entry in bonds { try check(entry.bond, entry.name) }
    var imported = 0
    defer { if imported > 0 { loadKeys() } }
    for entry in bonds {
      let bond = entry.bond
      if let wearable = bond.address.flatMap({ registry[$0] }) {
        let owned = bond.of(wearable.id)
        if context.store.bonds.contains(owned) { continue }
        try await context.store.putBond(owned)
        // A new key clears what the hub knew of faults of the old one.
        found(wearable.address)
        wearable.reviewSecrets(context.store)
        if [.keyMissing, .authenticationFailed, .keyNotGiven].contains(wearable.trouble?.reason) {
          wearable.trouble = nil
        }
      } else {
        let name = freeName(entry.name)
        let record = try await context.store.enrol(
          name: name, addressValue: bond.addressValue, addressKind: bond.addressKind, driver: entry.driver,
          kind: entry.kind, bond: bond)
        registry.admit(record)
      }
      imported += 1
      context.logger.notice("bond imported", metadata: ["DEVICE": "\(entry.name)"])
    }
    if imported > 0 {
      context.changes.raise(.lane)
      context.changes.raise(.shown)
    }
    return imported
  }

  /// Deletes the keys of one wearable in the store, in the kernel and in the controller; its link ends. The wearable
  /// stays enrolled.
  ///
  /// - Throws: `noSuchBond`, or the store's error; then the bond is unchanged.
  func removeBond(_ which: String) async throws(HearthError) {
    let folded = which.lowercased()
    let owner = (context.store.wearables + context.store.retiredWearables).first { $0.name.lowercased() == folded }?.id
    let found = context.store.bonds.filter { $0.wearable == owner || $0.addressText.lowercased() == folded }
    if found.isEmpty { throw HearthError(.noSuchBond, "no wearable or address '\(which)' has a bond") }
    for bond in found {
      try await context.store.removeBond(addressValue: bond.addressValue, addressKind: bond.addressKind)
      await forgetKeys(of: [bond])
      if let wearable = registry[bond.wearable] { wearable.reviewSecrets(context.store) }
    }
    context.changes.raise(.lane)
    context.logger.notice("bond removed", metadata: ["DEVICE": "\(which)"])
  }

  /// Deletes keys in the radio that the store no longer has.
  func forgetKeys(of bonds: [Bond]) async {
    if bonds.isEmpty { return }
    for bond in bonds { if let address = bond.address { found(address) } }
    loadKeys()
    for bond in bonds { if let address = bond.address { await context.radio.forgetKeys(of: address) } }
  }

  /// Checks a bond: long-term keys and identity keys have a fixed size, and a long-term key names the address that it
  /// is for.
  private func check(_ bond: Bond, _ name: String) throws(HearthError) {
    try WearableRecord.validate(name: name)
    guard let keys = BondKeys(bond), !keys.longTermKeys.isEmpty || keys.identityKey != nil else {
      throw HearthError(.bondFileDamaged, "\(name) has no keys that this hub can use")
    }
    for key in bond.keys {
      let isSound =
        switch key.kind {
        case BondKeyKind.longTerm:
          LongTermKey(key.bytes).map {
            !$0.isDebug && $0.names.addressValue == bond.addressValue && $0.names.addressKind == bond.addressKind
          } ?? false
        case BondKeyKind.identity: key.bytes.count == BondKeyKind.identitySize
        case BondKeyKind.adapter: BondKeyKind.adapter(key) != nil
        default: false
        }
      if !isSound { throw HearthError(.bondFileDamaged, "a key of \(name) is not valid, or is another wearable's") }
    }
  }

  /// The name itself, or with a number behind it if another wearable has it.
  private func freeName(_ name: String) -> String {
    let taken = Set(context.store.wearables.map { $0.name.lowercased() })
    if !taken.contains(name.lowercased()) { return name }
    for number in 2...Int(UInt16.max) {
      let ending = "-\(number)"
      let candidate = String(name.prefix(WearableRecord.nameLimit - ending.count)) + ending
      if !taken.contains(candidate.lowercased()) { return candidate }
    }
    return name
  }
}
