import EventLoop
import Health
import Reasons
import StateCodec
import Testing

@testable import RingStore

/// What hub and drivers remember of a wearable, as the store keeps it.
@Suite struct StateTests {
  private struct Mood: RememberedState, Equatable {
    static let name = "mood"
    var words: [String]

    init(_ words: String...) { self.words = words }

    var isEmpty: Bool { words.isEmpty }

    func write(to fields: inout FieldWriter) { for word in words { fields.put(1) { $0.put(1, word) } } }

    init?(_ fields: inout FieldReader, version: UInt16) {
      words = []
      while let tag = fields.next() {
        if tag != 1 { continue }
        var nested = fields.nested
        var word: String?
        while let tag = nested.next() { if tag == 1 { nested.read(&word, atMost: 9000) } }
        guard nested.isWhole, let word else { return nil }
        words.append(word)
      }
    }
  }

  /// The same kind, as a later program knows it.
  private struct LaterMood: RememberedState, Equatable {
    static let name = "mood"
    static let version: UInt16 = 2
    var depth: UInt64

    init(_ depth: UInt64) { self.depth = depth }
    func write(to fields: inout FieldWriter) { fields.put(2, depth) }
    init?(_ fields: inout FieldReader, version: UInt16) {
      var depth: UInt64?
      while let tag = fields.next() { if tag == 2 { fields.read(&depth) } }
      guard let depth else { return nil }
      self.depth = depth
    }
  }

  private func enrol(_ store: Store, _ number: Int = 1) async throws -> WearableRecord {
    try await store.enrol(name: "w\(number)", addressValue: UInt64(number), addressKind: 2, driver: "d", kind: "k")
  }

