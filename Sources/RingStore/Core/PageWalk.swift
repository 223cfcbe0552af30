// The trees of a store's file, page by page, as LMDB 0.9 lays them out (64 bits, little-endian). Finds the pages in
// use, and whether what LMDB trusts without checking is correct. Reads the file without LMDB.

internal import Glibc

/// Reasons why a walk ended: the fault of the file, or the errno of a failed read.
enum PageFault: Error {
  case broken(String)
  case unread(Int32)
}

/// A walk over every tree of the newer root. Reads each page of a tree once, level by level in the order of the file,
/// and only the necessary pages of long values. That is some 24 MB of a usual store of 1.5 GB.
struct PageWalk {
  static let header = 16
  static let noPage = UInt64.max
  /// CURSOR_STACK: the levels of a tree for which LMDB has room.
  private static let depthLimit: UInt16 = 32
  /// MDB_page.mp_flags on a disk: LMDB clears all others before it writes.
  static let (branchPage, leafPage, longPage): (UInt16, UInt16, UInt16) = (1, 2, 4)
  /// Tables with at most one page for each value (`Tables.isOnePage`). A long value's number of pages is on its first
  /// page, and may exceed what its length needs. In all other tables the walk reads it there.
  static let onePageTables: Set<String> = ["journal", "chunks", "staged"]

  /// A tree with the counts of its MDB_db and the counts found.
  struct Tree {
    enum Kind {
      /// The tree of free pages.
      case free
      /// The tree of the named tables.
      case tables
      case table
    }

    let kind: Kind
    let name: String
    /// Offset of the MDB_db in the file.
    let place: Int
    let stated: TreeCounts
    var found = TreeCounts()
    var isFree: Bool { kind == .free }
  }

  /// A page still to be read, and the span in which its keys must lie.
  private struct Waiting {
    let page: UInt64
    let tree: Int
    let depth: UInt16
    let low: [UInt8]?
    let high: [UInt8]?
  }

  /// An MDB_db in the file, with its name.
  struct NamedTree {
    let name: String
    let place: Int
    let record: TreeRecord
  }

  let file: PageFile
  let root: RootPage
  private(set) var trees: [Tree] = []
  /// Pages that a tree refers to, and those of them that belong to a tree itself, not to a long value.
  private(set) var reached: PageSet
  private(set) var treePages: PageSet
  /// Pages that the tree of free pages names.
  private(set) var free: PageSet
  /// Ends, for each long value: its last page and the bytes used of it. Only with `keepsEnds`.
  private(set) var ends: [(page: Int, used: Int)] = []
  private let keepsEnds: Bool
  /// The tables that `runTables` found.
  private(set) var named: [NamedTree] = []
  private var isShallow = false
  private var waiting: [Waiting] = []
  /// The newest transaction that freed pages; 0 if no transaction has.
  private(set) var lastFreeing: UInt64 = 0

  /// - Parameter pages: that the file may have at most; a page behind the file's end may only be free.
  init(_ file: PageFile, root: RootPage, pages: Int, keepsEnds: Bool = false) {
    self.file = file
    self.root = root
    self.keepsEnds = keepsEnds
    let count = max(file.pages, pages)
    reached = PageSet(count)
    treePages = PageSet(file.pages)
    free = PageSet(count)
  }

  /// - Parameter all: false for the tree of free pages alone.
  mutating func run(all: Bool = true) throws(PageFault) {
    try begin(.free, "free pages", at: root.place + RootPage.freeTree, root.freeTree, flags: TreeRecord.freeFlags)
    if all { try begin(.tables, "tables", at: root.place + RootPage.tables, root.tables, flags: 0) }
    try walk()
  }

  /// Walks the tree of tables alone.
  mutating func runTables() throws(PageFault) {
    isShallow = true
    try begin(.tables, "tables", at: root.place + RootPage.tables, root.tables, flags: root.tables.flags)
    try walk()
  }

  /// Walks one table alone.
  mutating func run(_ table: NamedTree) throws(PageFault) {
    try begin(.table, table.name, at: table.place, table.record, flags: table.record.flags)
    try walk()
  }

  private mutating func walk() throws(PageFault) {
    let page = UnsafeMutableRawBufferPointer.allocate(byteCount: file.pageSize, alignment: 8)
    defer { page.deallocate() }
    while !waiting.isEmpty {
      let level = waiting.sorted { $0.page < $1.page }
      waiting = []
      for next in level {
        try take(next.page, within: file.pages)
        treePages.insert(Int(next.page))
        try file.read(Int(next.page), into: page)
        try look(at: UnsafeRawBufferPointer(page), next)
      }
    }
  }

