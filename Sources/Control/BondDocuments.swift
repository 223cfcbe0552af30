// Wearables with a bond, from the hub's snapshots; keys come from the store (`StoreDocuments/BondRecords.swift`).

internal import Bluetooth
internal import EventLoop
public import Hub
public import HubProtocol
internal import StoreDocuments

extension BondDocument {
  /// Converts a bond, without its keys.
  public init(_ bond: BondSnapshot) {
    self.init(
      device: bond.wearable, address: bond.address.description,
      addressType: addressTypeName(bond.address.kind.rawValue), createdAt: bond.createdAt.rfc3339,
      authenticated: bond.isAuthenticated, secureConnections: bond.isSecureConnections,
      identityKey: bond.hasIdentityKey, lost: bond.isLost)
  }
}
