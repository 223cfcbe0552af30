import EventLoop
import Health
import Testing

@testable import RingStore

/// Moves of a large journal into the rings of a full store.
@Suite(.serialized) struct FullMoveTests {
  /// Thirty wearables with values that no codec makes smaller, and half an hour of samples in each move.
  @Test("a full store of any size goes on moving samples into its rings", arguments: [4, 8, 16, 32])
  func moves(megabytes: Int) throws {
    try inStore({ $0.sizeBytes = megabytes << 20 }) { loop, store, _ in
      let series = [Series.heartRate, .rrInterval]
      var (index, total) = (0, 0)
      while store.status.evictedSamples < 200_000 {
        for _ in 0..<3600 {
          let ring = index % 60
          store.append(WearableID(number: UInt32(1 + ring / 2)), series[ring % 2], noise(index), at: loop.now)
          index += 1
        }
        total += 3600
        try await store.flush()
        try await loop.sleep(for: .seconds(30))
        await store.packed()
        try #require(store.status.trouble == nil, "after \(total) samples: \(store.status.trouble?.detail ?? "")")
      }
      let status = store.status
      #expect(status.samples + status.evictedSamples == UInt64(total))
      #expect(status.rings == 60 && status.moves > 5)
      #expect(status.journalSamples < status.samples / 2)
    }
  }

  @Test("a full store takes one large batch after another", arguments: [4, 8, 16, 32])
  func batches(megabytes: Int) throws {
    try inStore({ $0.sizeBytes = megabytes << 20 }) { loop, store, _ in
      let wearable = try await store.enrol(
        name: "band", addressValue: 1, addressKind: 2, driver: "d", kind: "k"
      ).id
      // Some 360 chunks: more than the reserve of 160 pages.
      let count = 60_000
      var taken: UInt64 = 0
      while store.status.evictedSamples < UInt64(5 * count) {
        let visit = VisitRecord(number: try store.nextVisitNumber(), wearable: wearable, began: loop.wall)
        var batch = try FetchedBatch(wearable: wearable, place: "file/\(taken)", visit: visit)
        for index in 0..<count {
          let at = WallTime(microseconds: (Int64(taken) + Int64(index)) * 1_000_000)
          try batch.append(.ppi, [noise(index), noise(index + 1), noise(index + 2)], at: at)
        }
        _ = try await store.commit(batch)
        taken += UInt64(count)
      }
      #expect(store.status.samples + store.status.evictedSamples == taken)
      #expect(store.status.trouble == nil)
    }
  }
}
