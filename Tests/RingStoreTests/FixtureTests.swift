import CLMDB
import EventLoop
import Export
import Foundation
import Health
import StateCodec
import Testing

@testable import RingStore

/// The stores that are kept in `Fixtures/format-N`: whatever the programs become, they read them as they were written.
@Suite(.serialized) struct FixtureTests {
  private static func fixture(_ version: Int = 8) -> URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures/format-\(version)")
  }
  private static let versions = [2, 3, 4, 5, 6, 7, 8]

  private func copied(_ version: Int) throws -> Scratch {
    let scratch = Scratch()
    try FileManager.default.createDirectory(atPath: scratch.store, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      at: Self.fixture(version).appendingPathComponent("data.mdb"), to: URL(fileURLWithPath: scratch.data))
    // Of a hub that lost its power, which has samples in no table yet.
    let file = Self.fixture(version).appendingPathComponent(JournalFile.fileName)
    if version > 6 {
      try FileManager.default.copyItem(at: file, to: URL(fileURLWithPath: scratch.journalFile))
      // Empty slots behind the last one in use are not in the fixture.
      truncate(scratch.journalFile, JournalFile.size)
    }
    return scratch
  }

  private func expectedLines(_ version: Int) throws -> [String] {
    try String(contentsOf: Self.fixture(version).appendingPathComponent("export.ndjson"), encoding: .utf8).split(
      separator: "\n"
    ).map(String.init)
  }

  private func lines(_ reader: StoreReader) throws -> [String] {
    let export = reader.sampleExport(.ndjson)
    return try reader.all(limit: 7).map { export.line($0) }
  }

  /// Line by line, because a difference of two long lists is unreadable.
  private func expectSame(_ found: [String], _ expected: [String]) {
    #expect(found.count == expected.count)
    for (index, (found, expected)) in zip(found, expected).enumerated() where found != expected {
      Issue.record("line \(index + 1) is \(found), not \(expected)")
      return
    }
  }

  @Test(
    "a reader of the fixture prints the lines beside it, finds everything in order, and leaves the file as it is",
    arguments: versions)
  func read(version: Int) throws {
    let scratch = try copied(version)
    let before = try Data(contentsOf: URL(fileURLWithPath: scratch.data))
    let reader = try StoreReader(path: scratch.store)
    expectSame(try lines(reader), try expectedLines(version))
    #expect(try reader.verify().findings == [])
    #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.data)) == before)
  }

  @Test(
    """
    the fixture holds every layout in rings and in the journal, evicted and purged items, and something in every \
    table of its format
    """,
    arguments: versions)
  func contents(version: Int) throws {
    let scratch = try copied(version)
    let reader = try StoreReader(path: scratch.store)
    let samples = try reader.all()
    let layouts = Set(samples.map { $0.series.layout.name })
    #expect(layouts == ["scalar", "vector", "waveform", "interval", "record"])
    #expect(
      Set(samples.filter { $0.way == .live }.map { $0.series.layout.name }).isSuperset(of: [
        "scalar", "vector", "waveform", "record",
      ]))
    #expect(Set(samples.map { $0.wearable.number }) == [1, 2, 3])
    let origins: Set<Origin> = [.live, .fetched, .replayed]
    #expect(Set(samples.map { $0.flags.origin }) == (version > 5 ? origins.union([.advertised]) : origins))
    #expect(Set(samples.map { $0.flags.kind }) == Set(SampleKind.allCases))
    for way in [Way.live, .fetched] {
      #expect(samples.contains { $0.way == way && $0.flags.isLowQuality } == (version > 4))
    }
    #expect(samples.contains { $0.bytes.count > ItemColumns.bytesLimit })
    #expect(reader.status.journalSamples > 0 && reader.status.journalChunks > 1)

    let exercises = try #require(reader.rings.first { $0.id.series == .exercise && $0.id.way == .fetched })
    #expect(exercises.evicted == 12 && exercises.evictedUnexported == 12 && exercises.evictedFrom != nil)
    let oxygen = try #require(reader.rings.first { $0.id.series == .spo2 })
    #expect(oxygen.purged == 50 && oxygen.items == 20)
    #expect(reader.status.unexported < reader.status.samples)

    #expect(reader.retiredWearables.map { $0.name } == ["strap-03"])
    #expect(reader.wearers.map { $0.name } == ["Ada \"L\" Öz", "Bo"] && reader.wearers[1].retiredAt != nil)
    #expect(reader.assignments(of: one).count == 3)
    #expect(try reader.recentReceipts(of: one, limit: 100).count >= 4)
    #expect(try reader.recentVisits(100).contains { $0.opened != nil && $0.closed != nil && $0.ended != nil })
    #expect(try reader.recentEvents(100).count >= 3)
    #expect(try reader.readers().map { $0.name } == ["ward"])
    for table in Tables.named {
      let entries = try reader.environment.read { transaction throws(DatabaseFailure) in
        transaction.entries(transaction.tables[keyPath: table.field])
      }
      let later = (version < 3 ? ["custody", "staged"] : []) + (version < 4 ? ["hub-state", "driver-state"] : [])
      // Of this format, but younger than its fixture.
      if ["accesses", "erasures", "corrections", "watermarks"].contains(table.name) { continue }
      let isRetired =
        table.name == "quarantine" || version > 3 && table.name == "cursors"
        || version > 6 && table.name == "journal"
      #expect((entries > 0) != later.contains(table.name) || isRetired, "\(table.name) has \(entries) entries")
    }
    if version == 2 { return }
    #expect(reader.wearables.contains { !$0.notes.isEmpty } == (version == 3))
    #expect(
      reader.wearables[0].driverState.entries.keys.sorted()
        == (version == 3 ? [] : ["of-a-later-driver", "polar-recordings"]))
    #expect(try reader.recentVisits(100).contains { $0.trigger > 0 && !$0.remark.isEmpty })
    let items = try reader.custody(of: one)
    #expect(
      items.count == 2 && items.contains { $0.durableAt != nil && !$0.receipts.isEmpty }
        && items.contains { $0.fetched == 9001 })
    #expect(try reader.staged(one, "act/2") == FixtureMaker.half)
  }

  @Test(
    "a daemon goes on with the fixture: the same samples, the same receipt for a batch it has, ordinals that go on",
    arguments: versions)
  func goOn(version: Int) throws {
    let scratch = try copied(version)
    let expected = try expectedLines(version)
    try VirtualLoop.run(wall: VirtualLoop.morning + .seconds(200_000)) { loop in
      let store = try Store.open(FixtureMaker.options(scratch.store), loop: loop, disk: InlineDiskLane())
      let export = store.sampleExport(.ndjson)
      let before = try await store.all()
      self.expectSame(before.map { export.line($0) }, expected)
      let receipts = try store.recentReceipts(of: one, limit: 100)
      let again = try await store.commit(FixtureMaker.steps())
      #expect(receipts.contains(again), "another receipt for the same batch")
      store.append(two, .heartRate, 77, at: loop.now)
      try await store.flush()
      try await store.pack()
      let after = try await store.all()
      #expect(after.count == before.count + 1)
      #expect(Set(after.map { export.line($0) }).isSuperset(of: expected))
      #expect(try await store.verify().findings == [])
      await store.close()
    }
  }

  /// With HEARTH_MAKE_FIXTURE=1 the fixture is written anew: for a new format, never for one that is out in the world.
  @Test("what made the fixture still makes a store with the same lines")
  func make() throws {
    let (scratch, whole) = (Scratch(), Scratch())
    try VirtualLoop.run { loop in
      try await FixtureMaker.fill(whole.store, loop) {
        try FileManager.default.copyItem(atPath: whole.store, toPath: scratch.store)
      }
    }
    let reader = try StoreReader(path: scratch.store)
    #expect(reader.environment.tail.count > 0)
    expectSame(try lines(try StoreReader(path: whole.store)), try lines(reader))
    let found = try lines(reader)
    if ProcessInfo.processInfo.environment["HEARTH_MAKE_FIXTURE"] == "1" { try keep(scratch, found) }
    expectSame(found, try expectedLines(8))
  }

  @Test(
    """
    a store of format 3 becomes one of this format when it is first opened for writing, and its notes stay until \
    they are taken over
    """
  )
  func notes() throws {
    let scratch = Scratch()
    try FileManager.default.createDirectory(atPath: scratch.store, withIntermediateDirectories: true)
    let fixture = Self.fixture().deletingLastPathComponent().appendingPathComponent("format-3-notes")
    try FileManager.default.copyItem(
      at: fixture.appendingPathComponent("data.mdb"), to: URL(fileURLWithPath: scratch.data))
    let noted = FixtureMaker.noted.map(\.notes)
    let reader = try StoreReader(path: scratch.store)
    #expect(reader.wearables.map(\.notes) == noted)
    #expect(try reader.verify().findings == [])
    try VirtualLoop.run { loop in
      let store = try Store.open(FixtureMaker.options(scratch.store), loop: loop, disk: InlineDiskLane())
      #expect(store.wearables.map(\.notes) == noted)
      for var record in store.wearables {
        record.notes["profile.idle"] = nil
        if record.name == "insole-03" { record.notes = [:] }
        record.hubState.load("link", RememberedStates.Entry(version: 1, fields: [1, 1, 1]))
        try await store.update(record)
      }
      await store.close()
    }
    let after = try StoreReader(path: scratch.store)
    #expect(after.wearables.map(\.notes.count) == [21, 2, 0, 3])
    #expect(
      after.wearables.allSatisfy { $0.hubState.entries["link"]?.fields == [1, 1, 1] && $0.driverState.entries.isEmpty })
    #expect(try after.verify().findings == [])
    #expect(
      try after.environment.read { transaction throws(DatabaseFailure) in
        try transaction.get(transaction.tables.meta, FormatMark.key).flatMap { FormatMark.version(of: $0) }
      } == FormatMark.version)
  }

  /// Without the free pages that its commits left, which LMDB does when it copies.
  private func keep(_ scratch: Scratch, _ lines: [String], _ name: String = "format-8") throws {
    let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures/\(name)")
    let small = scratch.path + "/small"
    try FileManager.default.createDirectory(atPath: small, withIntermediateDirectories: true)
    var environment: OpaquePointer?
    #expect(mdb_env_create(&environment) == 0)
    #expect(mdb_env_open(environment, scratch.store, UInt32(MDB_RDONLY), 0o600) == 0)
    #expect(mdb_env_copy2(environment, small, UInt32(MDB_CP_COMPACT)) == 0)
    mdb_env_close(environment)
    try FileManager.default.createDirectory(at: fixture, withIntermediateDirectories: true)
    try Data(contentsOf: URL(fileURLWithPath: small + "/data.mdb")).write(
      to: fixture.appendingPathComponent("data.mdb"))
    // Up to the last slot that has something; `copied` brings the rest back.
    var slots = try Data(contentsOf: URL(fileURLWithPath: scratch.journalFile))
    let end = (slots.lastIndex { $0 != 0 } ?? 0) / JournalSlot.size + 1
    slots = slots[..<(end * JournalSlot.size)]
    try slots.write(to: fixture.appendingPathComponent(JournalFile.fileName))
    let key = fixture.appendingPathComponent("secrets.key")
    try? FileManager.default.removeItem(at: key)
    try FileManager.default.copyItem(at: URL(fileURLWithPath: scratch.store + "/secrets.key"), to: key)
    try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: fixture.appendingPathComponent("export.ndjson"))
  }
}