  private mutating func begin(
    _ kind: Tree.Kind, _ name: String, at place: Int, _ record: TreeRecord, flags: UInt16
  ) throws(PageFault) {
    guard record.flags == flags else { throw .broken("states a table of another kind") }
    trees.append(Tree(kind: kind, name: name, place: place, stated: record.counts))
    if record.root != Self.noPage {
      waiting.append(Waiting(page: record.root, tree: trees.count - 1, depth: 1, low: nil, high: nil))
    }
  }

  private mutating func take(_ number: UInt64, count: Int = 1, within pages: Int) throws(PageFault) {
    guard number >= 2, number < UInt64(pages), count >= 1, count <= pages - Int(number) else {
      throw .broken("leads to page \(number), beyond its end")
    }
    for page in Int(number)..<(Int(number) + count) where !reached.insert(page) {
      throw .broken("has page \(page) in use twice")
    }
  }

  // MARK: One page

  private mutating func look(at page: UnsafeRawBufferPointer, _ at: Waiting) throws(PageFault) {
    if at.depth > Self.depthLimit { throw .broken("has a tree that is too deep at page \(at.page)") }
    guard let gap = Self.gap(of: page, at.page) else { throw .broken("has no page of a tree at page \(at.page)") }
    let isBranch = page[10] == Self.branchPage
    let isFree = trees[at.tree].isFree
    let count = (gap.lowerBound - Self.header) / 2
    // LMDB asserts the same, and ends the process if it does not hold.
    if count < (isBranch && !isFree ? 2 : 1) { throw .broken("has too few keys on page \(at.page)") }
    if isBranch {
      trees[at.tree].found.branch += 1
    } else {
      trees[at.tree].found.leaf += 1
      trees[at.tree].found.entries += UInt64(count)
      let depth = trees[at.tree].found.depth
      if depth != 0, depth != at.depth { throw .broken("has a tree that is not level at page \(at.page)") }
      trees[at.tree].found.depth = at.depth
    }
    var (used, last) = (0, UnsafeRawBufferPointer?.none)
    var child: (page: UInt64, low: [UInt8]?)?
    for index in 0..<count {
      let node = try PageNode(page, index, gap, at.page, isBranch: isBranch)
      used += node.room
      // The first key of a branch has no meaning.
      let key = isBranch && index == 0 ? nil : node.key
      if let key {
        if isFree, key.count != 8 { throw .broken("has a key of another length on page \(at.page)") }
        let isBehind = last.map { Self.isBefore($0, key, isFree) } ?? at.low.map { !isBefore(key, $0, isFree) } ?? true
        guard isBehind else { throw .broken("has keys out of their order on page \(at.page)") }
        last = key
      }
      if isBranch {
        if let child { lead(to: child, until: key.map { Array($0) }, at) }
        child = (node.child, key.map { Array($0) } ?? at.low)
      } else {
        try takeValue(of: node, page, at)
      }
    }
    if let last, let high = at.high, !isBefore(last, high, isFree) {
      throw .broken("has keys out of their order on page \(at.page)")
    }
    if let child { lead(to: child, until: at.high, at) }
    // LMDB stores nodes side by side, and moves as many bytes as they state.
    if used != file.pageSize - gap.upperBound { throw .broken("has nodes of another length on page \(at.page)") }
  }

  private mutating func lead(to child: (page: UInt64, low: [UInt8]?), until high: [UInt8]?, _ at: Waiting) {
    waiting.append(Waiting(page: child.page, tree: at.tree, depth: at.depth + 1, low: child.low, high: high))
  }

  private mutating func takeValue(of node: PageNode, _ page: UnsafeRawBufferPointer, _ at: Waiting) throws(PageFault) {
    let tree = trees[at.tree]
    if tree.kind == .tables, node.kind != .table, Tables.names.contains(String(decoding: node.key, as: UTF8.self)) {
      throw .broken("has no table on page \(at.page) where one was")
    }
    switch node.kind {
    case .plain:
      if tree.isFree { try takeFree(node.key, UnsafeRawBufferPointer(rebasing: page[node.content..<node.end])) }
    case .long:
      let first = page.loadUnaligned(fromByteOffset: node.content, as: UInt64.self)
      var count = (Self.header + node.size - 1) / file.pageSize + 1
      if !Self.onePageTables.contains(tree.name) { count = try longPages(first, atLeast: count) }
      try take(first, count: count, within: file.pages)
      trees[at.tree].found.long += UInt64(count)
      let last = Int(first) + count - 1
      if keepsEnds { ends.append((last, min(file.pageSize, Self.header + node.size - (count - 1) * file.pageSize))) }
      if tree.isFree { try takeFreeLong(node.key, first, node.size) }
    case .table:
      guard tree.kind == .tables, node.size == TreeRecord.size else {
        throw .broken("has a table of another size on page \(at.page)")
      }
      let place = Int(at.page) * file.pageSize + node.content
      let (name, record) = (String(decoding: node.key, as: UTF8.self), TreeRecord(page, at: node.content))
      if isShallow { return named.append(NamedTree(name: name, place: place, record: record)) }
      try begin(.table, name, at: place, record, flags: 0)
    }
  }

