// Damaged chunks of the journal.

internal import EventLoop

/// Damaged chunks of the journal, kept for examination. Key: sequence number.
enum Quarantine {
  static let limit = 64

  /// Adds a chunk. At the limit the oldest gives way; before it one with a number that no store reaches, which does not
  /// say how old it is.
  static func add(_ sequence: UInt64, _ bytes: [UInt8], _ transaction: Transaction) throws(DatabaseFailure) {
    if transaction.entries(transaction.tables.quarantine) >= limit {
      try transaction.withCursor(transaction.tables.quarantine) { cursor throws(DatabaseFailure) in
        if let last = try cursor.last()?.sequence, isUnreachable(last) { return try cursor.delete() }
        if try cursor.first() != nil { try cursor.delete() }
      }
    }
    try transaction.put(transaction.tables.quarantine, withUnsafeBytes(of: sequence.bigEndian) { Array($0) }, bytes)
  }

  /// Adds the bytes of damaged chunks that were not read so far.
  static func asFound(_ chunks: [(sequence: UInt64, bytes: [UInt8])], _ transaction: Transaction)
    throws(DatabaseFailure) -> [(sequence: UInt64, bytes: [UInt8])]
  {
    var found: [(sequence: UInt64, bytes: [UInt8])] = []
    for chunk in chunks {
      let key = [UInt8](bigEndian: chunk.sequence)
      let value = chunk.bytes.isEmpty ? try transaction.find(transaction.tables.journal, key) : nil
      found.append((chunk.sequence, value.map { Array($0.prefix(ChunkBuffer.capacity)) } ?? chunk.bytes))
    }
    return found
  }

  /// Behind it not every chunk has a number below the end.
  static func isUnreachable(_ sequence: UInt64) -> Bool {
    RecordNumber.after(sequence, by: ChunkBuffer.capacity) >= RecordNumber.end
  }

  /// Removes from the journal up to `limit` chunks with an invalid key, or with a number that no store reaches.
  ///
  /// - Returns: their numbers, and the end of the journal by their own headers.
  static func takeUnreachable(_ transaction: Transaction) throws(DatabaseFailure) -> (
    numbers: [UInt64], told: JournalEnd
  ) {
    var numbers: [UInt64] = []
    var told = JournalEnd(nextSequence: 1, stored: 0, highWater: WallTime(microseconds: .min))
    try transaction.withCursor(transaction.tables.journal) { cursor throws(DatabaseFailure) in
      while numbers.count < limit, let entry = try cursor.last() {
        let key = entry.sequence ?? .max
        if !isUnreachable(key) { break }
        let bytes = Array(entry.value.prefix(ChunkBuffer.capacity))
        let header = ChunkHeader.verify(entry.value, of: transaction.number)
        try add(key, bytes, transaction)
        try cursor.delete()
        numbers.append(key)
        if let header, header.nextSequence > told.nextSequence, header.nextSequence < RecordNumber.end {
          told = JournalEnd(
            nextSequence: header.nextSequence, stored: header.storedAfter, highWater: header.highWater)
        }
      }
    }
    return (numbers, told)
  }
}
