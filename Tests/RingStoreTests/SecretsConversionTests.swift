import EventLoop
import Foundation
import Health
import Reasons
import StateCodec
import Testing

@testable import RingStore

/// Stores with keys in clear become stores without any, however often that is interrupted.
@Suite(.serialized) struct SecretsConversionTests {
  private static func seed() -> UInt64 {
    let seed = UInt64.random(in: 0 ..< .max)
    print("seed \(seed)")
    return seed
  }

  @Test(
    """
    of a store of format 5 with bonds and secrets, kept and forgotten, no eight bytes of any key are in a file that \
    the group may read: after it was opened, and after it was used
    """
  )
  func noKeyIsReadable() throws {
    let scratch = Scratch()
    let seed = Self.seed()
    let old = try ClearStore(at: scratch, seed: seed)
    let windows = KeyWindows(old.given)
    let before = try windows.count(in: scratch.data)
    // Of 60 × 84 bytes and the damaged one what is current is a fifth: the rest was left behind.
    #expect(before > 2000, "\(before) windows: what is to be overwritten is not there")
    let clean = try samples(scratch)

    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      #expect(store.secretsTrouble == nil)
      old.expectWhole(store)
      let files = ["data.mdb", "hearth.lock", "journal.log", "lock.mdb", "records.copy"]
      #expect(try windows.count(inReadable: scratch.store) == (0, files))
      await store.close()
    }
    #expect(try windows.count(inReadable: scratch.store).found == 0)
    #expect(try samples(scratch) == clean, "samples are as they were")
    let reader = try StoreReader(path: scratch.store)
    #expect(reader.status.corruptRecords == 1, "the damaged bond is still told of")
    #expect(try reader.verify().findings.map(\.what) == ["damaged"])

