// Bonds as the store holds them: which wearables have one, and the keys for users with that right.

internal import EventLoop
public import HubProtocol
public import Reasons
public import RingStore

extension BondDocument {
  /// Converts a bond from a store without a running daemon.
  public init(_ bond: Bond, device: String) {
    self.init(
      device: device, address: bond.addressText, addressType: addressTypeName(bond.addressKind),
      createdAt: bond.createdAt.rfc3339, authenticated: bond.isAuthenticated,
      secureConnections: bond.isSecureConnections, identityKey: bond.hasIdentityKey)
  }
}

extension BondKeysDocument {
  /// Converts a bond with its keys.
  public init(_ bond: Bond, name: String, kind: String, driver: String) {
    self.init(
      name: name, kind: kind, driver: driver, address: bond.addressText, addressType: addressTypeName(bond.addressKind),
      createdAt: bond.createdAt.microseconds,
      keys: bond.keys.map { Key(kind: $0.kind, key: hexadecimal($0.bytes).lowercased()) })
  }

  /// The bond, without a wearable.
  ///
  /// - Throws: `controlBadParameter` for an invalid bond.
  public func bond() throws(HearthError) -> Bond {
    let digits = address.split(separator: ":", omittingEmptySubsequences: false)
    guard digits.count == 6, let octets = bytes(of: digits.joined()), octets.count == 6,
      ["public", "random"].contains(addressType), keys.count <= Bond.keyLimit
    else { throw HearthError(.controlBadParameter, "'\(harmless(address))' is no address of a wearable") }
    var stored: [BondKey] = []
    for key in keys {
      guard let bytes = bytes(of: key.key), bytes.count <= BondKey.sizeLimit else {
        throw HearthError(.controlBadParameter, "a key of \(harmless(name)) is not valid")
      }
      stored.append(BondKey(kind: key.kind, bytes: bytes))
    }
    return Bond(
      addressValue: octets.reduce(0) { $0 << 8 | UInt64($1) }, addressKind: addressType == "public" ? 1 : 2,
      wearable: WearableID(number: 0), createdAt: WallTime(microseconds: createdAt), keys: stored)
  }
}

/// Hexadecimal digits without blanks.
private func bytes(of text: String) -> [UInt8]? { text.contains(" ") ? nil : [UInt8](hexadecimal: text) }

/// `public`, `random`: of an address kind as it is stored (1, 2).
package func addressTypeName(_ kind: UInt8) -> String { kind == 2 ? "random" : "public" }
