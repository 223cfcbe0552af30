// Bonds: the keys that wearables and the hub exchanged during pairing.

public import EventLoop
internal import StateCodec

/// A key of a bond. The bytes are secret: printing shows only their number.
public struct BondKey: Sendable, Hashable, CustomStringConvertible {
  /// Kind of key, as the module Bluetooth numbers it.
  public let kind: UInt8
  /// Bytes, at most `sizeLimit`.
  public let bytes: [UInt8]

  /// Maximum number of bytes of a key.
  public static let sizeLimit = 64

  /// A key of this kind.
  public init(kind: UInt8, bytes: [UInt8]) {
    self.kind = kind
    self.bytes = bytes
  }

  public var description: String { "key of kind \(kind), \(bytes.count) bytes" }
}

/// The keys that an enrolled wearable and the hub share. There is one bond for each address.
public struct Bond: Sendable, Hashable {
  /// The device address in the low 48 bits, most significant byte first as printed.
  public let addressValue: UInt64
  /// Address type, as the module Bluetooth numbers it.
  public let addressKind: UInt8
  /// Wearable with the bond.
  public let wearable: WearableID
  /// Time of the pairing.
  public let createdAt: WallTime
  /// Keys, at most `keyLimit`; empty if `isSealed`.
  public let keys: [BondKey]
  /// Properties of keys with a seal that does not open here.
  private let sealedTraits: BondTraits?

  /// Limit of keys. Enough: long-term, identity and signing keys of both sides are six.
  public static let keyLimit = 16

  /// A bond; higher bits of `addressValue` are ignored.
  public init(addressValue: UInt64, addressKind: UInt8, wearable: WearableID, createdAt: WallTime, keys: [BondKey]) {
    self.addressValue = addressValue & 0xFFFF_FFFF_FFFF
    self.addressKind = addressKind
    self.wearable = wearable
    self.createdAt = createdAt
    self.keys = keys
    sealedTraits = nil
  }

  /// A bond with keys that exist but cannot be read.
  init(sealed row: BondRow) {
    addressValue = row.addressValue
    addressKind = row.addressKind
    wearable = row.wearable
    createdAt = row.createdAt
    keys = []
    sealedTraits = row.traits
  }

  /// The store has the keys, sealed under a key that this program does not have.
  public var isSealed: Bool { sealedTraits != nil }

  // Properties of a long-term key, for people; `BondKeyKind` in the hub describes its bytes.

  var traits: BondTraits {
    if let sealedTraits { return sealedTraits }
    func hasKey(_ condition: (UInt8) -> Bool) -> Bool {
      keys.contains { $0.kind == 1 && $0.bytes.count == 36 && condition($0.bytes[7]) }
    }
    var traits = BondTraits()
    if hasKey({ $0 == 1 || $0 == 3 }) { traits.insert(.authenticated) }
    if hasKey({ $0 == 2 || $0 == 3 }) { traits.insert(.secureConnections) }
    if keys.contains(where: { $0.kind == 2 }) { traits.insert(.identityKey) }
    return traits
  }
  /// Paired with confirmation by a person.
  public var isAuthenticated: Bool { traits.contains(.authenticated) }
  /// True if it comes from LE Secure Connections.
  public var isSecureConnections: Bool { traits.contains(.secureConnections) }
  /// True if it has an identity key.
  public var hasIdentityKey: Bool { traits.contains(.identityKey) }
  /// `F0:F1:F2:F3:F4:00`
  public var addressText: String { WearableRecord.addressText(addressValue) }

  /// The same keys for another wearable; impossible for a sealed bond.
  public func of(_ wearable: WearableID) -> Bond {
    Bond(addressValue: addressValue, addressKind: addressKind, wearable: wearable, createdAt: createdAt, keys: keys)
  }

  /// Whether the keys are within their limits.
  var fits: Bool { keys.count <= Self.keyLimit && keys.allSatisfy { $0.bytes.count <= BondKey.sizeLimit } }
  func isOf(_ addressValue: UInt64, _ addressKind: UInt8) -> Bool {
    self.addressValue == addressValue && self.addressKind == addressKind
  }
}

/// Properties of a bond's keys that can be shown without them.
struct BondTraits: OptionSet, Sendable, Hashable {
  let rawValue: UInt8
  static let authenticated = BondTraits(rawValue: 1)
  static let secureConnections = BondTraits(rawValue: 2)
  static let identityKey = BondTraits(rawValue: 4)
}

/// The table `bonds`.
enum Bonds {
  static let limit = 512

  /// Loads the bonds, by address. Without the vault, or if a seal does not open, a bond stays sealed.
  static func load(_ transaction: Transaction, _ vault: SecretsVault?) throws(DatabaseFailure) -> RecordList<Bond> {
    let rows = try transaction.records(BondRow.self)
    return RecordList(records: rows.records.map { $0.opened(vault) }, damaged: rows.damaged)
  }

  /// Replaces the bond of the same address. The caller has checked the limits.
  static func put(_ transaction: Transaction, _ row: BondRow) throws(DatabaseFailure) { try transaction.put(row) }

