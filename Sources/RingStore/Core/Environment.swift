// The LMDB environment: the only file of the package that sees LMDB's pointers.

internal import CLMDB
internal import Glibc

/// The tables of a store. A table that a store of an earlier format lacks, and that a reader cannot make, is 0 and
/// reads as empty.
struct Tables {
  var meta: MDB_dbi = 0
  var registry: MDB_dbi = 0
  var journal: MDB_dbi = 0
  var rings: MDB_dbi = 0
  var chunks: MDB_dbi = 0
  var wearers: MDB_dbi = 0
  var assignments: MDB_dbi = 0
  var cursors: MDB_dbi = 0
  var readers: MDB_dbi = 0
  var bonds: MDB_dbi = 0
  var receipts: MDB_dbi = 0
  var batches: MDB_dbi = 0
  var visits: MDB_dbi = 0
  var events: MDB_dbi = 0
  var quarantine: MDB_dbi = 0
  var custody: MDB_dbi = 0
  var staged: MDB_dbi = 0
  var hubState: MDB_dbi = 0
  var driverState: MDB_dbi = 0
  var accesses: MDB_dbi = 0
  var erasures: MDB_dbi = 0
  var corrections: MDB_dbi = 0
  var watermarks: MDB_dbi = 0
  /// Tables that exist, in no order: a sum over them is made in every transaction, for which key paths take too
  /// long.
  private(set) var present: [MDB_dbi] = []

  mutating func name(_ field: WritableKeyPath<Tables, MDB_dbi>, _ number: MDB_dbi) {
    self[keyPath: field] = number
    present.append(number)
  }

  /// The first three are those of format 1.
  static let named: [(name: String, field: any WritableKeyPath<Tables, MDB_dbi> & Sendable)] = [
    ("meta", \.meta), ("registry", \.registry), ("journal", \.journal), ("rings", \.rings), ("chunks", \.chunks),
    ("wearers", \.wearers), ("assignments", \.assignments), ("cursors", \.cursors), ("readers", \.readers),
    ("bonds", \.bonds), ("receipts", \.receipts), ("batches", \.batches), ("visits", \.visits),
    ("events", \.events), ("quarantine", \.quarantine), ("custody", \.custody), ("staged", \.staged),
    ("hub-state", \.hubState), ("driver-state", \.driverState), ("accesses", \.accesses),
    ("erasures", \.erasures), ("corrections", \.corrections), ("watermarks", \.watermarks),
  ]
  static let namedInFormat1 = 3
  static let names = Set(named.map(\.name))
  static let allButMeta = names.subtracting(["meta"])

  /// Values of these tables never have more than a page (FORMAT.md).
  func isOnePage(_ table: MDB_dbi) -> Bool { table == journal || table == chunks || table == staged }
}

/// An open LMDB environment.
///
/// Threads: LMDB serialises writers itself, and with MDB_NOTLS a read transaction belongs to its handle, not to its
/// thread. The loop reads while the disk thread writes; both may hold this object. `close` is called when neither is
/// inside a transaction.
final class Environment: @unchecked Sendable {
  enum Mode {
    case writer
    /// Read-only, seen by writers in the reader table.
    case reader
    /// Read-only, without creating or changing a file: for inspecting a possibly foreign store, and for a reader that
    /// may not write `lock.mdb`.
    case traceless
  }

  /// Slots of LMDB's reader table: the daemon holds one at a time, each `hearth` that reads a store beside it one more.
  static let readers: UInt32 = 32

  /// Samples are personal: others may not read them; a technician does through the hub's group.
  static let fileMode: mode_t = 0o640
  /// Room for the table's head and 32 slots of 64 bytes; LMDB makes as many slots as fit.
  static let readerTableSize = 4096

  static func readerTable(_ path: String) -> String { path + "/lock.mdb" }

  private(set) var handle: OpaquePointer?
  let pageSize: Int
  /// Pages of the mapping: the file never has more.
  private(set) var pageLimit: Int
  private(set) var tables = Tables()
  /// `none`: no checksum covers a place yet.
  var number = StoreNumber.none
  let mapping: FileMapping
  /// Chunks of the journal that only the journal file has.
  let tail = JournalTail()
  private let mode: Mode
  /// Largest size of `data.mdb` seen, in bytes. Never decreases.
  private(set) var fileSizeSeen = 0
  /// Counts of its pages that were found wrong before it was opened, and written again (`PageCheck`).
  var miscounts: String?
  /// Records that were taken out of a damaged file or restored from their copy before it was opened; empty: there
  /// was no need.
  var rescued = ""
  /// Failure that stops all writing until the environment is opened again: commits already queued must not build on it.
  var spoilt: DatabaseFailure?

