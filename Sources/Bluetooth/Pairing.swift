// Keys, requests and answers of pairings. The bytes of keys are opaque here: the kernel makes them and gets them back
// unchanged.

/// Long-term key in the kernel's format.
///
/// | Octets | Content (Linux mgmt, New Long Term Key and Load Long Term Keys) |
/// |---|---|
/// | 6 + 1 | identity address, least significant octet first; its type |
/// | 1 | kind: 0 legacy, 1 legacy authenticated, 2 P-256, 3 P-256 authenticated, 4 debug |
/// | 1 | made for us as central |
/// | 1 | size of the key |
/// | 2 + 8 | EDIV, Rand; zero for P-256 |
/// | 16 | key |
public struct LongTermKey: Sendable, Hashable, CustomStringConvertible {
  /// Length of a record in bytes.
  public static let size = 36
  /// Octets of the key, as in the table.
  public let record: [UInt8]

  /// Nil unless there are exactly `size` bytes.
  public init?(_ record: [UInt8]) {
    if record.count != Self.size { return nil }
    self.record = record
  }

  /// 0...4; higher values are unknown to this program.
  public var kind: UInt8 { record[7] }
  /// True if the key protects against an active attacker (MITM).
  public var isAuthenticated: Bool { kind == 1 || kind == 3 }
  /// True if the key comes from LE Secure Connections.
  public var isSecureConnections: Bool { kind == 2 || kind == 3 }
  /// Debug key: its private part is published in the specification, so it is never kept.
  public var isDebug: Bool { kind == 4 }
  /// Description that does not contain the key itself.
  public var description: String { "long-term key of kind \(kind)" }
}

/// Keys of one wearable.
public struct BondKeys: Sendable, Hashable {
  /// Identity address of the wearable: public, or static random.
  public let address: BluetoothAddress
  /// A single key, or two after legacy pairing.
  public var longTermKeys: [LongTermKey]
  /// Identity resolving key, 16 bytes: resolves the wearable's random addresses. Nil if the wearable did not distribute
  /// it.
  public var identityKey: [UInt8]?
  /// Adapter that the wearable was paired with; it knows the hub only by this adapter's address. Nil: not recorded.
  public var adapter: BluetoothAddress?

  /// Keys of the wearable at `address`; `identityKey` is its IRK, 16 bytes.
  public init(address: BluetoothAddress, longTermKeys: [LongTermKey] = [], identityKey: [UInt8]? = nil) {
    self.address = address
    self.longTermKeys = longTermKeys
    self.identityKey = identityKey
  }
}

/// Decision about the keys that a pairing made.
public enum KeyVerdict: Sendable, Hashable {
  /// The keys are, or are about to be, in a list passed to `setKeys`.
  case kept
  case refused(LinkError)
}

/// Question that a pairing asks an operator.
public struct PairingRequest: Sendable, Hashable {
  /// Question to the user during a pairing.
  public enum Kind: Sendable, Hashable {
    /// Question of yes or no, without digits to compare.
    case justWorks
    /// Question of yes or no: yes if the wearable shows the same six digits.
    case compare(UInt32)
    /// The six digits that the wearable shows.
    case passkey
    /// The six digits to type on the wearable; no answer is expected.
    case show(UInt32)
  }
  /// Address of the wearable.
  public let address: BluetoothAddress
  /// Question to the user.
  public let kind: Kind

  /// A request of one wearable.
  public init(address: BluetoothAddress, kind: Kind) {
    self.address = address
    self.kind = kind
  }
}

/// Answer of an operator to a pairing request.
public enum PairingAnswer: Sendable, Hashable {
  case yes
  case no
  /// 0...999,999.
  case passkey(UInt32)
}
