// What is done inside an environment: transactions, places in tables.

internal import CLMDB
internal import Glibc

/// A transaction. Bytes it returns belong to LMDB and live until it ends or writes.
struct Transaction {
  let handle: OpaquePointer
  let tables: Tables
  let mapping: FileMapping
  /// Number that was drawn for the store.
  let number: StoreNumber
  /// Chunks in the journal file when the transaction began; `tailBehindTable` has those that are in no table.
  let tail: [TailChunk]

  func get(_ table: MDB_dbi, _ key: [UInt8]) throws(DatabaseFailure) -> UnsafeRawBufferPointer? {
    guard let value = try find(table, key) else { return nil }
    return mapping.isMisplaced(value, handle) ? Self.nothing : value
  }

  /// Stands for a value on a page that changed places with another one: no checksum fits it.
  static var nothing: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

  /// Finds a value as it lies in the file, wherever its page belongs.
  func find(_ table: MDB_dbi, _ key: [UInt8]) throws(DatabaseFailure) -> UnsafeRawBufferPointer? {
    if table == 0 { return nil }
    var value = MDB_val()
    let code = withValue(key) { key in mdb_get(handle, table, &key, &value) }
    if code == MDB_NOTFOUND { return nil }
    try check(code, "mdb_get")
    return UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
  }

  /// A number that was drawn once and is never 0: the value of a key of `meta` (u64).
  func drawnNumber(_ key: [UInt8]) throws(DatabaseFailure) -> UInt64? {
    guard let bytes = try get(tables.meta, key), bytes.count == 8 else { return nil }
    var reader = StoredReader(bytes)
    return reader.integer(UInt64.self).flatMap { $0 == 0 ? nil : $0 }
  }

  func put(drawnNumber number: UInt64, _ key: [UInt8]) throws(DatabaseFailure) {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: number)
    try put(tables.meta, key, bytes)
  }

  func put(_ table: MDB_dbi, _ key: [UInt8], _ bytes: [UInt8]) throws(DatabaseFailure) {
    try checkHead(table, key)
    let code = withValue(key) { key in withValue(bytes) { value in mdb_put(handle, table, &key, &value, 0) } }
    try check(code, "mdb_put")
  }

  func delete(_ table: MDB_dbi, _ key: [UInt8]) throws(DatabaseFailure) {
    try checkHead(table, key)
    let code = withValue(key) { key in mdb_del(handle, table, &key, nil) }
    if code != MDB_NOTFOUND { try check(code, "mdb_del") }
  }

  /// Checks the head of the existing value if that is a long one (`FileMapping.checkHead`).
  private func checkHead(_ table: MDB_dbi, _ key: [UInt8]) throws(DatabaseFailure) {
    guard let value = try find(table, key) else { return }
    try mapping.checkHead(of: value, isOnePage: tables.isOnePage(table), handle)
  }

  /// Appends behind the last key of the journal. False if that key, or a later one, exists already: no chunk is written
  /// twice.
  func append(_ sequence: UInt64, _ bytes: UnsafeRawBufferPointer) throws(DatabaseFailure) -> Bool {
    var big = sequence.bigEndian
    let code = withUnsafeMutableBytes(of: &big) { key in
      var key = MDB_val(mv_size: 8, mv_data: key.baseAddress)
      var value = MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
      return mdb_put(handle, tables.journal, &key, &value, UInt32(MDB_APPEND | MDB_NOOVERWRITE))
    }
    if code == MDB_KEYEXIST { return false }
    try check(code, "mdb_put")
    return true
  }

  func withCursor<T>(_ table: MDB_dbi, _ body: (Cursor) throws(DatabaseFailure) -> T) throws(DatabaseFailure) -> T {
    if table == 0 { return try body(Cursor(handle: nil, transaction: self, isOnePage: false)) }
    var cursor: OpaquePointer?
    try check(mdb_cursor_open(handle, table, &cursor), "mdb_cursor_open")
    guard let cursor else { throw DatabaseFailure(call: "mdb_cursor_open", code: EINVAL) }
    defer { mdb_cursor_close(cursor) }
    return try body(Cursor(handle: cursor, transaction: self, isOnePage: tables.isOnePage(table)))
  }

  /// Removes all entries with this prefix of the key.
  func removeAll(_ tables: [MDB_dbi], prefix: [UInt8]) throws(DatabaseFailure) {
    for table in tables {
      try withCursor(table) { cursor throws(DatabaseFailure) in
        while let found = try cursor.seek(prefix), found.key.starts(with: prefix) { try cursor.delete() }
      }
    }
  }

  func entries(_ table: MDB_dbi) -> Int {
    var stat = MDB_stat()
    return table != 0 && mdb_stat(handle, table, &stat) == 0 ? Self.believed(stat.ms_entries) : 0
  }

  /// A count that a root states, without a checksum: sums of some hundred of them, in bytes, fit 63 bits. A table has
  /// fewer entries, and a file fewer pages: 256 TiB of 4 KiB each.
  static func believed(_ count: Int) -> Int { min(max(count, 0), 1 << 36) }

  /// Pages that hold something: the two roots, the table of free pages (0), the table of tables (1) and ours. All
  /// others are free, or become so two commits later.
  var pagesUsed: Int {
    // The two roots, and tables 0 (free pages) and 1 (named tables).
    var pages = 2 + pages(of: 0) + pages(of: 1)
    for table in tables.present { pages += self.pages(of: table) }
    return pages
  }
}

