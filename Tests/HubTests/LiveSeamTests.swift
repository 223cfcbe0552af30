import EventLoop
import Foundation
import Health
import RingStore
import Testing
import Wearable

@testable import Hub

/// Blocks of streams that came through `LiveIntake` in virtual time, and where they lie in the store.
@Suite("Blocks of live streams that came late")
struct LiveSeamTests {
  private static let period: Int64 = 20_000_000
  private static let count: Int64 = 25

  private struct Block {
    var series: Series
    /// ns of the loop: of its first sample, of its last one, and of its arrival.
    var first: Int64, last: Int64, arrival: Int64
  }

  /// Half a second each of two streams, the first of which come so much later than they were measured.
  private func blocks(late: [Int64], of series: [Series] = [.acc, .gyro], number: Int64 = 120, from begin: Int64)
    -> [Block]
  {
    var newest: [Series: Int64] = [:]
    return (0..<number).flatMap { index in
      series.enumerated().map { place, series in
        let first = begin + index * Self.period * Self.count + Int64(place) * 3_000_000
        let last = first + (Self.count - 1) * Self.period
        let delay = Int(index) < late.count ? late[Int(index)] : 8_000_000
        newest[series] = max(newest[series] ?? 0, last + delay)
        return Block(series: series, first: first, last: last, arrival: newest[series] ?? 0)
      }
    }.sorted { $0.arrival < $1.arrival }
  }

  /// - Returns: of each series the beginnings of its blocks, and how far each is from the truth, ns.
  @LoopActor
  private func stored(_ loop: VirtualLoop, _ blocks: [Block]) async throws -> [Series: [(start: Int64, error: Int64)]] {
    let directory = NSTemporaryDirectory() + "hearth-seams-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let store = try Store.open(StoreOptions(path: directory, sizeBytes: 64 << 20), loop: loop, disk: InlineDiskLane())
    let id = try await store.enrol(name: "strap", addressValue: 1, addressKind: 1, driver: "recorder", kind: "Strap").id
    let intake = LiveIntake(
      id, RecorderDriver(), isGuarded: false, loop: loop, store: store, state: LiveState(), listeners: LiveListeners())
    let bytes = [UInt8](repeating: 0, count: Int(Self.count) * 6)
    for block in blocks {
      let wait = block.arrival - loop.now.nanoseconds
      if wait > 0 { try await loop.sleep(for: .nanoseconds(wait)) }
      intake.begin(at: loop.now)
      let values = [Self.period, Self.count, 0] as [Int64]
      values.withUnsafeBufferPointer { values in
        bytes.withUnsafeBytes {
          // The wearable's clock began with 2000.
          intake.append(
            block.series, values: values, bytes: $0, ago: block.last - block.first,
            stamp: UInt64(600_000_000_000_000_000 + block.last))
        }
      }
    }
    try await loop.sleep(for: .seconds(40))
    let offset = loop.wall.microseconds - loop.now.nanoseconds / 1000
    var found: [Series: [(start: Int64, error: Int64)]] = [:]
    let session = try await store.export(SampleQuery())
    var samples: [StoredSample] = []
    while let page = try await session.next(limit: 10_000) { samples += page.samples }
    await store.close()
    for sample in samples {
      let series = sample.series
      let start = (sample.time.microseconds - offset) * 1000
      let all = blocks.filter { $0.series == series }
      let index = found[series]?.count ?? 0
      guard index < all.count else { continue }
      found[series, default: []].append((start, start - all[index].first))
    }
    return found
  }

  @Test(
    "no block begins before its predecessor's end, and each is within a bound of its time",
    arguments: [[200], [80], [4000, 3500, 3000], [1200, 700, 200]])
  func late(_ late: [Int64]) throws {
    try VirtualLoop.run { loop in
      let begin = loop.now.nanoseconds + 1_000_000_000
      let found = try await stored(loop, blocks(late: late.map { $0 * 1_000_000 }, from: begin))
      for (series, blocks) in found {
        #expect(blocks.count == 120, "\(series.name): none is lost")
        for (one, next) in zip(blocks, blocks.dropFirst()) {
          let seam = next.start - one.start - Self.count * Self.period
          #expect(seam >= -Self.period / 4 && seam <= Self.period / 4 + 1000, "\(series.name): a seam of \(seam) ns")
        }
        #expect(blocks.allSatisfy { abs($0.error) < 60_000_000 }, "\(blocks.map(\.error).max() ?? 0)")
      }
      #expect(found.count == 2)
    }
  }
}
