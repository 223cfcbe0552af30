// Who reads an environment at the moment, whatever process it is.

internal import CLMDB
internal import Glibc

extension Environment {
  /// Slots of the reader table that are taken, ours included.
  var readersInUse: Int {
    var info = MDB_envinfo()
    guard let handle, mdb_env_info(handle, &info) == 0 else { return 0 }
    return Int(info.me_numreaders)
  }

  func clearDeadReaders() {
    var dead: Int32 = 0
    if let handle { mdb_reader_check(handle, &dead) }
  }

  /// Waits until nobody reads, two seconds at most: a reading lasts for one page of samples, and who began one before
  /// this program had its lock ends it then. One that goes on finds pages of zeros, which is damage like any other.
  func awaitReaders() {
    for _ in 0..<100 where hasReadersInside { usleep(20_000) }
  }

  /// Somebody is inside a reading, of whatever process.
  var hasReadersInside: Bool { oldestReader != nil }

  /// The oldest transaction that somebody reads, of whatever process; nil: nobody does.
  var oldestReader: UInt64? {
    var oldest: UInt64?
    guard let handle else { return nil }
    // A line a slot: process, thread, and the transaction it reads, or `-`.
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
