import CivilTime
import EventLoop
import Foundation
import Health
import Testing

@testable import RingStore

/// Fresh seeds; `HEARTH_SEED=N` runs one again.
private let seeds: [UInt64] = {
  if let seed = ProcessInfo.processInfo.environment["HEARTH_SEED"].flatMap({ UInt64($0) }) { return [seed] }
  let drawn = (0..<3).map { _ in UInt64.random(in: 0...UInt64(Int64.max)) }
  print("items and days of a store: seeds \(drawn)")
  return drawn
}()

private let hour: Int64 = 3_600_000_000
private let second: Int64 = 1_000_000

/// A zone and a moment near which its clocks are changed, drawn from a seed.
private struct Place {
  let zone: TimeZoneRules
  let around: Int64
  var random: Seeded

  init(_ seed: UInt64) throws {
    random = Seeded(seed)
    let names = [
      "Europe/Berlin", "America/New_York", "America/St_Johns", "Australia/Lord_Howe", "Africa/Casablanca",
      "America/Havana", "Asia/Kathmandu", "Pacific/Chatham",
    ]
    let name = names.randomElement(using: &random) ?? "UTC"
    zone = try #require(TimeZoneRules.named(name), "this machine has no zone \(name)")
    let start = Int64.random(in: 1_500_000_000...1_790_000_000, using: &random) * second
    around = zone.nextChange(after: start)?.time ?? start
  }

  mutating func flags() -> SampleFlags {
    let kind = SampleKind(rawValue: UInt8(max(0, Int.random(in: -5...3, using: &random)))) ?? .normal
    return SampleFlags(origin: .fetched, kind: kind, isManual: Bool.random(using: &random))
  }
}

/// Lists of items and days say what the raw export says.
@Suite(.serialized) struct ItemScanTests {
  /// Fetched in batches in no order, and streamed beside it.
  @LoopActor private func fill(_ store: Store, _ loop: VirtualLoop, _ place: inout Place) async throws {
    for number in 0..<9 {
      let visit = VisitRecord(number: UInt64(number), wearable: number % 3 == 0 ? two : one, began: loop.wall)
      var batch = try FetchedBatch(wearable: visit.wearable, place: "file \(number)", visit: visit)
      let begin = place.around + Int64.random(in: -60 * hour...60 * hour, using: &place.random)
      for index in 0..<Int64(Int.random(in: 1...200, using: &place.random)) {
        let time = WallTime(microseconds: (begin + index * 97 * second) / second * second)
        try batch.append(
          .heartRate, Int64.random(in: 40...190, using: &place.random), at: time, flags: place.flags(), isSure: true)
        let pair = (0..<2).map { _ in Int64.random(in: 60...180, using: &place.random) }
        try batch.append(.groundTime, pair, at: time, flags: place.flags(), isSure: index % 2 == 0)
        let length = Int64.random(in: 0...(index % 20 == 0 ? 30 * hour : hour), using: &place.random)
        try batch.append(
          .calories, [length, Int64.random(in: 0...900, using: &place.random)], at: time, isSure: true)
      }
      _ = try await store.commit(batch)
      for _ in 0..<50 {
        store.append(one, .heartRate, Int64.random(in: 50...150, using: &place.random), at: loop.now)
        try await loop.sleep(for: .seconds(7))
      }
      if Bool.random(using: &place.random) { try await store.flush() }
      if Bool.random(using: &place.random) { try await store.pack() }
    }
    try await store.flush()
  }

  private func stretches(_ place: inout Place) -> [ItemSource] {
    let a = place.around - Int64.random(in: 0...40 * hour, using: &place.random)
    let b = a + Int64.random(in: 1...30 * hour, using: &place.random)
    return [
      [ItemSource(one)], [ItemSource(one), ItemSource(two)],
      [ItemSource(one, stretches: [a..<b, (b + hour)..<(b + 9 * hour)]), ItemSource(two, stretches: [b..<Int64.max])],
    ].randomElement(using: &place.random) ?? [ItemSource(one)]
  }

  private func wants(_ sources: [ItemSource], _ sample: StoredSample) -> Bool {
    sources.contains { source in
      source.wearable == sample.wearable
        && (source.stretches?.contains { $0.contains(sample.time.microseconds) } ?? true)
    }
  }

