// Common parts of the small tables: keys, values with fields, lists of either end.

internal import EventLoop
internal import StateCodec

/// A kind of record with fields: its table, key, encoding and decoding.
///
/// Fields that this program does not know stay on the disk: writing a record again preserves them.
protocol StoredRecord: Sendable {
  static var table: any KeyPath<Tables, UInt32> & Sendable { get }
  /// Tags of the fields that this program writes.
  static var tags: ClosedRange<UInt8> { get }

  var key: [UInt8] { get }
  func write(to fields: inout FieldWriter)
  /// nil unless key and fields are those of an undamaged record; consumes the whole key.
  init?(key: inout StoredReader, fields: inout FieldReader)
}

extension StoredRecord {
  static func decode(_ entry: Cursor.Entry) -> Self? { decode(key: entry.key, value: entry.value) }

  static func decode(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) -> Self? {
    guard var fields = FieldReader(value) else { return nil }
    var key = StoredReader(key)
    guard let record = Self(key: &key, fields: &fields), key.isAtEnd, fields.isWhole else { return nil }
    return record
  }

  func encode(unknown: [UInt8] = []) -> [UInt8] {
    var fields = FieldWriter()
    write(to: &fields)
    return fields.finish(unknown: unknown)
  }
}

/// Records of one table, and the number of damaged ones, which remain in the file.
struct RecordList<Record: Sendable>: Sendable {
  var records: [Record] = []
  var damaged = 0
}

extension Transaction {
  /// Loads a record; nil if it is missing or damaged.
  func record<R: StoredRecord>(_: R.Type, _ key: [UInt8]) throws(DatabaseFailure) -> R? {
    guard let value = try get(tables[keyPath: R.table], key) else { return nil }
    return key.withUnsafeBytes { R.decode(key: $0, value: value) }
  }

  func put<R: StoredRecord>(_ record: R) throws(DatabaseFailure) {
    let table = tables[keyPath: R.table]
    let key = record.key
    let unknown = try get(table, key).map { FieldCodec.unknown(in: $0, known: R.tags) } ?? []
    try put(table, key, record.encode(unknown: unknown))
  }

  /// Every record with a key that begins with `prefix`, in the order of the keys.
  func records<R: StoredRecord>(_: R.Type, prefix: [UInt8] = []) throws(DatabaseFailure) -> RecordList<R> {
    try withCursor(tables[keyPath: R.table]) { cursor throws(DatabaseFailure) in
      var list = RecordList<R>()
      var entry = prefix.isEmpty ? try cursor.first() : try cursor.seek(prefix)
      while let found = entry, found.key.starts(with: prefix) {
        if let record = R.decode(found) { list.records.append(record) } else { list.damaged += 1 }
        entry = try cursor.next()
      }
      return list
    }
  }

  /// The `limit` records with the highest keys, or the highest below a key, in descending order.
  func latest<R: StoredRecord>(_: R.Type, limit: Int, below key: [UInt8]? = nil) throws(DatabaseFailure) -> RecordList<
    R
  > {
    try withCursor(tables[keyPath: R.table]) { cursor throws(DatabaseFailure) in
      var list = RecordList<R>()
      if limit <= 0 { return list }
      let isAbove = try key.map { (key) throws(DatabaseFailure) in try cursor.seek(key) != nil } ?? false
      var entry = isAbove ? try cursor.previous() : try cursor.last()
      while let found = entry, list.records.count < limit {
        if let record = R.decode(found) { list.records.append(record) } else { list.damaged += 1 }
        entry = try cursor.previous()
      }
      return list
    }
  }

  /// The number above the highest among the keys of `table`; 1 for an empty one.
  func nextNumber(_ table: UInt32) throws(DatabaseFailure) -> UInt64 {
    let last = try withCursor(table) { cursor throws(DatabaseFailure) in try cursor.last()?.sequence ?? 0 }
    return last == .max ? .max : last + 1
  }

  /// Deletes records from the low end until `limit` remain, at most `giveWayLimit` at a time. After a limit was
  /// lowered, a large table shrinks step by step.
  func giveWay(_ table: UInt32, limit: Int, _ deleting: (Cursor.Entry) throws(DatabaseFailure) -> Void = { _ in })
    throws(DatabaseFailure)
  {
    let surplus = min(entries(table) - limit, Self.giveWayLimit)
    if surplus <= 0 { return }
    for _ in 0..<surplus {
      let key: [UInt8]? = try withCursor(table) { cursor throws(DatabaseFailure) in
        guard let oldest = try cursor.first() else { return nil }
        let key = Array(oldest.key)
        try deleting(oldest)
        return key
      }
      guard let key else { return }
      try delete(table, key)
    }
  }

  private static var giveWayLimit: Int { 16 }
}

/// Limits of the tables that delete their oldest records. A small store has lower limits, so that these tables take at
/// most about a twentieth of it.
struct TableLimits: Sendable, Equatable {
  /// Limit of a list: a hundred records are a screen, and this many are read in milliseconds.
  static let listLimit = 10_000

  var receipts = 20_000
  var visits = 10_000
  var events = 10_000
  /// Some 150 bytes each: 120 days of thirty wearables that two users read by one method each.
  var accesses = 8192
  /// Limits for all wearables together, and for one.
  var custody = 65_536
  var custodyOfWearable = 1024
  /// Pages of staged bytes, of items that are not yet whole: 32 MiB, an eighth of a small store.
  var stagedPages = 8192

  init() {}

  /// - Parameter sizeBytes: the bound of `data.mdb`.
  init(sizeBytes: Int) {
    let share = max(64, sizeBytes / 16_384)
    receipts = min(receipts, share)
    visits = min(visits, share)
    events = min(events, share)
    accesses = min(accesses, share / 2)
    custody = min(custody, 2 * share)
    custodyOfWearable = min(custodyOfWearable, share)
    stagedPages = min(stagedPages, max(64, sizeBytes / 32_768))
  }
}