  private func longPages(_ first: UInt64, atLeast count: Int) throws(PageFault) -> Int {
    guard first < UInt64(file.pages) else { throw .broken("leads to page \(first), beyond its end") }
    var head = [UInt8](repeating: 0, count: Self.header)
    try file.read(&head, at: Int(first) * file.pageSize)
    let stated = head.withUnsafeBytes {
      $0.loadUnaligned(as: UInt64.self) == first && $0.loadUnaligned(fromByteOffset: 10, as: UInt16.self) == 4
        ? Int($0.loadUnaligned(fromByteOffset: 12, as: UInt32.self)) : 0
    }
    if stated < count { throw .broken("has no long value at page \(first)") }
    return stated
  }

  // MARK: Free pages

  private mutating func takeFreeLong(_ key: UnsafeRawBufferPointer, _ first: UInt64, _ size: Int) throws(PageFault) {
    var bytes = [UInt8](repeating: 0, count: size)
    try file.read(&bytes, at: Int(first) * file.pageSize + Self.header)
    let found = bytes
    let fault: PageFault? = found.withUnsafeBytes { bytes in
      do throws(PageFault) { try takeFree(key, bytes) } catch { return error }
      return nil
    }
    if let fault { throw fault }
  }

  /// Reads a list of free pages: the number of pages (u64) that a transaction freed, then the pages.
  private mutating func takeFree(_ key: UnsafeRawBufferPointer, _ list: UnsafeRawBufferPointer) throws(PageFault) {
    lastFreeing = max(lastFreeing, key.loadUnaligned(as: UInt64.self))
    guard list.count >= 8, list.count % 8 == 0 else { throw .broken("has a list of free pages of no length") }
    let count = list.loadUnaligned(as: UInt64.self)
    guard count <= UInt64(list.count / 8 - 1) else { throw .broken("has a list of free pages that is too long") }
    for index in 0..<Int(count) {
      let page = list.loadUnaligned(fromByteOffset: 8 + 8 * index, as: UInt64.self)
      guard page >= 2, page < UInt64(free.count) else { throw .broken("has page \(page) free, beyond its end") }
      guard free.insert(Int(page)) else { throw .broken("has page \(page) free twice") }
    }
  }

  // MARK: Order

  private func isBefore(_ left: UnsafeRawBufferPointer, _ right: [UInt8], _ isNumber: Bool) -> Bool {
    right.withUnsafeBytes { Self.isBefore(left, $0, isNumber) }
  }

  /// The order of LMDB: bytes, the shorter key first; keys of free pages are numbers of 64 bits.
  private static func isBefore(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer, _ isNumber: Bool)
    -> Bool
  {
    if isNumber { return left.loadUnaligned(as: UInt64.self) < right.loadUnaligned(as: UInt64.self) }
    guard let first = left.baseAddress, let second = right.baseAddress else { return left.count < right.count }
    let order = memcmp(first, second, min(left.count, right.count))
    return order == 0 ? left.count < right.count : order < 0
  }

  /// The unused bytes of a page of a tree; nil for other pages, or if it states another number.
  static func gap(of page: UnsafeRawBufferPointer, _ number: UInt64) -> Range<Int>? {
    page.loadUnaligned(as: UInt64.self) == number ? gap(of: page) : nil
  }

  /// The unused bytes, whatever number the page states.
  static func gap(of page: UnsafeRawBufferPointer) -> Range<Int>? {
    let flags = page.loadUnaligned(fromByteOffset: 10, as: UInt16.self)
    let lower = Int(page.loadUnaligned(fromByteOffset: 12, as: UInt16.self))
    let upper = Int(page.loadUnaligned(fromByteOffset: 14, as: UInt16.self))
    guard flags == branchPage || flags == leafPage, lower >= header, lower % 2 == 0, lower <= upper, upper <= page.count
    else { return nil }
    return lower..<upper
  }
}