extension Transaction {
  /// Pages that the list of free ones names. Only of a reading: LMDB lets no writer look at it.
  var freePages: Int {
    get throws(DatabaseFailure) {
      var cursor: OpaquePointer?
      try check(mdb_cursor_open(handle, 0, &cursor), "mdb_cursor_open")
      guard let cursor else { throw DatabaseFailure(call: "mdb_cursor_open", code: EINVAL) }
      defer { mdb_cursor_close(cursor) }
      let list = Cursor(handle: cursor, transaction: self, isOnePage: false)
      var pages = 0
      var entry = try list.first()
      while let found = entry {
        if found.value.count >= 8 {
          pages = Self.believed(pages + Self.believed(Int(clamping: found.value.loadUnaligned(as: UInt64.self))))
        }
        entry = try list.next()
      }
      return pages
    }
  }
}

/// A place in a table; nowhere in one that does not exist.
struct Cursor {
  let handle: OpaquePointer?
  let transaction: Transaction
  /// True if no value of the table has more than one page.
  let isOnePage: Bool

  struct Entry {
    let key: UnsafeRawBufferPointer
    let value: UnsafeRawBufferPointer

    /// The sequence number of a journal entry; nil if the key is not 8 bytes long.
    var sequence: UInt64? { key.count == 8 ? UInt64(bigEndian: key.loadUnaligned(as: UInt64.self)) : nil }
  }

  func first() throws(DatabaseFailure) -> Entry? { try move(MDB_FIRST) }
  func last() throws(DatabaseFailure) -> Entry? { try move(MDB_LAST) }
  func next() throws(DatabaseFailure) -> Entry? { try move(MDB_NEXT) }
  func previous() throws(DatabaseFailure) -> Entry? { try move(MDB_PREV) }

  /// The first journal entry at or after `sequence`.
  func seek(_ sequence: UInt64) throws(DatabaseFailure) -> Entry? {
    let (code, key, value) = withUnsafeBytes(of: sequence.bigEndian) { find($0) }
    return try entry(code, key, value)
  }

  /// The first entry at `key` or behind it.
  func seek(_ key: [UInt8]) throws(DatabaseFailure) -> Entry? {
    let (code, key, value) = key.withUnsafeBytes { find($0) }
    return try entry(code, key, value)
  }

  /// The first entry behind `key`; the very first for nil.
  func after(_ key: [UInt8]?) throws(DatabaseFailure) -> Entry? {
    guard let key else { return try first() }
    return try seek(key + [0])
  }

  private func find(_ key: UnsafeRawBufferPointer) -> (Int32, MDB_val, MDB_val) {
    guard let handle else { return (MDB_NOTFOUND, MDB_val(), MDB_val()) }
    var found = MDB_val(mv_size: key.count, mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress))
    var value = MDB_val()
    let code = mdb_cursor_get(handle, &found, &value, MDB_SET_RANGE)
    return (code, found, value)
  }

  /// The last entry before `key`.
  func before(_ key: [UInt8]) throws(DatabaseFailure) -> Entry? {
    try seek(key) == nil ? try last() : try previous()
  }

  /// Deletes the entry the cursor is at.
  func delete() throws(DatabaseFailure) {
    if let found = try move(MDB_GET_CURRENT, looks: false) {
      try transaction.mapping.checkHead(of: found.value, isOnePage: isOnePage, transaction.handle)
    }
    try check(mdb_cursor_del(handle, 0), "mdb_cursor_del")
  }

  private func move(_ operation: MDB_cursor_op, looks: Bool = true) throws(DatabaseFailure) -> Entry? {
    guard let handle else { return nil }
    var key = MDB_val()
    var value = MDB_val()
    let code = mdb_cursor_get(handle, &key, &value, operation)
    return try entry(code, key, value, looks: looks)
  }

  /// - Parameter looks: whether the value's page is the one that leads to it.
  private func entry(_ code: Int32, _ key: MDB_val, _ value: MDB_val, looks: Bool = true) throws(DatabaseFailure)
    -> Entry?
  {
    if code == MDB_NOTFOUND { return nil }
    try check(code, "mdb_cursor_get")
    let bytes = UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
    let isMisplaced = looks && transaction.mapping.isMisplaced(bytes, transaction.handle)
    return Entry(
      key: UnsafeRawBufferPointer(start: key.mv_data, count: key.mv_size),
      value: isMisplaced ? Transaction.nothing : bytes)
  }
}

extension Transaction {
  /// The last page of the file that was ever used.
  var lastPage: Int {
    var info = MDB_envinfo()
    return mdb_env_info(mdb_txn_env(handle), &info) == 0 ? Self.believed(info.me_last_pgno) : 0
  }

  /// Pages of a table that do not hold values of their own: what leads to them.
  func pathPages(of table: MDB_dbi) -> Int {
    var stat = MDB_stat()
    return mdb_stat(handle, table, &stat) == 0
      ? Self.believed(stat.ms_branch_pages) + Self.believed(stat.ms_leaf_pages) : 0
  }

  func pages(of table: MDB_dbi) -> Int {
    var stat = MDB_stat()
    if mdb_stat(handle, table, &stat) != 0 { return 0 }
    return [stat.ms_branch_pages, stat.ms_leaf_pages, stat.ms_overflow_pages].reduce(0) { $0 + Self.believed($1) }
  }
}

/// LMDB takes keys and values as mutable pointers and does not change them.
private func withValue<T>(_ bytes: [UInt8], _ body: (inout MDB_val) -> T) -> T {
  bytes.withUnsafeBytes { buffer in
    var value = MDB_val(mv_size: buffer.count, mv_data: UnsafeMutableRawPointer(mutating: buffer.baseAddress))
    return body(&value)
  }
}
