// What a store should hold, kept beside it in the simplest way, and how it is compared.

import EventLoop
import Foundation
import Health
import Testing

@testable import RingStore

/// A store, what went into it, and random work on both.
@LoopActor
final class RingModel {
  struct Item: Equatable {
    /// Of its first part and of its last.
    let first: UInt64
    let ordinal: UInt64
    let time: Int64
    let flags: UInt8
    let values: [Int64]
    let bytes: [UInt8]
    let trusted: Bool
    /// Of the journal; 0 for what was fetched.
    let sequence: UInt64
  }

  let loop: VirtualLoop
  private(set) var store: Store
  var options: StoreOptions
  var random: Seeded
  private(set) var rings: [RingID: [Item]] = [:]
  private var next: [RingID: UInt64] = [:]
  /// Times of fetched items only grow.
  private var fetchedTime: Int64
  private var batchNumber: UInt64 = 0
  /// How many parts went in, and which rings the next samples are for.
  private(set) var parts: UInt64 = 0
  var wearables: UInt32 = 4

  static let live: [Series] = [.heartRate, .rrInterval, .skinTemperature, .ppi, .acc, .steps, .raw]

  init(_ loop: VirtualLoop, _ options: StoreOptions, seed: Int) throws {
    self.loop = loop
    self.options = options
    random = Seeded(UInt64(seed))
    fetchedTime = loop.wall.microseconds - 86_400_000_000
    store = try Store.open(options, loop: loop, disk: InlineDiskLane())
  }