  /// `size` and `newPages`, the page size of a store that is not there yet, only matter to a writer. Takes no lock of
  /// ours and reads no page but the two roots.
  init(path: String, size: Int, mode: Mode, newPages: Int = StorePages.size) throws(DatabaseFailure) {
    try refuseLinks(path)
    let page = sysconf(Int32(_SC_PAGESIZE))
    let mapSize = size / page * page
    if mode == .writer { try StorePages.prepare(path, mapSize: mapSize, pageSize: newPages) }
    var handle: OpaquePointer?
    try check(mdb_env_create(&handle), "mdb_env_create")
    do {
      try check(mdb_env_set_maxdbs(handle, UInt32(Tables.named.count + 2)), "mdb_env_set_maxdbs")
      try check(mdb_env_set_maxreaders(handle, Self.readers), "mdb_env_set_maxreaders")
      let flags: Int32
      switch mode {
      case .writer:
        // The root's wait is `prove`.
        flags = MDB_NOMETASYNC
        try check(mdb_env_set_mapsize(handle, mapSize), "mdb_env_set_mapsize")
      case .reader: flags = MDB_RDONLY
      case .traceless: flags = MDB_RDONLY | MDB_NOLOCK
      }
      try check(mdb_env_open(handle, path, UInt32(flags | MDB_NOTLS), Self.fileMode), "mdb_env_open")
      var info = MDB_envinfo()
      var stat = MDB_stat()
      try check(mdb_env_info(handle, &info), "mdb_env_info")
      try check(mdb_env_stat(handle, &stat), "mdb_env_stat")
      pageSize = Int(stat.ms_psize)
      pageLimit = info.me_mapsize / pageSize
      mapping = FileMapping(pageSize: pageSize)
      self.mode = mode
    } catch {
      mdb_env_close(handle)
      throw error
    }
    self.handle = handle
    if mode == .writer {
      // Slots of readers that died without leaving pin old pages.
      var dead: Int32 = 0
      mdb_reader_check(handle, &dead)
    }
  }

  deinit { close() }

  func close() {
    if let handle { mdb_env_close(handle) }
    handle = nil
  }

  /// The length the file must have to hold every page its roots know.
  var lengthKnown: Int {
    var info = MDB_envinfo()
    guard let handle, mdb_env_info(handle, &info) == 0 else { return 0 }
    let (length, overflow) = (info.me_last_pgno &+ 1).multipliedReportingOverflow(by: pageSize)
    return overflow || length < 0 ? .max : length
  }

  /// Length of `data.mdb`.
  var fileSize: Int {
    var descriptor: Int32 = -1
    var status = stat()
    guard let handle, mdb_env_get_fd(handle, &descriptor) == 0, fstat(descriptor, &status) == 0 else { return 0 }
    return Int(status.st_size)
  }

  /// Extends the file to the length that its roots state. A shorter file lost its tail. Reading beyond the end of a
  /// mapped file would kill the process; reading zeros is an error like any other.
  ///
  /// Asks the kernel only when the roots know more than was seen before, as asking has a cost. Since Linux 6.13, a file
  /// gets new times with the first write after they were read. Otherwise many writes in one tick share their times.
  /// ext4 without a journal then also writes the inode, before `fdatasync` returns.
  func extendToLengthKnown() {
    var descriptor: Int32 = -1
    let length = lengthKnown
    guard length > fileSizeSeen, let handle, mdb_env_get_fd(handle, &descriptor) == 0 else { return }
    if fileSize < length { _ = ftruncate(descriptor, length) }
    fileSizeSeen = fileSize
  }

  /// Lets the file grow by so many pages. No transaction may be open.
  func widen(by pages: Int) throws(DatabaseFailure) {
    try check(mdb_env_set_mapsize(handle, (pageLimit + pages) * pageSize), "mdb_env_set_mapsize")
    pageLimit += pages
    try locate()
  }

  private func locate() throws(DatabaseFailure) {
    if tables.meta == 0 { return }
    try read { transaction throws(DatabaseFailure) in
      if let mark = try transaction.get(transaction.tables.meta, FormatMark.key) {
        mapping.locate(mark, pages: pageLimit)
      }
    }
  }

