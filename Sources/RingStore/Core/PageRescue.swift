// A reader of a damaged file. Reads the entries of all sound pages of each tree in the order of their keys, and the
// spans of keys on damaged pages. Reads the file without LMDB, which follows wrong page numbers.

internal import Glibc

/// Keys from `low` to below `high`; nil stands for the first key and for no upper bound.
struct KeySpan {
  let low: [UInt8]?
  let high: [UInt8]?

  func contains(_ key: some Collection<UInt8>) -> Bool {
    if let low, key.lexicographicallyPrecedes(low) { return false }
    return high.map { key.lexicographicallyPrecedes($0) } ?? true
  }
}

struct PageRescue {
  typealias Entry = (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)

  private static let depthLimit = 32
  /// Longest long value, in bytes: far more than a record has.
  private static let sizeLimit = 1 << 20

  let file: PageFile
  /// Called for one page in 1024: some 4 MB of a file.
  var whileReading: (@Sendable () -> Void)?
  /// Pages that a tree referred to, sound or not.
  private(set) var reached: PageSet
  /// Spans of the current tree in which entries are lost.
  private var lost: [KeySpan] = []

  init(_ file: PageFile) {
    self.file = file
    reached = PageSet(file.pages)
  }

  /// Reads the entries of one tree, each once.
  ///
  /// - Parameter isOnePage: whether values of this table always have one page.
  /// - Returns: the spans in which entries cannot be read.
  /// - Throws: only what `body` throws.
  mutating func read(
    _ root: UInt64, isOnePage: Bool, _ body: (Entry) throws(DatabaseFailure) -> Void
  ) throws(DatabaseFailure) -> [KeySpan] {
    lost = []
    if root != PageWalk.noPage { try walk(root, 1, KeySpan(low: nil, high: nil), isOnePage, body) }
    return lost
  }

  /// Reads the tables that a root names.
  ///
  /// - Returns: the record of each, and whether every page of that tree could be read.
  mutating func tables(_ root: RootPage) -> (records: [String: TreeRecord], isWhole: Bool) {
    var records: [String: TreeRecord] = [:]
    let lost = try? read(root.tables.root, isOnePage: false) { entry throws(DatabaseFailure) in
      guard entry.value.count == TreeRecord.size, records.count < 256 else { return }
      records[String(decoding: entry.key, as: UTF8.self)] = TreeRecord(entry.value, at: 0)
    }
    return (records, lost?.isEmpty ?? false)
  }

  /// Leaves that are neither free nor reached from a tree: pages behind a branch that cannot be read.
  mutating func orphans(
    but free: PageSet, isOnePage: Bool, _ body: (Entry) throws(DatabaseFailure) -> Void
  ) throws(DatabaseFailure) {
    for number in 2..<max(2, file.pages) where !reached.contains(number) && !free.contains(number) {
      guard let page = page(UInt64(number)), page[10] == UInt8(PageWalk.leafPage) else { continue }
      let entries = page.withUnsafeBytes { nodes($0, number, KeySpan(low: nil, high: nil)) }
      guard let entries, !entries.isEmpty else { continue }
      _ = try give(entries, page, isOnePage, body)
    }
  }

  // MARK: One page

  private mutating func walk(
    _ number: UInt64, _ depth: Int, _ span: KeySpan, _ isOnePage: Bool, _ body: (Entry) throws(DatabaseFailure) -> Void
  ) throws(DatabaseFailure) {
    guard depth <= Self.depthLimit, number >= 2, number < UInt64(file.pages), reached.insert(Int(number)),
      let page = page(number), let found = page.withUnsafeBytes({ nodes($0, Int(number), span) })
    else { return lost.append(span) }
    if page[10] == UInt8(PageWalk.leafPage) {
      lost += try give(found, page, isOnePage, body)
      return
    }
    for (index, node) in found.enumerated() {
      let low = index == 0 ? span.low : key(node, page)
      let high = index + 1 < found.count ? key(found[index + 1], page) : span.high
      try walk(node.child, depth + 1, KeySpan(low: low, high: high), isOnePage, body)
    }
  }

  private func key(_ node: Node, _ page: [UInt8]) -> [UInt8] { Array(page[node.key]) }

  /// A node by its position in its page.
  private struct Node {
    let key: Range<Int>
    let child: UInt64
    let kind: PageNode.Kind
    let size: Int
    let content: Int
  }

