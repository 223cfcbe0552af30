// The methods of `io.hearth.Hub` about bonds. Keys go only to administrators (`AccessRules`).

public import EventLoop
public import Hub
internal import HubProtocol
public import Reasons
public import RingStore

/// Bonds of a hub, as the control socket needs them.
@LoopActor
public protocol BondService: AnyObject {
  func bonds() -> [BondSnapshot]
  /// Returns the bonds, including their keys.
  func bondKeys() throws(HearthError) -> [Bond]
  /// Takes over bonds from another hub, and enrols wearables that are not yet enrolled. Durable when it returns.
  ///
  /// - Returns: number of bonds that are new or changed.
  func importBonds(_ bonds: [(name: String, kind: String, driver: String, bond: Bond)]) async throws(HearthError) -> Int
  /// Removes a bond, by name or address of the wearable. Durable when it returns.
  func removeBond(_ which: String) async throws(HearthError)
}

extension HubInterface: BondMethods {
  func bondList(_ parameters: Methods.BondList.Parameters) -> Methods.BondList.Reply {
    .init(bonds: service.bonds().map { BondDocument($0) })
  }

  func bondKeys(_ parameters: Methods.BondKeys.Parameters) throws -> Methods.BondKeys.Reply {
    try server.access.refuseKeys(connection.peer, "keys")
    let records = stored.wearableRecords()
    let documents = try service.bondKeys().map { bond in
      let record = records.first { $0.id == bond.wearable }
      return BondKeysDocument(
        bond, name: record?.name ?? "wearable-\(bond.wearable.number)", kind: record?.kind ?? "",
        driver: record?.driver ?? "")
    }
    server.noteChange("read the keys of \(documents.count) bonds", by: connection.peer)
    return .init(hub: service.snapshot().name, bonds: documents)
  }

  func bondImport(_ parameters: Methods.BondImport.Parameters) async throws -> Methods.BondImport.Reply {
    try await changed("import \(parameters.bonds.count) bonds") {
      try server.access.refuseKeys(connection.peer, "the import of keys")
      let bonds = try parameters.bonds.map { document in
        (name: document.name, kind: document.kind, driver: document.driver, bond: try document.bond())
      }
      return .init(imported: try await service.importBonds(bonds))
    }
  }

  func bondRemove(_ parameters: Methods.BondRemove.Parameters) async throws {
    try await changed("remove the bond of \(harmless(parameters.name))", of: parameters.name) {
      try await service.removeBond(parameters.name)
    }
  }
}