  /// Names the tables. With a format mark, or asked to, it makes those that are missing; and leaves the mark, in one
  /// durable step. `broken` ones are left out, and read as empty.
  func openTables(mark: [UInt8]? = nil, creating: Bool = false, without broken: Set<String> = [])
    throws(DatabaseFailure)
  {
    let creates = creating || mark != nil
    let flags = UInt32(creates ? MDB_CREATE : 0)
    let transaction = try begin(readOnly: !creates)
    do {
      var tables = Tables()
      for (index, table) in Tables.named.enumerated() where !broken.contains(table.name) {
        var number: MDB_dbi = 0
        let code = mdb_dbi_open(transaction.handle, table.name, flags, &number)
        if code == MDB_NOTFOUND, !creates, index >= Tables.namedInFormat1 { continue }
        try check(code, "mdb_dbi_open")
        tables.name(table.field, number)
      }
      if let mark { try transaction.put(tables.meta, FormatMark.key, mark) }
      self.tables = tables
    } catch {
      mdb_txn_abort(transaction.handle)
      throw error
    }
    // Committing makes the handles outlive the transaction, even if it only read.
    try check(mdb_txn_commit(transaction.handle), "mdb_txn_commit")
    if creates { try prove() }
    try locate()
    try learnNumber()
  }

  func read<T>(_ body: (Transaction) throws(DatabaseFailure) -> T) throws(DatabaseFailure) -> T {
    let transaction = try begin(readOnly: true)
    defer { mdb_txn_abort(transaction.handle) }
    return try body(transaction)
  }

  /// Runs one transaction, which is durable on return. `leavesRoot` is asked when only the wait for the root remains.
  /// If it says true, the transaction becomes durable when `prove` or a later transaction has returned.
  ///
  /// If it throws, the store is unchanged, with one exception (`DatabaseFailure.isOfRoots`): roots of unknown state may
  /// have reached the disk. A repeated write must then find that the data are there.
  func write<T>(leavesRoot: () -> Bool, _ body: (Transaction) throws(DatabaseFailure) -> T) throws(DatabaseFailure) -> (
    result: T, isRootLeft: Bool
  ) {
    if let spoilt { throw spoilt }
    do throws(DatabaseFailure) {
      let result = try transact(body)
      let isLeft = leavesRoot()
      if !isLeft { try prove() }
      return (result, isLeft)
    } catch {
      // What was written before it failed may have made the file longer.
      fileSizeSeen = 0
      if error.spoilsCache { spoilt = error }
      throw error
    }
  }

  /// Durable when it returns.
  func write<T>(_ body: (Transaction) throws(DatabaseFailure) -> T) throws(DatabaseFailure) -> T {
    try write(leavesRoot: { false }, body).result
  }

  static let proving = "mdb_env_sync"

  /// Waits until the roots of the last transaction are on the disk.
  ///
  /// LMDB waits for a transaction's pages before it writes the root that names them. Waiting for the root as well is
  /// left to the caller (MDB_NOMETASYNC), because the wait for the next transaction's pages includes it. The file is
  /// consistent without that wait: if a root is lost, the previous one holds, and no transaction has touched its pages
  /// yet.
  func prove() throws(DatabaseFailure) {
    if let spoilt { throw spoilt }
    guard let handle else { throw DatabaseFailure(call: Self.proving, code: EBADF) }
    let code = mdb_env_sync(handle, 1)
    if code == 0 { return }
    let failure = DatabaseFailure(call: Self.proving, code: code)
    spoilt = failure
    throw failure
  }

  private func transact<T>(_ body: (Transaction) throws(DatabaseFailure) -> T) throws(DatabaseFailure) -> T {
    let transaction = try begin(readOnly: false)
    let result: T
    do { result = try body(transaction) } catch {
      mdb_txn_abort(transaction.handle)
      throw error
    }
    try check(mdb_txn_commit(transaction.handle), "mdb_txn_commit")
    return result
  }

  func begin(readOnly: Bool) throws(DatabaseFailure) -> Transaction {
    guard let handle else { throw DatabaseFailure(call: "mdb_txn_begin", code: EBADF) }
    // Before the transaction begins: see `JournalTail`.
    let tail = tail.chunks
    var transaction: OpaquePointer?
    try check(mdb_txn_begin(handle, nil, UInt32(readOnly ? MDB_RDONLY : 0), &transaction), "mdb_txn_begin")
    guard let transaction else { throw DatabaseFailure(call: "mdb_txn_begin", code: EINVAL) }
    return Transaction(handle: transaction, tables: tables, mapping: mapping, number: number, tail: tail)
  }
}
