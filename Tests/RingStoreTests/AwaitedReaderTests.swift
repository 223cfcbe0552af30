import EventLoop
import Health
import Testing

@testable import RingStore

/// Readers that a full store waits for.
@Suite(.serialized) struct AwaitedReaderTests {
  @LoopActor private func fill(_ store: Store, _ count: Int) async throws {
    for index in 0..<count {
      store.append(index % 2 == 0 ? one : two, .heartRate, noise(index) >> 40, at: store.disk.loop.now)
    }
    try await store.flush()
  }

  @LoopActor private func confirm(_ store: Store, _ reader: String, pages: Int = .max) async throws {
    let session = try await store.export(SampleQuery(), reader: reader)
    var left = pages
    while left > 0, try await session.next(limit: 100) != nil { left -= 1 }
    try await session.confirm()
  }

  @Test("a sample counts as exported when the last awaited reader has confirmed it", arguments: [true, false])
  func all(packed: Bool) throws {
    try inStore({ $0.awaitedReaders = ["uplink", "clinic"] }) { loop, store, _ in
      try await self.fill(store, 1000)
      if packed { try await store.pack(whole: true) }
      try await self.confirm(store, "notebook")
      #expect(store.status.unexported == 1000 && store.status.confirmedAt == nil)
      try await self.confirm(store, "uplink")
      #expect(store.status.unexported == 1000 && store.status.confirmedAt == loop.wall)
      try await self.confirm(store, "clinic", pages: 4)
      #expect(store.status.unexported == 600)
      try await self.confirm(store, "clinic")
      #expect(store.status.unexported == 0)
      try await self.fill(store, 10)
      try await self.confirm(store, "clinic")
      #expect(store.status.unexported == 10)
      try await self.confirm(store, "uplink")
      #expect(store.status.unexported == 0)
    }
  }

  @Test("a ring's row that is rebuilt counts as exported what all awaited readers have")
  func rebuilt() throws {
    try inStore({ $0.awaitedReaders = ["uplink", "clinic"] }) { loop, store, scratch in
      try await self.fill(store, 1000)
      try await store.pack(whole: true)
      try await self.confirm(store, "uplink")
      try await self.confirm(store, "clinic", pages: 4)
      try #require(store.status.unexported == 600)
      let rings = store.rings
      await store.close()
      try scratch.tamper { transaction throws(DatabaseFailure) in
        for ring in rings { try transaction.put(transaction.tables.rings, ring.id.key, [0xFF]) }
      }
      var options = StoreOptions.test(scratch.store)
      options.awaitedReaders = ["uplink", "clinic"]
      let again = try Store.open(options, loop: loop, disk: InlineDiskLane())
      #expect(again.status.unexported == 600 && again.rings.map(\.items) == rings.map(\.items))
      await again.close()
    }
  }

  @Test("a full store gives up first what all awaited readers have")
  func eviction() throws {
    try inStore({
      $0.awaitedReaders = ["uplink", "clinic"]
      $0.sizeBytes = StoreOptions.minimumSize
    }) { _, store, _ in
      // The first wearable's samples are older, but one reader lacks them.
      for (wearable, reader) in [(one, "notebook"), (two, "clinic")] {
        for index in 0..<40_000 { store.append(wearable, .heartRate, noise(index), at: store.disk.loop.now) }
        try await store.flush()
        try await store.pack(whole: true)
        let query = SampleQuery(wearables: [wearable])
        for name in ["uplink", reader] {
          let session = try await store.export(query, reader: name)
          while try await session.next(limit: 5000) != nil {}
          try await session.confirm()
        }
      }
      try #require(store.status.evictedSamples == 0)
      while store.status.evictedSamples == 0 {
        for index in 0..<5000 { store.append(one, .rrInterval, noise(index), at: store.disk.loop.now) }
        try await store.flush()
        try await store.pack(whole: true)
      }
      let rates = store.rings.filter { $0.id.series == .heartRate }
      #expect(rates.first { $0.id.wearable == one }?.evicted == 0)
      #expect(rates.first { $0.id.wearable == two }.map { $0.evicted > 0 } == true)
    }
  }
}
