// Extraction of rows from a damaged file, for each table in this order:
//
// 1. rows from the newer root
// 2. in their gaps, rows from pages that are no longer linked
// 3. rows from the older root
// 4. rows from the copy of the records

/// Sources of the rows of one table, the most trusted first.
struct RescuedTable {
  let name: String
  var newer: TreeRecord?
  var older: TreeRecord?
  /// Spans of keys that the newest pages do not give.
  var gaps: [KeySpan] = []
}

extension [KeySpan] {
  /// True if a span has the key. Spans ascend and do not overlap.
  func hold(_ key: some Collection<UInt8>) -> Bool {
    let place = place { span in span.low.map { !key.lexicographicallyPrecedes($0) } ?? true }
    return place > 0 && self[place - 1].contains(key)
  }
}

/// Two generations of one file.
struct RescuedFile {
  let file: PageFile
  /// The newer one first; fewer if roots are damaged.
  let roots: [RootPage]
  private(set) var tables: [RescuedTable] = []
  /// The newest root's own tree of tables could not be read.
  private(set) var isOfOlder = false
  /// Pages that are free by the newest root, and those of its list; nil: the list is damaged.
  let free: PageSet?
  private var walk: PageRescue
  /// Called now and then.
  var whileReading: (@Sendable () -> Void)? {
    get { walk.whileReading }
    set { walk.whileReading = newValue }
  }

  init(_ descriptor: Int32, bytes: Int) {
    let sizes = [StorePages.size, 16_384, 65_536, 8192, 32_768, 2048, 1024, 512]
    var best: (file: PageFile, roots: [RootPage]) = (
      PageFile(descriptor, pageSize: StorePages.size, bytes: bytes), []
    )
    for size in sizes {
      let file = PageFile(descriptor, pageSize: size, bytes: bytes)
      let roots = [0, 1].compactMap { try? RootPage(file, $0) }
      if roots.count > best.roots.count { best = (file, roots) }
    }
    file = best.file
    let found = best.roots.map { (root: $0, free: Self.free(best.file, $0)) }.sorted { Self.isNewer($0, $1) }
    roots = found.map(\.root)
    free = found.first?.free?.pages
    walk = PageRescue(file)
    findTables()
  }

  private static func free(_ file: PageFile, _ root: RootPage) -> (pages: PageSet, last: UInt64)? {
    var walk = PageWalk(file, root: root, pages: file.pages + (1 << 16))
    do throws(PageFault) { try walk.run(all: false) } catch { return nil }
    // The pages of that list have no rows either: a leaf of it would be taken for one that a table lost.
    var pages = walk.free
    pages.formUnion(walk.reached)
    return (pages, walk.lastFreeing)
  }

  /// Compares by the last transaction that freed pages: the number itself may have lost a bit.
  private static func isNewer(
    _ one: (root: RootPage, free: (pages: PageSet, last: UInt64)?),
    _ other: (root: RootPage, free: (pages: PageSet, last: UInt64)?)
  ) -> Bool {
    if let first = one.free?.last, let second = other.free?.last, first != second { return first > second }
    let isOdd = { (root: RootPage) in root.transaction & 1 == UInt64(root.number) }
    if isOdd(one.root) != isOdd(other.root) { return isOdd(one.root) }
    return one.root.transaction > other.root.transaction
  }

  private mutating func findTables() {
    var found: [[String: TreeRecord]] = []
    for (place, root) in roots.enumerated() {
      var reader = place == 0 ? walk : PageRescue(file)
      let (records, isWhole) = reader.tables(root)
      if place == 0 {
        walk = reader
        isOfOlder = !isWhole
      }
      found.append(Self.named(records))
    }
    var newer = found.first ?? [:]
    let older = found.count > 1 ? found[1] : [:]
    // A root that leads to another tree, with sound pages, has no tables there.
    if newer.count < older.count {
      isOfOlder = true
      newer = [:]
    }
    tables = Tables.named.map { RescuedTable(name: $0.name, newer: newer[$0.name], older: older[$0.name]) }
  }

  /// Tables by their known names: a name with a flipped bit is taken for the one that is missing.
  static func named(_ records: [String: TreeRecord]) -> [String: TreeRecord] {
    var named = records.filter { Tables.names.contains($0.key) }
    for name in Tables.names where named[name] == nil {
      if let other = Tables.misnamed(name, records.keys) { named[name] = records[other] }
    }
    return named
  }

  // MARK: Rows

  /// Rows of one table as the newest pages have them. Every table is read so before any gap is filled.
  mutating func readNewest(_ index: Int, _ body: (PageRescue.Entry) throws(DatabaseFailure) -> Void)
    throws(DatabaseFailure)
  {
    guard let record = tables[index].newer else {
      // A table that was never made misses no rows.
      if isOfOlder || roots.isEmpty { tables[index].gaps = [KeySpan(low: nil, high: nil)] }
      return
    }
    tables[index].gaps = try walk.read(record.root, isOnePage: isOnePage(index), body)
  }

  /// Rows that lie in the gaps of one table: of leaves behind a branch that is lost, then of the older root.
  mutating func fill(_ index: Int, _ body: (PageRescue.Entry) throws(DatabaseFailure) -> Void)
    throws(DatabaseFailure)
  {
    let (gaps, name) = (tables[index].gaps, tables[index].name)
    if gaps.isEmpty { return }
    func take(_ entry: PageRescue.Entry) throws(DatabaseFailure) {
      guard gaps.hold(entry.key) else { return }
      try body(entry)
    }
    // If two tables have gaps, the table of such a leaf is unknown.
    if let free, !isOfOlder, tables.filter({ !$0.gaps.isEmpty }).count == 1 {
      try walk.orphans(but: free, isOnePage: isOnePage(index), take)
    }
    // What was moved from the journal in the last commit would come twice.
    let mayRepeat = name == "journal" && !hasSameRings && !isOfOlder
    if let older = tables[index].older, !mayRepeat {
      var reader = PageRescue(file)
      reader.whileReading = whileReading
      _ = try reader.read(older.root, isOnePage: isOnePage(index), take)
    }
  }

  /// True if no chunk was moved between both generations.
  private var hasSameRings: Bool {
    tables.contains { $0.name == "rings" && $0.newer != nil && $0.newer?.root == $0.older?.root }
  }

  private func isOnePage(_ index: Int) -> Bool { PageWalk.onePageTables.contains(tables[index].name) }
}
