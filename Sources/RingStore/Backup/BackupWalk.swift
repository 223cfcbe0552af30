// The walk through a store that is backed up: page by page, table by table, with secrets opened.

internal import EventLoop
internal import StateCodec

/// A place in a store with tables that do not change meanwhile: one reading of a live store, or a store at rest.
struct BackupWalk {
  private let order: [BackupTable]
  /// nil: with samples.
  private let coverage: BackupCoverage?
  private var table = 0
  private var last: [UInt8]?
  /// Index among the rings without chunks.
  private var ring = 0

  var isDone: Bool { table == order.count }

  /// Entries that are looked at for one page: what stays behind costs time too.
  private static let entryLimit = 2048

  init(_ transaction: Transaction, samples: Bool) throws(DatabaseFailure) {
    order = BackupTable.allCases.filter { samples || !$0.hasSamples }
    coverage = samples ? nil : try BackupCoverage(transaction)
  }

  enum Page {
    case rows([UInt8])
    /// A secret that cannot be opened: a backup without it would be incomplete.
    case locked
  }

  mutating func page(_ transaction: Transaction, _ vault: SecretsVault?) throws(DatabaseFailure) -> Page {
    var bytes: [UInt8] = []
    var looked = 0
    while !isDone, bytes.count < BackupPage.size, looked < Self.entryLimit {
      if order[table] == .rings, let coverage {
        addRings(coverage, &bytes)
        continue
      }
      if try !addEntries(transaction, vault, &bytes, &looked) { return .locked }
    }
    return .rows(bytes)
  }

  private mutating func addRings(_ coverage: BackupCoverage, _ bytes: inout [UInt8]) {
    while ring < coverage.rings.count, bytes.count < BackupPage.size {
      let (id, state) = coverage.rings[ring]
      BackupRow.append(.rings, id.key, state.row, to: &bytes)
      ring += 1
    }
    if ring == coverage.rings.count { goOn() }
  }

  private mutating func goOn() {
    table += 1
    last = nil
  }

  /// False for a secret that does not open.
  private mutating func addEntries(
    _ transaction: Transaction, _ vault: SecretsVault?, _ bytes: inout [UInt8], _ looked: inout Int
  ) throws(DatabaseFailure) -> Bool {
    let (table, coverage, from) = (order[table], coverage, last)
    var (rows, count, place) = (bytes, looked, from)
    var isOpen = true
    let isAtEnd = try Self.withEntries(transaction, table, after: from) { entry, next throws(DatabaseFailure) in
      var entry = entry
      while let found = entry {
        if rows.count >= BackupPage.size || count >= Self.entryLimit { return false }
        count += 1
        place = Array(found.key)
        if let value = try Self.value(transaction, table, found, coverage) {
          switch table.nameOfSeals {
          case nil: BackupRow.append(table, found.key, value, to: &rows)
          case let name?:
            guard let open = BackupSecrets.opened(name, found, vault) else {
              isOpen = false
              return false
            }
            BackupRow.append(table, found.key, open, to: &rows)
          }
        }
        entry = try next()
      }
      return true
    }
    (bytes, looked, last) = (rows, count, place)
    if isAtEnd { goOn() }
    return isOpen
  }

  /// The entries of a table behind a key; of the journal those of its file too.
  private static func withEntries(
    _ transaction: Transaction, _ table: BackupTable, after key: [UInt8]?,
    _ body: (Cursor.Entry?, () throws(DatabaseFailure) -> Cursor.Entry?) throws(DatabaseFailure) -> Bool
  ) throws(DatabaseFailure) -> Bool {
    if table == .journal {
      return try transaction.withJournal { cursor throws(DatabaseFailure) in
        try body(cursor.after(key)) { () throws(DatabaseFailure) in try cursor.next() }
      }
    }
    return try transaction.withCursor(transaction.tables[keyPath: table.field]) { cursor throws(DatabaseFailure) in
      try body(cursor.after(key)) { () throws(DatabaseFailure) in try cursor.next() }
    }
  }

  private static func value(
    _ transaction: Transaction, _ table: BackupTable, _ entry: Cursor.Entry, _ coverage: BackupCoverage?
  ) throws(DatabaseFailure) -> [UInt8]? {
    guard !entry.key.isEmpty, entry.key.count <= BackupRow.keyLimit, entry.value.count <= BackupRow.valueLimit else {
      return nil
    }
    if table == .meta {
      let key = Array(entry.key)
      let isKept = BackupTable.metaKeys.contains(key) || coverage == nil && key == BackupTable.journalEnd
      return isKept ? Array(entry.value) : nil
    }
    guard let coverage else { return Array(entry.value) }
    return try coverage.value(transaction, table, entry)
  }
}

/// Secrets of records in a backup: in clear, as format 5 of the store had them. Restoring therefore seals them as
/// converting does.
enum BackupSecrets {
  /// The record with its secrets in clear; nil if a secret cannot be opened. A damaged record stays as it is.
  static func opened(_ table: String, _ entry: Cursor.Entry, _ vault: SecretsVault?) -> [UInt8]? {
    guard let part = SealedPart.find(in: table, entry) else { return Array(entry.value) }
    guard let vault, var content = vault.open(part.seal, at: part.place), var fields = FieldReader(entry.value) else {
      return nil
    }
    defer { SecretsVault.wipe(&content) }
    var (rest, clear) = ([UInt8](), FieldWriter())
    while let tag = fields.next() {
      switch (table, tag) {
      case ("bonds", SecretTag.sealedBond), ("bonds", SecretTag.bondTraits), ("registry", SecretTag.sealedSecret),
        ("driver-state", SecretTag.sealedState):
        continue
      default: fields.keep(in: &rest)
      }
    }
    if table == "registry" { clear.put(SecretTag.secret, content) }
    if table == "driver-state" { clear.put(SecretTag.state, content) }
    // A bond's keys were sealed as the fields they were.
    if table == "bonds" { rest += content }
    return clear.finish(unknown: rest)
  }
}
