// Conversion between the radio's keys and stored bonds. Keys are opaque bytes in both; only their kinds are named here.

public import Bluetooth
internal import EventLoop
public import RingStore

/// Kinds of keys in a stored bond. A number is never reused for another kind.
enum BondKeyKind {
  /// A long-term key as the kernel reports it, 36 bytes.
  static let longTerm: UInt8 = 1
  /// The wearable's identity resolving key, 16 bytes.
  static let identity: UInt8 = 2
  static let identitySize = 16
  /// Address, not a key, of the hub's adapter that the wearable was paired with. 7 bytes: the address, least
  /// significant octet first, and its type.
  static let adapter: UInt8 = 3
  static let adapterSize = 7

  static func adapter(_ address: BluetoothAddress) -> BondKey {
    let octets = (0..<6).map { UInt8(truncatingIfNeeded: address.value >> (8 * UInt64($0))) }
    return BondKey(kind: adapter, bytes: octets + [address.kind.rawValue])
  }

  static func adapter(_ key: BondKey) -> BluetoothAddress? {
    guard key.kind == adapter, key.bytes.count == adapterSize else { return nil }
    let value = key.bytes.prefix(6).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return BluetoothAddress(stored: value, key.bytes[6])
  }
}

extension BluetoothAddress {
  /// Decodes an address as stored; nil for an unknown address type.
  fileprivate init?(stored value: UInt64, _ kind: UInt8) {
    guard let kind = Kind(rawValue: kind) else { return nil }
    self.init(value: value, kind: kind)
  }
}

extension Bond {
  /// Nil for an unknown address type.
  public var address: BluetoothAddress? { BluetoothAddress(stored: addressValue, addressKind) }
}

extension WearableRecord {
  /// Nil for an unknown address type.
  public var address: BluetoothAddress? { BluetoothAddress(stored: addressValue, addressKind) }
}

extension BondKeys {
  /// Nil for an address of a type that wearables do not have. Keys of kinds that this program does not know stay in the
  /// store and are not loaded.
  init?(_ bond: Bond) {
    guard let address = bond.address, address.kind != .classic else { return nil }
    self.init(
      address: address,
      longTermKeys: bond.keys.filter { $0.kind == BondKeyKind.longTerm }.compactMap { LongTermKey($0.bytes) }.filter {
        !$0.isDebug
      },
      identityKey: bond.keys.first { $0.kind == BondKeyKind.identity && $0.bytes.count == BondKeyKind.identitySize }?
        .bytes)
    adapter = bond.keys.lazy.compactMap { BondKeyKind.adapter($0) }.first
  }
}

extension Bond {
  /// Debug keys, which are publicly known, are not stored.
  init(_ keys: BondKeys, of wearable: WearableID, at time: WallTime) {
    var stored = keys.longTermKeys.filter { !$0.isDebug }.map { BondKey(kind: BondKeyKind.longTerm, bytes: $0.record) }
    if let identity = keys.identityKey, identity.count == BondKeyKind.identitySize {
      stored.append(BondKey(kind: BondKeyKind.identity, bytes: identity))
    }
    if !stored.isEmpty, let adapter = keys.adapter { stored.append(BondKeyKind.adapter(adapter)) }
    self.init(
      addressValue: keys.address.value, addressKind: keys.address.kind.rawValue, wearable: wearable, createdAt: time,
      keys: stored)
  }
}

extension LongTermKey {
  /// The address that the key's own record names (octets 0–6).
  var names: (addressValue: UInt64, addressKind: UInt8) {
    (record.prefix(6).enumerated().reduce(0) { $0 | UInt64($1.element) << (8 * UInt64($1.offset)) }, record[6])
  }
}
