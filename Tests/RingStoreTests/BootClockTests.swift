import EventLoop
import Export
import Foundation
import Health
import Reasons
import Testing

@testable import RingStore

/// Samples that come before a time server is heard, and what is said of their times once it was.
@Suite(.serialized) struct BootClockTests {
  private static let behind = Int64(48 * 60)

  /// Heart rates every second with a clock that is 48 minutes behind; then it is put right, and they go on.
  @LoopActor private func morning(_ store: Store, _ loop: VirtualLoop, pack: Bool = false) async throws {
    loop.wallIsTrusted = false
    loop.stepWall(by: .seconds(-Self.behind))
    for index in 0..<68 {
      store.append(one, .heartRate, Int64(60 + index % 30), at: loop.now)
      try await loop.sleep(for: .seconds(1))
    }
    try await store.flush()
    if pack { try await store.pack(whole: true) }
    loop.stepWall(by: .seconds(Self.behind))
    loop.wallIsTrusted = true
    for _ in 0..<10 {
      store.append(one, .heartRate, 100, at: loop.now)
      try await loop.sleep(for: .seconds(1))
    }
    try await store.flush()
  }

  @Test(
    """
    H4115: rows from before the time server are read with their true time, and marked: in exports, items and days, \
    from the journal, from rings, and after a restart
    """, arguments: [false, true])
  func corrected(isPacked: Bool) throws {
    let scratch = Scratch()
    nonisolated(unsafe) var begin = Int64(0)
    nonisolated(unsafe) var told: [StoredSample] = []
    try inStore(at: scratch) { loop, store, _ in
      begin = loop.wall.microseconds
      try await self.morning(store, loop, pack: isPacked)
      told = try await store.all()
      try self.expectRight(told, begin)
      let export = store.sampleExport(.ndjson)
      #expect(export.line(told[0]).contains("\"clock\":\"corrected\""))
      #expect(!export.line(told[70]).contains("clock"))
      #expect(try store.recentEvents(10).contains { $0.reason == Reason.storeTimesCorrected.rawValue })
      // Every window of true time, by each of the readers.
      for second in [0, 1, 30, 67, 68, 77] {
        let (since, until) = (begin + Int64(second) * 1_000_000, begin + Int64(second + 1) * 1_000_000)
        let query = SampleQuery(
          since: WallTime(microseconds: since), until: WallTime(microseconds: until))
        #expect(try await store.all(query).map(\.time.microseconds) == [since], "second \(second)")
        let items = try await store.items(
          ItemQuery(
            [ItemSource(one)], .heartRate, since: WallTime(microseconds: since), until: WallTime(microseconds: until)))
        #expect(items.items.map(\.start) == [since])
        #expect(items.items.first?.isClockCorrected == (second < 68))
        nonisolated(unsafe) var counted = 0
        try await store.scan(
          one, .heartRate, since: WallTime(microseconds: since), until: WallTime(microseconds: until)
        ) { columns in counted += columns.times.count { $0 >= since && $0 < until } }
        #expect(counted == 1, "second \(second)")
      }
      let early = SampleQuery(until: WallTime(microseconds: begin))
      #expect(try await store.all(early).isEmpty, "nothing is where it was stored")
      #expect(told.allSatisfy { $0.time <= loop.wall }, "nothing is after now")
    }
    let reader = try StoreReader(path: scratch.store)
    #expect(try reader.all() == told)
    #expect(try reader.verify().isClean)
    try inStore(at: scratch) { _, store, _ in
      #expect(try await store.all() == told)
      try await store.pack(whole: true)
      #expect(try await store.all() == told)
    }
  }

  private func expectRight(_ samples: [StoredSample], _ begin: Int64) throws {
    #expect(samples.map(\.time.microseconds) == (0..<78).map { begin + Int64($0) * 1_000_000 })
    #expect(samples.map(\.clockName) == (0..<78).map { $0 < 68 ? "corrected" : nil })
  }

  @Test("until a time server is heard times stay as they were stored, and unsure; those of another boot for ever")
  func notKnown() throws {
    let scratch = Scratch()
    nonisolated(unsafe) var first: [StoredSample] = []
    try inStore(at: scratch) { loop, store, _ in
      loop.wallIsTrusted = false
      loop.stepWall(by: .seconds(-Self.behind))
      store.append(one, .heartRate, 60, at: loop.now)
      try await store.flush()
      first = try await store.all()
      #expect(first.map(\.clockName) == ["unsure"] && first[0].time == loop.wall)
    }
    try inStore({ $0.bootID = BootID(high: 7, low: 7) }, at: scratch) { loop, store, _ in
      try await self.morning(store, loop)
      let all = try await store.all()
      #expect(Array(all.prefix(1)) == first)
      #expect(all.count == 79 && all.dropFirst().prefix(68).allSatisfy { $0.clockName == "corrected" })
    }
  }

  @Test("what is fetched, what rests on no clock of the hub, and what came after the time server is left alone")
  func leftAlone() throws {
    try inStore { loop, store, _ in
      loop.wallIsTrusted = false
      loop.stepWall(by: .seconds(-Self.behind))
      let reading = Sample(.bodyTemperature, 36_600)
      _ = store.append(one, reading: [reading], mark: nil, at: loop.now, isSure: false)
      store.append(one, .heartRate, 60, at: loop.now)
      try await store.flush()
      let before = try await store.all()
      loop.stepWall(by: .seconds(Self.behind))
      loop.wallIsTrusted = true
      store.append(one, .heartRate, 61, at: loop.now)
      // The time server is gone again; the clock runs on.
      loop.wallIsTrusted = false
      try await loop.sleep(for: .seconds(3600))
      loop.stepWall(by: .seconds(-5))
      store.append(one, .heartRate, 62, at: loop.now)
      try await store.flush()
      let after = try await store.all()
      let temperature = try #require(after.first { $0.series == .bodyTemperature })
      #expect(before.contains(temperature) && temperature.clockName == "unsure")
      #expect(after.filter { $0.series == .heartRate }.map(\.clockName) == ["corrected", nil, "unsure"])
      #expect(after.last?.time == loop.wall)
    }
  }

