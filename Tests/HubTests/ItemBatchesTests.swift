import Bluetooth
import EventLoop
import Health
import RingStore
import Testing
import Wearable

@testable import Hub

@Suite("An item cut into batches")
struct ItemBatchesTests {
  /// A sample of each byte, so many bytes in a piece.
  @LoopActor
  private final class Bytes: IncrementalDecoder {
    let step: Int
    var place = 0
    private(set) var decoded = 0
    init(step: Int) { self.step = step }
    func verifyNext(_ bytes: RawBytes) throws(ItemDefect) -> ItemVerdict? {
      ItemVerdict(summary: "", isFinal: true, mark: "m")
    }
    func decodeNext(_ bytes: RawBytes, into sink: any ItemSink) throws(ItemDefect) -> Bool {
      decoded += 1
      let end = min(place + step, bytes.count)
      for index in place..<end { sink.append(.heartRate, 40 + Int64(bytes[index]), at: Int64(index)) }
      place = end
      return place < bytes.count
    }
    func rewind() { place = 0 }
  }

  @LoopActor
  private final class Others {
    var turns = 0
    var isOver = false
  }

  @LoopActor private func batches(_ pieces: (any IncrementalDecoder)?, _ count: Int, limit: Int) -> ItemBatches {
    ItemBatches(
      item: HeldItem(id: "a", mark: "m", size: count), wearable: WearableID(number: 1),
      times: ItemTimes(now: VirtualLoop.morning, isTrusted: true), fallback: VirtualLoop.morning, limit: limit,
      bytes: (0..<count).map { UInt8(truncatingIfNeeded: $0) }, pieces: pieces)
  }

  /// How far each part says that its series is fetched.
  @LoopActor private func reaches(_ batches: ItemBatches) async throws -> [[UInt16: FetchedReach]] {
    let parts = try await batches.count().parts
    let cut = batches.cut(
      into: parts, visit: VisitRecord(number: 1, wearable: WearableID(number: 1), began: VirtualLoop.morning)
    ) { _ in true }
    var all: [[UInt16: FetchedReach]] = []
    while let (_, batch) = try await cut.next() { all.append(batch.reach) }
    return all
  }

  @Test("only the last part says how far the item reaches; what is of the future is counted there, and left out")
  func reach() throws {
    try VirtualLoop.run { _ in
      let heart = Series.heartRate.id
      var batches = self.batches(Bytes(step: 100), 1000, limit: 4000)
      batches.times.areHubTimes = true
      let parts = try await self.reaches(batches)
      #expect(parts.count > 2 && parts.dropLast().allSatisfy(\.isEmpty))
      #expect(parts.last == [heart: FetchedReach(end: WallTime(microseconds: 999))])
      // The second half lies more than two minutes behind now.
      batches.times.now = WallTime(microseconds: 499 - 120_000_000)
      let refused = try #require(try await self.reaches(batches).last?[heart])
      #expect(refused.end == nil && refused.refused + refused.ahead.count == 500)
      #expect(refused.ahead.count == AheadValues.limit)
      #expect(try await batches.count().refused == 500)
      let left = try await self.cut(batches)
      // The bytes are there, and the parts are cut as they would be without that.
      let values = left.reduce(0) { $0 + $1.count }
      #expect(left.count == parts.count && (501..<600).contains(values), "\(values)")
      // No reading, and no clock of the hub's: how far it reaches is not known.
      batches.times.now = VirtualLoop.morning
      batches.times.areHubTimes = false
      #expect(try await self.reaches(batches).allSatisfy(\.isEmpty))
    }
  }

  /// Values of which its driver says that they are yet to come.
  @LoopActor
  private final class Ahead: IncrementalDecoder {
    func verifyNext(_ bytes: RawBytes) throws(ItemDefect) -> ItemVerdict? {
      ItemVerdict(summary: "", isFinal: true, mark: "m")
    }
    func decodeNext(_ bytes: RawBytes, into sink: any ItemSink) throws(ItemDefect) -> Bool {
      sink.append(.heartRate, 60, at: 0)
      sink.refuse(.heartRate, 3)
      sink.refuse(.spo2, 2)
      return false
    }
    func rewind() {}
  }

  @Test("what its driver refuses is counted as what the hub refuses, series by series")
  func refusedByDriver() throws {
    try VirtualLoop.run { _ in
      let batches = self.batches(Ahead(), 10, limit: 4000)
      #expect(try await batches.count().refused == 5)
      let reach = try #require(try await self.reaches(batches).last)
      #expect(reach[Series.heartRate.id]?.refused == 3 && reach[Series.spo2.id]?.refused == 2)
    }
  }

  private static func part(_ number: Int, of count: Int) -> BatchSource? {
    HeldItem(id: "a", mark: "m").part(number, of: count).map { .part($0) }
  }

  @LoopActor private func cut(_ batches: ItemBatches) async throws -> [(part: Int, source: BatchSource, count: Int)] {
    let parts = try await batches.count().parts
    let cut = batches.cut(
      into: parts, visit: VisitRecord(number: 1, wearable: WearableID(number: 1), began: VirtualLoop.morning)
    ) { _ in true }
    var all: [(Int, BatchSource, Int)] = []
    while let (part, batch) = try await cut.next() { all.append((part, batch.source, batch.count)) }
    #expect(all.count == parts)
    return all
  }

  @Test(
    """
    has the same parts whether it is decoded at once or in pieces, of which several may end a part and one may end \
    several
    """
  )
  func sameParts() throws {
    try VirtualLoop.run { _ in
      let whole = try await cut(batches(Bytes(step: 10_000), 10_000, limit: 32_000))
      #expect(
        whole.count == 11 && whole[0].source == Self.part(1, of: 11) && whole.last?.source == Self.part(11, of: 11))
      #expect(whole.reduce(0) { $0 + $1.count } >= 10_000)
      for step in [1, 7, 1000, 1001, 5000] {
        let pieces = try await cut(batches(Bytes(step: step), 10_000, limit: 32_000))
        #expect(pieces.map(\.source) == whole.map(\.source) && pieces.map(\.count) == whole.map(\.count), "\(step)")
      }
    }
  }

  @Test("gives all others a turn between two pieces")
  func turns() throws {
    try VirtualLoop.run { loop in
      let pieces = Bytes(step: 100)
      let others = Others()
      let other = loop.spawn {
        while !others.isOver {
          others.turns += 1
          await Task.yield()
        }
      }
      _ = try await cut(batches(pieces, 10_000, limit: 1 << 20))
      others.isOver = true
      await other.value
      #expect(pieces.decoded == 200 && others.turns >= 200)
    }
  }

  @Test("makes only the parts that are wanted, and of unknown bytes only the bytes")
  func wanted() throws {
    try VirtualLoop.run { _ in
      let some = batches(Bytes(step: 100), 10_000, limit: 32_000)
      let cut = some.cut(
        into: 11, visit: VisitRecord(number: 1, wearable: WearableID(number: 1), began: VirtualLoop.morning)
      ) { $0 == 3 || $0 == 11 }
      var parts: [Int] = []
      while let (part, _) = try await cut.next() { parts.append(part) }
      #expect(parts == [3, 11])
      let raw = try await self.cut(batches(nil, 10_000, limit: 1 << 20))
      #expect(raw.map(\.source) == [Self.part(1, of: 1)])
    }
  }
}
