// Whose keys are whose: a bond is between a wearable and one address of ours.

import Bluetooth
import EventLoop

/// All keys of the hub, and which adapter each belongs to.
struct HomedKeys: Sendable {
  var list: [BondKeys] = [] {
    didSet {
      encrypting = [:]
      for bond in list where !bond.longTermKeys.isEmpty && encrypting[bond.address] == nil {
        encrypting[bond.address] = bond
      }
    }
  }
  /// Those that encrypt, by wearable: each decision about links asks for each wearable.
  private var encrypting: [BluetoothAddress: BondKeys] = [:]

  /// Where a wearable can be linked to.
  enum Home {
    /// It has no key.
    case anywhere
    /// Its key was made there.
    case at(PoolMember)
    /// Its key was made with an adapter that is not here.
    case missing
  }

  /// A key from before adapters were noted belongs to the first one, which was the only one then.
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

  /// What an adapter is given: what encrypts where it was made, what resolves addresses everywhere. An only adapter
  /// gets all.
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
