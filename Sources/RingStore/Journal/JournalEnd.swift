// The next sequence number of the journal when no chunk gives it.

internal import EventLoop

/// Value of the key "journal-end" of `meta`: next sequence number, records committed ever (u64), high water (i64),
/// little-endian. Holds only while the journal is empty.
struct JournalEnd {
  private static let key = Array("journal-end".utf8)

  let nextSequence: UInt64
  let stored: UInt64
  let highWater: WallTime

  init(nextSequence: UInt64, stored: UInt64, highWater: WallTime) {
    (self.nextSequence, self.stored, self.highWater) = (nextSequence, stored, highWater)
  }

  /// nil if the entry is missing or has another size.
  init?(_ transaction: Transaction) throws(DatabaseFailure) {
    guard let bytes = try transaction.get(transaction.tables.meta, Self.key) else { return nil }
    var reader = StoredReader(bytes)
    guard let next = reader.integer(UInt64.self), let stored = reader.integer(UInt64.self),
      let highWater = reader.integer(Int64.self), reader.isAtEnd
    else { return nil }
    (nextSequence, self.stored, self.highWater) = (max(1, next), stored, WallTime(microseconds: highWater))
  }

  func keep(_ transaction: Transaction) throws(DatabaseFailure) {
    var value: [UInt8] = []
    value.append(littleEndian: nextSequence)
    value.append(littleEndian: stored)
    value.append(littleEndian: highWater.microseconds)
    try transaction.put(transaction.tables.meta, Self.key, value)
  }
}