  static func remove(_ transaction: Transaction, addressValue: UInt64, addressKind: UInt8) throws(DatabaseFailure) {
    try transaction.delete(transaction.tables.bonds, BondRow.key(addressValue, addressKind))
  }
}

/// A bond on the disk.
///
/// Key: address type (u8), address (6 bytes, top byte first). Tags: 1 wearable (u32), 2 made (i64), 3 a key in the
/// clear, until format 5: its kind (u8), content; repeated. 4 the keys sealed: as content fields with tag 3; 5 traits
/// (u8). The seal is bound to the record's key and the contents of tags 1, 2 and 5.
struct BondRow: StoredRecord, Hashable {
  static var table: any KeyPath<Tables, UInt32> & Sendable { \.bonds }
  static var tags: ClosedRange<UInt8> { 1...SecretTag.bondTraits }
  /// Limit of the sealed fields: each key has tag, length, kind and at most 64 bytes.
  static let contentLimit = Bond.keyLimit * (3 + BondKey.sizeLimit)

  let addressValue: UInt64
  let addressKind: UInt8
  let wearable: WearableID
  let createdAt: WallTime
  let traits: BondTraits
  /// Keys in the clear; empty if there is a seal.
  let keys: [BondKey]
  private(set) var seal: [UInt8]?

  /// A row with sealed keys.
  init(_ bond: Bond, _ vault: SecretsVault) {
    addressValue = bond.addressValue
    addressKind = bond.addressKind
    wearable = bond.wearable
    createdAt = bond.createdAt
    traits = bond.traits
    keys = []
    var content = FieldWriter()
    for key in bond.keys { content.put(SecretTag.bondKey, [key.kind] + key.bytes) }
    var fields = content.fields
    seal = vault.seal(fields, at: place)
    SecretsVault.wipe(&fields)
  }

  static func key(_ addressValue: UInt64, _ addressKind: UInt8) -> [UInt8] {
    [addressKind] + [UInt8](bigEndian: addressValue).dropFirst(2)
  }

  var key: [UInt8] { Self.key(addressValue, addressKind) }

  var place: SealPlace {
    var bound: [UInt8] = []
    bound.append(littleEndian: wearable.number)
    bound.append(littleEndian: createdAt.microseconds)
    return SealPlace(table: "bonds", key: key, tag: SecretTag.sealedBond, bound: bound + [traits.rawValue])
  }

  /// The bond with its keys, if they are in the clear or the vault opens them.
  func opened(_ vault: SecretsVault?) -> Bond {
    guard let seal else { return bond(keys) }
    guard let vault, var content = vault.open(seal, at: place) else { return Bond(sealed: self) }
    defer { SecretsVault.wipe(&content) }
    let keys: [BondKey]? = content.withUnsafeBytes { bytes in
      var fields = FieldReader(fields: bytes)
      var keys: [BondKey] = []
      while let tag = fields.next() {
        guard tag == SecretTag.bondKey, Self.read(&fields, &keys) else { return nil }
      }
      return fields.isWhole ? keys : nil
    }
    return keys.map { bond($0) } ?? Bond(sealed: self)
  }

  private func bond(_ keys: [BondKey]) -> Bond {
    Bond(
      addressValue: addressValue, addressKind: addressKind, wearable: wearable, createdAt: createdAt, keys: keys)
  }

  private static func read(_ fields: inout FieldReader, _ keys: inout [BondKey]) -> Bool {
    guard let kind = fields.content.first, fields.content.count <= 1 + BondKey.sizeLimit, keys.count < Bond.keyLimit
    else { return false }
    keys.append(BondKey(kind: kind, bytes: Array(fields.content.dropFirst())))
    return true
  }

  func write(to fields: inout FieldWriter) {
    fields.put(1, wearable.number)
    fields.put(2, createdAt.microseconds)
    for key in keys { fields.put(SecretTag.bondKey, [key.kind] + key.bytes) }
    if let seal {
      fields.put(SecretTag.sealedBond, seal)
      fields.put(SecretTag.bondTraits, traits.rawValue)
    }
  }

  init?(key: inout StoredReader, fields: inout FieldReader) {
    var wearable: UInt32?
    var createdAt: Int64?
    var keys: [BondKey] = []
    var seal: [UInt8]?
    var traits: UInt8?
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&wearable)
      case 2: fields.read(&createdAt)
      case SecretTag.bondKey: if !Self.read(&fields, &keys) { return nil }
      case SecretTag.sealedBond: fields.readSeal(&seal, content: Self.contentLimit)
      case SecretTag.bondTraits: fields.read(&traits)
      default: break
      }
    }
    guard let addressKind = key.u8(), let high = key.bigEndian(UInt16.self), let low = key.bigEndian(UInt32.self),
      let wearable, let createdAt, keys.isEmpty || seal == nil, (seal == nil) == (traits == nil)
    else { return nil }
    self.addressValue = UInt64(high) << 32 | UInt64(low)
    self.addressKind = addressKind
    self.wearable = WearableID(number: wearable)
    self.createdAt = WallTime(microseconds: createdAt)
    self.keys = keys
    self.seal = seal
    self.traits = BondTraits(rawValue: traits ?? 0)
  }
}
