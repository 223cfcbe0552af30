import EventLoop
import Glibc
import Health
import Testing

@testable import RingStore

/// Coverage from headers of chunks is what their samples say.
struct CoverageScanTests {
  private static let second: Int64 = 1_000_000

  /// What this thread has used of a processor, in seconds: other tests and programs that run beside it do not count.
  private func processorTime() -> Double {
    var used = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used)
    return Double(used.tv_sec) + Double(used.tv_nsec) / 1e9
  }

  /// By every sample that the store gives out.
  @LoopActor private func expected(_ store: Store, _ series: Series, _ window: Range<Int64>) async throws
    -> CoverageAccumulator
  {
    var counted = CoverageAccumulator(window, least: 30 * Self.second)
    let query = SampleQuery(wearables: [one], series: [series])
    for sample in try await store.all(query) { counted.add(sample.time.microseconds) }
    return counted
  }

  @Test func `gaps are found in rings and in the journal, by the daemon's store and by a reader alike`() throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      let start = loop.wall.microseconds
      for index in 0..<5000 {
        if !(1000..<1100).contains(index), index != 2000, !(4800..<4900).contains(index) {
          store.append(one, .heartRate, 60 + Int64(index % 40), at: loop.now)
          store.append(two, .heartRate, 60, at: loop.now)
        }
        try await loop.sleep(for: .seconds(1))
        if index == 4000 {
          try await store.flush()
          try await store.pack()
        }
      }
      try await store.flush()
      let window = start..<(start + 5000 * Self.second)
      let found = try await store.coverage(one, .heartRate, window: window)
      #expect(found.covered == (try await expected(store, .heartRate, window)).covered)
      let gaps = found.covered.gaps(in: window).map {
        [($0.lowerBound - start) / Self.second, ($0.upperBound - start) / Self.second]
      }
      #expect(gaps == [[1000, 1100], [4800, 4900]])
      #expect(found.live.count == 4799 && found.fetched.count == 0 && found.damaged == 0)
      #expect(try await store.coverage(one, .rrInterval, window: window).covered.isEmpty)
      // Of a part of it, too.
      let part = (start + 1050 * Self.second)..<(start + 1200 * Self.second)
      let inPart = try await store.coverage(one, .heartRate, window: part)
      #expect(inPart.covered == [(start + 1100 * Self.second)..<(start + 1200 * Self.second)])
      await store.close()
      let reader = try StoreReader(path: scratch.store)
      #expect(try reader.coverage(one, .heartRate, window: window).covered == found.covered)
    }
  }

  @Test func `a day of a waveform is looked at by its headers, and a damaged chunk is a gap that is counted`() throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      let start = loop.wall.microseconds
      let bytes = (0..<216).map { UInt8(truncatingIfNeeded: $0 &* 37) }
      // 36 samples of 52 Hz in a block, as a strap sends them: two hours, of which ten minutes are missing.
      for index in 0..<10_400 {
        if !(5000..<5866).contains(index) {
          try [19_230_769, 36, 0].withUnsafeBufferPointer { values in
            try bytes.withUnsafeBytes { try store.append(one, .acc, values: values, bytes: $0, at: loop.now) }
          }
        }
        try await loop.sleep(for: .microseconds(692_308))
      }
      try await store.flush()
      try await store.pack()
      let window = start..<loop.wall.microseconds
      let began = processorTime()
      let found = try await store.coverage(one, .acc, window: window)
      let seconds = processorTime() - began
      let gaps = found.covered.gaps(in: window)
      #expect(gaps.count == 1)
      let missing = gaps.first.map { ($0.upperBound - $0.lowerBound) / Self.second }
      #expect((598...600).contains(try #require(missing)))
      // Of a part of it, the blocks of chunks across its ends are counted by their own times.
      let part = (start + 1_000_300_000)..<(start + 2_000_100_000)
      let inPart = try await store.coverage(one, .acc, window: part)
      #expect(inPart.live.count == (0..<10_400).count { part.contains(start + Int64($0) * 692_308) })
      // A day is twelve times that: far below a second of the processor, whatever machine this is and does beside it.
      #expect(seconds < 1, "\(seconds)")
      await store.close()
      try scratch.flip(\.chunks, at: 100, offset: 2000)
      let reader = try StoreReader(path: scratch.store)
      let damaged = try reader.coverage(one, .acc, window: window)
      #expect(damaged.damaged == 1)
    }
  }
}
