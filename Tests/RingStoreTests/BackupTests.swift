import Custody
import EventLoop
import Foundation
import Health
import Reasons
import StateCodec
import Testing

@testable import RingStore

/// Backups of a store: what is in them, what a restored store is, and what a kill leaves.
@Suite(.serialized) struct BackupTests {
  private static let secret = WearableSecret(Array(1...16))

  private static func bond(_ number: UInt64) -> Bond {
    Bond(
      addressValue: 0xF0F1_F2F3_F400 + number, addressKind: 2, wearable: WearableID(number: UInt32(number)),
      createdAt: WallTime(microseconds: 5),
      keys: [
        BondKey(kind: 1, bytes: [1, 2, 3, 4, 5, 6, 2, 3] + [UInt8](repeating: 0x5A, count: 28)),
        BondKey(kind: 2, bytes: [UInt8](repeating: 0x6B, count: 16)),
      ])
  }

  /// Three wearables with bonds, one with a secret, and live and fetched samples. One item is half fetched, one is
  /// durable and one was erased. No reader has confirmed anything.
  @LoopActor private static func fill(_ loop: VirtualLoop, _ store: Store) async throws {
    for number in UInt64(1)...3 {
      _ = try await store.enrol(
        name: "w\(number)", addressValue: 0xF0F1_F2F3_F400 + number, addressKind: 2, driver: "d", kind: "k",
        bond: bond(number))
    }
    var record = try #require(store.record(one))
    record.secret = secret
    record.gattCache = Array((0..<200).reversed())
    record.battery = 61
    try await store.update(record)
    for second in 0..<300 {
      store.append(one, .heartRate, Int64(60 + second % 40), at: loop.now)
      try await loop.sleep(for: .seconds(1))
    }
    try await store.flush()
    for (place, id) in ["done", "erased"].enumerated() {
      let receipt = try await store.commit(try fetched(two, "file \(id)", from: Int64(100 * place)))
      var item = CustodyRecord(wearable: two, id: id, fetched: 100, durableAt: loop.wall, isFinal: true, visit: 1)
      item.receipts = [receipt.number]
      if id == "erased" { item.erasedAt = loop.wall }
      try await store.putCustody([item])
    }
    try await store.stage(
      CustodyRecord(wearable: two, id: "half", size: 200_000, visit: 1),
      appending: [UInt8](repeating: 7, count: 150_000),
      at: 0)
  }

  @LoopActor private static func pages(_ store: Store, samples: Bool) async throws -> [BackupRow] {
    let session = try await store.beginBackup(samples: samples)
    var rows: [BackupRow] = []
    while true {
      let page = try session.page()
      #expect(page.bytes.count <= BackupPage.limit)
      rows += try #require(BackupRow.parse(page.bytes))
      if page.isLast { return rows }
    }
  }

