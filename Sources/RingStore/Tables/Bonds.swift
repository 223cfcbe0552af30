// Bonds: the keys that wearables and the hub agreed upon.

public import EventLoop
internal import StateCodec

/// One key of a bond. Its bytes are secret: printing one shows only how many there are.
public struct BondKey: Sendable, Hashable, CustomStringConvertible {
  /// As the Bluetooth room numbers kinds of keys.
  public let kind: UInt8
  /// At most `sizeLimit`.
  public let bytes: [UInt8]

  public static let sizeLimit = 64

  public init(kind: UInt8, bytes: [UInt8]) {
    self.kind = kind
    self.bytes = bytes
  }

  public var description: String { "key of kind \(kind), \(bytes.count) bytes" }
}

/// What an enrolled wearable and the hub share. One for each address.
public struct Bond: Sendable, Hashable {
  /// The device address in the low 48 bits, most significant byte first as printed.
  public let addressValue: UInt64
  /// As the Bluetooth room numbers address types.
  public let addressKind: UInt8
  public let wearable: WearableID
  public let createdAt: WallTime
  /// At most `keyLimit`.
  public let keys: [BondKey]

  /// Long-term, identity and signing keys of both sides are six.
  public static let keyLimit = 16

  public init(addressValue: UInt64, addressKind: UInt8, wearable: WearableID, createdAt: WallTime, keys: [BondKey]) {
    self.addressValue = addressValue & 0xFFFF_FFFF_FFFF
    self.addressKind = addressKind
    self.wearable = wearable
    self.createdAt = createdAt
    self.keys = keys
  }

  // What a long-term key says about itself, for people; see `BondKeyKind` in the hub for what its bytes are.

  private func hasKey(_ condition: (UInt8) -> Bool) -> Bool {
    keys.contains { $0.kind == 1 && $0.bytes.count == 36 && condition($0.bytes[7]) }
  }
  /// Agreed upon with somebody looking on.
  public var isAuthenticated: Bool { hasKey { $0 == 1 || $0 == 3 } }
  public var isSecureConnections: Bool { hasKey { $0 == 2 || $0 == 3 } }
  public var hasIdentityKey: Bool { keys.contains { $0.kind == 2 } }
  /// `F0:F1:F2:F3:F4:00`
  public var addressText: String { WearableRecord.addressText(addressValue) }

  /// The same keys as another wearable's.
  public func of(_ wearable: WearableID) -> Bond {
    Bond(addressValue: addressValue, addressKind: addressKind, wearable: wearable, createdAt: createdAt, keys: keys)
  }

  /// Its keys are within their limits.
  var fits: Bool { keys.count <= Self.keyLimit && keys.allSatisfy { $0.bytes.count <= BondKey.sizeLimit } }
  func isOf(_ addressValue: UInt64, _ addressKind: UInt8) -> Bool {
    self.addressValue == addressValue && self.addressKind == addressKind
  }
}

/// The table `bonds`.
enum Bonds {
  static let limit = 512

  /// By address.
  static func load(_ transaction: Transaction) throws(DatabaseFailure) -> RecordList<Bond> {
    try transaction.records(Bond.self)
  }

  /// Replaces the bond of the same address. The caller has looked after the limits.
  static func put(_ transaction: Transaction, _ bond: Bond) throws(DatabaseFailure) { try transaction.put(bond) }

  static func remove(_ transaction: Transaction, addressValue: UInt64, addressKind: UInt8) throws(DatabaseFailure) {
    try transaction.delete(transaction.tables.bonds, Bond.key(addressValue, addressKind))
  }
}

/// Key: address type (u8), address (6 bytes, top byte first). Tags: 1 wearable (u32), 2 made (i64), 3 a key: its kind
/// (u8), content; repeated.
extension Bond: StoredRecord {
  static var table: any KeyPath<Tables, UInt32> & Sendable { \.bonds }
  static var tags: ClosedRange<UInt8> { 1...3 }

  static func key(_ addressValue: UInt64, _ addressKind: UInt8) -> [UInt8] {
    [addressKind] + [UInt8](bigEndian: addressValue).dropFirst(2)
  }

  var key: [UInt8] { Self.key(addressValue, addressKind) }

  func write(to fields: inout FieldWriter) {
    fields.put(1, wearable.number)
    fields.put(2, createdAt.microseconds)
    for key in keys { fields.put(3, [key.kind] + key.bytes) }
  }

  init?(key: inout StoredReader, fields: inout FieldReader) {
    var wearable: UInt32?
    var createdAt: Int64?
    var keys: [BondKey] = []
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&wearable)
      case 2: fields.read(&createdAt)
      case 3:
        guard let kind = fields.content.first, fields.content.count <= 1 + BondKey.sizeLimit, keys.count < Self.keyLimit
        else { return nil }
        keys.append(BondKey(kind: kind, bytes: Array(fields.content.dropFirst())))
      default: break
      }
    }
    guard let addressKind = key.u8(), let high = key.bigEndian(UInt16.self), let low = key.bigEndian(UInt32.self),
      let wearable, let createdAt
    else { return nil }
    self.init(
      addressValue: UInt64(high) << 32 | UInt64(low), addressKind: addressKind, wearable: WearableID(number: wearable),
      createdAt: WallTime(microseconds: createdAt), keys: keys)
  }
}
