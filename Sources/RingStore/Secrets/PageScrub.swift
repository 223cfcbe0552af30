// What a store's file holds beside what is in its tables: pages that are free, and the unused ends of those that are
// not. LMDB leaves there what was there before, keys of bonds among it; this makes it zeros.

internal import Glibc
internal import Reasons

/// Overwrites in place: every page that no table leads to, the gap between the directory and the nodes of a page of a
/// tree, and what is behind a long value on its last page. LMDB reads none of these bytes, so that a kill or a power
/// cut at any moment leaves a store that is whole, and the work is begun again.
///
/// In place, because a copy would need room for a second store, and a compacted copy would take the gaps along.
///
/// The file is read once from end to end, some 75 s of a store of 1.5 GB on a card with 20 MB/s; what is written is
/// what has something in it. Takes 16 bytes of memory for each long value (a chunk is one): 6 MB of the largest usual
/// store, given back at once.
///
/// Nobody has the file mapped but readers, whom `awaitReaders` waited for. Whatever is not as LMDB 0.9 writes it (64
/// bits, little-endian) ends the work with nothing more overwritten: in a tree that is damaged no page counts as free.
struct PageScrub {
  /// Bytes that are read and written at once: 1 MiB.
  private static let block = 1 << 20
  private static let header = 16
  private static let noPage = UInt64.max

  private let file: String
  private let descriptor: Int32
  private let pageSize: Int
  /// Pages of the file, whole ones.
  private let pages: Int
  private let progress: (@Sendable (Int) -> Void)?
  private let probe: (@Sendable (String) -> Void)?
  /// A bit for each page that a tree leads to.
  private var reached: [UInt64]
  /// A bit for each of these that is a page of a tree and not of a long value.
  private var trees: [UInt64]
  /// Where the last page of a long value has its end: page, and bytes that are used of it.
  private var ends: [(page: Int, used: Int)] = []

