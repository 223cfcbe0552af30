// The bytes that a thread has written, by the kernel's account.

internal import Glibc

/// Two counters of /proc/thread-self/io. Each is at least what the card gets.
///
/// `write_bytes` counts pages made dirty. Since Linux 6.16 a file on ext4 may be cached in folios of many pages, and
/// each written block counts its whole folio. Seen on 6.18: 262,144 bytes were counted when the device got 4,096.
/// `wchar` counts the bytes given to write calls: exact for whole pages. LMDB writes only whole pages, except its root:
/// 120 bytes that cost a page. The smaller counter is correct on either kernel.
struct WriteAccount {
  private let dirtied: UInt64
  private let handedOver: UInt64

  /// Parses the kernel's text of such an account; nil for any other text.
  init?(_ text: UnsafeRawBufferPointer) {
    guard let dirtied = Self.number("write_bytes: ", in: text), let handedOver = Self.number("wchar: ", in: text) else {
      return nil
    }
    self.dirtied = dirtied
    self.handedOver = handedOver
  }

  /// Bytes that one transaction made the device write, its root page included.
  static func flash(from before: WriteAccount?, to after: WriteAccount?, pageSize: Int) -> UInt64 {
    guard let before, let after, after.dirtied >= before.dirtied, after.handedOver >= before.handedOver else {
      return 0
    }
    return min(after.dirtied - before.dirtied, after.handedOver - before.handedOver + UInt64(pageSize))
  }

  /// The number behind `name` at the beginning of a line.
  private static func number(_ name: StaticString, in text: UnsafeRawBufferPointer) -> UInt64? {
    let name = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    var rest = text[...]
    while !rest.isEmpty {
      if rest.starts(with: name) {
        var number: UInt64 = 0
        for digit in rest.dropFirst(name.count).prefix(while: { (0x30...0x39).contains($0) }) {
          let (tens, overflow) = number.multipliedReportingOverflow(by: 10)
          if overflow { return nil }
          number = tens &+ UInt64(digit &- 0x30)
        }
        return number
      }
      rest = rest.drop { $0 != 0x0A }.dropFirst()
    }
    return nil
  }
}

/// /proc/thread-self/io, kept open: opening takes ten times as long as reading, twice in every commit.
///
/// Used only by the disk lane, by one thread at a time, so it may be handed to that lane. A file that another thread
/// opened is opened again, because it continues to count that thread.
final class WriteAccountFile: @unchecked Sendable {
  private let isThreadOfItsOwn: Bool
  private var descriptor: Int32 = -1
  private var owner: pthread_t?
  private var latest: WriteAccount?

  /// - Parameter isThreadOfItsOwn: true if the thread writes only in transactions. The account need not be read again
  ///   when the next one begins.
  init(isThreadOfItsOwn: Bool) { self.isThreadOfItsOwn = isThreadOfItsOwn }

  deinit { close() }

  /// The account at the beginning of a transaction.
  func start() -> WriteAccount? {
    if isThreadOfItsOwn, owner == pthread_self(), let latest { return latest }
    return read()
  }

  /// The account now; nil if the kernel has no accounts.
  func read() -> WriteAccount? {
    let thread = pthread_self()
    if owner == thread, let account = readOpen() {
      latest = account
      return account
    }
    // Also if that thread has ended and this one has the same identity.
    close()
    descriptor = open("/proc/thread-self/io", O_RDONLY | O_CLOEXEC)
    owner = thread
    latest = readOpen()
    return latest
  }

  private func readOpen() -> WriteAccount? {
    // Seven lines of at most 44 bytes.
    withUnsafeTemporaryAllocation(byteCount: 512, alignment: 8) { buffer in
      let count = pread(descriptor, buffer.baseAddress, buffer.count, 0)
      return count > 0 ? WriteAccount(UnsafeRawBufferPointer(rebasing: buffer[..<count])) : nil
    }
  }

  private func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
    owner = nil
  }
}