    var given: [[UInt8]] = []
    var random = Seeded(seed &+ 1)
    for life in 0..<3 {
      given = try use(scratch, life, given, &random)
      let all = KeyWindows(old.given + given)
      #expect(try all.count(inReadable: scratch.store).found == 0, "life \(life)")
    }
  }

  /// A hub's life: bonds that come, are replaced and go, secrets that are ordered again, samples beside them.
  private func use(_ scratch: Scratch, _ life: Int, _ before: [[UInt8]], _ random: inout Seeded) throws -> [[UInt8]] {
    var given = before
    var draw = random
    func fresh(_ count: Int) -> [UInt8] {
      let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &draw) }
      given.append(bytes)
      return bytes
    }
    let plans = (0..<30).map { _ in (ltk: fresh(36), irk: fresh(16), secret: fresh(16), consent: fresh(32)) }
    random = draw
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      for (round, plan) in plans.enumerated() {
        let number = UInt32(1 + round % 12)
        guard var record = store.record(WearableID(number: number)), record.retiredAt == nil else { continue }
        let bond = Bond(
          addressValue: ClearStore.address(number), addressKind: 2, wearable: record.id, createdAt: loop.wall,
          keys: [BondKey(kind: 1, bytes: plan.ltk), BondKey(kind: 2, bytes: plan.irk)])
        try await store.putBond(bond)
        #expect(store.bonds.contains(bond))
        record.secret = WearableSecret(plan.secret)
        record.driverState.load("user-data", RememberedStates.Entry(version: 1, fields: [99, 32] + plan.consent))
        try await store.update(record)
        if round % 5 == 4 { try await store.removeBond(addressValue: bond.addressValue, addressKind: 2) }
        for sample in 0..<200 { store.append(record.id, .heartRate, Int64(sample), at: loop.now) }
        try await store.flush()
        if round % 10 == 9 { try await store.pack() }
      }
      try await store.remove(WearableID(number: UInt32(12 - life)))
      await store.close()
    }
    return given
  }

  private func samples(_ scratch: Scratch) throws -> [[Int64]] {
    try StoreReader(path: scratch.store).all().map { [Int64($0.wearable.number), $0.time.microseconds] + $0.values }
  }

  @Test(
    "a conversion that is killed at any of its steps leaves a store that can be read, and goes on at the next start")
  func killed() throws {
    let program = try KillTests.program("store-torture")
    let scratch = Scratch()
    let old = try ClearStore(at: scratch, seed: Self.seed(), samples: 2000)
    let windows = KeyWindows(old.given)
    let original = try Data(contentsOf: URL(fileURLWithPath: scratch.data))
    let clean = try samples(scratch)
    var steps = 0
    while steps < 200 {
      try? FileManager.default.removeItem(atPath: scratch.store)
      try FileManager.default.createDirectory(atPath: scratch.store, withIntermediateDirectories: true)
      try original.write(to: URL(fileURLWithPath: scratch.data))
      // A key that is there or not: each second time it is made by the run that is killed.
      let isKilled = try convert(program, scratch, dyingAt: steps + 1)
      let reader = try StoreReader(path: scratch.store)
      #expect(reader.bonds == old.bonds, "step \(steps + 1): bonds that can be read")
      #expect(reader.wearables.allSatisfy { $0.secret?.bytes == old.secrets[$0.id] }, "step \(steps + 1)")
      #expect(try samples(scratch) == clean, "step \(steps + 1)")
      if !isKilled { break }
      steps += 1
      // The second attempt dies too, somewhere.
      if steps % 2 == 0 { _ = try convert(program, scratch, dyingAt: 1 + steps / 2) }
      try VirtualLoop.run { loop in
        let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
        #expect(store.secretsTrouble == nil)
        old.expectWhole(store)
        await store.close()
      }
      #expect(try windows.count(inReadable: scratch.store).found == 0, "killed at step \(steps)")
      #expect(try samples(scratch) == clean, "killed at step \(steps)")
    }
    print("killed at \(steps) steps")
    #expect(steps >= 6)
  }

  /// - Returns: it was killed.
  private func convert(_ program: URL, _ scratch: Scratch, dyingAt step: Int) throws -> Bool {
    let child = Process()
    child.executableURL = program
    child.arguments = ["convert", scratch.store, String(step)]
    child.environment = ["SWIFT_BACKTRACE": "enable=no"]
    child.standardError = FileHandle.nullDevice
    child.standardOutput = FileHandle.nullDevice
    try child.run()
    child.waitUntilExit()
    let isKilled = child.terminationReason == .uncaughtSignal
    #expect(isKilled ? child.terminationStatus == SIGKILL : child.terminationStatus == 0)
    return isKilled
  }

  @Test("overwriting keeps everything that a table holds, of every fixture")
  func fixtures() throws {
    for version in 2...5 {
      let scratch = Scratch()
      try FileManager.default.createDirectory(atPath: scratch.store, withIntermediateDirectories: true)
      let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Fixtures/format-\(version)/data.mdb")
      try FileManager.default.copyItem(at: fixture, to: URL(fileURLWithPath: scratch.data))
      let before = try contents(scratch)
      try PageScrub.run(.test(scratch.store))
      #expect(try contents(scratch) == before, "format \(version)")
      let first = try Data(contentsOf: URL(fileURLWithPath: scratch.data))
      try PageScrub.run(.test(scratch.store))
      #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.data)) == first, "the second time has nothing to do")
    }
  }

  private func contents(_ scratch: Scratch) throws -> [String: [[UInt8]]] {
    let environment = try Environment(path: scratch.store, size: 0, mode: .traceless)
    defer { environment.close() }
    try environment.openTables()
    return try environment.read { transaction throws(DatabaseFailure) in
      var contents: [String: [[UInt8]]] = [:]
      for table in Tables.named {
        try transaction.withCursor(transaction.tables[keyPath: table.field]) { cursor throws(DatabaseFailure) in
          var entry = try cursor.first()
          while let found = entry {
            contents[table.name, default: []] += [Array(found.key), Array(found.value)]
            entry = try cursor.next()
          }
        }
      }
      return contents
    }
  }

  @Test("whatever is in the file, overwriting ends with zeros or with an error, and never beyond the file")
  func hostileFile() throws {
    let scratch = Scratch()
    let seed = Self.seed()
    _ = try ClearStore(at: scratch, seed: seed, samples: 500)
    let original = try Data(contentsOf: URL(fileURLWithPath: scratch.data))
    var random = Seeded(seed)
    var refused = 0
    for _ in 0..<300 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...40, using: &random) {
        // Half of the flips go to the heads of pages, which lead everywhere.
        let page = Int.random(in: 0..<(bytes.count / 4096), using: &random) * 4096
        let place = page + Int.random(in: 0..<(Bool.random(using: &random) ? 200 : 4096), using: &random)
        bytes[place] = UInt8.random(in: .min ... .max, using: &random)
      }
      if Int.random(in: 0..<10, using: &random) == 0 {
        bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
      }
      try bytes.write(to: URL(fileURLWithPath: scratch.data))
      do throws(HearthError) { try PageScrub.run(.test(scratch.store)) } catch {
        #expect(error.reason == .storeInputOutput)
        refused += 1
      }
      #expect(scratch.size(scratch.data) == bytes.count)
    }
    print("\(refused) of 300 refused")
    #expect(refused > 0)
  }
}
