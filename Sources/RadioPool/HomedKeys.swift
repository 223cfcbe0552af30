// Assignment of keys to adapters: a bond is between a wearable and one address of ours.

import Bluetooth
import EventLoop

/// Keys of the hub, with the adapter that each belongs to.
struct HomedKeys: Sendable {
  var list: [BondKeys] = [] {
    didSet {
      encrypting = [:]
      for bond in list where !bond.longTermKeys.isEmpty && encrypting[bond.address] == nil {
        encrypting[bond.address] = bond
      }
    }
  }
  /// Keys that encrypt, by wearable; cached, because each link decision queries them for each wearable.
  private var encrypting: [BluetoothAddress: BondKeys] = [:]

  /// Whether a wearable has a key that encrypts.
  func isBonded(_ address: BluetoothAddress) -> Bool { encrypting[address] != nil }

  /// Adapters that a wearable can be linked to.
  enum Home {
    /// Any adapter: the wearable has no key.
    case anywhere
    /// Place on only this adapter: the key was made with it.
    case at(PoolMember)
    /// Place on no adapter: the key was made with one that is missing.
    case missing
  }

  /// Adapter of a wearable. A key stored before adapters were recorded belongs to the first adapter, the only one at
  /// that time.
  @LoopActor
  func home(of address: BluetoothAddress, among members: [PoolMember]) -> Home {
    guard let bond = encrypting[address] else { return .anywhere }
    guard let adapter = bond.adapter else { return members.first.map { .at($0) } ?? .missing }
    return members.first { $0.address == adapter }.map { .at($0) } ?? .missing
  }

  /// Whether an adapter may link to a wearable.
  @LoopActor
  func admits(_ member: PoolMember, for address: BluetoothAddress, among members: [PoolMember]) -> Bool {
    switch home(of: address, among: members) {
    case .anywhere: true
    case .at(let home): home === member
    case .missing: false
    }
  }

  /// Keys for one adapter: encryption keys made with it, and all identity resolving keys. A single adapter gets all
  /// keys.
  @LoopActor
  func share(of member: PoolMember, among members: [PoolMember]) -> [BondKeys] {
    if members.count == 1 { return list }
    return list.compactMap { bond in
      if admits(member, for: bond.address, among: members) { return bond }
      if bond.identityKey == nil { return nil }
      return BondKeys(address: bond.address, identityKey: bond.identityKey)
    }
  }
}