  /// Of a store that is filled for it.
  private static func rows(of scratch: Scratch, samples: Bool) throws -> [BackupRow] {
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      try await Self.fill(loop, store)
      let rows = try await Self.pages(store, samples: samples)
      await store.close()
      return rows
    }
  }

  private static func restore(_ rows: [BackupRow], to path: String, format: UInt16 = 6) throws {
    let restoring = try StoreRestore(.test(path))
    try restoring.add(rows)
    try restoring.finish(
      format: format, madeAt: WallTime(microseconds: 77), radio: RadioIdentity(value: 0xB827_EB01_0203, kind: 1),
      now: WallTime(microseconds: 99))
  }

  private static func opened<T: Sendable>(
    _ path: String, _ body: @escaping @LoopActor @Sendable (Store) async throws -> T
  ) throws -> T {
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(path), loop: loop, disk: InlineDiskLane())
      let result = try await body(store)
      await store.close()
      return result
    }
  }

  @Test(
    "with samples a restored store has every sample, wearable, key, item, receipt and half-fetched byte, and is whole")
  func everything() throws {
    let (old, new) = (Scratch(), Scratch())
    try inStore(at: old) { loop, store, _ in
      try await Self.fill(loop, store)
      _ = try await store.makeIdentity()
      let rows = try await Self.pages(store, samples: true)
      try Self.restore(rows, to: new.store)
    }
    let before = try StoreReader(path: old.store)
    let after = try StoreReader(path: new.store)
    #expect(try after.all() == before.all() && before.all().count == 400)
    #expect(try after.bondsWithKeys() == (1...3).map { Self.bond($0) })
    #expect(after.wearables.map(\.name) == ["w1", "w2", "w3"] && after.wearables[0].battery == 61)
    #expect(after.wearables.first?.secret == Self.secret && after.wearables.first?.gattCache?.count == 200)
    #expect(try after.custody(of: two) == before.custody(of: two))
    #expect(try after.verify().findings.isEmpty)
    #expect(try after.recentEvents(1).first?.reason == Reason.restored.rawValue)
    // Another key, and no secret in clear.
    let keys = try [old, new].map { try Data(contentsOf: URL(fileURLWithPath: $0.store + "/secrets.key")) }
    #expect(keys[0] != keys[1])
    let data = try Data(contentsOf: URL(fileURLWithPath: new.data))
    #expect(data.range(of: Data(repeating: 0x5A, count: 28)) == nil && data.range(of: Data(Array(1...16))) == nil)
    #expect(!FileManager.default.fileExists(atPath: new.store + "/restoring"))
    try Self.opened(new.store) { store in
      #expect(store.secretsTrouble == nil)
      #expect(try await store.staged(two, "half") == [UInt8](repeating: 7, count: 150_000))
      #expect(try store.lastBackup() == WallTime(microseconds: 77))
      #expect(try store.identity() == nil, "it goes on with ordinals of its own")
      #expect(try store.radioIdentity()?.text == "B8:27:EB:01:02:03")
      // The same batch once more is known: no item is there twice.
      _ = try await store.commit(try Self.fetched(two, "file done", from: 0))
      #expect(try await store.all().count == 400)
    }
  }

  @Test("without samples what no reader has confirmed is to be fetched again, and no receipt speaks for it")
  func withoutSamples() throws {
    let (old, new) = (Scratch(), Scratch())
    try inStore(at: old) { loop, store, _ in
      try await Self.fill(loop, store)
      try Self.restore(try await Self.pages(store, samples: false), to: new.store)
    }
    let after = try StoreReader(path: new.store)
    #expect(try after.all().isEmpty && after.wearables.count == 3)
    // What is half here goes on. Of what was here only that it is there; what was erased is gone.
    let items = try after.custody(of: two)
    #expect(items.map(\.id) == ["done", "half"])
    #expect(items[0].fetched == 0 && items[0].durableAt == nil && items[0].receipts.isEmpty)
    #expect(try after.recentReceipts(of: two, limit: 10).isEmpty)
    #expect(try after.verify().findings == [])
    try Self.opened(new.store) { store in
      #expect(try await store.staged(two, "half").count == 150_000)
      _ = try await store.commit(try Self.fetched(two, "file done", from: 0))
      #expect(try await store.all().count == 50, "what was lost with the card is stored, not taken for known")
    }
  }

  @Test(
    "without samples what a reader has confirmed stays fetched, its receipt too, and its ordinals are not given again")
  func confirmed() throws {
    let (old, new) = (Scratch(), Scratch())
    try inStore(at: old) { loop, store, _ in
      try await Self.fill(loop, store)
      let session = try await store.export(SampleQuery(), reader: "r", by: "me")
      while try await session.next(limit: 1000) != nil {}
      try await session.confirm()
      try Self.restore(try await Self.pages(store, samples: false), to: new.store)
    }
    let after = try StoreReader(path: new.store)
    #expect(try after.custody(of: two).map(\.id) == ["done", "erased", "half"])
    #expect(try after.custody(of: two)[0].receipts.count == 1)
    #expect(try after.verify().findings.isEmpty)
    try Self.opened(new.store) { store in
      _ = try await store.commit(try Self.fetched(two, "file done", from: 0))
      #expect(try await store.all().isEmpty, "it is known")
      store.append(one, .heartRate, 99, at: store.disk.loop.now)
      try await store.flush()
      let session = try await store.export(SampleQuery(), reader: "r", by: "me")
      let page = try await session.next(limit: 1000)
      #expect(page?.samples.contains { $0.value == 99 } == true, "the reader is given what it has not had")
    }
  }

  private static func fetched(_ wearable: WearableID, _ source: String, from: Int64) throws -> FetchedBatch {
    let time = VirtualLoop.morning
    var batch = try FetchedBatch(
      wearable: wearable, place: source, visit: VisitRecord(number: 1, wearable: wearable, began: time))
    for index in from..<(from + 50) { try batch.append(.heartRate, 60 + index, at: time + .seconds(index)) }
    return batch
  }

  @Test("a backup is one moment: what is written while it is read is not in it, and the store goes on")
  func moment() throws {
    let (old, new) = (Scratch(), Scratch())
    try inStore(at: old) { loop, store, _ in
      try await Self.fill(loop, store)
      let session = try await store.beginBackup(samples: true)
      var rows = try #require(BackupRow.parse(try session.page().bytes))
      _ = try await store.enrol(name: "later", addressValue: 9, addressKind: 1, driver: "d", kind: "k")
      store.append(one, .heartRate, 1, at: loop.now)
      try await store.flush()
      while true {
        let page = try session.page()
        rows += try #require(BackupRow.parse(page.bytes))
        if page.isLast { break }
      }
      try Self.restore(rows, to: new.store)
      #expect(await reason { _ = try session.page() } == .backupInterrupted, "behind its end there is nothing")
    }
    #expect(try StoreReader(path: new.store).wearables.count == 3)
    #expect(try StoreReader(path: new.store).all().count == 400)
    #expect(try StoreReader(path: old.store).wearables.count == 4)
  }

  @Test("H4205: a backup ends when its reader stops, and when another begins; the next one is whole")
  func interrupted() throws {
    try inStore { loop, store, scratch in
      try await Self.fill(loop, store)
      let first = try await store.beginBackup(samples: false)
      let second = try await store.beginBackup(samples: false)
      #expect(await reason { _ = try first.page() } == .backupInterrupted)
      try await loop.sleep(for: .seconds(31))
      #expect(await reason { _ = try second.page() } == .backupInterrupted)
      #expect(try await !Self.pages(store, samples: false).isEmpty)
    }
  }

  @Test("H4204: a store that knows a wearable is not restored over, and stays as it is; an empty one is")
  func refused() throws {
    let (old, fresh, used) = (Scratch(), Scratch(), Scratch())
    let rows = try Self.rows(of: old, samples: false)
    try inStore(at: used) { _, store, _ in
      _ = try await store.enrol(name: "mine", addressValue: 9, addressKind: 1, driver: "d", kind: "k")
      #expect(await reason { try Self.restore(rows, to: used.store) } == .storeInUse)
    }
    #expect(refusal { try Self.restore(rows, to: used.store) } == .restoreRefused)
    #expect(try StoreReader(path: used.store).wearables.map(\.name) == ["mine"])
    try inStore(at: fresh) { _, _, _ in }
    let key = try Data(contentsOf: URL(fileURLWithPath: fresh.store + "/secrets.key"))
    try Self.restore(rows, to: fresh.store)
    #expect(try StoreReader(path: fresh.store).bondsWithKeys().count == 3)
    #expect(try Data(contentsOf: URL(fileURLWithPath: fresh.store + "/secrets.key")) == key, "the fresh hub's own key")
  }

  @Test(
    "killed before or after any step, restoring leaves the fresh hub's store or the whole one, and may be begun again")
  func killed() throws {
    let (old, fresh, copies) = (Scratch(), Scratch(), Scratch())
    let rows = try Self.rows(of: old, samples: true)
    try inStore(at: fresh) { _, _, _ in }
    // What a kill leaves is what lies on the disk at that moment.
    let moments = Moments(fresh.store, copies.path)
    let restoring = try StoreRestore(.test(fresh.store))
    restoring.probe = { moments.keep($0) }
    for start in stride(from: 0, to: rows.count, by: 4) {
      try restoring.add(Array(rows[start..<min(start + 4, rows.count)]))
      try restoring.flush()
    }
    try restoring.finish(format: 6, madeAt: WallTime(microseconds: 7), now: WallTime(microseconds: 9))
    moments.keep("end")
    let kept = moments.all
    #expect(kept.count > 10 && kept.suffix(3).map(\.step) == ["rename", "renamed", "end"])
    for (path, step) in kept {
      let isWhole = ["renamed", "end"].contains(step)
      let reader = try StoreReader(path: path)
      #expect(reader.wearables.count == (isWhole ? 3 : 0), "\(step)")
      #expect(try reader.all().count == (isWhole ? 400 : 0) && reader.verify().findings.isEmpty, "\(step)")
      if isWhole { continue }
      try Self.restore(rows, to: path)
      #expect(try StoreReader(path: path).wearables.count == 3, "\(step)")
    }
  }

  /// Copies of a folder, one for each step.
  private final class Moments: @unchecked Sendable {
    private let (folder, copies): (String, String)
    private(set) var all: [(path: String, step: String)] = []

    init(_ folder: String, _ copies: String) { (self.folder, self.copies) = (folder, copies) }

    func keep(_ step: String) {
      let path = "\(copies)/\(all.count)"
      do { try FileManager.default.copyItem(atPath: folder, toPath: path) } catch { Issue.record("\(error)") }
      all.append((path, step))
    }
  }

  private func refusal(_ body: () throws -> Void) -> Reason? {
    do { try body() } catch { return (error as? HearthError)?.reason }
    return nil
  }

  @Test("rows of no table, of a later format and of an unknown key of meta are refused, and leave a fresh hub fresh")
  func hostileRows() throws {
    let scratch = Scratch()
    try inStore(at: scratch) { _, _, _ in }
    for row in [
      BackupRow(table: 99, key: [1], value: []), BackupRow(table: 2, key: [], value: []),
      BackupRow(table: 1, key: Array("format".utf8), value: [1]),
    ] { #expect(refusal { try Self.restore([row], to: scratch.store) } == .backupDamaged) }
    #expect(refusal { try Self.restore([], to: scratch.store, format: FormatMark.version + 1) } == .storeNewer)
    #expect(try StoreReader(path: scratch.store).wearables.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: scratch.store + "/restoring"))
  }

  @Test("rows that are cut, or say another length, are no rows; reading never leaves their bytes")
  func parse() {
    var bytes: [UInt8] = []
    BackupRow.append(.registry, [0, 0, 0, 1], [1, 2, 3], to: &bytes)
    BackupRow.append(.bonds, [7], [], to: &bytes)
    #expect(BackupRow.parse(bytes)?.count == 2)
    let ends = [0, 14, bytes.count]
    for end in 0...bytes.count { #expect((BackupRow.parse(Array(bytes[..<end])) != nil) == ends.contains(end)) }
    var random = SystemRandomNumberGenerator()
    let seed = UInt64.random(in: 0...UInt64.max, using: &random)
    print("seed of BackupTests.parse: \(seed)")
    var noise = Seeded(seed)
    for _ in 0..<20_000 {
      let count = Int.random(in: 0...64, using: &noise)
      _ = BackupRow.parse((0..<count).map { _ in UInt8.random(in: 0...255, using: &noise) })
    }
  }
}
