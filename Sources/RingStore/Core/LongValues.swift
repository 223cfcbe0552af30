// Long values, each on pages of its own: LMDB frees as many as the head of the first states, under the number that
// stands there. So the head is looked at before a long value is deleted or written anew.

internal import CLMDB
internal import Glibc
internal import StateCodec

/// Where LMDB has the file in memory, to tell the number of the page that a value begins on.
final class FileMapping: @unchecked Sendable {
  /// Where page 0 lies; 0: not known.
  private var start = UInt(0)
  private var length = UInt(0)
  private let pageSize: Int
  /// Heads that were wrong and were written anew, since `takeMended`.
  private var mended = 0

  init(pageSize: Int) { self.pageSize = pageSize }

  /// - Parameter value: one that lies on a page of a tree, beside others. `PageCheck` has seen that the page states its
  ///   own number.
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

  /// Whether a long value's page states that it is another one: a card gave back one page for the other, and a checksum
  /// that does not know its place fits either. A number with one other bit is this page's own where the page of that
  /// number states itself and holds something else.
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

  /// Looks at the head of a long value; of any other value there is none. What it must be is known where a value never
  /// has more than one page: then it is written anew, in the file, which is what LMDB reads.
  ///
  /// - Throws: `MDB_CORRUPTED` where it cannot be known.
  func checkHead(of value: UnsafeRawBufferPointer, isOnePage: Bool, _ transaction: OpaquePointer)
    throws(DatabaseFailure)
  {
    guard start != 0, let address = value.baseAddress.map({ UInt(bitPattern: $0) }), address >= start else { return }
    let offset = address - start
    // What this transaction wrote lies elsewhere in memory; what lies beside others has no head of its own.
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

  /// Of the longest record with fields.
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
