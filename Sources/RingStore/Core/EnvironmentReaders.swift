// Readers of an environment at the moment, of any process.

internal import CLMDB
internal import Glibc

extension Environment {
  /// Slots of the reader table in use, our own included.
  var readersInUse: Int {
    var info = MDB_envinfo()
    guard let handle, mdb_env_info(handle, &info) == 0 else { return 0 }
    return Int(info.me_numreaders)
  }

  func clearDeadReaders() {
    var dead: Int32 = 0
    if let handle { mdb_reader_check(handle, &dead) }
  }

  /// Waits until no transaction reads, two seconds at most. A read lasts for one page of samples, so one that began
  /// before this program got the store's lock ends in that time. A longer read finds pages of zeros, which it treats
  /// as damage.
  func awaitReaders() {
    for _ in 0..<100 where hasReadersInside { usleep(20_000) }
  }

  /// Whether a read transaction is open, of any process.
  var hasReadersInside: Bool { oldestReader != nil }

  /// The oldest transaction that is being read, of any process; nil if there is no reader.
  var oldestReader: UInt64? {
    var oldest: UInt64?
    guard let handle else { return nil }
    // A line for each slot: process, thread, and the transaction that it reads, or `-`.
    mdb_reader_list(
      handle,
      { text, oldest in
        guard let text, let oldest = oldest?.assumingMemoryBound(to: UInt64?.self) else { return 0 }
        for line in String(cString: text).split(separator: "\n") {
          let words = line.split(separator: " ")
          guard words.count == 3, let number = UInt64(words[2]) else { continue }
          oldest.pointee = min(oldest.pointee ?? number, number)
        }
        return 0
      }, &oldest)
    return oldest
  }
}
