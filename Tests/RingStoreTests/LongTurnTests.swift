import EventLoop
import Foundation
import Health
import Testing

@testable import RingStore

@Suite("Live samples in a long turn of the loop")
struct LongTurnTests {
  @Test("blocks of a strap at 130 Hz adjoin to the sample, though the turn in which they came was long")
  func adjoin() throws {
    let scratch = Scratch()
    try EpollLoop.run { loop in
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      let period: Int64 = 1_000_000_000 / 130
      let count: Int64 = 73
      let first = loop.now
      for index in 0..<20 as Range<Int64> {
        let start = Instant(nanoseconds: first.nanoseconds - 20_000_000_000 + index * count * period)
        let values: [Int64] = [period, count, 0]
        try values.withUnsafeBufferPointer { values in
          let bytes = [UInt8](repeating: 1, count: Int(count))
          try bytes.withUnsafeBytes { try store.append(one, .ecg, values: values, bytes: $0, at: start) }
        }
        // Other work on the loop. Every fifth block comes in a turn of its own that is 30 ms late, the others late in
        // the same one.
        let end = Date() + (index % 5 == 4 ? 0.03 : 0.012)
        while Date() < end {}
        if index % 5 == 4 { try await loop.sleep(for: .milliseconds(1)) }
      }
      try await store.flush()
      let session = try await store.export(SampleQuery())
      var starts: [Int64] = []
      while let page = try await session.next(limit: 100) { starts += page.samples.map(\.time.microseconds) }
      #expect(starts.count == 20)
      for (before, next) in zip(starts, starts.dropFirst()) {
        let seam = next - before - count * period / 1000
        #expect(abs(seam) <= 1000, "a seam of \(seam) µs")
      }
      #expect(store.status.clockSteps == 0)
      await store.close()
    }
  }
}
