// Sealing of secrets that a store of an earlier format has in clear, record by record. Transactions are short. A kill
// leaves a store with some records sealed, and all of them readable.

internal import EventLoop
internal import StateCodec

enum SecretsConversion {
  /// Records of one transaction: at most 16 × 8 pages and the paths to them, which the reserve has.
  private static let step = 16

  private static let tables: [(name: String, field: any KeyPath<Tables, UInt32> & Sendable)] = [
    ("bonds", \.bonds), ("registry", \.registry), ("driver-state", \.driverState),
  ]

  static func hasSeals(_ transaction: Transaction) throws(DatabaseFailure) -> Bool {
    for table in tables {
      let found = try transaction.withCursor(transaction.tables[keyPath: table.field]) {
        cursor throws(DatabaseFailure) in
        var entry = try cursor.first()
        while let candidate = entry {
          if SealedPart.find(in: table.name, candidate) != nil { return true }
          entry = try cursor.next()
        }
        return false
      }
      if found { return true }
    }
    return false
  }

  /// Seals secrets that are in clear. A damaged, unreadable record is overwritten with zeros: it may have held a key.
  ///
  /// - Returns: how many records were changed.
  static func seal(_ environment: Environment, _ vault: SecretsVault, _ probe: (@Sendable (String) -> Void)?)
    throws(DatabaseFailure) -> Int
  {
    var changed = 0
    for table in tables {
      var last: [UInt8]?
      while true {
        let (found, next) = try environment.read { transaction throws(DatabaseFailure) in
          try clear(in: table, transaction, after: last, vault)
        }
        if !found.isEmpty {
          probe?("seal \(table.name)")
          try environment.write { transaction throws(DatabaseFailure) in
            for row in found { try transaction.put(transaction.tables[keyPath: table.field], row.key, row.value) }
          }
        }
        changed += found.count
        guard let next else { break }
        last = next
      }
    }
    return changed
  }

  private typealias Row = (key: [UInt8], value: [UInt8])

  /// The next records with something in clear, as they are to be; and behind which key to go on, nil at the end.
  private static func clear(
    in table: (name: String, field: any KeyPath<Tables, UInt32> & Sendable), _ transaction: Transaction,
    after key: [UInt8]?, _ vault: SecretsVault
  ) throws(DatabaseFailure) -> ([Row], [UInt8]?) {
    try transaction.withCursor(transaction.tables[keyPath: table.field]) { cursor throws(DatabaseFailure) in
      var rows: [Row] = []
      var entry = try cursor.after(key)
      while let found = entry {
        if let value = sealed(table.name, found, vault) { rows.append((Array(found.key), value)) }
        if rows.count >= step { return (rows, Array(found.key)) }
        entry = try cursor.next()
      }
      return (rows, nil)
    }
  }

  /// The record with its secrets sealed; nil if it has no secret in clear.
  static func sealed(_ table: String, _ entry: Cursor.Entry, _ vault: SecretsVault) -> [UInt8]? {
    switch table {
    case "bonds":
      guard let row = BondRow.decode(entry) else { return blank(entry) }
      if row.keys.isEmpty { return nil }
      let unknown = FieldCodec.unknown(in: entry.value, known: BondRow.tags)
      return BondRow(row.opened(nil), vault).encode(unknown: unknown)
    case "registry": return sealedWearable(entry, vault)
    case "driver-state":
      guard let name = String(validating: entry.key.dropFirst(4), as: UTF8.self), SecretStates.kinds.contains(name)
      else { return nil }
      guard let state = StateRecord<DriverStates>.decode(entry) else { return blank(entry) }
      if state.seal != nil { return nil }
      let unknown = FieldCodec.unknown(in: entry.value, known: StateRecord<DriverStates>.tags)
      return state.sealed(vault).encode(unknown: unknown)
    default: return nil
    }
  }

  /// Every other field stays as it lies there.
  private static func sealedWearable(_ entry: Cursor.Entry, _ vault: SecretsVault) -> [UInt8]? {
    let id = WearableID(bigEndian: entry.key)
    guard let record = WearableCodec.decode(id, entry.value), var fields = FieldReader(entry.value) else {
      return blank(entry)
    }
    guard let secret = record.secret else { return nil }
    var rest: [UInt8] = []
    while let tag = fields.next() { if tag != SecretTag.secret { fields.keep(in: &rest) } }
    var sealed = FieldWriter()
    sealed.put(SecretTag.sealedSecret, vault.seal(secret.bytes, at: WearableCodec.place(id)))
    return sealed.finish(unknown: rest)
  }

  private static func blank(_ entry: Cursor.Entry) -> [UInt8]? {
    entry.value.allSatisfy { $0 == 0 } ? nil : [UInt8](repeating: 0, count: entry.value.count)
  }
}
