import EventLoop
import Export
import Foundation
import Health
import Reasons
import Testing

@testable import RingStore

/// Exports with a name: what a reader has confirmed, and what that is good for.
@Suite(.serialized) struct ReaderTests {
  @LoopActor private func fill(_ store: Store, _ count: Int, from: Int = 0) async throws {
    for index in from..<(from + count) {
      store.append(index % 2 == 0 ? one : two, .heartRate, noise(index) >> 40, at: store.disk.loop.now)
      try await store.disk.loop.sleep(for: .milliseconds(5))
    }
    try await store.flush()
  }

  @LoopActor private func take(_ session: ExportSession, pages: Int = .max) async throws -> [StoredSample] {
    var samples: [StoredSample] = []
    var left = pages
    while left > 0, let page = try await session.next(limit: 100) {
      samples += page.samples
      left -= 1
    }
    return samples
  }

  @Test("a reader goes on behind what it confirmed, not behind what it was given; also over moves and restarts")
  func resumes() throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      var store = try Store.open(.test(scratch.store, bytes: 600), loop: loop, disk: InlineDiskLane())
      try await fill(store, 1000)
      let given = try await take(store.export(SampleQuery(), reader: "archive"))
      #expect(given.count == 1000)
      #expect(try store.readers() == [])
      let session = try await store.export(SampleQuery(), reader: "archive", by: "root")
      let first = try await take(session, pages: 3)
      #expect(first == Array(given.prefix(300)))
      try await session.confirm()
      _ = try await take(session, pages: 2)
      // Half of it moves into the rings, and the store is opened again.
      try await store.pack()
      await store.close()
      store = try Store.open(.test(scratch.store, bytes: 600), loop: loop, disk: InlineDiskLane())
      let reader = try #require(try store.readers().first)
      #expect(reader.name == "archive" && reader.items == 300 && reader.by == "root")
      try await fill(store, 100, from: 1000)
      let rest = try await store.export(SampleQuery(), reader: "archive")
      let samples = try await take(rest)
      #expect(Set(samples).isDisjoint(with: first))
      let everything = try await store.all()
      #expect(Set(samples + first) == Set(everything))
      #expect(samples.count + first.count == 1100)
      #expect(store.status.unexported == 800)
      try await rest.confirm()
      #expect(store.status.unexported == 0, "also what is still in the journal")
      try await store.pack()
      #expect(store.status.unexported == 0)
      #expect(store.rings.allSatisfy { $0.unexported == 0 })
      #expect(try await take(store.export(SampleQuery(), reader: "archive")).isEmpty)
      #expect(try await take(store.export(SampleQuery(), reader: "other")).count == 1100)
      await store.close()
      #expect(
        try StoreReader(path: scratch.store).export(SampleQuery(), reader: "archive").next()?.samples.isEmpty == true)
    }
  }

  @Test("a cursor that is forgotten starts again, and what its reader had still counts as exported")
  func forgotten() throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      var store = try Store.open(.test(scratch.store, bytes: 600), loop: loop, disk: InlineDiskLane())
      try await fill(store, 200)
      let session = try await store.export(SampleQuery(), reader: "archive", by: "root")
      let given = try await take(session)
      try await session.confirm()
      #expect(try await store.removeReader("other") == nil)
      #expect(try await store.removeReader("archive")?.items == 200)
      #expect(try store.readers() == [] && store.status.unexported == 0)
      try await store.pack()
      await store.close()
      store = try Store.open(.test(scratch.store, bytes: 600), loop: loop, disk: InlineDiskLane())
      #expect(try store.readers() == [] && store.status.unexported == 0)
      #expect(try await Set(take(store.export(SampleQuery(), reader: "archive"))) == Set(given))
      await store.close()
    }
  }

  @Test("what is moved into a ring that the walk is through with is given all the same, and confirmed only then")
  func movedBehind() throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store, bytes: 600), loop: loop, disk: InlineDiskLane())
      try await fill(store, 600)
      try await store.pack()
      try await fill(store, 600, from: 600)
      let session = try await store.export(SampleQuery(), reader: "archive")
      // The first ring is done, the second begun.
      var given = try await take(session, pages: 5)
      #expect(given.contains { $0.wearable == two })
      try await store.pack()
      try await session.confirm()
      given += try await take(session)
      try await session.confirm()
      let everything = try await store.all()
      #expect(given.count == 1200 && Set(given) == Set(everything))
      #expect(store.status.unexported == 0)
      await store.close()
    }
  }

  @Test("a reader's export takes no times, and its name is one for a shell")
  func refused() throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      @LoopActor func reason(_ query: SampleQuery, _ reader: String) async -> Reason? {
        do throws(HearthError) { _ = try await store.export(query, reader: reader) } catch { return error.reason }
        return nil
      }
      #expect(await reason(SampleQuery(since: loop.wall), "archive") == .controlBadParameter)
      #expect(await reason(SampleQuery(until: loop.wall), "archive") == .controlBadParameter)
      #expect(await reason(SampleQuery(), "a b") == .enrolNameInvalid)
      #expect(await reason(SampleQuery(wearables: [one]), "archive") == nil)
      await store.close()
    }
  }

  @Test(
    """
    items of a series that this program does not know are left out of an export, and a reader's cursor does not pass \
    them
    """
  )
  func unknownSeries() throws {
    let scratch = Scratch()
    let ring = RingID(wearable: one, seriesNumber: 999, way: .live)
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      try await fill(store, 100)
      try await store.pack()
      await store.close()
    }
    try scratch.tamper { transaction throws(DatabaseFailure) in
      var items = ItemColumns(valueCount: 1, hasBytes: false)
      for index in 0..<10 { items.append(time: VirtualLoop.morning.microseconds + Int64(index), flags: 0, value: 5) }
      let run = RingItems.Run(anchor: ClockAnchor(offset: 0, boot: boot, trusted: true), items: items)
      var editor = try RingEditor(transaction, ring, RingState(), RingItems(runs: [run]))
      while editor.step() > 0 {}
      var writer = RingWriter(RingTable(), RetentionBounds())
      if let edit = editor.edit { _ = try writer.apply(edit, transaction) }
      try writer.finish(transaction)
    }
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      let session = try await store.export(SampleQuery(), reader: "archive")
      var (known, unknown) = (0, 0)
      while let page = try await session.next() {
        known += page.samples.count
        unknown += page.unknownSamples
      }
      try await session.confirm()
      #expect(known == 100 && unknown == 10)
      #expect(store.keeper.extent.rings[ring]?.exported == 0)
      #expect(store.status.unexported == 10)
      #expect(try await store.verify().findings == [])
      await store.close()
    }
  }

  @Test(
    """
    a store of format 1 is read as it is, becomes one of this format when it is opened for writing, and gives the \
    same samples before and after moving
    """
  )
  func format1() throws {
    let scratch = Scratch()
    let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "Fixtures/format-1")
    try FileManager.default.createDirectory(atPath: scratch.store, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      at: fixture.appendingPathComponent("data.mdb"), to: URL(fileURLWithPath: scratch.data))
    let expected = try String(contentsOf: fixture.appendingPathComponent("export.ndjson"), encoding: .utf8).split(
      separator: "\n"
    ).map(String.init)
    /// The time and value of a line, which is all that later versions write alike.
    func brief(_ line: String) -> String {
      let fields = (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any] ?? [:]
      return ["device", "series", "time", "value", "origin"].map { "\(fields[$0] ?? "")" }.joined(separator: " ")
    }
    let reader = try StoreReader(path: scratch.store)
    let export = SampleExport(.ndjson, wearables: reader.wearables + reader.retiredWearables)
    let before = try reader.all()
    #expect(before.map { brief(export.line($0)) } == expected.map(brief))
    #expect(try reader.verify().findings == [])
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      #expect(try await store.all() == before)
      store.append(one, .battery, 1, at: loop.now)
      try await store.flush()
      try await store.pack()
      #expect(store.status.journalChunks == 1 && store.status.ringChunks > 0)
      let after = try await store.all()
      #expect(Set(after.map { brief(export.line($0)) }).isSuperset(of: expected.map(brief)))
      #expect(after.count == before.count + 1)
      #expect(try await store.verify().findings == [])
      await store.close()
    }
    let mark = try Environment(path: scratch.store, size: 0, mode: .reader)
    try mark.openTables()
    let version = try mark.read { transaction throws(DatabaseFailure) in
      try transaction.get(transaction.tables.meta, FormatMark.key).map { Array($0)[6] }
    }
    mark.close()
    #expect(version.map { UInt16($0) } == FormatMark.version)
  }

  @Test("the odometer of what was written grows and survives a restart, and each day begins at its value then")
  func wear() throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      var store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      try await fill(store, 2000)
      try await store.pack()
      let before = store.status.wear.odometer
      await store.close()
      store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      #expect(store.status.wear.odometer >= before)
      try await loop.sleep(for: .seconds(86_400))
      try await fill(store, 2000)
      #expect(store.keeper.extent.wear.days.count == 2)
      #expect(store.keeper.extent.wear.days[1].odometer <= store.status.wear.odometer)
      #expect(store.status.wear.bytesToday == store.status.wear.odometer - store.keeper.extent.wear.days[1].odometer)
      await store.close()
    }
  }

  @Test("an odometer with a flipped bit does not end the daemon: it never predicts more than 64 bits can say")
  func flippedOdometer() throws {
    let scratch = Scratch()
    try inStore(at: scratch) { _, store, _ in try await self.fill(store, 100) }
    try scratch.tamper { transaction throws(DatabaseFailure) in
      try transaction.put(transaction.tables.meta, Wear.odometerKey, [UInt8](repeating: 0xFF, count: 7) + [0x7F])
    }
    try inStore(at: scratch) { loop, store, _ in
      try await loop.sleep(for: .seconds(43_200))
      #expect(store.status.wear.odometer > 1 << 62)
      #expect(store.keeper.extent.wear.days.count == 1)
      #expect(store.status.wear.forecastPerYear == nil)
    }
  }

  @Test("chunks of rings are filled, and the last one goes on being filled instead of beginning another")
  func tails() throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store, bytes: 600), loop: loop, disk: InlineDiskLane())
      for round in 0..<40 {
        try await fill(store, 300, from: 300 * round)
        try await store.pack()
      }
      for ring in store.keeper.extent.rings.rings {
        #expect(ring.state.chunks > 2)
        #expect(
          ring.state.bytes >= UInt64(ring.state.chunks - 1) * UInt64(RingChunkEncoder.limit - RingEditor.worthwhile))
      }
      #expect(try await store.verify().findings == [])
      await store.close()
    }
  }

  @Test("moving takes turns: no step takes more than its number of items")
  func turns() throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store, bytes: 100_000), loop: loop, disk: InlineDiskLane())
      for index in 0..<60_000 {
        store.append(WearableID(number: UInt32(index % 30)), .heartRate, Int64(60 + index % 7), at: loop.now)
      }
      try await store.flush()
      let turns = Turns()
      loop.spawn { await turns.count() }
      try await store.pack()
      turns.isOver = true
      // Read in steps of eight chunks, encoded in steps of 8,192 items.
      #expect(turns.turns >= store.status.journalChunks / JournalWindow.step + 60_000 / (2 * Packer.itemsPerTurn))
      await store.close()
    }
  }
}

/// Another flow of the loop, that counts how often it has its turn.
@LoopActor
private final class Turns {
  nonisolated init() {}
  var turns = 0
  var isOver = false

  func count() async {
    while !isOver {
      turns += 1
      await Task.yield()
    }
  }
}