  @Test("states of hub and driver are kept across restarts, each in its table, and go when the wearable is forgotten")
  func kept() throws {
    let scratch = Scratch()
    try inStore(at: scratch) { _, store, _ in
      var (record, other) = (try await self.enrol(store), try await self.enrol(store, 2))
      try record.hubState.keep(Mood("calm", "ünruly"))
      try record.driverState.keep(LaterMood(7))
      try other.driverState.keep(Mood("other"))
      try await store.update(record)
      try await store.update(other)
    }
    try inStore(at: scratch) { _, store, _ in
      var record = store.wearables[0]
      #expect(
        record.hubState[Mood.self] == Mood("calm", "ünruly") && record.driverState[LaterMood.self] == LaterMood(7))
      #expect(record.hubState.entries.count == 1 && record.driverState.entries.count == 1)
      try record.hubState.keep(Mood())
      try await store.update(record)
      #expect(store.wearables[0].hubState.entries.isEmpty, "an empty state is none")
      #expect(try await store.verify().findings == [])
      try await store.remove(record.id)
      #expect(store.retiredWearables[0].driverState.entries.isEmpty)
    }
    let reader = try StoreReader(path: scratch.store)
    #expect(reader.wearables.map { $0.driverState[Mood.self] } == [Mood("other")])
    let left = try reader.environment.read { transaction throws(DatabaseFailure) in
      (transaction.entries(transaction.tables.hubState), transaction.entries(transaction.tables.driverState))
    }
    #expect(left == (0, 1))
    #expect(try reader.verify().findings == [])
  }

  @Test("what was not collected of a wearable by order stays with its name")
  func uncollected() throws {
    let scratch = Scratch()
    try inStore(at: scratch) { loop, store, _ in
      var record = try await self.enrol(store)
      var spans = record.uncollected
      spans.begin([7], at: loop.wall)
      try record.hubState.keep(spans)
      try record.hubState.keep(Mood("calm"))
      try await store.update(record)
      try await loop.sleep(for: .seconds(60))
      try await store.remove(record.id)
      spans.end(ofAll: false, at: loop.wall)
      #expect(store.retiredWearables[0].uncollected == spans && store.retiredWearables[0].hubState.entries.count == 1)
    }
    let reader = try StoreReader(path: scratch.store)
    #expect(reader.retiredWearables[0].uncollected.spans.map(\.series) == [[7]])
    #expect(try reader.verify().findings == [])
  }

  @Test("of what was not collected of a forgotten wearable the newest stays, as much as 3,584 of them leave room for")
  func uncollectedOfManyForgotten() throws {
    let scratch = Scratch()
    var spans = UncollectedSpans()
    try inStore(at: scratch) { loop, store, _ in
      var record = try await self.enrol(store)
      for hour in 0..<Int64(UncollectedSpans.limit) {
        spans.begin((1...64).map { $0 + UInt16(hour) }, at: loop.wall + .seconds((hour - 40) * 3600))
      }
      spans.end(ofAll: false, at: loop.wall)
      try record.hubState.keep(spans)
      try await store.update(record)
      try await store.remove(record.id)
      let kept = store.retiredWearables[0].uncollected
      #expect(kept.spans == spans.spans.suffix(3))
      // What went ended as the first that stayed began.
      #expect(kept.reachesBack == kept.spans[0].from.microseconds)
      #expect(store.retiredWearables[0].hubState.entries[UncollectedSpans.name]?.fields.count ?? 0 <= 512)
      await store.close()
      // An earlier program kept it all.
      let environment = try Environment(path: scratch.store, size: 64 << 20, mode: .writer)
      try environment.openTables()
      let all = RememberedStates.Entry(spans)
      try environment.write { transaction throws(DatabaseFailure) in
        try transaction.put(StateRecord<HubStates>(record.id, UncollectedSpans.name, all))
      }
      environment.close()
      #expect(all.fields.count > 4500)
      let again = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      #expect(again.retiredWearables[0].uncollected == kept)
      await again.close()
    }
    #expect(try StoreReader(path: scratch.store).verify().findings == [])
  }

  @Test("no more stretches of a forgotten wearable go than it takes, whatever their sizes")
  func uncollectedGivesWay() throws {
    for seed in 0..<64 {
      var spans = UncollectedSpans()
      for place in 0..<(2 + seed % 31) {
        let count = place * (seed + 3) % 65
        spans.begin(count == 0 ? nil : (0..<count).map { UInt16($0) }, at: WallTime(microseconds: Int64(place) * 1000))
      }
      for ofAll in [true, false] { spans.end(ofAll: ofAll, at: WallTime(microseconds: 1_000_000)) }
      func size(_ spans: UncollectedSpans) -> Int { RememberedStates.Entry(spans).fields.count }
      var kept = spans
      kept.giveWay()
      guard size(spans) > UncollectedSpans.retiredSize else {
        #expect(kept == spans)
        continue
      }
      #expect(kept.spans == spans.spans.suffix(kept.spans.count))
      #expect(size(kept) <= UncollectedSpans.retiredSize || kept.spans.count == 1)
      // With the newest of those that went it would be too much.
      let gone = spans.spans.dropLast(kept.spans.count)
      let last = try #require(gone.last)
      var fields = FieldWriter()
      fields.put(1, last.from.microseconds)
      fields.put(2, 0 as Int64)
      if let series = last.series { fields.put(3, [UInt8](repeating: 0, count: 2 * series.count)) }
      var field = FieldWriter()
      field.put(1, fields.fields)
      #expect(size(kept) + field.fields.count > UncollectedSpans.retiredSize, "seed \(seed)")
      #expect(kept.reachesBack == gone.compactMap { $0.to?.microseconds }.max())
      // Once is enough.
      let again = kept
      kept.giveWay()
      #expect(kept == again)
    }
  }

  @Test("what does not fit is refused with a code, and all that was kept stays whole")
  func full() throws {
    var states = RememberedStates()
    let refused =
      { (state: Mood) in
        do throws(HearthError) {
          try states.keep(state)
          return nil
        } catch { return error.reason }
      } as (Mood) -> Reason?
    #expect(refused(Mood(String(repeating: "a", count: 8000))) == nil)
    #expect(refused(Mood(String(repeating: "b", count: 8190))) == .storeTableFull)
    #expect(states[Mood.self]?.words.first?.utf8.count == 8000)
    for number in 1..<RememberedStates.countLimit { states.load("k\(number)", .init(version: 1, fields: [])) }
    #expect(throws: HearthError.self) { try states.keep(Other()) }
    states.forget(Mood.self)
    #expect(throws: Never.self) { try states.keep(Other()) }
    states.forget(Other.self)
    for number in 1...2 { states.load("k\(number)", .init(version: 1, fields: Array(repeating: 0, count: 8000))) }
    #expect(refused(Mood(String(repeating: "c", count: 600))) == .storeTableFull)
    #expect(refused(Mood(String(repeating: "c", count: 200))) == nil)
  }

  private struct Other: RememberedState {
    static let name = "other"
    init() {}
    func write(to fields: inout FieldWriter) {}
    init?(_ fields: inout FieldReader, version: UInt16) {}
  }

  @Test("a state of a later version reads as empty, stays as it is, and gives way to what is remembered again")
  func later() throws {
    let scratch = Scratch()
    try inStore(at: scratch) { _, store, _ in
      var record = try await self.enrol(store)
      try record.driverState.keep(LaterMood(7))
      try await store.update(record)
      #expect(record.driverState[Mood.self] == nil && record.driverState[LaterMood.self] == LaterMood(7))
      record.battery = 50
      try await store.update(record)
    }
    try inStore(at: scratch) { _, store, _ in
      var record = store.wearables[0]
      #expect(record.driverState[LaterMood.self] == LaterMood(7))
      try record.driverState.keep(Mood("new"))
      try await store.update(record)
      #expect(try await store.verify().findings == [])
    }
    #expect(try StoreReader(path: scratch.store).wearables[0].driverState[Mood.self] == Mood("new"))
  }

  @Test("a damaged state reads as empty, is counted and found, and the others are there")
  func damaged() throws {
    let scratch = Scratch()
    try inStore(at: scratch) { _, store, _ in
      var record = try await self.enrol(store)
      try record.hubState.keep(Mood("a"))
      try record.hubState.keep(Other())
      try await store.update(record)
    }
    try scratch.flip(\.hubState, at: 0, offset: 9)
    let reader = try StoreReader(path: scratch.store)
    #expect(reader.wearables[0].hubState[Mood.self] == nil && reader.wearables[0].hubState[Other.self] != nil)
    #expect(reader.status.corruptRecords == 1)
    #expect(try reader.verify().findings.map { "\($0.place): \($0.what)" } == ["hub-state 000000016d6f6f64: damaged"])
    try inStore(at: scratch) { _, store, _ in
      var record = store.wearables[0]
      try record.hubState.keep(Mood("b"))
      try await store.update(record)
      #expect(try await store.verify().findings == [])
    }
  }

  @Test("a state costs no write of its wearable's record, and the same state once more no write at all")
  func writes() throws {
    try inStore(at: Scratch()) { _, store, _ in
      var record = try await self.enrol(store)
      record.gattCache = Array(repeating: 7, count: 16_000)
      try await store.update(record)
      let before = store.status.wear.odometer
      try record.driverState.keep(LaterMood(1))
      try await store.update(record)
      let after = store.status.wear.odometer
      #expect(after - before < 40_000)
      #expect(try !record.driverState.keep(LaterMood(1)))
      try await store.update(record)
      #expect(store.status.wear.odometer == after)
    }
  }
}