  @LoopActor private func append(_ count: Int, _ store: Store, _ loop: VirtualLoop) async throws {
    for _ in 0..<count {
      store.append(one, .heartRate, 70, at: loop.now)
      try await loop.sleep(for: .seconds(1))
    }
    try await store.flush()
  }

  /// All pages of a session, of at most `limit` samples.
  @LoopActor private func told(_ store: Store, limit: Int = 1000, confirms: Bool) async throws -> (
    new: [StoredSample], retimed: [StoredSample]
  ) {
    let session = try await store.export(SampleQuery(), reader: "ward")
    var told: (new: [StoredSample], retimed: [StoredSample]) = ([], [])
    while let page = try await session.next(limit: limit) {
      told.new += page.samples
      told.retimed += page.retimed
    }
    if confirms { try await session.confirm() }
    return told
  }

  @Test(
    """
    a reader that had rows before their boot's clock was known gets them again, from journal and rings, until it has \
    confirmed all of them, also over a restart
    """, arguments: [false, true])
  func retold(isPacked: Bool) throws {
    let scratch = Scratch()
    nonisolated(unsafe) var begin = Int64(0)
    func expectRetimed(_ rows: [StoredSample], _ count: Int) {
      #expect(rows.map(\.ordinal) == (0..<count).map { UInt64($0) })
      #expect(rows.map(\.time.microseconds) == (0..<count).map { begin + Int64($0) * 1_000_000 })
      #expect(rows.allSatisfy { $0.storedTime.microseconds == $0.time.microseconds - Self.behind * 1_000_000 })
    }
    try inStore(at: scratch) { loop, store, _ in
      begin = loop.wall.microseconds
      loop.wallIsTrusted = false
      loop.stepWall(by: .seconds(-Self.behind))
      try await self.append(60, store, loop)
      #expect(try await self.told(store, confirms: true).new.allSatisfy { $0.clockName == "unsure" })
      if isPacked { try await store.pack(whole: true) }
      try await self.append(8, store, loop)
      // Given before the clock is known, and confirmed afterwards.
      let early = try await store.export(SampleQuery(), reader: "ward")
      #expect(try await early.next()?.samples.count == 8)
      loop.stepWall(by: .seconds(Self.behind))
      loop.wallIsTrusted = true
      try await self.append(4, store, loop)
      try await early.confirm()
      // Page by page beside what is new; not confirmed as long as some are missing.
      let session = try await store.export(SampleQuery(), reader: "ward")
      let first = try #require(try await session.next(limit: 30))
      #expect(first.samples.count == 4 && first.retimed.count < 68 && !first.isLast)
      try await session.confirm()
      let again = try await self.told(store, limit: 30, confirms: false)
      expectRetimed(again.retimed, 68)
      #expect(again.new.isEmpty)
    }
    try inStore({ $0.bootID = BootID(high: 7, low: 7) }, at: scratch) { loop, store, _ in
      expectRetimed(try await self.told(store, confirms: true).retimed, 68)
      #expect(try await self.told(store, confirms: true).retimed.isEmpty)
      // The next boot has a distance of its own, and the rows of the one before are right by now.
      loop.wallIsTrusted = false
      loop.stepWall(by: .seconds(-Self.behind))
      try await self.append(3, store, loop)
      #expect(try await self.told(store, confirms: true).new.count == 3)
      loop.stepWall(by: .seconds(Self.behind))
      loop.wallIsTrusted = true
      try await self.append(1, store, loop)
      #expect(try await self.told(store, confirms: true).retimed.map(\.ordinal) == [72, 73, 74])
      #expect(try await self.told(store, confirms: true).retimed.isEmpty)
      #expect(try await store.verify().isClean)
      // A reader without earlier rows gets no corrections.
      let other = try await store.export(SampleQuery(), reader: "other")
      #expect(try await other.next()?.retimed.isEmpty == true)
    }
  }

  @Test("a clock that was years behind makes no sample too old once it is put right")
  func age() throws {
    try inStore({ $0.standardRetention = Retention(keep: .seconds(30 * 86_400)) }) { loop, store, _ in
      loop.wallIsTrusted = false
      let begin = loop.wall
      loop.stepWall(by: .seconds(-1000 * 86_400))
      for index in 0..<3000 {
        store.append(one, .rrInterval, noise(UInt64(index)), at: loop.now)
        try await loop.sleep(for: .seconds(1))
      }
      try await store.flush()
      try await store.pack(whole: true)
      loop.stepWall(by: .seconds(1000 * 86_400))
      loop.wallIsTrusted = true
      store.append(one, .rrInterval, 1, at: loop.now)
      try await store.flush()
      try await store.pack(whole: true)
      #expect(store.status.evictedSamples == 0)
      #expect(try await store.all().count == 3001)
      try await loop.sleep(for: .seconds(31 * 86_400))
      store.append(one, .rrInterval, 1, at: loop.now)
      try await store.pack(whole: true)
      #expect(store.status.evictedSamples > 2000, "and too old when it is")
      #expect(store.status.evictedFrom == begin, "and what went is told by the times that readers had")
      #expect(store.status.evictedTo.map { $0 >= begin + .seconds(2000) && $0 <= begin + .seconds(3000) } == true)
    }
  }
}
