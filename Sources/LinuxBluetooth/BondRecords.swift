// Which keys the kernel may be given. It refuses a whole list for one record it does not like, so each is looked at
// first.

import Bluetooth

extension LongTermKey {
  /// The identity the record is for; nil if its address type is none.
  var address: BluetoothAddress? {
    record.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      return BluetoothAddress(management: &reader)
    }
  }

  /// As the kernel checks a record, and stricter: no key that everybody knows, no kind from the future, no key shorter
  /// than the specification's seven bytes.
  var isLoadable: Bool {
    guard let address, address.isIdentity else { return false }
    return kind < 4 && record[8] <= 1 && (7...16).contains(record[9])
  }
}

extension IdentityKey {
  var isLoadable: Bool { address.isIdentity && key.count == Self.size && key.contains { $0 != 0 } }
}

extension BluetoothAddress {
  /// Public, or random and static: the address stays. The others change, and nothing can be kept under them.
  var isIdentity: Bool {
    switch kind {
    case .lePublic: true
    case .leRandom: value >> 46 == 0b11
    case .classic: false
    }
  }
}

extension BondKeys {
  /// Without the keys that may not be kept or loaded, and those of somebody else.
  var sound: BondKeys {
    var keys = self
    keys.longTermKeys = longTermKeys.filter { $0.isLoadable && $0.address == address }
    if let identityKey, !IdentityKey(address: address, key: identityKey).isLoadable { keys.identityKey = nil }
    return keys
  }
}

/// Keys of a pairing come one by one, the identity before what encrypts; together they are a bond.
struct KeyCollection: Sendable {
  private(set) var keys: [BluetoothAddress: BondKeys] = [:]
  /// Bonds collected at once; more are an unsound kernel's.
  private static let limit = 64

  /// Returns whether the key is kept.
  mutating func add(_ key: LongTermKey) -> Bool {
    guard let address = key.address, key.isLoadable, room(for: address) else { return false }
    var bond = keys[address] ?? BondKeys(address: address)
    // Legacy pairing gives one key for each role; the newest of a role counts.
    bond.longTermKeys.removeAll { $0.record[8] == key.record[8] }
    bond.longTermKeys.append(key)
    keys[address] = bond
    return true
  }

  mutating func add(_ key: IdentityKey) -> Bool {
    guard key.isLoadable, room(for: key.address) else { return false }
    keys[key.address, default: BondKeys(address: key.address)].identityKey = key.key
    return true
  }

  /// The bonds that can encrypt, in order of address; identities whose long term key is yet to come stay.
  mutating func take() -> [BondKeys] {
    let whole = keys.values.filter { !$0.longTermKeys.isEmpty }.sorted { $0.address < $1.address }
    for bond in whole { keys[bond.address] = nil }
    return whole
  }

  private func room(for address: BluetoothAddress) -> Bool { keys[address] != nil || keys.count < Self.limit }
}
