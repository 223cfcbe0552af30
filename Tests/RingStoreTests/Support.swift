// Shared code of the store's tests: scratch directories, a quick store, samples that identify themselves.

import EventLoop
import Foundation
import Health
import Reasons
import Testing

@testable import RingStore

/// A directory that goes away with the test.
final class Scratch: Sendable {
  let path: String

  init() {
    path = NSTemporaryDirectory() + "hearth-store-\(UUID().uuidString)"
    try! FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var store: String { path + "/store" }
  var data: String { store + "/data.mdb" }
  var journalFile: String { "\(store)/\(JournalFile.fileName)" }

  /// What is damaged then stays so.
  func removeCopy() { unlink(store + "/" + RecordsCopy.fileName) }

  func size(_ file: String) -> Int {
    (try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int) ?? 0
  }

  /// What the disk has at this moment, as a power cut would leave it.
  @discardableResult
  func cut(to other: Scratch = Scratch()) throws -> Scratch {
    try FileManager.default.copyItem(atPath: store, toPath: other.store)
    unlink(other.store + "/lock.mdb")
    return other
  }

  /// What a reader finds after a power cut.
  func valuesAfterCut() throws -> [Int64] {
    let other = try cut()
    return try withExtendedLifetime(other) { try StoreReader(path: other.store).all().map(\.value) }
  }
}

extension Scratch {
  /// Changes a store at rest behind its back, as a card that flips bits does.
  func tamper(_ body: (Transaction) throws(DatabaseFailure) -> Void) throws {
    let environment = try Environment(path: store, size: 64 << 20, mode: .writer)
    defer { environment.close() }
    try environment.openTables()
    try environment.write(body)
  }

  /// Flips bits of the value that comes `index`-th in a table. Returns its key.
  @discardableResult
  func flip(_ table: KeyPath<Tables, UInt32>, at index: Int, offset: Int, bits: UInt8 = 0x10) throws -> [UInt8] {
    var key: [UInt8] = []
    try tamper { transaction throws(DatabaseFailure) in
      var value: [UInt8] = []
      try transaction.withCursor(transaction.tables[keyPath: table]) { cursor throws(DatabaseFailure) in
        var entry = try cursor.first()
        for _ in 0..<index { entry = try cursor.next() }
        guard let entry else { return }
        (key, value) = (Array(entry.key), Array(entry.value))
      }
      if value.isEmpty { return }
      value[offset % value.count] ^= bits
      try transaction.put(transaction.tables[keyPath: table], key, value)
    }
    #expect(!key.isEmpty, "there is no such entry to be damaged")
    return key
  }
}

/// SplitMix64: small, seeded, the same on every machine.
struct Seeded: RandomNumberGenerator {
  var state: UInt64
  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }
}

/// A number that no codec makes smaller, and that shows its place.
func noise(_ number: some BinaryInteger) -> Int64 {
  var random = Seeded(UInt64(truncatingIfNeeded: number))
  return Int64(bitPattern: random.next()) >> 8
}

let boot = BootID(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10)
let one = WearableID(number: 1)
let two = WearableID(number: 2)

extension StoreOptions {
  static func test(_ path: String, size: Int = 64 << 20, bytes: Int = 4096) -> StoreOptions {
    StoreOptions(path: path, sizeBytes: size, commitBytes: bytes, bootID: boot)
  }

  /// Of a store that has no journal file: live samples go into the tables.
  static func tables(_ path: String, size: Int = 64 << 20) -> StoreOptions {
    var options = test(path, size: size)
    options.usesJournalFile = false
    return options
  }
}

extension Store {
  /// Everything durable that passes, page by page.
  func all(_ query: SampleQuery = SampleQuery(), limit: Int = 1000) async throws -> [StoredSample] {
    let session = try await export(query)
    var samples: [StoredSample] = []
    while let page = try await session.next(limit: limit) { samples += page.samples }
    return samples
  }
}

