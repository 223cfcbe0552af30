// Free pages overwritten with zeros in the file: LMDB leaves deleted data in them until it uses them again.

internal import CLMDB
internal import Glibc

/// Progress and result of one pass over free pages.
struct FreedPages: Sendable {
  /// Page numbers that one step looks at: 16 MiB of a file of 4 KiB pages, a second or two of a slow card.
  static let step = 4096

  /// The last transaction of which freed pages are overwritten.
  let through: UInt64
  /// The page at which the next step begins; nil when all were looked at.
  var next: Int? = 2
  /// Pages that were overwritten because they were not all zeros.
  var overwritten = 0
  /// Pages that a reader may still see and that were therefore left unchanged.
  var held = 0

  init(through: UInt64) { self.through = through }
}

extension Environment {
  /// The number of the newest transaction.
  var latestTransaction: UInt64 {
    var info = MDB_envinfo()
    guard let handle, mdb_env_info(handle, &info) == 0 else { return 0 }
    return UInt64(info.me_last_txnid)
  }

  /// Overwrites the next free pages. LMDB never reads a free page, so a kill or a power cut at any moment leaves the
  /// store whole.
  ///
  /// Called outside any transaction, while there is no other writer. A page that transaction `n` freed is in no
  /// snapshot from `n` on. Therefore it may be overwritten once no reader has an older snapshot. The same holds for the
  /// root before the newest, to which a power cut may lead back.
  func overwriteFreed(_ pass: inout FreedPages) throws(DatabaseFailure) {
    guard let handle, spoilt == nil, let first = pass.next else {
      throw DatabaseFailure(call: "overwriting free pages", code: EBADF)
    }
    var descriptor: Int32 = -1
    try check(mdb_env_get_fd(handle, &descriptor), "mdb_env_get_fd")
    let window = first..<(first + FreedPages.step)
    let free = try freePages(window, through: pass.through)
    pass.held += free.held
    pass.next = window.upperBound < free.end ? window.upperBound : nil
    var buffer = [UInt8](repeating: 0, count: pageSize)
    let zeros = buffer
    var isChanged = false
    for page in free.pages {
      let place = page * pageSize
      // The file may be shorter than its last page says.
      if pread(descriptor, &buffer, pageSize, place) != pageSize { continue }
      if buffer.allSatisfy({ $0 == 0 }) { continue }
      let count = pwrite(descriptor, zeros, pageSize, place)
      if count != pageSize { throw refused(count < 0 ? errno : EIO) }
      isChanged = true
      pass.overwritten += 1
    }
    if isChanged, fdatasync(descriptor) != 0 { throw refused(errno) }
  }

  /// The failure of a write. The kernel reports only once that data did not reach the disk, and it may be a commit's.
  private func refused(_ code: Int32) -> DatabaseFailure {
    let failure = DatabaseFailure(call: "overwriting free pages", code: code)
    spoilt = failure
    return failure
  }

  /// Pages of the free list that lie in `window`.
  ///
  /// - Returns: free pages that no snapshot contains, in order. The number of other pages that transactions up to
  ///   `through` freed. The end of the file's pages.
  private func freePages(_ window: Range<Int>, through: UInt64) throws(DatabaseFailure) -> (
    pages: [Int], held: Int, end: Int
  ) {
    var info = MDB_envinfo()
    guard let handle else { return ([], 0, 0) }
    return try read { transaction throws(DatabaseFailure) in
      try check(mdb_env_info(handle, &info), "mdb_env_info")
      let latest = UInt64(mdb_txn_id(transaction.handle))
      let bound = min(latest - min(latest, 1), oldestReader ?? .max)
      var cursor: OpaquePointer?
      // The tree of free pages has number 0, as mdb_stat opens it.
      try check(mdb_cursor_open(transaction.handle, 0, &cursor), "mdb_cursor_open")
      defer { mdb_cursor_close(cursor) }
      var found: (pages: [Int], held: Int) = ([], 0)
      var (key, value) = (MDB_val(), MDB_val())
      while true {
        let code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
        if code == MDB_NOTFOUND { break }
        try check(code, "mdb_cursor_get")
        guard key.mv_size == 8, value.mv_size >= 8, let by = key.mv_data, let list = value.mv_data else { continue }
        let number = by.loadUnaligned(as: UInt64.self)
        let count = min(list.loadUnaligned(as: UInt64.self), UInt64(value.mv_size / 8 - 1))
        for index in 0..<Int(count) {
          let page = list.loadUnaligned(fromByteOffset: 8 + index * 8, as: UInt64.self)
          guard page >= 2, page <= UInt64(info.me_last_pgno), window.contains(Int(clamping: page)) else { continue }
          if number <= bound { found.pages.append(Int(page)) } else if number <= through { found.held += 1 }
        }
      }
      return (found.pages.sorted(), found.held, Int(clamping: info.me_last_pgno) + 1)
    }
  }
}