  /// - Throws: `storeInputOutput` with what is not as it should be, or why the disk failed.
  static func run(_ options: StoreOptions) throws(HearthError) {
    let file = options.path + "/data.mdb"
    let descriptor = open(file, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
    if descriptor < 0 { throw openFailure(errno, file) }
    defer { close(descriptor) }
    var scrub = try PageScrub(file, descriptor, options)
    try scrub.walk()
    try scrub.overwrite()
    if fsync(descriptor) != 0 { throw openFailure(errno, file) }
  }

  private init(_ file: String, _ descriptor: Int32, _ options: StoreOptions) throws(HearthError) {
    self.file = file
    self.descriptor = descriptor
    progress = options.whileConverting
    probe = options.conversionProbe
    var status = stat()
    if fstat(descriptor, &status) != 0 { throw openFailure(errno, file) }
    // The page size as the first root states it, see `StoreProbe.isSound`.
    var size: UInt32 = 0
    guard pread(descriptor, &size, 4, 40) == 4, (512...65_536).contains(size), size.nonzeroBitCount == 1 else {
      throw HearthError(.storeInputOutput, "\(file): its root states no size of pages")
    }
    pageSize = Int(size)
    pages = Int(status.st_size) / pageSize
    reached = [UInt64](repeating: 0, count: pages / 64 + 1)
    trees = reached
  }

  // MARK: What is in use

  private mutating func walk() throws(HearthError) {
    var waiting = try roots()
    let page = UnsafeMutableRawBufferPointer.allocate(byteCount: pageSize, alignment: 8)
    defer { page.deallocate() }
    while let number = waiting.popLast() {
      try take(number)
      trees[Int(number) / 64] |= 1 << (UInt64(number) % 64)
      try read(Int(number), into: page)
      try look(at: UnsafeRawBufferPointer(page), number, &waiting)
    }
  }

  /// The trees of free pages and of tables, as the newer root has them.
  private func roots() throws(HearthError) -> [UInt64] {
    var newest: (transaction: UInt64, roots: [UInt64])?
    let page = UnsafeMutableRawBufferPointer.allocate(byteCount: pageSize, alignment: 8)
    defer { page.deallocate() }
    for number in 0..<2 {
      try read(number, into: page)
      // MDB_meta behind the header: magic (u32), version (u32), address, size of the map (u64), two MDB_db of 48 bytes
      // with their roots at 40, last page, transaction (u64).
      guard page.loadUnaligned(fromByteOffset: 16, as: UInt32.self) == 0xBEEF_C0DE else { continue }
      let transaction = page.loadUnaligned(fromByteOffset: 144, as: UInt64.self)
      if let newest, newest.transaction >= transaction { continue }
      newest = (transaction, [80, 128].map { page.loadUnaligned(fromByteOffset: $0, as: UInt64.self) })
    }
    guard let newest else { throw broken("has no root") }
    return newest.roots.filter { $0 != Self.noPage }
  }

  private mutating func take(_ number: UInt64, count: Int = 1) throws(HearthError) {
    guard number >= 2, number < UInt64(pages), count <= pages - Int(number) else {
      throw broken("page \(number) is beyond its end")
    }
    for page in Int(number)..<(Int(number) + count) {
      if reached[page / 64] >> (UInt64(page) % 64) & 1 == 1 { throw broken("page \(page) is in use twice") }
      reached[page / 64] |= 1 << (UInt64(page) % 64)
    }
  }

  /// A branch leads to pages of its tree, a leaf to long values and, in the tree of tables, to other trees.
  private mutating func look(at page: UnsafeRawBufferPointer, _ number: UInt64, _ waiting: inout [UInt64])
    throws(HearthError)
  {
    guard let gap = Self.gap(of: page, number) else { throw broken("page \(number) is no page of a tree") }
    let isBranch = page[10] & 1 == 1
    for place in stride(from: Self.header, to: gap.lowerBound, by: 2) {
      let node = Int(page.loadUnaligned(fromByteOffset: place, as: UInt16.self))
      // Eight bytes of a node, its key, its content.
      guard node >= gap.upperBound, node + 8 <= pageSize else { throw broken("page \(number) has no such node") }
      let low = UInt64(page.loadUnaligned(fromByteOffset: node, as: UInt16.self))
      let high = UInt64(page.loadUnaligned(fromByteOffset: node + 2, as: UInt16.self))
      let flags = page.loadUnaligned(fromByteOffset: node + 4, as: UInt16.self)
      if isBranch {
        waiting.append(low | high << 16 | UInt64(flags) << 32)
        continue
      }
      let content = node + 8 + Int(page.loadUnaligned(fromByteOffset: node + 6, as: UInt16.self))
      let size = Int(low | high << 16)
      switch flags {
      case 0: guard content + size <= pageSize else { throw broken("page \(number) has a node beyond its end") }
      case 1:
        guard content + 8 <= pageSize else { throw broken("page \(number) has a node beyond its end") }
        let first = page.loadUnaligned(fromByteOffset: content, as: UInt64.self)
        let count = (Self.header + size - 1) / pageSize + 1
        try take(first, count: count)
        let last = Int(first) + count - 1
        ends.append((last, Self.header + size - (count - 1) * pageSize))
      case 2:
        guard size == 48, content + size <= pageSize else { throw broken("page \(number) has a table of another size") }
        let root = page.loadUnaligned(fromByteOffset: content + 40, as: UInt64.self)
        if root != Self.noPage { waiting.append(root) }
      default: throw broken("page \(number) has a node of an unknown kind")
      }
    }
    if waiting.count > pages { throw broken("its trees have more pages than it") }
  }

  /// The unused bytes of a page of a tree; nil for what is none.
  private static func gap(of page: UnsafeRawBufferPointer, _ number: UInt64) -> Range<Int>? {
    let flags = page.loadUnaligned(fromByteOffset: 10, as: UInt16.self)
    let lower = Int(page.loadUnaligned(fromByteOffset: 12, as: UInt16.self))
    let upper = Int(page.loadUnaligned(fromByteOffset: 14, as: UInt16.self))
    guard page.loadUnaligned(as: UInt64.self) == number, flags & 0x6F == 1 || flags & 0x6F == 2, lower >= header,
      lower % 2 == 0, lower <= upper, upper <= page.count
    else { return nil }
    return lower..<upper
  }

  // MARK: What is not

  private mutating func overwrite() throws(HearthError) {
    ends.sort { $0.page < $1.page }
    var end = 0
    let atOnce = max(1, Self.block / pageSize)
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: atOnce * pageSize, alignment: 8)
    defer { block.deallocate() }
    // The two roots are as LMDB writes them, over a page of zeros.
    for first in stride(from: 2, to: pages, by: atOnce) {
      let count = min(atOnce, pages - first)
      try transfer(block[..<(count * pageSize)], at: first * pageSize) { pread(descriptor, $0, $1, $2) }
      var changed: Range<Int>?
      for place in 0..<count {
        let number = first + place
        while end < ends.count, ends[end].page < number { end += 1 }
        let used = end < ends.count && ends[end].page == number ? ends[end].used : pageSize
        let page = UnsafeMutableRawBufferPointer(rebasing: block[(place * pageSize)..<((place + 1) * pageSize)])
        guard let range = unused(of: number, used, UnsafeRawBufferPointer(page)) else {
          throw broken("page \(number) changed")
        }
        if page[range].allSatisfy({ $0 == 0 }) { continue }
        for index in range { page[index] = 0 }
        changed = min(changed?.lowerBound ?? place, place)..<(place + 1)
      }
      if let changed {
        probe?("write at page \(first + changed.lowerBound)")
        let part = (changed.lowerBound * pageSize)..<(changed.upperBound * pageSize)
        try transfer(block[part], at: first * pageSize + part.lowerBound) { pwrite(descriptor, $0, $1, $2) }
      }
      progress?((first + count) * 100 / pages)
    }
  }

  private func unused(of number: Int, _ used: Int, _ page: UnsafeRawBufferPointer) -> Range<Int>? {
    func has(_ bits: [UInt64]) -> Bool { bits[number / 64] >> (UInt64(number) % 64) & 1 == 1 }
    if !has(reached) { return 0..<pageSize }
    return has(trees) ? Self.gap(of: page, UInt64(number)) : used..<pageSize
  }

  private func read(_ number: Int, into page: UnsafeMutableRawBufferPointer) throws(HearthError) {
    try transfer(page[...], at: number * pageSize) { pread(descriptor, $0, $1, $2) }
  }

  /// All bytes, however many calls it takes: `call` is told where they are, how many, and where in the file.
  private func transfer(
    _ bytes: Slice<UnsafeMutableRawBufferPointer>, at offset: Int, _ call: (UnsafeMutableRawPointer, Int, Int) -> Int
  ) throws(HearthError) {
    guard let start = UnsafeMutableRawBufferPointer(rebasing: bytes).baseAddress else { return }
    var done = 0
    while done < bytes.count {
      let part = call(start + done, bytes.count - done, offset + done)
      if part > 0 {
        done += part
      } else if part < 0, errno == EINTR {
        continue
      } else {
        throw part == 0 ? broken("ends before its last page") : openFailure(errno, file)
      }
    }
  }

  private func broken(_ what: String) -> HearthError {
    HearthError(.storeInputOutput, "\(file) \(what): old pages were not overwritten")
  }
}
