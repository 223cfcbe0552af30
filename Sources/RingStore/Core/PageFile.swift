// Parts of a walk over the pages of a store's file: the file, its two roots, counts, nodes, sets of pages. Source: LMDB
// 0.9, mdb.c, MDB_page, MDB_meta, MDB_db, MDB_node.

internal import Glibc

/// The file by its pages. No process may write to it meanwhile.
struct PageFile {
  let descriptor: Int32
  let pageSize: Int
  /// Number of whole pages.
  let pages: Int

  /// Reads the page size from the first root, see `StoreProbe.isSound`.
  init(_ descriptor: Int32) throws(PageFault) {
    var status = stat()
    if fstat(descriptor, &status) != 0 { throw .unread(errno) }
    var size: UInt32 = 0
    guard pread(descriptor, &size, 4, 40) == 4, (512...65_536).contains(size), size.nonzeroBitCount == 1 else {
      throw .broken("has a root that states no size of pages")
    }
    self.descriptor = descriptor
    pageSize = Int(size)
    pages = Int(status.st_size) / pageSize
  }

  /// Opens a damaged file with roots that may state anything.
  init(_ descriptor: Int32, pageSize: Int, bytes: Int) {
    self.descriptor = descriptor
    self.pageSize = pageSize
    pages = bytes / pageSize
  }

  func read(_ number: Int, into page: UnsafeMutableRawBufferPointer) throws(PageFault) {
    try transfer(page, at: number * pageSize) { pread(descriptor, $0, $1, $2) }
  }

  func read(_ bytes: inout [UInt8], at offset: Int) throws(PageFault) {
    let fault: PageFault? = bytes.withUnsafeMutableBytes { bytes in
      do throws(PageFault) { try transfer(bytes, at: offset) { pread(descriptor, $0, $1, $2) } } catch { return error }
      return nil
    }
    if let fault { throw fault }
  }

  func write(_ bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws(PageFault) {
    try transfer(bytes, at: offset) { pwrite(descriptor, $0, $1, $2) }
  }

  func write(_ bytes: [UInt8], at offset: Int) throws(PageFault) {
    var copy = bytes
    let fault: PageFault? = copy.withUnsafeMutableBytes { bytes in
      do throws(PageFault) { try write(bytes, at: offset) } catch { return error }
      return nil
    }
    if let fault { throw fault }
  }

  /// Transfers all bytes, in as many calls as needed. `call` gets their address, their number and the offset in the
  /// file.
  private func transfer(
    _ bytes: UnsafeMutableRawBufferPointer, at offset: Int, _ call: (UnsafeMutableRawPointer, Int, Int) -> Int
  ) throws(PageFault) {
    guard let start = bytes.baseAddress else { return }
    var done = 0
    while done < bytes.count {
      let part = call(start + done, bytes.count - done, offset + done)
      if part > 0 {
        done += part
      } else if part < 0, errno == EINTR {
        continue
      } else {
        throw part == 0 ? .broken("ends before its last page") : .unread(errno)
      }
    }
  }
}

/// A root of the two. Each transaction writes the root with the same last bit in its number as in the transaction's
/// own.
struct RootPage {
  /// Offsets of the two MDB_db, of the last page and of the transaction, behind the page's header and the head of
  /// MDB_meta.
  static let (freeTree, tables, lastPage, transaction) = (40, 88, 136, 144)
  /// Offset of the number of bytes that LMDB maps.
  static let mapSize = 32
  /// Limit: more than any kernel can map together with the rest of a process.
  static let mapLimit = UInt64(1) << 44
  private static let size = 152
  private static let (metaPage, magic, version): (UInt16, UInt32, UInt32) = (8, 0xBEEF_C0DE, 1)

  let number: Int
  /// Offset of the root's page in the file.
  let place: Int
  let transaction: UInt64
  let lastPage: UInt64
  let mapSize: UInt64
  let freeTree: TreeRecord
  let tables: TreeRecord

  init(_ file: PageFile, _ number: Int) throws(PageFault) {
    var content = [UInt8](repeating: 0, count: Self.size)
    try file.read(&content, at: number * file.pageSize)
    let bytes = content
    func integer<T: FixedWidthInteger>(_ offset: Int, _ type: T.Type) -> T {
      bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: T.self) }
    }
    guard integer(0, UInt64.self) == UInt64(number), integer(10, UInt16.self) == Self.metaPage,
      integer(16, UInt32.self) == Self.magic, integer(20, UInt32.self) == Self.version,
      integer(40, UInt32.self) == UInt32(file.pageSize)
    else { throw .broken("has no root on page \(number)") }
    self.number = number
    place = number * file.pageSize
    lastPage = integer(Self.lastPage, UInt64.self)
    transaction = integer(Self.transaction, UInt64.self)
    mapSize = integer(Self.mapSize, UInt64.self)
    freeTree = bytes.withUnsafeBytes { TreeRecord($0, at: Self.freeTree) }
    tables = bytes.withUnsafeBytes { TreeRecord($0, at: Self.tables) }
  }
}

