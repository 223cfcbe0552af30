import EventLoop
import Foundation
import Health
import Reasons
import Testing

@testable import RingStore

/// Live samples between their commit and their ring: in the journal file.
@Suite(.serialized) struct JournalFileTests {
  @LoopActor private func append(_ count: Int, from first: Int = 0, _ store: Store, _ loop: VirtualLoop) async throws {
    for index in first..<(first + count) { store.append(one, .rrInterval, noise(index), at: loop.now) }
    try await store.flush()
    try await loop.sleep(for: .milliseconds(10))
  }

  private func values(_ count: Int) -> [Int64] { (0..<count).map { noise($0) } }

  private func values(_ path: String) throws -> [Int64] {
    try StoreReader(path: path).all().map(\.value)
  }

  private func flip(_ path: String, at place: Int) throws {
    var data = try Data(contentsOf: URL(fileURLWithPath: path))
    data[place] ^= 0x10
    try data.write(to: URL(fileURLWithPath: path))
  }

  private func slot(_ index: Int) -> Int { JournalSlot.size * (1 + index) }

  @Test("a commit of live samples writes only the journal file, and a power cut leaves them all")
  func commit() throws {
    try inStore { loop, store, scratch in
      try await self.append(1, store, loop)
      let before = try Data(contentsOf: URL(fileURLWithPath: scratch.data))
      for turn in 0..<5 { try await self.append(100, from: 1 + 100 * turn, store, loop) }
      #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.data)) == before)
      #expect(scratch.size(scratch.journalFile) == JournalFile.size)
      #expect(try scratch.valuesAfterCut() == self.values(501))
      #expect(store.status.journalSamples == 501)
      #expect(try await store.all().map(\.value) == self.values(501))
    }
  }

  @Test("a store that was closed in order has everything in its tables")
  func closed() throws {
    let scratch = Scratch()
    try inStore(at: scratch) { loop, store, _ in try await self.append(300, store, loop) }
    unlink(scratch.journalFile)
    #expect(try values(scratch.store) == values(300))
  }

  @Test("what a power cut left in the file goes on: numbers, ordinals, rings and ends are as without it")
  func goesOn() throws {
    let scratch = Scratch()
    try inStore { loop, store, other in
      try await self.append(250, store, loop)
      try other.cut(to: scratch)
    }
    try inStore(at: scratch) { loop, store, _ in
      #expect(store.status.journalSamples == 250)
      try await self.append(250, from: 250, store, loop)
      try await store.pack()
      #expect(store.status.journalSamples > 0 && store.status.journalSamples < 500)
      try await self.append(250, from: 500, store, loop)
      let samples = try await store.all()
      #expect(samples.map(\.value) == self.values(750))
      #expect(samples.map(\.ordinal) == Array(0..<750))
      try await store.pack(whole: true)
      #expect(store.status.journalSamples == 0)
      #expect(try await store.all().map(\.ordinal) == Array(0..<750))
      let other = try scratch.cut()
      let reader = try StoreReader(path: other.store)
      #expect(try reader.all().map(\.value) == self.values(750))
      #expect(try reader.verify().findings == [])
    }
    #expect(try values(scratch.store) == values(750))
  }

  @Test("chunks move from the file into the rings without a table between")
  func moves() throws {
    try inStore { loop, store, scratch in
      for turn in 0..<8 { try await self.append(600, from: 600 * turn, store, loop) }
      try await store.pack()
      let inTable = try store.disk.reading { transaction throws(DatabaseFailure) in
        transaction.entries(transaction.tables.journal)
      }
      #expect(inTable == 0)
      #expect(store.rings.first { $0.id.series == .rrInterval }.map { $0.items > 4000 } == true)
      #expect(try await store.all().map(\.value) == self.values(4800))
      #expect(try scratch.valuesAfterCut() == self.values(4800))
    }
  }

