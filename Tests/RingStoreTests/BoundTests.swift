import EventLoop
import Foundation
import Health
import Reasons
import Testing

@testable import RingStore

@Suite(.serialized) struct BoundTests {
  @Test(
    "filled many times over, the file never passes its size, the newest samples stay, and every evicted one is counted",
    arguments: zip([StoreOptions.minimumSize, StoreOptions.minimumSize], [4096, 100_000]))
  func bound(size: Int, bytes: Int) throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      var store = try Store.open(.test(scratch.store, size: size, bytes: bytes), loop: loop, disk: InlineDiskLane())
      let keeper = try await store.enrol(name: "keeper", addressValue: 7, addressKind: 2, driver: "d", kind: "k")
      let start = loop.wall
      var total: Int64 = 0
      var written = 0
      while written < 5 * size / 2 {
        for _ in 0..<400 {
          store.append(keeper.id, .rrInterval, noise(total), at: loop.now)
          total += 1
        }
        written += 400 * 10
        try await loop.sleep(for: .milliseconds(100))
        #expect(scratch.size(scratch.data) <= size)
        if total % 100_000 == 0 {
          await store.close()
          store = try Store.open(.test(scratch.store, size: size, bytes: bytes), loop: loop, disk: InlineDiskLane())
        }
      }
      try await store.flush()
      let status = store.status
      #expect(status.trouble == nil)
      #expect(status.droppedSamples == 0)
      #expect(status.fileBytes <= size)
      #expect(status.usedBytes <= status.fileBytes)
      #expect(status.usedBytes > size / 2, "most of the file is used")
      let samples = try await store.all(limit: 10_000)
      #expect(samples.map { $0.ordinal }.elementsEqual((UInt64(total) - UInt64(samples.count))..<UInt64(total)))
      #expect(samples.allSatisfy { $0.value == noise($0.ordinal) })
      #expect(try await store.verify().findings == [])
      #expect(status.samples == UInt64(samples.count))
      #expect(status.evictedSamples == UInt64(total) - UInt64(samples.count))
      #expect(status.evictedFrom == start)
      #expect(status.oldest == samples.first?.time)
      if let to = status.evictedTo, let first = samples.first {
        #expect(first.time - to <= .milliseconds(100))
      } else {
        Issue.record("no range")
      }
      #expect(store.wearables == [keeper])
      // The registry can still be written to.
      for index in 0..<20 {
        _ = try await store.enrol(
          name: "late-\(index)", addressValue: UInt64(100 + index), addressKind: 2, driver: "d", kind: "k")
      }
      await store.close()
    }
  }

  @Test("a store configured smaller than it is gives its oldest samples up in steps and stays usable")
  func shrunk() throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      var store = try Store.open(.test(scratch.store, size: 16 << 20), loop: loop, disk: InlineDiskLane())
      var total: Int64 = 0
      @LoopActor func fill(_ rounds: Int) async throws {
        for _ in 0..<rounds {
          for _ in 0..<400 {
            store.append(one, .rrInterval, noise(total), at: loop.now)
            total += 1
          }
          try await loop.sleep(for: .milliseconds(10))
        }
      }
      try await fill(3200)
      try await store.flush()
      let before = store.status
      #expect(before.usedBytes > 8 << 20, "twice what it may have then")
      await store.close()
      store = try Store.open(.test(scratch.store, size: 4 << 20), loop: loop, disk: InlineDiskLane())
      try await fill(600)
      try await store.flush()
      let status = store.status
      #expect(status.trouble == nil)
      #expect(status.usedBytes <= 4 << 20)
      #expect(status.fileBytes <= before.fileBytes + 2 * PageReserve.of(4096) * 4096)
      #expect(status.samples + status.evictedSamples == UInt64(total))
      #expect(try await store.all(limit: 10_000).last?.ordinal == UInt64(total) - 1)
      #expect(try await store.verify().findings == [])
      await store.close()
    }
  }

  private func fill(_ scratch: Scratch, _ count: Int, packed: Bool) throws {
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      for index in 0..<count {
        store.append(one, .rrInterval, noise(index) >> 32, at: loop.now)
        if index % 100 == 0 { try await loop.sleep(for: .milliseconds(10)) }
      }
      try await store.flush()
      if packed { try await store.pack() }
      await store.close()
    }
  }

  private func value(_ sample: StoredSample) -> Int64 { noise(sample.ordinal) >> 32 }

  @Test(
    """
    a damaged chunk of the journal is skipped and reported once, goes into quarantine when its turn comes, and \
    everything else is served
    """,
    arguments: [0, 3, 12, 20, 60, 89, 2000])
  func damagedJournal(offset: Int) throws {
    let scratch = Scratch()
    try fill(scratch, 20_000, packed: false)
    try scratch.flip(\.journal, at: 4, offset: offset)
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      let samples = try await store.all(limit: 333)
      _ = try await store.all(limit: 1000)
      #expect(samples.count < 20_000 && samples.count > 17_000)
      #expect(samples.map { $0.ordinal }.elementsEqual(0..<UInt64(samples.count)), "a damaged chunk has no ordinals")
      #expect(store.status.corruptChunks == 1)
      #expect(store.status.samples == 20_000)
      // Searching by time steps over it as well.
      let late = try await store.all(SampleQuery(since: samples[samples.count - 10].time))
      #expect(late.suffix(10) == samples.suffix(10))
      #expect(try await store.verify().findings.count == 1)

      store.append(one, .heartRate, 1, at: loop.now)
      try await store.flush()
      try await store.pack()
      #expect(try await store.all(SampleQuery(series: [.rrInterval])) == samples)
      #expect(store.status.corruptChunks == 1)
      #expect(try await store.verify().findings == [])
      let quarantined = try store.disk.reading { transaction throws(DatabaseFailure) in
        transaction.entries(transaction.tables.quarantine)
      }
      #expect(quarantined == 1)
      store.append(one, .heartRate, 2, at: loop.now)
      try await store.flush()
      #expect(try store.recentEvents(100).filter { $0.reason == Reason.storeChunkCorrupt.rawValue }.count == 1)
      await store.close()
    }
  }

  @Test(
    "a damaged chunk of a ring is skipped and reported once, and everything else is served",
    arguments: [0, 3, 12, 20, 50, 66, 70, 3000])
  func damagedRing(offset: Int) throws {
    let scratch = Scratch()
    try fill(scratch, 20_000, packed: true)
    try scratch.flip(\.chunks, at: 3, offset: offset)
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      let samples = try await store.all(limit: 333)
      #expect(try await store.all(limit: 1000) == samples)
      #expect(samples.count < 20_000 && samples.count > 15_000)
      #expect(samples.allSatisfy { $0.value == value($0) })
      #expect(store.status.corruptChunks == 1)
      #expect(store.status.samples == 20_000)
      let late = try await store.all(SampleQuery(since: samples[samples.count - 10].time))
      #expect(late.suffix(10) == samples.suffix(10))
      #expect(try await store.verify().findings.contains { $0.what == "damaged" })
      var scanned = 0
      try await store.scan(one, .rrInterval) { scanned += $0.count }
      #expect(scanned == samples.count)
      store.append(one, .rrInterval, 2, at: loop.now)
      try await store.flush()
      #expect(try store.recentEvents(100).filter { $0.reason == Reason.storeChunkCorrupt.rawValue }.count == 1)
      #expect(store.rings.first?.items == 20_001 - store.status.journalSamples)
      // After a purge by a person, it is counted by the begin of the next one, and no part of it is left.
      let plan = try await store.purgePlan(SampleQuery())
      #expect(plan.items == 20_000)
      #expect(try await store.purge(plan) == 20_000)
      #expect(try await store.verify().findings == [])
      await store.close()
    }
  }

  @Test(
    """
    a damaged row of a ring costs no sample: it is computed again from the chunks, also for a reader, and written at \
    the next change
    """
  )
  func damagedRow() throws {
    let scratch = Scratch()
    try fill(scratch, 20_000, packed: true)
    let before = try StoreReader(path: scratch.store).rings
    try scratch.flip(\.rings, at: 0, offset: 30)
    let reader = try StoreReader(path: scratch.store)
    #expect(reader.rings == before)
    #expect(reader.status.corruptRecords == 1)
    #expect(try reader.all().count == 20_000)
    #expect(try reader.newest(5, of: one, .rrInterval).map { $0.ordinal } == Array(19_995..<20_000))
    try VirtualLoop.run { loop in
      var store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      #expect(store.status.corruptRecords == 1)
      #expect(try await store.all().count == 20_000)
      #expect(try await store.verify().findings.map { $0.what } == ["damaged"])
      for round in 20_000..<20_010 {
        store.append(one, .rrInterval, noise(round) >> 32, at: loop.now)
        try await store.flush()
      }
      try await store.pack()
      #expect(try await store.verify().findings == [])
      let samples = try await store.all()
      #expect(samples.map { $0.ordinal }.elementsEqual(0..<20_010))
      #expect(samples.allSatisfy { $0.value == value($0) })
      await store.close()
      store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      #expect(store.status.corruptRecords == 0)
      await store.close()
    }
  }

  @Test("of a row computed again, what is gone counts as evicted, and what readers have as exported")
  func damagedRowAfterLosses() throws {
    let scratch = Scratch()
    try fill(scratch, 20_000, packed: true)
    try VirtualLoop.run { loop in
      var options = StoreOptions.test(scratch.store)
      options.retention[Series.rrInterval.id] = Retention(quota: 3 * RingState.chunkSpace)
      let store = try Store.open(options, loop: loop, disk: InlineDiskLane())
      try await store.pack()
      let session = try await store.export(SampleQuery(), reader: "ward")
      while try await session.next() != nil {}
      try await session.confirm()
      await store.close()
    }
    let before = try #require(try StoreReader(path: scratch.store).rings.first)
    #expect(before.evicted > 10_000 && before.unexported == 0)
    try scratch.flip(\.rings, at: 0, offset: 30)
    let reader = try StoreReader(path: scratch.store)
    let after = try #require(reader.rings.first)
    #expect(after.items == before.items && after.unexported == 0)
    // What the journal still had was confirmed as well: its ordinals are not used again, so they are as good as gone.
    #expect(
      after.evicted >= before.evicted && after.evictedFrom == nil && after.evictedTo == nil
        && after.evictedUnexported == 0)
  }

  @Test("if the last chunk of the journal is damaged, sequence numbers it may have used are not used again")
  func damagedEnd() throws {
    let scratch = Scratch()
    try fill(scratch, 5000, packed: false)
    let count = try StoreReader(path: scratch.store).status.journalChunks
    try scratch.flip(\.journal, at: count - 1, offset: ChunkHeader.Offset.count, bits: 1)
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      #expect(store.live.line.nextSequence > 5000)
      store.append(one, .rrInterval, -7, at: loop.now)
      try await store.flush()
      let samples = try await store.all()
      #expect(samples.last?.value == -7)
      #expect(Set(samples.map { $0.ordinal }).count == samples.count)
      try await store.pack()
      #expect(try await store.all() == samples)
      await store.close()
    }
  }

  @Test("a damaged chunk that is evicted is counted by the begin of the next one")
  func damagedEviction() throws {
    let scratch = Scratch()
    try fill(scratch, 20_000, packed: true)
    try scratch.flip(\.chunks, at: 3, offset: 100)
    try VirtualLoop.run { loop in
      var options = StoreOptions.test(scratch.store)
      options.retention[Series.rrInterval.id] = Retention(quota: 3 * RingState.chunkSpace)
      let store = try Store.open(options, loop: loop, disk: InlineDiskLane())
      try await store.pack()
      let ring = try #require(store.rings.first)
      #expect(ring.chunks == 3)
      #expect(ring.items + ring.evicted + store.status.journalSamples == 20_000)
      #expect(try await store.all().count == Int(store.status.samples))
      #expect(try await store.verify().findings == [])
      await store.close()
    }
  }
}
