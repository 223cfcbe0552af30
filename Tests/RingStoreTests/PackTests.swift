import EventLoop
import Foundation
import Health
import Reasons
import Testing

@testable import RingStore

@Suite(.serialized) struct PackTests {
  @Test(
    """
    whatever is appended, committed, moved, stepped, restarted and read in between, no sample is lost, doubled, \
    changed or reordered
    """,
    arguments: 0..<3)
  func everything(seed: Int) throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      let model = try RingModel(loop, .test(scratch.store, bytes: [256, 4096, 30_000][seed % 3]), seed: seed)
      var session: (export: ExportSession, durable: [RingID: [RingModel.Item]], given: [StoredSample])?
      for _ in 0..<60 {
        switch model.below(12) {
        case 0...3: try await model.appendSome(500)
        case 4: try await model.store.flush()
        case 5, 6: try await model.store.pack()
        case 7: try await model.commitBatch()
        case 8: model.stepClock()
        case 9:
          if model.below(3) == 0 {
            // What a session had given before a restart is not what it is about here.
            session = nil
            try await model.restart()
          } else {
            // Whether the clock is trusted is said for a whole chunk.
            try await model.store.flush()
            loop.wallIsTrusted.toggle()
          }
        case 10:
          try await model.checkOne()
          try await model.check(1 + model.below(700))
        default: break
        }
        guard let current = session else {
          session = (try await model.store.export(SampleQuery()), model.durable, [])
          continue
        }
        if model.below(2) == 0 { continue }
        if let page = try await current.export.next(limit: 1 + model.below(300)) {
          session?.given += page.samples
        } else {
          #expect(model.isTrue(current.given))
          let given = Dictionary(grouping: current.given, by: RingModel.ring).mapValues { Set($0.map { $0.ordinal }) }
          for (ring, items) in current.durable {
            #expect(
              Set(items.map { $0.ordinal }).isSubset(of: given[ring] ?? []),
              "\(ring.text): what was durable at the beginning is missing")
          }
          session = nil
        }
      }
      try await model.store.flush()
      try await model.check(1000)
      try await model.store.pack()
      #expect(model.store.status.journalChunks == 1)
      try await model.check(1000)
      try await model.restart()
      try await model.check(777)
      await model.store.close()
    }
  }

  @Test(
    "what is committed while the journal is moved waits for the next time, and the chunk that was the newest with it")
  func commitMeanwhile() throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      // So many chunks that they are read in several steps.
      for number in 0..<20_000 { store.append(one, .heartRate, noise(number), at: loop.now) }
      try await store.flush()
      let newest = try #require(
        try store.disk.reading { transaction throws(DatabaseFailure) in
          try transaction.withJournal { cursor throws(DatabaseFailure) in
            try cursor.last()?.sequence
          }
        })
      loop.spawn { try? await store.pack() }
      await Task.yield()
      #expect(store.isPacking)
      store.append(one, .heartRate, 1, at: loop.now)
      try await store.flush()
      await store.packed()
      #expect(!store.isPacking && store.status.moves == 1 && store.keeper.extent.journalFirst == newest)
      try await store.pack()
      #expect(store.status.moves == 2 && store.status.journalChunks == 1)
      #expect(try await store.all().map(\.value) == (0..<20_000).map { noise($0) } + [1])
      await store.close()
    }
  }

  @Test(
    """
    small stores full of many rings keep their size, evict from the front, count it, and stay right whatever is read \
    meanwhile
    """,
    arguments: [1])
  func full(seed: Int) throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      var options = StoreOptions.test(
        scratch.store, size: StoreOptions.minimumSize + (seed % 3) * 1_000_000, bytes: [4096, 20_000][seed % 2])
      if seed % 4 == 1 { options.standardRetention = Retention(quota: 40 * RingState.chunkSpace) }
      let model = try RingModel(loop, options, seed: 1000 + seed)
      model.wearables = [1, 5, 40][seed % 3]
      var session = try await model.store.export(SampleQuery())
      var given: [StoredSample] = []
      for round in 0..<90 {
        try await model.appendSome(800)
        if model.below(3) == 0 { try await model.commitBatch(items: 600) }
        if model.below(20) == 0 { try await model.store.pack() }
        if model.below(30) == 0 {
          try await model.restart()
          session = try await model.store.export(SampleQuery())
          given = []
        }
        if let page = try await session.next(limit: 400) {
          given += page.samples
        } else {
          #expect(model.isTrue(given))
          session = try await model.store.export(SampleQuery())
          given = []
        }
        #expect(scratch.size(scratch.data) <= options.sizeBytes)
        #expect(model.store.status.trouble == nil)
        if round % 30 == 29 {
          try await model.store.flush()
          try await model.check(5000)
        }
      }
      #expect(model.store.status.evictedSamples > 0, "it was never full: nothing was proven")
      await model.store.close()
    }
  }
}
