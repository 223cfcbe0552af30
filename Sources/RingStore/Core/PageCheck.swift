// Checks before a start's first write of what LMDB trusts without checking. That is the page counts in its roots, the
// number on each page, and the list of free pages. A flipped bit in these would make the hub delete samples although
// there is room, or overwrite pages in use.

internal import CLMDB
internal import Glibc
internal import Reasons

enum PageCheck {
  /// Walks all trees of the newer root. Counts that differ from the trees are written again, because they follow from
  /// the trees alone. Any other fault is reported and left unchanged.
  ///
  /// The caller holds the store's lock, and no other process has the file open for writing. Reads what `PageWalk`
  /// reads.
  ///
  /// - Parameter size: bytes that the file may have.
  /// - Returns: which counts were wrong; nil if all were correct or there is no file yet.
  /// - Throws: `MDB_CORRUPTED` with what is wrong, or the disk's error.
  static func run(_ path: String, size: Int) throws(DatabaseFailure) -> String? {
    let name = path + "/data.mdb"
    let descriptor = open(name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    if descriptor < 0 {
      if errno == ENOENT { return nil }
      throw DatabaseFailure(call: name, code: errno)
    }
    defer { close(descriptor) }
    var status = stat()
    if fstat(descriptor, &status) != 0 { throw DatabaseFailure(call: name, code: errno) }
    if status.st_size == 0 { return nil }
    do throws(PageFault) {
      let file = try PageFile(descriptor)
      let (walk, lastPage) = try walk(file, size: size)
      let wrong = try mend(file, walk, lastPage)
      if !wrong.isEmpty, fsync(descriptor) != 0 { throw .unread(errno) }
      return wrong.isEmpty ? nil : wrong.joined(separator: "; ")
    } catch {
      throw DatabaseFailure(error, name)
    }
  }

  /// Checks the file without writing.
  ///
  /// - Returns: what is wrong.
  static func findings(_ path: String, size: Int) -> [String] {
    let name = path + "/data.mdb"
    let descriptor = open(name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    if descriptor < 0 { return [] }
    defer { close(descriptor) }
    do throws(PageFault) {
      let file = try PageFile(descriptor)
      let (walk, lastPage) = try walk(file, size: size)
      return miscounts(walk, lastPage)
    } catch {
      switch error {
      case .broken(let what): return [what]
      case .unread(let code): return ["cannot be read: \(String(cString: strerror(code)))"]
      }
    }
  }

  /// The fault of a table with other flags than ours.
  static let otherKind = "is a table of another kind"

  /// Tables that cannot be walked. LMDB would follow their faults, even beyond the end of the file, which ends the
  /// process. Reads the pages of their trees, some 24 MB of a usual store of 1.5 GB.
  ///
  /// - Parameter names: of the tables to check.
  /// - Returns: what is wrong, by the name of the table.
  /// - Throws: `MDB_CORRUPTED` if even the tree of tables cannot be read, or the disk's error.
  static func broken(_ path: String, among names: Set<String>) throws(DatabaseFailure) -> [String: String] {
    let name = path + "/data.mdb"
    let descriptor = open(name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    if descriptor < 0 { throw DatabaseFailure(call: name, code: errno) }
    defer { close(descriptor) }
    do throws(PageFault) {
      let file = try PageFile(descriptor)
      let root = try roots(file).newer
      try refuseStranger(root)
      var tables = PageWalk(file, root: root, pages: 0)
      try tables.runTables()
      var broken: [String: String] = [:]
      for table in tables.named where names.contains(table.name) {
        // LMDB would compare the table's keys as these flags say.
        if table.record.flags != 0 {
          broken[table.name] = otherKind
          continue
        }
        var walk = PageWalk(file, root: root, pages: 0)
        do throws(PageFault) { try walk.run(table) } catch {
          guard case .broken(let what) = error else { throw error }
          broken[table.name] = what
        }
      }
      return broken
    } catch {
      throw DatabaseFailure(error, name)
    }
  }

  /// Refuses a root on the wrong page: LMDB selects the root by the last bit of the transaction's number.
  private static func refuseStranger(_ root: RootPage) throws(PageFault) {
    // A new file has 0 in both roots.
    if root.transaction > 0, root.transaction & 1 != UInt64(root.number) {
      throw .broken("has a root with the number of another")
    }
  }

  /// The root that LMDB takes as the newer one, and the other.
  static func roots(_ file: PageFile) throws(PageFault) -> (newer: RootPage, older: RootPage) {
    let (first, second) = (try RootPage(file, 0), try RootPage(file, 1))
    return first.transaction < second.transaction ? (second, first) : (first, second)
  }

  /// Walks the newer root.
  ///
  /// - Returns: the walk, and the last page that is in use or free.
  private static func walk(_ file: PageFile, size: Int) throws(PageFault) -> (PageWalk, lastPage: UInt64) {
    let (root, older) = try roots(file)
    try refuseStranger(root)
    let stated = Int(clamping: root.lastPage &+ 1)
    var walk = PageWalk(file, root: root, pages: min(stated, size / file.pageSize + PageReserve.of(0)))
    try walk.run()
    let names = walk.trees.filter { $0.kind == .table }.map(\.name)
    for name in Tables.names where !names.contains(name) {
      if let other = Tables.misnamed(name, names) { throw .broken("names its table \(name) \(other)") }
    }
    if walk.lastFreeing > root.transaction { throw .broken("has free pages of a transaction to come") }
    if let page = walk.reached.common(walk.free) { throw .broken("has page \(page) free and in use") }
    // With one flipped bit in the number of a root, LMDB would go on from the older one. The root that freed pages
    // last is the newer one. For a root that a scrub overwrote this cannot be decided.
    var other = PageWalk(file, root: older, pages: max(walk.reached.count, file.pages))
    if (try? other.run(all: false)) != nil, other.lastFreeing > walk.lastFreeing {
      throw .broken("has a newer root that is called the older one")
    }
    return (walk, UInt64(max(1, walk.reached.last ?? 1, walk.free.last ?? 1)))
  }

  private static func miscounts(_ walk: PageWalk, _ lastPage: UInt64) -> [String] {
    var wrong: [String] = []
    for tree in walk.trees where tree.stated != tree.found {
      wrong.append("\(tree.name): \(tree.stated.text) were stated, there are \(tree.found.text)")
    }
    let stated = walk.root.lastPage
    if walk.root.mapSize > RootPage.mapLimit { wrong.append("\(walk.root.mapSize) bytes were stated as its bound") }
    if stated != lastPage { wrong.append("page \(stated) was stated as the last, which is \(lastPage)") }
    return wrong
  }

  private static func mend(_ file: PageFile, _ walk: PageWalk, _ lastPage: UInt64) throws(PageFault) -> [String] {
    let wrong = miscounts(walk, lastPage)
    for tree in walk.trees where tree.stated != tree.found {
      try file.write(tree.found.bytes, at: tree.place + TreeCounts.place)
    }
    if walk.root.mapSize > RootPage.mapLimit {
      var bytes: [UInt8] = []
      bytes.append(littleEndian: UInt64(file.pages * file.pageSize))
      try file.write(bytes, at: walk.root.place + RootPage.mapSize)
    }
    if walk.root.lastPage != lastPage {
      var bytes: [UInt8] = []
      bytes.append(littleEndian: lastPage)
      try file.write(bytes, at: walk.root.place + RootPage.lastPage)
    }
    return wrong
  }
}

extension DatabaseFailure {
  init(_ fault: PageFault, _ file: String) {
    switch fault {
    case .broken(let what): self.init(call: "\(file) \(what)", code: MDB_CORRUPTED)
    case .unread(let code): self.init(call: file, code: code)
    }
  }

  /// The failure for a table count above the file's pages: never a reason to delete samples.
  static func miscounted(used: Int, free: Int, of pages: Int) -> DatabaseFailure {
    DatabaseFailure(
      call: "its tables count \(used) pages in use and \(free) free, the file has \(pages)", code: MDB_CORRUPTED)
  }
}