  @Test(arguments: seeds)
  func `pages of items are the export in order of time, from the daemon's store and from a reader`(seed: UInt64) throws
  {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      var place = try Place(seed)
      try await fill(store, loop, &place)
      var asked: [(query: ItemQuery, expected: [MeasuredItem])] = []
      for series in [Series.heartRate, .groundTime, .calories] {
        for _ in 0..<4 {
          let sources = stretches(&place)
          let since = WallTime(microseconds: place.around + Int64.random(in: -50 * hour...0, using: &place.random))
          let until = WallTime(microseconds: place.around + Int64.random(in: 0...50 * hour, using: &place.random))
          let filter = ItemFilter(
            kind: [nil, .normal, .maximum, .resting].randomElement(using: &place.random) ?? nil,
            isManual: [nil, true, false].randomElement(using: &place.random) ?? nil)
          let bounded = Bool.random(using: &place.random)
          let query = ItemQuery(
            sources, series, since: bounded ? since : nil, until: bounded ? until : nil, filter: filter,
            limit: Int.random(in: 20...400, using: &place.random))
          let all = try await store.all(SampleQuery(series: [series]))
          let expected = all.filter { sample in
            wants(sources, sample) && filter.wants(sample.flags)
              && (!bounded || (sample.time >= since && sample.time < until))
          }.map { MeasuredItem($0) }.sorted { $0.key < $1.key }
          asked.append((query, expected))
          var found: [MeasuredItem] = []
          var next = query
          repeat {
            let page = try await store.items(next)
            found += page.items
            next.after = page.next
          } while next.after != nil && found.count <= expected.count
          #expect(found == expected, "seed \(seed)")
        }
      }
      await store.close()
      let reader = try StoreReader(path: scratch.store)
      for (query, expected) in asked {
        let page = try reader.items(query)
        #expect(Array(page.items) == Array(expected.prefix(query.limit)), "seed \(seed)")
        #expect(page.hasMore == (expected.count > query.limit), "seed \(seed)")
      }
    }
  }

  @Test(arguments: seeds)
  func `days of a range are the whole days of the export that it touches`(seed: UInt64) throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      var place = try Place(seed)
      try await fill(store, loop, &place)
      for series in [Series.heartRate, .groundTime, .calories] {
        let all = try await store.all(SampleQuery(series: [series]))
        for _ in 0..<4 {
          let sources = stretches(&place)
          // Everything, without a range: what is in a range must be the same.
          var everything = DayAccumulator(series, zone: place.zone)
          for sample in all where wants(sources, sample) {
            let item = MeasuredItem(sample)
            everything.add(time: item.start, flags: item.flags.rawValue, length: item.length) { item.values[$0] }
          }
          let a = place.around + Int64.random(in: -50 * hour...50 * hour, using: &place.random)
          let b = a + Int64.random(in: 1...40 * hour, using: &place.random)
          let dates = place.zone.date(of: a)...place.zone.date(of: b - 1)
          let found = try await store.days(
            sources, series, zone: place.zone, since: WallTime(microseconds: a), until: WallTime(microseconds: b))
          // Resting values of one time: the export has another order than the scan, so only their times are compared.
          #expect(found.days.map(\.date) == everything.days.map(\.date).filter { dates.contains($0) }, "seed \(seed)")
          for (day, expected) in zip(found.days, everything.days.filter { dates.contains($0.date) }) {
            #expect(day.parts.map(\.markedMaximum) == expected.parts.map(\.markedMaximum), "seed \(seed)")
            #expect(day.parts.map(\.derivedMinimum) == expected.parts.map(\.derivedMinimum), "seed \(seed)")
            #expect(day.parts.map(\.resting?.time) == expected.parts.map(\.resting?.time), "seed \(seed)")
            #expect((day.count, day.manual, day.automatic) == (expected.count, expected.manual, expected.automatic))
            #expect((day.mean, day.sum) == (expected.mean, expected.sum), "seed \(seed)")
            #expect((day.first, day.last) == (expected.first, expected.last), "seed \(seed)")
          }
          await day(found.days.first, series, sources, store, place, seed)
        }
      }
      await store.close()
    }
  }

  /// A day agrees with a list of its items, if no item goes over midnight.
  @LoopActor private func day(
    _ day: DaySummary?, _ series: Series, _ sources: [ItemSource], _ store: Store, _ place: Place, _ seed: UInt64
  ) async {
    guard let day, series.layout != .interval else { return }
    func count(_ filter: ItemFilter) async -> Int? {
      let query = ItemQuery(
        sources, series, since: WallTime(microseconds: day.start), until: WallTime(microseconds: day.end),
        filter: filter)
      return try? await store.items(query).items.count
    }
    #expect(await count(ItemFilter(kind: .normal, isManual: true)) == min(day.manual, ItemPage.limit), "seed \(seed)")
    #expect(
      await count(ItemFilter(kind: .normal, isManual: false)) == min(day.automatic, ItemPage.limit), "seed \(seed)")
    #expect(await count(ItemFilter(kind: .resting)) == min(day.restingCount, ItemPage.limit), "seed \(seed)")
  }

  @Test func `what a person wore are the stretches between assignments, and a page of a person has only them`() throws {
    try inStore { loop, store, _ in
      let ada = try await store.addWearer(name: "Ada")
      let strap = try await store.enrol(name: "strap", addressValue: 1, addressKind: 1, driver: "d", kind: "k").id
      let band = try await store.enrol(name: "band", addressValue: 2, addressKind: 1, driver: "d", kind: "k").id
      let start = loop.wall
      _ = try await store.assign(strap, to: ada.id, from: start + .seconds(10))
      _ = try await store.assign(strap, to: nil, from: start + .seconds(20))
      _ = try await store.assign(band, to: ada.id, from: start + .seconds(25))
      for index in 0..<40 {
        store.append(strap, .heartRate, Int64(100 + index), at: loop.now)
        store.append(band, .heartRate, Int64(200 + index), at: loop.now)
        try await loop.sleep(for: .seconds(1))
      }
      try await store.flush()
      let sources = store.people.sources(of: ada.id)
      #expect(sources.map(\.wearable) == [strap, band])
      let page = try await store.items(ItemQuery(sources, .heartRate))
      #expect(page.items.map { $0.values[0] } == (110..<120).map { $0 } + (225..<240).map { $0 })
      #expect(page.next == nil)
      #expect(store.people.wearer(named: "Ada")?.id == ada.id)
      #expect(store.people.wearer(named: "ADA")?.id == ada.id)
      #expect(store.people.wearer(named: "\(ada.id.number)")?.id == ada.id)
      #expect(store.people.wearer(named: "Eve") == nil)
    }
  }
}