/// An MDB_db: the flags of a tree, its counts, and its root page.
struct TreeRecord {
  static let size = 48
  /// MDB_INTEGERKEY, for the tree of free pages; all other trees have no flags.
  static let freeFlags: UInt16 = 8

  let flags: UInt16
  let counts: TreeCounts
  let root: UInt64

  init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    flags = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt16.self)
    counts = TreeCounts(bytes, at: offset)
    root = bytes.loadUnaligned(fromByteOffset: offset + 40, as: UInt64.self)
  }
}

/// The counts of a tree in its MDB_db.
struct TreeCounts: Equatable {
  var depth: UInt16 = 0
  var branch: UInt64 = 0
  var leaf: UInt64 = 0
  /// Pages of long values, which have pages of their own.
  var long: UInt64 = 0
  var entries: UInt64 = 0

  init() {}

  init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    func number(_ place: Int) -> UInt64 { bytes.loadUnaligned(fromByteOffset: offset + place, as: UInt64.self) }
    depth = bytes.loadUnaligned(fromByteOffset: offset + 6, as: UInt16.self)
    (branch, leaf, long, entries) = (number(8), number(16), number(24), number(32))
  }

  /// The counts as text. Each number may be damaged.
  var text: String {
    let pages = [branch, leaf, long].reduce(UInt64(0)) { sum, count in
      let (more, overflows) = sum.addingReportingOverflow(count)
      return overflows ? .max : more
    }
    return "\(pages) pages with \(entries) entries"
  }

  /// Offset of the counts in an MDB_db.
  static let place = 6
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: depth)
    for count in [branch, leaf, long, entries] { bytes.append(littleEndian: count) }
    return bytes
  }
}

/// An entry in a page of a tree: eight bytes, its key, its content.
struct PageNode {
  enum Kind: UInt16 {
    case plain = 0
    case long = 1
    case table = 2
  }

  let key: UnsafeRawBufferPointer
  /// The child page, in a branch.
  let child: UInt64
  /// Kind of the content in a leaf, its length in bytes, and its begin and end in the page.
  let kind: Kind
  let size: Int
  let content: Int
  let end: Int

  /// Bytes that the entry takes in the page.
  let room: Int

  init(_ page: UnsafeRawBufferPointer, _ index: Int, _ gap: Range<Int>, _ number: UInt64, isBranch: Bool)
    throws(PageFault)
  {
    let place = Int(page.loadUnaligned(fromByteOffset: PageWalk.header + 2 * index, as: UInt16.self))
    guard place >= gap.upperBound, place + 8 <= page.count else { throw .broken("has no such node on page \(number)") }
    let low = UInt64(page.loadUnaligned(fromByteOffset: place, as: UInt16.self))
    let high = UInt64(page.loadUnaligned(fromByteOffset: place + 2, as: UInt16.self))
    let flags = page.loadUnaligned(fromByteOffset: place + 4, as: UInt16.self)
    content = place + 8 + Int(page.loadUnaligned(fromByteOffset: place + 6, as: UInt16.self))
    guard content <= page.count else { throw .broken("has a node beyond the end of page \(number)") }
    key = UnsafeRawBufferPointer(rebasing: page[(place + 8)..<content])
    if isBranch {
      child = low | high << 16 | UInt64(flags) << 32
      (kind, size, end) = (.plain, 0, content)
    } else {
      guard let kind = Kind(rawValue: flags) else { throw .broken("has a node of an unknown kind on page \(number)") }
      child = PageWalk.noPage
      self.kind = kind
      size = Int(low | high << 16)
      end = content + (kind == .long ? 8 : size)
      guard end <= page.count else { throw .broken("has a node beyond the end of page \(number)") }
    }
    room = (end - place + 1) & ~1
  }
}

/// A set of page numbers, one bit each.
struct PageSet {
  let count: Int
  private var bits: [UInt64]

  init(_ count: Int) {
    self.count = count
    bits = [UInt64](repeating: 0, count: count / 64 + 1)
  }

  func contains(_ page: Int) -> Bool { page < count && bits[page / 64] >> (UInt64(page) % 64) & 1 == 1 }

  /// Inserts a page; returns false if the set contained it.
  @discardableResult
  mutating func insert(_ page: Int) -> Bool {
    let bit = UInt64(1) << (UInt64(page) % 64)
    if bits[page / 64] & bit != 0 { return false }
    bits[page / 64] |= bit
    return true
  }

  /// Inserts the pages of a set that is no larger.
  mutating func formUnion(_ other: PageSet) {
    for word in 0..<min(bits.count, other.bits.count) { bits[word] |= other.bits[word] }
  }

  /// The highest page; nil for an empty set.
  var last: Int? {
    guard let word = bits.lastIndex(where: { $0 != 0 }) else { return nil }
    return word * 64 + 63 - bits[word].leadingZeroBitCount
  }

  /// A page that both sets contain, if there is one.
  func common(_ other: PageSet) -> Int? {
    for word in 0..<min(bits.count, other.bits.count) where bits[word] & other.bits[word] != 0 {
      return word * 64 + (bits[word] & other.bits[word]).trailingZeroBitCount
    }
    return nil
  }
}
