// A place in the journal: first the chunks of its table, then those that only the journal file has.

internal import EventLoop

final class JournalCursor {
  private let table: Cursor
  private let tail: [TailChunk]
  /// The place in the tail; nil: in the table, or nowhere yet.
  private var place: Int?

  /// Chunks that only the journal file has.
  var tailCount: Int { tail.count }

  fileprivate init(_ table: Cursor, _ tail: [TailChunk]) { (self.table, self.tail) = (table, tail) }

  func first() throws(DatabaseFailure) -> Cursor.Entry? {
    place = nil
    if let found = reachable(try table.first()) { return found }
    return inTail(0)
  }

  func last() throws(DatabaseFailure) -> Cursor.Entry? {
    if !tail.isEmpty { return inTail(tail.count - 1) }
    place = nil
    return try table.last()
  }

  func next() throws(DatabaseFailure) -> Cursor.Entry? {
    if let place { return inTail(place + 1) }
    if let found = reachable(try table.next()) { return found }
    return inTail(0)
  }

  func previous() throws(DatabaseFailure) -> Cursor.Entry? {
    guard let place else { return try table.previous() }
    if place > 0 { return inTail(place - 1) }
    self.place = nil
    return try table.before([UInt8](bigEndian: tail[0].sequence))
  }

  /// The first chunk at or after `sequence`.
  func seek(_ sequence: UInt64) throws(DatabaseFailure) -> Cursor.Entry? {
    place = nil
    if let found = reachable(try table.seek(sequence)) { return found }
    return inTail(tail.firstIndex { $0.sequence >= sequence } ?? tail.count)
  }

  /// The first entry behind a key; the very first for nil.
  func after(_ key: [UInt8]?) throws(DatabaseFailure) -> Cursor.Entry? {
    place = nil
    if let found = reachable(try table.after(key)) { return found }
    guard let from = key.flatMap({ RecordNumber.read($0) }) else { return inTail(0) }
    return inTail(tail.firstIndex { $0.sequence > from } ?? tail.count)
  }

  /// A damaged key at the table's end, which no store reaches, is not before the tail: no walk may go back.
  private func reachable(_ entry: Cursor.Entry?) -> Cursor.Entry? {
    guard let entry, let first = tail.first else { return entry }
    return entry.sequence.map { $0 < first.sequence } ?? false ? entry : nil
  }

  private func inTail(_ index: Int) -> Cursor.Entry? {
    guard tail.indices.contains(index) else { return nil }
    place = index
    return tail[index].entry
  }
}

extension Transaction {
  /// The journal's table and, behind it, what only the journal file has.
  func withJournal<T>(_ body: (JournalCursor) throws(DatabaseFailure) -> T) throws(DatabaseFailure) -> T {
    let tail = try tailBehindTable()
    return try withCursor(tables.journal) { cursor throws(DatabaseFailure) in try body(JournalCursor(cursor, tail)) }
  }

  /// Chunks of the journal file that are in no table, as this transaction sees the tables.
  func tailBehindTable() throws(DatabaseFailure) -> [TailChunk] {
    if tail.isEmpty { return [] }
    let end = try JournalTableEnd(self)
    return tail.filter { end.isBehind($0.sequence) }
  }
}

/// End to which the tables have the journal.
struct JournalTableEnd {
  private let last: UInt64?
  /// The number behind the table's last record.
  let next: UInt64

  init(_ transaction: Transaction) throws(DatabaseFailure) {
    let found = try transaction.withCursor(transaction.tables.journal) {
      cursor throws(DatabaseFailure) -> (last: UInt64, next: UInt64)? in
      var entry = try cursor.last()
      // Under a damaged key; these are put into quarantine when the store is opened for writing.
      for _ in 0..<Quarantine.limit where entry.map({ Quarantine.isUnreachable($0.sequence ?? .max) }) ?? false {
        entry = try cursor.previous()
      }
      guard let entry, let last = entry.sequence else { return nil }
      return (last, max(ChunkHeader(entry.value)?.nextSequence ?? 0, RecordNumber.after(last)))
    }
    last = found?.last
    if let found { next = found.next } else { next = try JournalEnd(transaction)?.nextSequence ?? 0 }
  }

  /// Chunks come into the table in order: those up to its last one are there, or in rings.
  func isBehind(_ sequence: UInt64) -> Bool { last.map { sequence > $0 } ?? (sequence >= next) }
}
