// What the control socket says about bonds: who has one, and, to those who may have them, the keys.

import Bluetooth
import EventLoop
public import Hub
public import Reasons
public import RingStore

/// A bond as everybody may see it.
public struct BondDocument: Codable, Sendable, Hashable {
  public var device: String
  public var address: String
  /// `public`, `random`
  public var addressType: String
  public var createdAt: String
  /// Agreed upon with a passkey or a comparison, not by Just Works.
  public var authenticated: Bool
  public var secureConnections: Bool
  /// The wearable's changing addresses can be told to be its own.
  public var identityKey: Bool
  /// One side no longer knows the key. Null: nobody has looked, because no daemon runs.
  public var lost: Bool?

  public init(_ bond: BondSnapshot) {
    device = bond.wearable
    address = bond.address.description
    addressType = addressTypeName(bond.address.kind.rawValue)
    createdAt = bond.createdAt.rfc3339
    authenticated = bond.isAuthenticated
    secureConnections = bond.isSecureConnections
    identityKey = bond.hasIdentityKey
    lost = bond.isLost
  }

  /// From a store whose daemon is down.
  public init(_ bond: Bond, device: String) {
    self.device = device
    address = bond.addressText
    addressType = addressTypeName(bond.addressKind)
    createdAt = bond.createdAt.rfc3339
    authenticated = bond.isAuthenticated
    secureConnections = bond.isSecureConnections
    identityKey = bond.hasIdentityKey
  }
}

/// A bond with its keys. Goes only over the socket, to root and to the daemon's own user, never to a terminal.
public struct BondKeysDocument: Codable, Sendable, Hashable {
  /// Bonds of one call of `BondImport`: more than that, with all the keys there may be, do not fit a call.
  public static let atOnce = 64

  public struct Key: Codable, Sendable, Hashable {
    public var kind: UInt8
    /// Hexadecimal.
    public var key: String
  }

  public var name: String
  public var kind: String
  public var driver: String
  public var address: String
  /// `public`, `random`
  public var addressType: String
  /// Microseconds since 1970: what is imported is what was exported.
  public var createdAt: Int64
  public var keys: [Key]

  public init(_ bond: Bond, name: String, kind: String, driver: String) {
    self.name = name
    self.kind = kind
    self.driver = driver
    address = bond.addressText
    addressType = addressTypeName(bond.addressKind)
    createdAt = bond.createdAt.microseconds
    keys = bond.keys.map { Key(kind: $0.kind, key: hexadecimal($0.bytes).lowercased()) }
  }

  /// The bond of no wearable in particular.
  ///
  /// - Throws: `controlBadParameter` for what can be no bond.
  public func bond() throws(HearthError) -> Bond {
    let digits = address.split(separator: ":", omittingEmptySubsequences: false)
    guard digits.count == 6, let octets = HubInterface.bytes(hexadecimal: digits.joined()), octets.count == 6, ["public", "random"].contains(addressType),
      keys.count <= Bond.keyLimit
    else { throw HearthError(.controlBadParameter, "'\(harmless(address))' is no address of a wearable") }
    var stored: [BondKey] = []
    for key in keys {
      guard let bytes = HubInterface.bytes(hexadecimal: key.key), bytes.count <= BondKey.sizeLimit else { throw HearthError(.controlBadParameter, "a key of \(harmless(name)) is none") }
      stored.append(BondKey(kind: key.kind, bytes: bytes))
    }
    return Bond(
      addressValue: octets.reduce(0) { $0 << 8 | UInt64($1) }, addressKind: addressType == "public" ? 1 : 2, wearable: WearableID(number: 0),
      createdAt: WallTime(microseconds: createdAt), keys: stored)
  }
}

/// `public`, `random`: of a kind as it is stored.
func addressTypeName(_ kind: UInt8) -> String { kind == BluetoothAddress.Kind.leRandom.rawValue ? "random" : "public" }
