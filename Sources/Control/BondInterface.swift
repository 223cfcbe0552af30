// The methods of `io.hearth.Hub` about bonds. Keys go only to administrators (`AccessRules`).

public import EventLoop
public import Hub
internal import HubProtocol
public import Reasons
public import RingStore

/// What the control socket needs of a hub about its bonds.
@LoopActor
public protocol BondService: AnyObject {
  func bonds() -> [BondSnapshot]
  /// With keys.
  func bondKeys() throws(HearthError) -> [Bond]
  /// Takes bonds over from another hub; a wearable that is not enrolled is. Durable when it returns. How many bonds are
  /// new or changed.
  func importBonds(_ bonds: [(name: String, kind: String, driver: String, bond: Bond)]) async throws(HearthError) -> Int
  /// By name or address of the wearable.
  func removeBond(_ which: String) async throws(HearthError)
}

extension HubInterface {
  /// nil in `reply` if nothing more is to be said; `isKnown` is false if the method is none of these.
  func performBonds(_ call: VarlinkCall) async throws(VarlinkError) -> (reply: JSON?, isKnown: Bool) {
    var parameters = Parameters(call.parameters)
    switch call.member {
    case "BondList":
      try parameters.end()
      return (["bonds": JSON(encoding: service.bonds().map { BondDocument($0) })], true)
    case "BondKeys":
      try parameters.end()
      return (try bondKeys(), true)
    case "BondImport": return (try await bondImport(call), true)
    case "BondRemove":
      let name = try parameters.text("name")
      try parameters.end()
      return (
        try await changed("remove the bond of \(harmless(name))", of: name) { () async throws(HearthError) in
          try await service.removeBond(name)
          return [:]
        }, true
      )
    default: return (nil, false)
    }
  }

  private func bondKeys() throws(VarlinkError) -> JSON {
    let documents = try asked { () throws(HearthError) in
      try server.access.refuseKeys(connection.peer, "keys")
      let records = service.wearableRecords()
      return try service.bondKeys().map { bond in
        let record = records.first { $0.id == bond.wearable }
        return BondKeysDocument(
          bond, name: record?.name ?? "wearable-\(bond.wearable.number)", kind: record?.kind ?? "",
          driver: record?.driver ?? "")
      }
    }
    server.noteChange("read the keys of \(documents.count) bonds", by: connection.peer)
    return ["hub": .string(service.snapshot().name), "bonds": JSON(encoding: documents)]
  }

  private func bondImport(_ call: VarlinkCall) async throws(VarlinkError) -> JSON {
    var rest = Parameters(call.parameters)
    guard let documents = try? (rest.value("bonds") ?? .null).decoded([BondKeysDocument].self),
      documents.count <= BondKeysDocument.atOnce
    else {
      throw .invalidParameter("bonds")
    }
    try rest.end()
    return try await changed("import \(documents.count) bonds") { () async throws(HearthError) in
      try server.access.refuseKeys(connection.peer, "the import of keys")
      let bonds = try documents.map { document throws(HearthError) in
        (name: document.name, kind: document.kind, driver: document.driver, bond: try document.bond())
      }
      return ["imported": .integer(Int64(try await service.importBonds(bonds)))]
    }
  }
}
