// How much a thread has written, by the kernel's own account of it.

internal import Glibc

/// Two counters of /proc/thread-self/io, neither of which is what a card gets, but both of which are at least that.
///
/// `write_bytes` counts pages made dirty. Since Linux 6.16 a file on ext4 may be cached in folios of many pages, and all of a folio is counted for each block that is
/// written in it: 262,144 bytes for 4,096 were seen on 6.18, where the device got 4,096. `wchar` counts what was handed to write calls: exact for whole pages, and LMDB
/// writes nothing else but its root, 120 bytes that cost a page. The smaller of the two is the truth on either kernel.
struct WriteAccount {
  private let dirtied: UInt64
  private let handedOver: UInt64

  /// nil where the kernel does not keep accounts.
  static var ofThisThread: WriteAccount? {
    guard let bytes = readSmallFile("/proc/thread-self/io") else { return nil }
    guard let dirtied = number("write_bytes: ", in: bytes), let handedOver = number("wchar: ", in: bytes) else { return nil }
    return WriteAccount(dirtied: dirtied, handedOver: handedOver)
  }

  /// Bytes that one transaction made the device write, its root page included.
  static func flash(from before: WriteAccount?, to after: WriteAccount?, pageSize: Int) -> UInt64 {
    guard let before, let after, after.dirtied >= before.dirtied, after.handedOver >= before.handedOver else { return 0 }
    return min(after.dirtied - before.dirtied, after.handedOver - before.handedOver + UInt64(pageSize))
  }

  private static func number(_ name: StaticString, in bytes: [UInt8]) -> UInt64? {
    let name = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    for line in bytes.split(separator: 0x0A) where line.starts(with: name) {
      return UInt64(String(decoding: line.dropFirst(name.count), as: UTF8.self))
    }
    return nil
  }
}