extension StoreReader {
  /// Everything that passes, page by page.
  func all(_ query: SampleQuery = SampleQuery(), limit: Int = 1000) throws -> [StoredSample] {
    let export = try export(query)
    var samples: [StoredSample] = []
    while let page = try export.next(limit: limit) { samples += page.samples }
    return samples
  }
}

/// Runs `body` with a store of its own in virtual time, and closes that behind it.
func inStore(
  _ change: @escaping @Sendable (inout StoreOptions) -> Void = { _ in }, at scratch: Scratch = Scratch(),
  disk: any DiskLane = InlineDiskLane(),
  _ body: @escaping @LoopActor (VirtualLoop, Store, Scratch) async throws -> Void
) throws {
  try VirtualLoop.run { loop in
    var options = StoreOptions.test(scratch.store)
    change(&options)
    let store = try openOnceItMay(options, loop, disk)
    try await body(loop, store, scratch)
    await store.close()
  }
}

/// A child that another test starts has every open file until it executes, and with them the lock of a store that was
/// just closed.
@LoopActor
private func openOnceItMay(_ options: StoreOptions, _ loop: VirtualLoop, _ disk: any DiskLane) throws -> Store {
  for _ in 0..<5000 {
    do { return try Store.open(options, loop: loop, disk: disk) } catch {
      guard error.reason == .storeInUse else { throw error }
      usleep(1000)
    }
  }
  return try Store.open(options, loop: loop, disk: disk)
}

/// As `inStore`, on a disk that fails and waits as it is told.
func onFaultyDisk(
  _ change: @escaping @Sendable (inout StoreOptions) -> Void = { _ in },
  _ body: @escaping @LoopActor (VirtualLoop, Store, FaultyDisk, Journal) async throws -> Void
) throws {
  let disk = FaultyDisk()
  try inStore(change, disk: disk) { loop, store, _ in try await body(loop, store, disk, Journal(store)) }
}

/// Why the hub refused; nil if it did not.
func reason(_ body: @LoopActor () async throws -> Void) async -> Reason? {
  do { try await body() } catch { return (error as? HearthError)?.reason }
  return nil
}

/// Makes root's mounts if the machine allows it; a test that cannot says so loudly.
func mountTemporary(_ path: String, _ options: String) -> Bool {
  try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  if mount("tmpfs", path, "tmpfs", 0, options) == 0 { return true }
  print(
    """
    LEFT OUT: this machine does not let the test mount a file system (errno \(errno)); disk full and read-only disk \
    were not tried
    """
  )
  return false
}

/// What a commit reported, in order.
@LoopActor
final class Journal {
  var reports: [CommitReport] = []
  var times: [Instant] = []
  var troubles: [HearthError?] = []

  init(_ store: Store) {
    let loop = store.disk.loop
    store.onCommit = {
      self.reports.append($0)
      self.times.append(loop.now)
    }
    store.onTrouble = { self.troubles.append($0) }
  }
}

/// A disk lane that can be told to fail or to wait: what a card does to us.
@LoopActor
final class FaultyDisk: DiskLane {
  nonisolated init() {}
  var failure: DatabaseFailure?
  var attempts = 0
  private var held: [CheckedContinuation<Void, Never>] = []
  var isHolding = false
  /// How many pieces of work still succeed before `failure`; those behind it succeed again, as far as the store lets
  /// them.
  var failsOnceAfter: Int?

  func perform<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
    attempts += 1
    if isHolding { await withCheckedContinuation { held.append($0) } }
    if let left = failsOnceAfter {
      failsOnceAfter = left == 0 ? nil : left - 1
      if left == 0 { throw DatabaseFailure(call: "mdb_txn_commit", code: EIO) }
    }
    if let failure { throw failure }
    return try work()
  }

  func letOneGo() { held.removeFirst().resume() }

  func letGo() {
    isHolding = false
    for one in held { one.resume() }
    held = []
  }
}
