// Finding chunks of the journal by sequence number, and whether one can be read.

enum JournalReading {
  /// The number of its first chunk.
  static func first(_ transaction: Transaction) throws(DatabaseFailure) -> UInt64? {
    try transaction.withJournal { cursor throws(DatabaseFailure) in
      try cursor.first()?.sequence
    }
  }

  /// The entry that holds `sequence`, else the first one behind it.
  static func chunk(_ cursor: JournalCursor, holding sequence: UInt64) throws(DatabaseFailure) -> Cursor.Entry? {
    let found = try cursor.seek(sequence)
    if found?.sequence == sequence { return found }
    let before = found == nil ? try cursor.last() : try cursor.previous()
    if let before, let key = before.sequence {
      // A damaged chunk may hold it; then it is looked at, and counted.
      guard let header = ChunkHeader(before.value) else { return before }
      if header.sequence == key, header.nextSequence > sequence { return before }
    }
    return before == nil ? try cursor.first() : try cursor.next()
  }

  /// The header of a sound chunk: its checksum and key match, and all its records can be read. A chunk is accepted as a
  /// whole or refused.
  static func soundHeader(_ chunk: UnsafeRawBufferPointer, _ key: UInt64, _ number: StoreNumber) -> ChunkHeader? {
    guard let header = ChunkHeader.verify(chunk, of: number), header.sequence == key, isSound(chunk, header)
    else { return nil }
    return header
  }

  private static func isSound(_ chunk: UnsafeRawBufferPointer, _ header: ChunkHeader) -> Bool {
    var records = ChunkRecords(chunk, header)
    for _ in 0..<header.count where records.next() == nil { return false }
    return records.isAtEnd
  }
}