  @Test("a walk that was begun before samples moved gives each once", arguments: [0, 1, 2, 3])
  func walked(pages: Int) throws {
    try inStore { loop, store, _ in
      for turn in 0..<4 { try await self.append(400, from: 400 * turn, store, loop) }
      let session = try await store.export(SampleQuery())
      var found: [Int64] = []
      for _ in 0..<pages { found += try await session.next(limit: 300)?.samples.map(\.value) ?? [] }
      try await store.pack()
      while let page = try await session.next(limit: 300) { found += page.samples.map(\.value) }
      #expect(found == self.values(1600))
    }
  }

  @Test("a damaged slot costs its chunk: it is reported, all others are served, and it goes into quarantine")
  func damaged() throws {
    let scratch = Scratch()
    try inStore { loop, store, other in
      for turn in 0..<5 { try await self.append(20, from: 20 * turn, store, loop) }
      try other.cut(to: scratch)
    }
    try flip(scratch.journalFile, at: slot(2) + 200)
    let reader = try StoreReader(path: scratch.store)
    let export = try reader.export(SampleQuery())
    var found: [Int64] = []
    var lost = 0
    while let page = try export.next() {
      found += page.samples.map(\.value)
      lost += page.gaps.count
    }
    #expect(found == values(40) + values(100)[60...])
    #expect(lost == 1)
    #expect(try reader.verify().findingCount > 0)
    try inStore(at: scratch) { loop, store, _ in
      #expect(try await store.all().map(\.value) == self.values(40) + self.values(100)[60...])
      try await store.pack(whole: true)
      #expect(store.status.corruptChunks == 1)
      #expect(try await store.all().map(\.value) == self.values(40) + self.values(100)[60...])
      try await self.append(20, from: 100, store, loop)
      #expect(try await store.all().map(\.value) == self.values(40) + self.values(120)[60...])
    }
  }

  @Test("half a slot at the end was never promised, and is not reported")
  func torn() throws {
    let scratch = Scratch()
    try inStore { loop, store, other in
      for turn in 0..<3 { try await self.append(20, from: 20 * turn, store, loop) }
      try other.cut(to: scratch)
    }
    try flip(scratch.journalFile, at: slot(2) + 100)
    let reader = try StoreReader(path: scratch.store)
    #expect(try reader.all().map(\.value) == values(40))
    #expect(try reader.verify().findings == [])
    try inStore(at: scratch) { loop, store, _ in
      try await self.append(20, from: 40, store, loop)
      #expect(try await store.all().map(\.value) == self.values(60))
    }
  }

