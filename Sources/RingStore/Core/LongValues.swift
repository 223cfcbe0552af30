// Long values, each on pages of its own. When one is freed, LMDB trusts the head of its first page for the number of
// pages and the page number. That head is therefore checked before a long value is deleted or written again.

internal import CLMDB
internal import Glibc
internal import StateCodec

/// The address at which LMDB maps the file, to find the number of the page on which a value begins.
final class FileMapping: @unchecked Sendable {
  /// Address of page 0; 0 if unknown.
  private var start = UInt(0)
  private var length = UInt(0)
  private let pageSize: Int
  /// Wrong heads that were written again, since `takeMended`.
  private var mended = 0

  init(pageSize: Int) { self.pageSize = pageSize }

  /// Finds the address of page 0.
  ///
  /// - Parameter value: a value inside a page of a tree, beside others. `PageCheck` has verified that this page states
  ///   its own number.
  func locate(_ value: UnsafeRawBufferPointer, pages: Int) {
    guard let address = value.baseAddress.map({ UInt(bitPattern: $0) }) else { return }
    let page = address & ~UInt(pageSize - 1)
    guard let number = UnsafeRawPointer(bitPattern: page)?.load(as: UInt64.self) else { return }
    let (before, overflows) = UInt(number).multipliedReportingOverflow(by: UInt(pageSize))
    start = overflows || before > page ? 0 : page - before
    length = UInt(pages) * UInt(pageSize)
  }

  func takeMended() -> Int {
    defer { mended = 0 }
    return mended
  }

  /// Whether a long value's page states the number of another page. The card then returned one page in place of the
  /// other. A checksum that does not include the position does not notice that. A number that differs in one bit
  /// counts as this page's own if the page of that number states itself and holds something else.
  func isMisplaced(_ value: UnsafeRawBufferPointer, _ transaction: OpaquePointer) -> Bool {
    guard start != 0, let address = value.baseAddress.map({ UInt(bitPattern: $0) }), address >= start else {
      return false
    }
    let offset = address - start
    guard offset < length, Int(offset) % pageSize == PageWalk.header,
      let page = UnsafeRawPointer(bitPattern: address - UInt(PageWalk.header))
    else { return false }
    let (number, stated) = (UInt64(Int(offset) / pageSize), page.loadUnaligned(as: UInt64.self))
    if stated == number { return false }
    if (stated ^ number).nonzeroBitCount != 1 { return true }
    var info = MDB_envinfo()
    guard mdb_env_info(mdb_txn_env(transaction), &info) == 0, stated <= UInt64(info.me_last_pgno),
      (stated + 1) * UInt64(pageSize) <= UInt64(length),
      let other = UnsafeRawPointer(bitPattern: start + UInt(stated) * UInt(pageSize))
    else { return false }
    let isThere = other.loadUnaligned(as: UInt64.self) == stated
    return !isThere || memcmp(page, other, pageSize) == 0
  }

  /// Checks the head of a long value; other values have no head. If values of this table always have one page, the
  /// correct head is known. A wrong one is then written again in the file, which is what LMDB reads.
  ///
  /// - Throws: `MDB_CORRUPTED` if a wrong head cannot be corrected.
  func checkHead(of value: UnsafeRawBufferPointer, isOnePage: Bool, _ transaction: OpaquePointer)
    throws(DatabaseFailure)
  {
    guard start != 0, let address = value.baseAddress.map({ UInt(bitPattern: $0) }), address >= start else { return }
    let offset = address - start
    // Values that this transaction wrote lie elsewhere in memory, and values beside others have no head of their own.
    guard offset < length, Int(offset) % pageSize == PageWalk.header else { return }
    let number = UInt64(Int(offset) / pageSize)
    let head = UnsafeRawBufferPointer(start: value.baseAddress.map { $0 - PageWalk.header }, count: PageWalk.header)
    let needed = UInt32(truncatingIfNeeded: (PageWalk.header + value.count - 1) / pageSize + 1)
    let pages = head.loadUnaligned(fromByteOffset: 12, as: UInt32.self)
    if head.loadUnaligned(as: UInt64.self) == number,
      head.loadUnaligned(fromByteOffset: 10, as: UInt16.self) == PageWalk.longPage,
      isOnePage ? pages == needed : pages >= needed && pages <= Self.pagesAtMost(pageSize)
    {
      return
    }
    guard isOnePage, mend(number, needed, transaction) else {
      throw DatabaseFailure(call: "page \(number) is not what leads to it", code: MDB_CORRUPTED)
    }
    mended += 1
  }

  /// Pages of the longest record with fields.
  private static func pagesAtMost(_ pageSize: Int) -> UInt32 {
    UInt32((PageWalk.header + FieldCodec.sizeLimit - 1) / pageSize + 1)
  }

  private func mend(_ number: UInt64, _ pages: UInt32, _ transaction: OpaquePointer) -> Bool {
    var descriptor: Int32 = -1
    guard mdb_env_get_fd(mdb_txn_env(transaction), &descriptor) == 0 else { return false }
    var head: [UInt8] = []
    head.append(littleEndian: number)
    head.append(littleEndian: UInt16(0))
    head.append(littleEndian: PageWalk.longPage)
    head.append(littleEndian: pages)
    return pwrite(descriptor, head, head.count, Int(number) * pageSize) == head.count
  }
}
