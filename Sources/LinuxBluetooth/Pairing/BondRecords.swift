// Validation of keys for the kernel, which refuses a whole list because of one invalid record. So each record is
// checked first.

import Bluetooth

extension LongTermKey {
  /// Identity address of the record; nil if its address type is invalid.
  var address: BluetoothAddress? {
    record.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      return BluetoothAddress(management: &reader)
    }
  }

  /// Checks a record as the kernel does, and more strictly: no debug key, no unknown kind, no key shorter than the
  /// specification's seven bytes.
  var isLoadable: Bool {
    guard let address, address.isIdentity else { return false }
    return kind < 4 && record[8] <= 1 && (7...16).contains(record[9])
  }
}

extension IdentityKey {
  var isLoadable: Bool { address.isIdentity && key.count == Self.size && key.contains { $0 != 0 } }
}

extension BondKeys {
  /// Copy without keys that may not be stored or loaded, and without keys of other devices.
  var sound: BondKeys {
    var keys = self
    keys.longTermKeys = longTermKeys.filter { $0.isLoadable && $0.address == address }
    if let identityKey, !IdentityKey(address: address, key: identityKey).isLoadable { keys.identityKey = nil }
    return keys
  }
}

/// Keys of the hub, also as the kernel's two lists.
struct BondList: Sendable {
  private var bonds: [BluetoothAddress: BondKeys] = [:]
  /// Limit: more bonds than a hub serves, and fewer records than a frame holds.
  private static let limit = 512

  private var ordered: [BondKeys] { bonds.values.sorted { $0.address < $1.address } }
  /// Keys in order of address.
  var identityKeys: [IdentityKey] {
    ordered.compactMap { bond in bond.identityKey.map { IdentityKey(address: bond.address, key: $0) } }
  }
  var longTermKeys: [LongTermKey] { ordered.flatMap(\.longTermKeys) }

  func canEncrypt(_ address: BluetoothAddress) -> Bool { bonds[address].map { !$0.longTermKeys.isEmpty } ?? false }

  /// Replaces the list by its valid part. Returns how many bonds had invalid keys.
  mutating func replace(with list: [BondKeys]) -> UInt64 {
    bonds = [:]
    var refused: UInt64 = 0
    for bond in list.prefix(Self.limit) {
      let sound = bond.sound
      if sound.longTermKeys.count < bond.longTermKeys.count { refused += 1 }
      if !sound.longTermKeys.isEmpty || sound.identityKey != nil { bonds[sound.address] = sound }
    }
    return refused
  }

  mutating func keep(_ bond: BondKeys) { if bonds.count < Self.limit { bonds[bond.address] = bond } }
  mutating func forget(_ address: BluetoothAddress) { bonds[address] = nil }
}

/// Collects the keys of pairings, which come one by one, the identity before the encryption key. The keys of one link
/// make a bond.
struct KeyCollection: Sendable {
  /// Bonds by the address under which the link was made.
  private var bonds: [BluetoothAddress: BondKeys] = [:]
  /// Bonds collected at once; only a faulty kernel sends more.
  private static let limit = 64

  var isEmpty: Bool { bonds.isEmpty }
  func isWaiting(_ link: BluetoothAddress) -> Bool { bonds[link] != nil }

  /// Returns whether the key is kept.
  mutating func add(_ key: LongTermKey, on link: BluetoothAddress) -> Bool {
    guard let address = key.address, key.isLoadable, room(for: link) else { return false }
    var bond = bonds[link] ?? BondKeys(address: address)
    // A key of another identity than this link's cannot come from the same pairing.
    guard bond.address == address else { return false }
    // Legacy pairing makes one key for each role; the newest of a role counts.
    bond.longTermKeys.removeAll { $0.record[8] == key.record[8] }
    bond.longTermKeys.append(key)
    bonds[link] = bond
    return true
  }

  mutating func add(_ key: IdentityKey, on link: BluetoothAddress) -> Bool {
    guard key.isLoadable, room(for: link) else { return false }
    var bond = bonds[link] ?? BondKeys(address: key.address)
    guard bond.address == key.address else { return false }
    bond.identityKey = key.key
    bonds[link] = bond
    return true
  }

  /// Takes the bonds that can encrypt, in order of link. Identities without their long-term key stay.
  mutating func take() -> [(link: BluetoothAddress, bond: BondKeys)] {
    let whole = bonds.filter { !$0.value.longTermKeys.isEmpty }.sorted { $0.key < $1.key }
    for (link, _) in whole { bonds[link] = nil }
    return whole.map { ($0.key, $0.value) }
  }

  private func room(for link: BluetoothAddress) -> Bool { bonds[link] != nil || bonds.count < Self.limit }
}
