import CLMDB
import EventLoop
import Foundation
import Health
import Reasons
import StateCodec
import Testing

@testable import RingStore

/// A card that returns anything. Whatever the bytes of `data.mdb`, each way to open, read, check and write the store
/// ends with an answer or with a code. A trap ends the whole run, and the seed that was printed last is the one.
@Suite(.serialized) struct DamageFuzzTests {
  /// What came of it: codes and how often.
  private typealias Outcomes = [String: Int]

  private static let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Fixtures/format-6")

  /// A store with something in every table.
  private static func lay(_ bytes: [UInt8], in scratch: Scratch) throws {
    try FileManager.default.createDirectory(atPath: scratch.store, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: scratch.data))
    try FileManager.default.copyItem(
      at: fixture.appendingPathComponent("secrets.key"), to: URL(fileURLWithPath: scratch.store + "/secrets.key"))
    // As a hub leaves it.
    try Data("1\n".utf8).write(to: URL(fileURLWithPath: scratch.store + "/hearth.lock"))
  }

  private static func count(_ outcomes: inout Outcomes, _ body: () throws(HearthError) -> Void) {
    do throws(HearthError) { try body() } catch { outcomes[error.reason.code, default: 0] += 1 }
  }

  /// Everything that a program without a daemon asks.
  private static func read(_ path: String, _ outcomes: inout Outcomes) {
    do throws(HearthError) {
      let reader = try StoreReader(path: path)
      outcomes[reader.status.trouble?.reason.code ?? "read", default: 0] += 1
      count(&outcomes) { () throws(HearthError) in _ = try reader.verify() }
      count(&outcomes) { () throws(HearthError) in
        let pages = try reader.export(SampleQuery())
        while try pages.next(limit: 500) != nil {}
      }
      _ = (reader.rings, reader.bonds, reader.people)
      count(&outcomes) { () throws(HearthError) in
        _ = try reader.recentVisits(50)
        _ = try reader.recentEvents(50)
        _ = try reader.readers()
      }
      for wearable in [one, two] {
        count(&outcomes) { () throws(HearthError) in
          for record in try reader.custody(of: wearable) { _ = try reader.staged(wearable, record.id) }
          _ = try reader.recentReceipts(of: wearable, limit: 20)
        }
        for series in [Series.heartRate, .rrInterval, .steps] {
          count(&outcomes) { () throws(HearthError) in
            _ = try reader.newest(10, of: wearable, series)
            try reader.scan(wearable, series, since: VirtualLoop.morning) { _ in }
            _ = try reader.items(ItemQuery([ItemSource(wearable)], series, since: VirtualLoop.morning, until: nil))
          }
        }
      }
    } catch { outcomes[error.reason.code, default: 0] += 1 }
  }

  /// Everything that a hub does.
  @LoopActor private static func serve(_ path: String, _ loop: VirtualLoop, erases: Bool, _ outcomes: inout Outcomes)
    async
  {
    var options = StoreOptions.test(path, size: 8 << 20)
    options.standardRetention = Retention(quota: 40_000, keep: .seconds(400 * 86_400))
    let store: Store
    do throws(HearthError) { store = try Store.open(options, loop: loop, disk: InlineDiskLane()) } catch {
      outcomes[error.reason.code, default: 0] += 1
      return
    }
    outcomes["served", default: 0] += 1
    func attempt(_ body: @LoopActor () async throws(HearthError) -> Void) async {
      do throws(HearthError) { try await body() } catch { outcomes[error.reason.code, default: 0] += 1 }
    }
    for index in 0..<400 { store.append(index % 2 == 0 ? one : two, .heartRate, Int64(index), at: loop.now) }
    await attempt { () async throws(HearthError) in try await store.flush() }
    await attempt { () async throws(HearthError) in try await store.pack(whole: true) }
    await attempt { () async throws(HearthError) in
      let session = try await store.export(SampleQuery(), reader: "fuzz")
      while try await session.next(limit: 500) != nil {}
      try await session.confirm()
    }
    for wearable in store.wearables.prefix(2) {
      await attempt { () async throws(HearthError) in
        _ = try await store.newest(10, of: wearable.id, .heartRate)
        try await store.scan(wearable.id, .rrInterval, since: VirtualLoop.morning) { _ in }
        _ = try await store.items(ItemQuery([ItemSource(wearable.id)], .heartRate, since: nil, until: nil))
        for record in try store.custody(of: wearable.id) { _ = try await store.staged(wearable.id, record.id) }
      }
      await attempt { () async throws(HearthError) in
        let visit = VisitRecord(number: try store.nextVisitNumber(), wearable: wearable.id, began: loop.wall)
        var batch = try FetchedBatch(wearable: wearable.id, place: "fuzz", visit: visit)
        for second in 0..<50 { try batch.append(.heartRate, 60, at: loop.wall + .seconds(-second)) }
        let record = CustodyRecord(wearable: wearable.id, id: "fuzz", mark: "m", visit: visit.number)
        try await store.stage(record, appending: [UInt8](repeating: 7, count: 9000), at: 0)
        _ = try await store.commit(batch, custody: record, dropsStaged: true)
      }
    }
    await attempt { () async throws(HearthError) in
      let band = try await store.enrol(name: "fuzz", addressValue: 99, addressKind: 1, driver: "d", kind: "k")
      let wearer = try await store.addWearer(name: "Fuzz")
      try await store.assign(band.id, to: wearer.id, from: loop.wall + .seconds(-3600))
    }
    // A person that wears a wearable cannot be erased.
    for wearable in erases ? store.wearables : [] {
      await attempt { () async throws(HearthError) in try await store.assign(wearable.id, to: nil, from: loop.wall) }
    }
    try? await loop.sleep(for: .seconds(1))
    for wearer in erases ? store.wearers.prefix(2) : [] {
      await attempt { () async throws(HearthError) in
        try await store.renameWearer(wearer.id, to: "F\(wearer.id.number)")
      }
      await attempt { () async throws(HearthError) in
        _ = try await store.erase(try await store.erasurePlan(of: wearer.id))
      }
    }
    await attempt { () async throws(HearthError) in
      let session = try await store.beginBackup(samples: true)
      while !(try session.page().isLast) {}
    }
    await attempt { () async throws(HearthError) in
      _ = try await store.purge(try await store.purgePlan(SampleQuery(wearables: [one], until: loop.wall)))
    }
    await attempt { () async throws(HearthError) in _ = try await store.verify() }
    _ = (store.rings, store.status)
    await store.close()
  }

  private static func live(
    _ bytes: [UInt8], erases: Bool, _ outcomes: inout Outcomes, _ tamper: (Scratch) throws -> Void = { _ in }
  )
    throws
  {
    let scratch = Scratch()
    try lay(bytes, in: scratch)
    try tamper(scratch)
    read(scratch.store, &outcomes)
    nonisolated(unsafe) var found: Outcomes = [:]
    let path = scratch.store
    try VirtualLoop.run { loop in await serve(path, loop, erases: erases, &found) }
    outcomes.merge(found) { $0 + $1 }
  }

  /// At least ten rounds, and as many as there are within so long, each with a seed of its own; `HEARTH_DAMAGE_SEED`
  /// runs one again.
  private static func rounds(_ seconds: Double, _ name: String, _ body: (inout Seeded, inout Outcomes) throws -> Void)
    throws -> Outcomes
  {
    var outcomes: Outcomes = [:]
    let known = ProcessInfo.processInfo.environment["HEARTH_DAMAGE_SEED"].flatMap { UInt64($0) }
    let first = known ?? UInt64.random(in: 0..<1 << 48)
    print("\(name): seeds from \(first) on")
    let end = ContinuousClock.now + .seconds(seconds)
    var round = 0
    var slowest = (seed: first, took: Duration.zero)
    while round == 0 || known == nil && (round < 10 || ContinuousClock.now < end) {
      let seed = first + UInt64(round)
      // What a trap leaves of it.
      try? Data("\(name) HEARTH_DAMAGE_SEED=\(seed)\n".utf8).write(
        to: URL(fileURLWithPath: NSTemporaryDirectory() + "hearth-damage-seed"))
      var random = Seeded(seed)
      let began = ContinuousClock.now
      try body(&random, &outcomes)
      let took = ContinuousClock.now - began
      if took > slowest.took { slowest = (seed, took) }
      round += 1
    }
    print("\(name): \(round) rounds, \(outcomes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })")
    print("\(name): the slowest had seed \(slowest.seed), \(slowest.took)")
    return outcomes
  }

  private static var budget: Double {
    ProcessInfo.processInfo.environment["HEARTH_DAMAGE_SECONDS"].flatMap { Double($0) } ?? 6
  }

  @Test("bits, bytes and words of any page that a card changes end only with a code")
  func pages() throws {
    let whole = [UInt8](try Data(contentsOf: Self.fixture.appendingPathComponent("data.mdb")))
    let outcomes = try Self.rounds(Self.budget, "pages") { random, outcomes in
      var bytes = whole
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let page = Int.random(in: 0..<bytes.count / 4096, using: &random) * 4096
        // Heads and the places of nodes are the weak points of a page.
        let reach = Bool.random(using: &random) ? 64 : 4096
        let place = page + Int.random(in: 0..<reach - 8, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 2: for index in 0..<8 { bytes[place + index] = 0xFF }
        case 3: for index in 0..<4 { bytes[place + index] = UInt8.random(in: 0...255, using: &random) }
        default:
          let other = Int.random(in: 0..<bytes.count - 8, using: &random)
          for index in 0..<8 { bytes[place + index] = bytes[other + index] }
        }
      }
      try Self.live(bytes, erases: Int.random(in: 0..<8, using: &random) == 0, &outcomes)
    }
    #expect(!outcomes.isEmpty)
  }

  @Test("values with a right checksum and wrong content, and keys that say another thing, end as little")
  func values() throws {
    let whole = [UInt8](try Data(contentsOf: Self.fixture.appendingPathComponent("data.mdb")))
    let outcomes = try Self.rounds(Self.budget, "values") { random, outcomes in
      var seeded = random
      try Self.live(whole, erases: Int.random(in: 0..<8, using: &random) == 0, &outcomes) { scratch in
        try scratch.tamper { transaction throws(DatabaseFailure) in
          for _ in 0..<Int.random(in: 1...5, using: &seeded) { try Self.change(transaction, &seeded) }
        }
      }
    }
    #expect(!outcomes.isEmpty)
  }

  @Test("H4014: a table with a node beyond the end of its page is left out by a reader, and named; the others are read")
  func tableLeftOut() throws {
    let whole = [UInt8](try Data(contentsOf: Self.fixture.appendingPathComponent("data.mdb")))
    func number(_ place: Int) -> Int { Int(whole[place]) | Int(whole[place + 1]) << 8 }
    var named: Set<String> = []
    for page in 2..<whole.count / 4096 where number(page * 4096 + 10) == 2 {
      var bytes = whole
      // The place of its first node: 64 KiB further on, beyond the end of the file for the last ones.
      (bytes[page * 4096 + 16], bytes[page * 4096 + 17]) = (0xFE, 0xFF)
      let scratch = Scratch()
      try Self.lay(bytes, in: scratch)
      do throws(HearthError) {
        let reader = try StoreReader(path: scratch.store)
        guard let trouble = reader.status.trouble else { continue }
        #expect(trouble.reason == .storeDamaged)
        named.formUnion(Tables.names.filter { trouble.detail.contains("\($0), which") })
        let pages = try reader.export(SampleQuery())
        while try pages.next(limit: 500) != nil {}
        #expect(try !reader.verify().isClean)
      } catch { #expect(error.reason == .storeDamaged, "page \(page)") }
    }
    #expect(named.count >= 5, "\(named)")
  }

  @Test("a count of pages of any size is no trap for a reader")
  func counts() throws {
    let whole = [UInt8](try Data(contentsOf: Self.fixture.appendingPathComponent("data.mdb")))
    // Branch, leaf and long pages and entries of both trees of both roots.
    for place in [48, 56, 64, 72, 96, 104, 112, 120].flatMap({ [$0, $0 + 4096] }) {
      for (offset, bits) in [(6, UInt8(0x80)), (7, 0x40), (7, 0x80)] {
        var bytes = whole
        bytes[place + offset] ^= bits
        let scratch = Scratch()
        try Self.lay(bytes, in: scratch)
        var outcomes: Outcomes = [:]
        Self.read(scratch.store, &outcomes)
        #expect(!outcomes.isEmpty)
      }
    }
  }

  @Test(
    """
    keys have no checksum: a page of an item at 2^63, chunks of another ring and the last number of a wearer are \
    findings, gone and kept
    """)
  func keys() throws {
    let scratch = Scratch()
    nonisolated(unsafe) var ada = WearerID(number: 0)
    try inStore(at: scratch) { loop, store, _ in
      let band = try await store.enrol(name: "a", addressValue: 1, addressKind: 1, driver: "d", kind: "k").id
      ada = try await store.addWearer(name: "Ada").id
      try await store.assign(band, to: ada, from: loop.wall)
      for second in 0..<300 {
        store.append(band, .heartRate, Int64(60 + second % 40), at: loop.now)
        store.append(band, .steps, Int64(second), at: loop.now)
        try await loop.sleep(for: .seconds(1))
      }
      let record = CustodyRecord(wearable: band, id: "file", mark: "m", visit: 1)
      try await store.stage(record, appending: [UInt8](repeating: 7, count: 9000), at: 0)
      try await store.flush()
      try await store.pack(whole: true)
      try await store.assign(band, to: nil, from: loop.wall)
    }
    let item = StagedItem(wearable: one, id: "file")
    let rates = RingID(wearable: one, seriesNumber: Series.heartRate.id, way: .live)
    let steps = RingID(wearable: one, seriesNumber: Series.steps.id, way: .live)
    try scratch.tamper { transaction throws(DatabaseFailure) in
      func move(_ table: UInt32, _ from: [UInt8], _ to: [UInt8]) throws(DatabaseFailure) {
        guard let value = try transaction.get(table, from).map({ Array($0) }) else { return }
        try transaction.delete(table, from)
        try transaction.put(table, to, value)
      }
      try move(transaction.tables.staged, item.key(4000), item.prefix + [UInt8](bigEndian: UInt64.max - 4095))
      try move(transaction.tables.staged, item.key(8000), item.prefix + [UInt8](bigEndian: UInt64.max))
      try move(transaction.tables.chunks, steps.chunkKey(0), rates.chunkKey(1 << 40))
      try move(
        transaction.tables.wearers, [UInt8](bigEndian: ada.number), [UInt8](bigEndian: UInt32.max))
    }
    // Longer keys than there are: each would be found again behind itself.
    try scratch.tamper { transaction throws(DatabaseFailure) in
      let row = try transaction.get(transaction.tables.rings, rates.key).map { Array($0) } ?? []
      try transaction.put(transaction.tables.rings, rates.key + [1], row)
      try transaction.put(transaction.tables.chunks, rates.chunkKey(.max) + [1], [1, 2, 3])
    }
    #expect(try !StoreReader(path: scratch.store).verify().isClean)
    #expect(try StoreReader(path: scratch.store).all().count > 200)
    try inStore(at: scratch) { loop, store, _ in
      #expect(try await !store.verify().isClean)
      let last = WearerID(number: .max)
      try await store.renameWearer(last, to: "Bo")
      #expect(store.wearer(last)?.name == "Bo")
      #expect(await reason { _ = try await store.addWearer(name: "Cy") } == .storeTableFull)
      _ = try? await store.erase(try await store.erasurePlan(of: last))
      let spans = [WornSpan(wearable: one, from: VirtualLoop.morning, to: VirtualLoop.morning + .seconds(3600))]
      let writer = try await store.disk.openWriter()
      #expect(try writer.erase(rates, spans, from: 0).result.items > 0)
    }
  }

  private static let lastKeys: [[UInt8]] =
    [UInt64.max, .max - 5, RecordNumber.end, RecordNumber.end - 1, 1 << 61, 1 << 40].map { [UInt8](bigEndian: $0) } + [
      [UInt8](repeating: 0xFF, count: 9)
    ]

  @Test(
    "a chunk of the journal under one of the last numbers, another's or no number ends no walk and stops no append",
    arguments: lastKeys)
  func journalKeys(_ key: [UInt8]) throws {
    for place in 0..<3 {
      let scratch = Scratch()
      try inStore(at: scratch) { loop, store, _ in
        let band = try await store.enrol(name: "a", addressValue: 1, addressKind: 1, driver: "d", kind: "k").id
        for _ in 0..<3 {
          for second in 0..<20 { store.append(band, .heartRate, Int64(60 + second), at: loop.now) }
          try await store.flush()
        }
      }
      try scratch.tamper { transaction throws(DatabaseFailure) in
        let journal = transaction.tables.journal
        var chunks: [(key: [UInt8], value: [UInt8])] = []
        try transaction.withCursor(journal) { cursor throws(DatabaseFailure) in
          var entry = try cursor.first()
          while let found = entry {
            chunks.append((Array(found.key), Array(found.value)))
            entry = try cursor.next()
          }
        }
        try transaction.delete(journal, chunks[place].key)
        try transaction.put(journal, key, chunks[place].value)
      }
      nonisolated(unsafe) var beats = 0
      let reader = try StoreReader(path: scratch.store)
      try reader.scan(one, .heartRate, since: nil) { beats += $0.times.count }
      // The newest is in its slot of the journal file still, and behind no key of the table.
      let number = key.count == 8 ? key.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } : .max
      let isInFile = place == 2 && Quarantine.isUnreachable(number)
      #expect(beats == (isInFile ? 60 : 40), "the chunk at \(place) is another's")
      try inStore(at: scratch) { loop, store, _ in
        for second in 0..<400 { store.append(one, .heartRate, Int64(second), at: loop.now) }
        try await store.flush()
        if place == 1 { try await store.pack(whole: true) }
      }
      try inStore(at: scratch) { loop, store, _ in
        for second in 0..<400 { store.append(one, .heartRate, Int64(second), at: loop.now) }
        try await store.flush()
        try await store.pack(whole: true)
        #expect(try store.recentEvents(50).contains { $0.reason == Reason.storeChunkCorrupt.rawValue })
        beats = 0
        try await store.scan(one, .heartRate, since: nil) { beats += $0.times.count }
        #expect(try await store.verify().isClean)
      }
      #expect(beats == (isInFile ? 860 : 840))
    }
  }

  /// Changes some bytes of one value of a table, or of its key.
  private static func change(_ transaction: Transaction, _ random: inout Seeded) throws(DatabaseFailure) {
    let table = transaction.tables.present[Int.random(in: 0..<transaction.tables.present.count, using: &random)]
    let count = transaction.entries(table)
    if count == 0 { return }
    let index = Int.random(in: 0..<count, using: &random)
    var (key, value): ([UInt8], [UInt8]) = ([], [])
    try transaction.withCursor(table) { cursor throws(DatabaseFailure) in
      var entry = try cursor.first()
      for _ in 0..<index { entry = try cursor.next() }
      if let entry { (key, value) = (Array(entry.key), Array(entry.value)) }
    }
    if key.isEmpty || value.isEmpty || key == FormatMark.key { return }
    let changesKey = Int.random(in: 0..<5, using: &random) == 0
    if changesKey {
      try transaction.delete(table, key)
      spoil(&key, &random)
    } else {
      spoil(&value, &random)
      seal(&value, table, transaction.tables)
    }
    try transaction.put(table, key, value)
  }

  private static func spoil(_ bytes: inout [UInt8], _ random: inout Seeded) {
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      let filler: UInt8? = [nil, 0xFF, 0x80, 0x7F, 0][Int.random(in: 0..<5, using: &random)]
      for index in place..<min(bytes.count, place + Int.random(in: 1...8, using: &random)) {
        bytes[index] = filler ?? UInt8.random(in: 0...255, using: &random)
      }
    }
  }

  /// The checksum at its place in the tables: FORMAT.md.
  private static func seal(_ value: inout [UInt8], _ table: MDB_dbi, _ tables: Tables) {
    var crc = CRC32C()
    let place: Int
    if [tables.journal, tables.chunks, tables.rings, tables.staged].contains(table) {
      if value.count < 8 { return }
      value[..<4].withUnsafeBytes { crc.update($0) }
      value[8...].withUnsafeBytes { crc.update($0) }
      place = 4
    } else {
      if value.count < 5 { return }
      value.dropLast(4).withUnsafeBytes { crc.update($0) }
      place = value.count - 4
    }
    for index in 0..<4 { value[place + index] = UInt8(truncatingIfNeeded: crc.value >> UInt32(8 * index)) }
  }
}