  func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }

  // MARK: work

  func appendSome(_ limit: Int) async throws {
    for _ in 0..<(1 + below(limit)) {
      appendOne()
      if below(4) == 0 { try await loop.sleep(for: .microseconds(Int64(below(400_000)))) }
    }
  }

  private func values(_ series: Series) -> [Int64] {
    (0..<series.layout.valueCount).map { _ in
      below(9) == 0 ? Int64(bitPattern: random.next()) >> Int64(below(64)) : Int64(600 + below(200))
    }
  }

  private func appendOne() {
    let series = Self.live[below(3) > 0 ? below(3) : below(Self.live.count)]
    let wearable = WearableID(number: UInt32(1 + below(Int(wearables))))
    let flags = SampleFlags(
      origin: .live, kind: below(9) == 0 ? .maximum : .normal, isManual: below(9) == 0, isLowQuality: below(9) == 0)
    let values = values(series)
    let bytes =
      series.layout.hasBytes
      ? (0..<below(below(6) == 0 ? ItemColumns.bytesLimit + 1 : 200)).map { UInt8(truncatingIfNeeded: $0) } : []
    let instant = loop.now - .microseconds(Int64(below(900)))
    let wall = loop.wall.microseconds - (loop.now - instant).wholeNanoseconds / 1000
    let step = series.timeStep
    let sequence = store.live.line.nextSequence
    if series.layout == .scalar, below(2) == 0 {
      store.append(wearable, series, values[0], flags: flags, at: instant)
    } else {
      values.withUnsafeBufferPointer { values in
        bytes.withUnsafeBytes { bytes in
          do { try store.append(wearable, series, values: values, bytes: bytes, flags: flags, at: instant) } catch {
            Issue.record(error)
          }
        }
      }
    }
    let time = (wall >= 0 ? wall / step : -((-wall + step - 1) / step)) * step
    keep(
      RingID(wearable: wearable, seriesNumber: series.id, way: .live), time: time, flags: flags.rawValue,
      values: values, bytes: bytes, parts: 1,
      sequence: sequence)
  }

  private func keep(
    _ ring: RingID, time: Int64, flags: UInt8, values: [Int64], bytes: [UInt8], parts: Int, sequence: UInt64
  ) {
    let first = next[ring] ?? 0
    next[ring] = first + UInt64(parts)
    self.parts += UInt64(parts)
    rings[ring, default: []].append(
      Item(
        first: first, ordinal: first + UInt64(parts) - 1, time: time, flags: flags, values: values, bytes: bytes,
        trusted: loop.wallIsTrusted,
        sequence: sequence))
  }

  /// A batch of one wearable; returns it with its receipt.
  @discardableResult
  func commitBatch(items limit: Int = 400) async throws -> (FetchedBatch, Receipt) {
    batchNumber += 1
    let wearable = WearableID(number: UInt32(1 + below(Int(wearables))))
    var batch = try FetchedBatch(
      wearable: wearable, place: "file-\(batchNumber)",
      visit: VisitRecord(number: batchNumber, wearable: wearable, began: loop.wall))
    var kept: [(RingID, Int64, [Int64], [UInt8])] = []
    for _ in 0..<(1 + below(limit)) {
      let series = [Series.heartRate, .steps, .exercise, .ecg][below(12) > 0 ? below(2) : below(4)]
      fetchedTime += Int64(below(60_000_000))
      let values = values(series)
      let bytes =
        series.layout.hasBytes
        ? (0..<below(below(3) == 0 ? 15_000 : 300)).map { UInt8(truncatingIfNeeded: $0 &* 7) } : []
      try batch.append(series, values, bytes: bytes, at: WallTime(microseconds: fetchedTime))
      kept.append((RingID(wearable: wearable, seriesNumber: series.id, way: .fetched), fetchedTime, values, bytes))
    }
    let receipt = try await store.commit(batch)
    for (ring, time, values, bytes) in kept {
      let parts = max(1, (bytes.count + ItemColumns.bytesLimit - 1) / ItemColumns.bytesLimit)
      keep(
        ring, time: time, flags: SampleFlags.fetched.rawValue, values: values, bytes: bytes, parts: parts, sequence: 0)
    }
    return (batch, receipt)
  }

  func restart() async throws {
    await store.close()
    store = try Store.open(options, loop: loop, disk: InlineDiskLane())
  }

  // MARK: what must be true

  var durable: [RingID: [Item]] { rings.mapValues { $0.filter { $0.sequence < store.live.durableBelow } } }

  static func ring(_ sample: StoredSample) -> RingID {
    RingID(wearable: sample.wearable, seriesNumber: sample.series.id, way: sample.way)
  }

  /// Whether these samples are as they went in, and in order; what was evicted may be missing, from the front.
  func isTrue(_ samples: [StoredSample]) -> Bool {
    var last: [RingID: UInt64] = [:]
    for sample in samples {
      let ring = Self.ring(sample)
      if let before = last[ring], sample.ordinal <= before {
        Issue.record("\(ring.text): \(sample.ordinal) after \(before)")
        return false
      }
      last[ring] = sample.ordinal
      guard let items = rings[ring], let item = Self.find(sample.ordinal, items) else {
        Issue.record("\(ring.text): \(sample.ordinal) was never given")
        return false
      }
      let values = sample.values.isEmpty && !item.values.isEmpty ? [sample.value] : sample.values
      let monotonic = sample.monotonic.nanoseconds / 1000 - (sample.time.microseconds - offset(sample))
      if item.time != sample.time.microseconds || item.flags != sample.flags.rawValue || item.values != values
        || item.bytes != sample.bytes
        || sample.bootID != boot
        || (sample.way == .live && (monotonic.magnitude > ClockAnchor.tolerance || item.trusted != sample.clockTrusted))
      {
        Issue.record("\(ring.text) \(sample.ordinal): \(item) came back as \(sample)")
        return false
      }
    }
    return true
  }

  private static func find(_ ordinal: UInt64, _ items: [Item]) -> Item? {
    var low = 0
    var high = items.count
    while low < high {
      let middle = (low + high) / 2
      if items[middle].ordinal < ordinal { low = middle + 1 } else { high = middle }
    }
    return low < items.count && items[low].ordinal == ordinal ? items[low] : nil
  }

  /// Wall clock less monotonic clock when an item came: known by its time, because the clock is only stepped forward,
  /// by hours.
  private func offset(_ sample: StoredSample) -> Int64 {
    offsets.last { $0.from <= sample.time.microseconds }?.offset ?? 0
  }

  private lazy var offsets: [(from: Int64, offset: Int64)] = [
    (.min, loop.wall.microseconds - loop.now.nanoseconds / 1000)
  ]

  func stepClock() {
    _ = offsets
    loop.stepWall(by: .seconds(Int64(1 + below(20_000))))
    // A sample may come a little late, and its time is rounded down.
    offsets.append((loop.wall.microseconds - 3000, loop.wall.microseconds - loop.now.nanoseconds / 1000))
  }

  /// Everything that is durable is there, once and alone, at the place that the rule of order gives.
  func check(_ limit: Int) async throws {
    var samples: [StoredSample] = []
    let session = try await store.export(SampleQuery())
    while let page = try await session.next(limit: limit) { samples += page.samples }
    guard isTrue(samples) else { return }
    var evicted: UInt64 = 0
    let counts = Dictionary(grouping: samples, by: Self.ring)
    for (ring, items) in durable {
      let found = counts[ring] ?? []
      let missing = items.count - found.count
      if found.map({ $0.ordinal }) != items.dropFirst(missing).map({ $0.ordinal }) {
        Issue.record("\(ring.text): \(missing) are missing, not at its front")
      }
      if missing > 0 { evicted += items[missing - 1].ordinal + 1 }
    }
    #expect(store.status.evictedSamples == evicted)
    #expect(store.rings.reduce(0) { $0 + $1.evicted } == evicted)
    #expect(store.status.samples + store.status.evictedSamples + UInt64(store.status.pendingSamples) == parts)
    // All rings in the order of their keys, then the journal.
    let next = Dictionary(uniqueKeysWithValues: store.keeper.extent.rings.rings.map { ($0.id, $0.state.next) })
    let inRings = samples.prefix { $0.ordinal < next[Self.ring($0)] ?? 0 }
    #expect(samples.dropFirst(inRings.count).allSatisfy { $0.ordinal >= next[Self.ring($0)] ?? 0 })
    let order = inRings.map { Self.ring($0) }
    #expect(zip(order, order.dropFirst()).allSatisfy { $0 <= $1 })
    let moves = store.status.moves
    let report = try await store.verify()
    #expect(report.findings == [])
    // What is moved while it looks is seen in both places.
    if store.status.moves == moves { #expect(report.items == store.status.samples) }
    #expect(try scratchSize() <= options.sizeBytes)
  }

  private func scratchSize() throws -> Int {
    (try FileManager.default.attributesOfItem(atPath: options.path + "/data.mdb")[.size] as? Int) ?? 0
  }

  /// `newest` and `scan` of one ring's wearable and series say the same as the model.
  func checkOne() async throws {
    guard let ring = rings.keys.sorted().randomElement(using: &random), let series = ring.series else { return }
    let durable = durable
    let ways = [Way.fetched, .live].map { way -> [Item] in
      let id = RingID(wearable: ring.wearable, seriesNumber: ring.seriesNumber, way: way)
      let first = store.keeper.extent.rings[id].map { $0.first } ?? 0
      return (durable[id] ?? []).filter { $0.ordinal >= first }
    }
    var times: [Int64] = []
    var heap: [UInt8] = []
    try await store.scan(ring.wearable, series) { columns in
      times += zip(columns.times, columns.flags).filter { $0.1 & 0x40 == 0 }.map { $0.0 }
      heap += columns.heap
    }
    #expect(times == ways.flatMap { $0.map { $0.time } })
    #expect(heap == ways.flatMap { $0.flatMap { $0.bytes } })
    let count = 1 + below(20)
    let newest = try await store.newest(count, of: ring.wearable, series)
    #expect(isTrue(newest.sorted { ($0.way.rawValue, $0.ordinal) < ($1.way.rawValue, $1.ordinal) }))
    let wanted = ways.flatMap { $0.map { $0.time } }.sorted().suffix(count)
    if !series.layout.hasBytes { #expect(newest.map { $0.time.microseconds } == Array(wanted)) }
  }
}