  @Test("the file is gone through again and again, and each sample is there once")
  func around() throws {
    let scratch = Scratch()
    // Each chunk has a few samples, so that there are many.
    try inStore({ $0.commitBytes = 256 }, at: scratch) { loop, store, _ in
      var count = 0
      for turn in 0..<100 {
        for _ in 0..<13 {
          try await self.append(7, from: count, store, loop)
          count += 7
        }
        await store.packed()
        if turn % 9 == 0 { try await store.pack() }
        if turn % 30 == 29 { #expect(try scratch.valuesAfterCut() == self.values(count)) }
      }
      #expect(try await store.all().map(\.value) == self.values(count))
    }
    #expect(try values(scratch.store) == values(9100))
  }

  @Test("when the move into the rings stops, the table takes what the file has no room for")
  func full() throws {
    let scratch = Scratch()
    try inStore({ $0.commitBytes = 256 }, at: scratch) { loop, store, _ in
      await store.packer.turn.take()
      for turn in 0..<(JournalSlots.count + 40) { try await self.append(3, from: 3 * turn, store, loop) }
      let inTable = try store.disk.reading { transaction throws(DatabaseFailure) in
        transaction.entries(transaction.tables.journal)
      }
      #expect(inTable >= JournalSlots.count / 2)
      let count = 3 * (JournalSlots.count + 40)
      #expect(try await store.all().map(\.value) == self.values(count))
      #expect(try scratch.valuesAfterCut() == self.values(count))
      store.packer.turn.give()
    }
  }

  @Test("a file that is lost, cut short, without its head or of another store is made again", arguments: 0..<4)
  func anew(kind: Int) throws {
    let (scratch, other) = (Scratch(), Scratch())
    try inStore(at: scratch) { loop, store, _ in try await self.append(100, store, loop) }
    try inStore { loop, store, source in
      try await self.append(50, from: 900, store, loop)
      try FileManager.default.copyItem(atPath: source.journalFile, toPath: other.path + "/foreign")
    }
    switch kind {
    case 0: unlink(scratch.journalFile)
    case 1: truncate(scratch.journalFile, 5000)
    case 2: try flip(scratch.journalFile, at: 3)
    default:
      unlink(scratch.journalFile)
      try FileManager.default.copyItem(atPath: other.path + "/foreign", toPath: scratch.journalFile)
    }
    let reader = try StoreReader(path: scratch.store)
    #expect(try reader.all().map(\.value) == values(100))
    #expect(try reader.verify().findings.isEmpty == (kind > 1))
    try inStore(at: scratch) { loop, store, _ in
      #expect((store.status.rescued == nil) == (kind > 1), "what may have been in it is told to be gone")
      #expect(try await store.all().map(\.value) == self.values(100))
      try await self.append(100, from: 100, store, loop)
      #expect(scratch.size(scratch.journalFile) == JournalFile.size)
      #expect(try scratch.valuesAfterCut() == self.values(200))
    }
  }

  @Test("if no such file can be made, the tables take the samples")
  func refused() throws {
    let scratch = Scratch()
    try FileManager.default.createDirectory(
      atPath: scratch.journalFile + "/something", withIntermediateDirectories: true)
    try inStore(at: scratch) { loop, store, _ in
      try await self.append(100, store, loop)
      #expect(try scratch.valuesAfterCut() == self.values(100))
    }
  }

  @Test(
    "what only the file has is served and moved if the file cannot be written to any more", arguments: [true, false])
  func unwritable(isPacked: Bool) throws {
    let scratch = Scratch()
    try inStore { loop, store, other in
      for turn in 0..<4 { try await self.append(30, from: 30 * turn, store, loop) }
      try other.cut(to: scratch)
    }
    try inStore({ $0.usesJournalFile = false }, at: scratch) { loop, store, _ in
      #expect(try await store.all().map(\.value) == self.values(120))
      if isPacked { try await store.pack() }
      try await self.append(30, from: 120, store, loop)
      #expect(try await store.all().map(\.value) == self.values(150))
      #expect(try scratch.valuesAfterCut() == self.values(150))
    }
    try inStore(at: scratch) { loop, store, _ in
      try await self.append(30, from: 150, store, loop)
      #expect(try await store.all().map(\.value) == self.values(180))
      #expect(try scratch.valuesAfterCut() == self.values(180))
    }
  }

  @Test("a purge leaves no byte of what it deleted in the file")
  func purged() throws {
    try inStore { loop, store, scratch in
      try await self.append(100, store, loop)
      var pattern: [UInt8] = []
      pattern.append(varint: zigzag(noise(50)))
      func isThere() throws -> Bool {
        try Data(contentsOf: URL(fileURLWithPath: scratch.journalFile)).range(of: Data(pattern)) != nil
      }
      #expect(try isThere())
      // The newest chunk is beyond a purge's reach.
      try await self.append(20, from: 100, store, loop)
      _ = try await store.purge(try await store.purgePlan(SampleQuery()))
      #expect(await store.overwriteDeleted() == 0)
      #expect(try !isThere())
    }
  }

  @Test("a backup has what only the file has")
  func backup() throws {
    try inStore { loop, store, _ in
      try await self.append(100, store, loop)
      let session = try await store.beginBackup(samples: true)
      var rows: [BackupRow] = []
      while true {
        let page = try session.page()
        rows += BackupRow.parse(page.bytes) ?? []
        if page.isLast { break }
      }
      #expect(rows.filter { $0.table == BackupTable.journal.rawValue }.count == 1)
    }
  }
}
