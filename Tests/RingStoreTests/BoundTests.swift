import EventLoop
import Foundation
import Health
import Reasons
import Testing

@testable import RingStore

@Suite(.serialized) struct BoundTests {
  @Test(
    "filled many times over, the file never passes its size, the newest samples stay, and every evicted one is counted",
    arguments: [1 << 20, 3_000_000], [256, 4096, 100_000])
  func bound(size: Int, bytes: Int) throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      var store = try Store.open(.test(scratch.store, size: size, bytes: bytes), loop: loop, disk: InlineDiskLane())
      let keeper = try await store.enrol(name: "keeper", addressValue: 7, addressKind: 2, driver: "d", kind: "k")
      let start = loop.wall
      var total: Int64 = 0
      var written = 0
      while written < 4 * size {
        for _ in 0..<400 {
          store.append(keeper.id, .rrInterval, total &* 0x1E37_79B9_7F4A_7C15 >> 8, origin: .live, at: loop.now)
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
      #expect(status.usedBytes > size / 4, "most of the file is used")
      let samples = try store.all(limit: 10_000)
      #expect(samples.last?.sequence == UInt64(total))
      #expect(samples.first?.sequence == UInt64(total) - UInt64(samples.count) + 1)
      #expect(samples.allSatisfy { $0.value == (Int64($0.sequence) - 1) &* 0x1E37_79B9_7F4A_7C15 >> 8 })
      #expect(status.samples == UInt64(samples.count))
      #expect(status.evictedSamples == UInt64(total) - UInt64(samples.count))
      #expect(status.evictedFrom == start)
      #expect(status.oldest == samples.first?.time)
      if let to = status.evictedTo, let first = samples.first { #expect(first.time - to <= .milliseconds(100)) } else { Issue.record("no range") }
      #expect(store.wearables == [keeper])
      // The registry can still be written to.
      for index in 0..<20 {
        _ = try await store.enrol(name: "late-\(index)", addressValue: UInt64(100 + index), addressKind: 2, driver: "d", kind: "k")
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
            store.append(one, .rrInterval, total &* 0x1E37_79B9_7F4A_7C15, origin: .live, at: loop.now)
            total += 1
          }
          try await loop.sleep(for: .milliseconds(10))
        }
      }
      try await fill(3000)
      try await store.flush()
      let before = store.status
      #expect(before.usedBytes > 10 << 20)
      await store.close()
      store = try Store.open(.test(scratch.store, size: 2 << 20), loop: loop, disk: InlineDiskLane())
      try await fill(100)
      try await store.flush()
      let status = store.status
      #expect(status.trouble == nil)
      #expect(status.usedBytes <= 2 << 20)
      #expect(status.fileBytes <= before.fileBytes + StoreWriter.reserve(4096) * 4096)
      #expect(status.samples + status.evictedSamples == UInt64(total))
      #expect(try store.all(limit: 10_000).last?.sequence == UInt64(total))
      await store.close()
    }
  }

  /// Where the chunks lie in the file, found by the boot they name. Unused parts of pages hold remains of others, which do not pass for a header.
  private func chunks(in data: Data) -> [Int] {
    var mark: [UInt8] = []
    mark.append(littleEndian: boot.high)
    mark.append(littleEndian: boot.low)
    var found: [Int] = []
    var from = data.startIndex
    while let range = data.range(of: Data(mark), in: from..<data.endIndex) {
      let place = range.lowerBound - ChunkHeader.Offset.boot
      let header = [UInt8](data[place..<(place + ChunkHeader.size)]).withUnsafeBytes { ChunkHeader($0) }
      if let header, header.count < 2040, header.sequence == header.storedBefore + 1 { found.append(place) }
      from = range.upperBound
    }
    return found
  }

  @Test("a damaged chunk is skipped and counted once, everything else is served", arguments: [0, 3, 12, 20, 60, 81, 2000])
  func damaged(offset: Int) throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      var store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      for index in 0..<20_000 {
        store.append(one, .heartRate, Int64(index), origin: .live, at: loop.now)
        if index % 100 == 0 { try await loop.sleep(for: .milliseconds(10)) }
      }
      await store.close()
      var data = try Data(contentsOf: URL(fileURLWithPath: scratch.data))
      let places = self.chunks(in: data)
      #expect(places.count > 10)
      data[places[4] + offset] ^= 0x10
      try data.write(to: URL(fileURLWithPath: scratch.data))

      store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      let samples = try store.all(limit: 333)
      _ = try store.all(limit: 1000)
      #expect(samples.count < 20_000 && samples.count > 17_000)
      #expect(samples.allSatisfy { $0.value == Int64($0.sequence) - 1 })
      #expect(store.status.corruptChunks == 1)
      #expect(store.status.samples == 20_000)
      // Searching by time steps over it as well.
      let late = try store.all(SampleQuery(since: samples[samples.count - 10].time))
      #expect(late.suffix(10) == samples.suffix(10))
      await store.close()
    }
  }

  @Test("where the last chunk is damaged, sequence numbers it may have used are not used again")
  func damagedEnd() throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      var store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      for index in 0..<5000 { store.append(one, .heartRate, Int64(index), origin: .live, at: loop.now) }
      await store.close()
      var data = try Data(contentsOf: URL(fileURLWithPath: scratch.data))
      let places = self.chunks(in: data).map { place -> (Int, UInt64) in
        (place, data[(place + 8)..<(place + 16)].reversed().reduce(0) { $0 << 8 | UInt64($1) })
      }
      let last = try #require(places.max { $0.1 < $1.1 })
      data[last.0 + ChunkHeader.Offset.count] ^= 0x01
      try data.write(to: URL(fileURLWithPath: scratch.data))
      store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      store.append(one, .heartRate, 5000, origin: .live, at: loop.now)
      try await store.flush()
      let samples = try store.all()
      #expect(samples.last?.value == 5000)
      #expect(samples.last.map { $0.sequence > 5000 } == true)
      #expect(Set(samples.map { $0.sequence }).count == samples.count)
      await store.close()
    }
  }

  @Test("a damaged chunk that is evicted is counted by what the next one knows")
  func damagedEviction() throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      var store = try Store.open(.test(scratch.store, size: 1 << 20), loop: loop, disk: InlineDiskLane())
      var total: Int64 = 0
      @LoopActor func fill(_ count: Int) async throws {
        for index in 0..<count {
          store.append(one, .rrInterval, total &* 0x1E37_79B9_7F4A_7C15, origin: .live, at: loop.now)
          total += 1
          if index % 400 == 0 { try await loop.sleep(for: .milliseconds(10)) }
        }
      }
      try await fill(10_000)
      await store.close()
      #expect(store.status.evictedSamples == 0)
      var data = try Data(contentsOf: URL(fileURLWithPath: scratch.data))
      data[self.chunks(in: data)[5] + 100] ^= 0xFF
      try data.write(to: URL(fileURLWithPath: scratch.data))
      store = try Store.open(.test(scratch.store, size: 1 << 20), loop: loop, disk: InlineDiskLane())
      try await fill(100_000)
      try await store.flush()
      #expect(store.status.evictedSamples > 20_000)
      #expect(store.status.evictedSamples + store.status.samples == UInt64(total))
      #expect(try store.all(limit: 10_000).count == Int(store.status.samples))
      await store.close()
    }
  }
}
