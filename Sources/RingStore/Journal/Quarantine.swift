// Damaged chunks of the journal.

/// Damaged chunks of the journal, kept for whoever wants to look at them. Key: sequence number.
enum Quarantine {
  static let limit = 64

  static func add(_ sequence: UInt64, _ bytes: [UInt8], _ transaction: Transaction) throws(DatabaseFailure) {
    if transaction.entries(transaction.tables.quarantine) >= limit {
      try transaction.withCursor(transaction.tables.quarantine) { cursor throws(DatabaseFailure) in
        if try cursor.first() != nil { try cursor.delete() }
      }
    }
    try transaction.put(transaction.tables.quarantine, withUnsafeBytes(of: sequence.bigEndian) { Array($0) }, bytes)
  }
}