  /// Reads a page of a tree; nil if it cannot be read, is of another kind, or states another number.
  private func page(_ number: UInt64) -> [UInt8]? {
    if number % 1024 == 0 { whileReading?() }
    guard let page = bytes(at: Int(number) * file.pageSize, file.pageSize) else { return nil }
    return page.withUnsafeBytes { isOwn($0, number) } ? page : nil
  }

  private func bytes(at offset: Int, _ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    do throws(PageFault) { try file.read(&bytes, at: offset) } catch { return nil }
    return bytes
  }

  /// Whether a page is the one of this number: it must state its own number. A page that states a number with one other
  /// bit is usually accepted. If the page of that number states this one's, both were exchanged.
  private func isOwn(_ page: UnsafeRawBufferPointer, _ number: UInt64) -> Bool {
    let stated = page.loadUnaligned(as: UInt64.self)
    if stated == number { return true }
    if (stated ^ number).nonzeroBitCount != 1 { return false }
    guard stated < UInt64(file.pages), let other = bytes(at: Int(stated) * file.pageSize, 8) else { return true }
    return other.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) } == stated
  }

  /// Parses the nodes; nil unless keys rise and lie in their span, and nodes fill exactly the part that the page
  /// states.
  private func nodes(_ page: UnsafeRawBufferPointer, _ number: Int, _ span: KeySpan) -> [Node]? {
    guard let gap = PageWalk.gap(of: page) else { return nil }
    let isBranch = page[10] == UInt8(PageWalk.branchPage)
    var nodes: [Node] = []
    var used = 0
    for index in 0..<((gap.lowerBound - PageWalk.header) / 2) {
      do throws(PageFault) {
        let node = try PageNode(page, index, gap, UInt64(number), isBranch: isBranch)
        used += node.room
        let begin = node.content - node.key.count
        if !(isBranch && index == 0) {
          if !span.contains(node.key) { return nil }
          if let last = nodes.last, !(isBranch && index == 1),
            !page[last.key].lexicographicallyPrecedes(node.key)
          {
            return nil
          }
        }
        nodes.append(
          Node(key: begin..<node.content, child: node.child, kind: node.kind, size: node.size, content: node.content))
      } catch { return nil }
    }
    return nodes.isEmpty || used != page.count - gap.upperBound ? nil : nodes
  }

  /// Hands entries to `body`.
  ///
  /// - Returns: spans of single keys with long values that cannot be read.
  private mutating func give(
    _ nodes: [Node], _ page: [UInt8], _ isOnePage: Bool, _ body: (Entry) throws(DatabaseFailure) -> Void
  ) throws(DatabaseFailure) -> [KeySpan] {
    var lost: [KeySpan] = []
    for node in nodes {
      var value: [UInt8]?
      if node.kind == .long {
        let first = page.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: node.content, as: UInt64.self) }
        value = long(first, node.size, isOnePage)
      } else {
        value = Array(page[node.content..<(node.content + node.size)])
      }
      let key = key(node, page)
      guard let value else {
        lost.append(KeySpan(low: key, high: key + [0]))
        continue
      }
      let failure: DatabaseFailure? = key.withUnsafeBytes { key in
        value.withUnsafeBytes { value in
          do throws(DatabaseFailure) { try body((key, value)) } catch { return error }
          return nil
        }
      }
      if let failure { throw failure }
    }
    return lost
  }

  private mutating func long(_ first: UInt64, _ size: Int, _ isOnePage: Bool) -> [UInt8]? {
    let count = (PageWalk.header + size - 1) / file.pageSize + 1
    guard size <= Self.sizeLimit, isOnePage ? count == 1 : true, first >= 2, first < UInt64(file.pages),
      count <= file.pages - Int(first)
    else { return nil }
    for page in Int(first)..<(Int(first) + count) where !reached.insert(page) { return nil }
    guard let bytes = bytes(at: Int(first) * file.pageSize, PageWalk.header + size),
      bytes.withUnsafeBytes({ isOwn($0, first) })
    else { return nil }
    return Array(bytes[PageWalk.header...])
  }
}

extension Tables {
  /// The found name that differs from a missing one in one bit, if there is one.
  static func misnamed(_ name: String, _ others: some Collection<String>) -> String? {
    let known = Array(name.unicodeScalars)
    return others.first { other in
      let found = Array(other.unicodeScalars)
      let differing = zip(found, known).filter { $0 != $1 }
      guard !names.contains(other), found.count == known.count, differing.count == 1, let (one, its) = differing.first
      else { return false }
      // The text does not show which byte above 127 it was.
      return one == "\u{FFFD}" || (one.value ^ its.value).nonzeroBitCount == 1
    }
  }
}
