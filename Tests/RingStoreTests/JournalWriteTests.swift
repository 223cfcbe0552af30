import EventLoop
import Foundation
import Health
import Synchronization
import Testing

@testable import RingStore

/// Writes of several chunks into the journal file, of which a power cut may leave any.
@Suite(.serialized) struct JournalWriteTests {
  private func values(_ count: Int) -> [Int64] { (0..<count).map { noise($0) } }

  /// Changes one byte of slots, or all to zeros as a purge does.
  private func spoil(_ slots: [Int], of scratch: Scratch, clearing: Bool = false) throws {
    let url = URL(fileURLWithPath: scratch.journalFile)
    var data = try Data(contentsOf: url)
    for slot in slots {
      let place = JournalSlot.size * (1 + slot)
      if clearing {
        data.replaceSubrange(place..<(place + JournalSlot.size), with: Data(count: JournalSlot.size))
      } else {
        data[place + 100] ^= 0x10
      }
    }
    try data.write(to: url)
  }

  /// Makes a store with a write of several chunks at the end of the journal file. Calls `body` with the number of
  /// samples before that write, and with the number of samples up to the end of each of its chunks.
  private func withWrite(
    _ body:
      @escaping @LoopActor (_ store: Store, _ scratch: Scratch, _ slots: [Int], _ counts: [Int]) async throws
      -> Void
  ) throws {
    try inStore({ $0.commitBytes = 256 }) { loop, store, scratch in
      for index in 0..<400 { store.append(one, .rrInterval, noise(index), at: loop.now) }
      try await store.flush()
      let tail = try #require(store.disk.environment).tail.chunks
      let headers = try tail.map { try #require(ChunkHeader($0.entry.value)) }
      let start = try #require(headers.lastIndex { !$0.isOfSameWrite })
      try #require(start > 0 && tail.count - start >= 5)
      let counts = headers[(start - 1)...].map { Int($0.nextSequence - headers[0].sequence) }
      try await body(store, scratch, Array(start..<tail.count), counts)
    }
  }

  @Test("an interrupted write counts up to its first missing chunk, and no damage is reported", arguments: 0..<16)
  func interrupted(written: Int) throws {
    let scratch = Scratch()
    let whole = Mutex(0)
    try withWrite { _, other, slots, counts in
      try other.cut(to: scratch)
      let missing = slots.indices.filter { $0 >= 4 || written >> $0 & 1 == 0 }
      try self.spoil(missing.map { slots[$0] }, of: scratch)
      whole.withLock { $0 = counts[missing[0]] }
    }
    let count = whole.withLock { $0 }
    let reader = try StoreReader(path: scratch.store)
    #expect(try reader.all().map(\.value) == values(count))
    #expect(try reader.verify().findings == [])
    // Later starts find the same, and never what was left out.
    try inStore({ $0.commitBytes = 256 }, at: scratch) { loop, store, _ in
      #expect(try await store.all().map(\.value) == self.values(count))
      #expect(try scratch.valuesAfterCut() == self.values(count))
      for turn in 0..<5 {
        store.append(one, .rrInterval, noise(count + turn), at: loop.now)
        try await store.flush()
        #expect(try scratch.valuesAfterCut() == self.values(count + turn + 1))
      }
      #expect(store.status.corruptChunks == 0)
    }
  }

  @Test("a missing chunk of a write that another write follows is damage, and is reported")
  func older() throws {
    let scratch = Scratch()
    try withWrite { store, other, slots, _ in
      store.append(one, .rrInterval, noise(400), at: store.disk.loop.now)
      try await store.flush()
      try other.cut(to: scratch)
      try self.spoil([slots[2]], of: scratch)
    }
    let reader = try StoreReader(path: scratch.store)
    #expect(try reader.all().map(\.value).last == noise(400))
    #expect(try reader.verify().findingCount > 0)
  }

  @Test("a chunk that was moved, and overwritten, is not missing from its write", arguments: 1..<5)
  func moved(count: Int) throws {
    try withWrite { store, scratch, slots, counts in
      let environment = try #require(store.disk.environment)
      let rest = environment.tail.chunks[slots[count]...]
      let end = JournalEnd(nextSequence: rest[slots[count]].sequence, stored: 0, highWater: WallTime(microseconds: 0))
      let other = try scratch.cut()
      let opened = try Environment(path: other.store, size: 16 << 20, mode: .writer)
      try opened.openTables()
      try opened.write { transaction throws(DatabaseFailure) in try end.keep(transaction) }
      opened.close()
      try self.spoil(Array(0..<slots[count]), of: other, clearing: true)
      let found = try StoreReader(path: other.store).all().map(\.value)
      #expect(found == Array(self.values(400)[counts[count]...]))
    }
  }
}
