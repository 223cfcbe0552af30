import EventLoop
import Foundation
import Reasons
import StateCodec
import Testing

@testable import RingStore

/// The key file and what is sealed under it.
@Suite(.serialized) struct SecretsTests {
  private static let bond = Bond(
    addressValue: 0xF0F1_F2F3_F401, addressKind: 2, wearable: one, createdAt: WallTime(microseconds: 5),
    keys: [
      BondKey(kind: 1, bytes: [1, 2, 3, 4, 5, 6, 2, 3] + [UInt8](repeating: 0x5A, count: 28)),
      BondKey(kind: 2, bytes: [UInt8](repeating: 0x6B, count: 16)),
    ])
  private static let secret = WearableSecret(Array(1...16))

  /// With two wearables, a bond of each, and a secret of the first.
  private func made(_ scratch: Scratch) throws {
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      for number in 1...2 {
        _ = try await store.enrol(
          name: "w\(number)", addressValue: 0xF0F1_F2F3_F400 + UInt64(number), addressKind: 2, driver: "d", kind: "k")
        try await store.putBond(
          Bond(
            addressValue: 0xF0F1_F2F3_F400 + UInt64(number), addressKind: 2,
            wearable: WearableID(number: UInt32(number)),
            createdAt: Self.bond.createdAt, keys: Self.bond.keys))
      }
      if var record = store.record(one) {
        record.secret = Self.secret
        try await store.update(record)
      }
      await store.close()
    }
  }

  private func key(_ scratch: Scratch) -> String { scratch.store + "/secrets.key" }

  /// What an open store says, in one word; nil: all is well and can be read.
  private func trouble(_ scratch: Scratch, _ change: @escaping @Sendable (inout StoreOptions) -> Void = { _ in }) throws
    -> HearthError?
  {
    try VirtualLoop.run { loop in
      var options = StoreOptions.test(scratch.store)
      options.credentials = nil
      change(&options)
      let store = try Store.open(options, loop: loop, disk: InlineDiskLane())
      let isThere = store.bonds.count == 2 && store.bonds.allSatisfy { $0.keys == Self.bond.keys && !$0.isSealed }
      let hasSecret = store.record(one)?.secret == Self.secret && store.record(one)?.lacksSecrets == false
      #expect(isThere == (store.secretsTrouble == nil) && hasSecret == isThere)
      if let trouble = store.secretsTrouble {
        #expect(store.bonds.allSatisfy { $0.isSealed && $0.keys.isEmpty && $0.hasIdentityKey && $0.isAuthenticated })
        #expect(store.record(one)?.lacksSecrets == true)
        // No secret is stored in clear or overwritten.
        #expect(await reason { try await store.putBond(Self.bond) } == trouble.reason)
        var record = try #require(store.record(one))
        record.secret = WearableSecret([UInt8](repeating: 9, count: 16))
        let changed = record
        #expect(await reason { try await store.update(changed) } == trouble.reason)
        record.secret = nil
        record.battery = Int.random(in: 1...100)
        try await store.update(record)
        try await store.flush()
      }
      let found = store.secretsTrouble
      await store.close()
      if found != nil {
        #expect(
          try StoreReader(path: scratch.store).recentEvents(1).first?.reason == found?.reason.rawValue, "an event tells"
        )
      }
      return found
    }
  }

  @Test("the key is a file of its own that only its owner may read, there before anything is sealed under it")
  func keyFile() throws {
    let scratch = Scratch()
    try FileManager.default.createDirectory(atPath: scratch.store, withIntermediateDirectories: true)
    // What a hub left that died while it made its key.
    try Data([1, 2]).write(to: URL(fileURLWithPath: key(scratch) + ".new"))
    try made(scratch)
    var status = stat()
    #expect(lstat(key(scratch), &status) == 0 && status.st_mode == S_IFREG | 0o600 && status.st_size == 32)
    #expect(!FileManager.default.fileExists(atPath: key(scratch) + ".new"))
    var data = stat()
    #expect(stat(scratch.data, &data) == 0 && data.st_mode & 0o777 == 0o640, "samples stay readable for the group")
    #expect(try trouble(scratch) == nil)
  }

  @Test("H4010: without the key file a store with secrets opens without them, and has them again with it")
  func missing() throws {
    let scratch = Scratch()
    try made(scratch)
    let aside = scratch.path + "/aside"
    try FileManager.default.moveItem(atPath: key(scratch), toPath: aside)
    for _ in 0..<2 { #expect(try trouble(scratch)?.reason == .secretsKeyMissing) }
    #expect(!FileManager.default.fileExists(atPath: key(scratch)), "no key is made beside secrets of another")
    let reader = try StoreReader(path: scratch.store)
    #expect(reader.bonds.count == 2 && reader.bonds.allSatisfy { $0.isSealed && $0.isSecureConnections })
    #expect(try reader.verify().findings == [])
    #expect(throws: HearthError.self) { try reader.bondsWithKeys() }
    try FileManager.default.moveItem(atPath: aside, toPath: key(scratch))
    #expect(try trouble(scratch) == nil)
    #expect(try StoreReader(path: scratch.store).bondsWithKeys().count == 2)
  }

  @Test("H4010: if the last secret was removed, the next start makes a new key")
  func begunAnew() throws {
    let scratch = Scratch()
    try made(scratch)
    try FileManager.default.removeItem(atPath: key(scratch))
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      #expect(store.secretsTrouble?.reason == .secretsKeyMissing)
      for bond in store.bonds {
        try await store.removeBond(addressValue: bond.addressValue, addressKind: bond.addressKind)
      }
      try await store.remove(one)
      await store.close()
      let again = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      #expect(again.secretsTrouble == nil)
      try await again.putBond(Self.bond.of(two))
      await again.close()
      let last = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      #expect(last.secretsTrouble == nil && last.bonds == [Self.bond.of(two)])
      await last.close()
    }
  }

  @Test("H4011: a key file that is another's, a link, too short, too long, open to others or no file is refused")
  func wrong() throws {
    let scratch = Scratch()
    try made(scratch)
    let path = key(scratch)
    let good = try Data(contentsOf: URL(fileURLWithPath: path))
    func refused(_ what: String, _ make: () throws -> Void) throws {
      unlink(path)
      try make()
      let found = try trouble(scratch)
      #expect(found?.reason == .secretsKeyWrong, "\(what): \(String(describing: found))")
      let reader = try StoreReader(path: scratch.store)
      #expect(reader.bonds.allSatisfy { $0.isSealed }, "\(what)")
      try? FileManager.default.removeItem(atPath: path)
      try good.write(to: URL(fileURLWithPath: path))
      chmod(path, 0o600)
      #expect(try trouble(scratch) == nil, "after \(what)")
    }
    func write(_ bytes: Data, _ mode: mode_t = 0o600) throws {
      try bytes.write(to: URL(fileURLWithPath: path))
      chmod(path, mode)
    }
    try refused("another key") { try write(Data(repeating: 7, count: 32)) }
    for count in [0, 1, 31] { try refused("\(count) bytes") { try write(good.prefix(count)) } }
    try refused("33 bytes") { try write(good + [0]) }
    for mode: mode_t in [0o640, 0o604, 0o620, 0o601, 0o666] {
      try refused("mode \(String(mode, radix: 8))") { try write(good, mode) }
    }
    try refused("a link") {
      let target = scratch.path + "/target"
      try good.write(to: URL(fileURLWithPath: target))
      chmod(target, 0o600)
      symlink(target, path)
    }
    try refused("a folder") {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }
    try refused("a pipe") { #expect(mkfifo(path, 0o600) == 0) }
    if geteuid() == 0 {
      try refused("somebody else's") {
        try write(good)
        chown(path, 54_321, 0)
      }
    }
  }

  @Test("a key from systemd's folder of credentials is taken in place of the file, under systemd's own rights")
  func credential() throws {
    let scratch = Scratch()
    try made(scratch)
    let folder = scratch.path + "/credentials"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let credential = folder + "/hearth-secrets-key"
    try FileManager.default.moveItem(atPath: key(scratch), toPath: credential)
    for mode: mode_t in [0o400, 0o440] {
      chmod(credential, mode)
      #expect(try trouble(scratch) { $0.credentials = folder } == nil, "mode \(String(mode, radix: 8))")
    }
    #expect(!FileManager.default.fileExists(atPath: key(scratch)), "no second key is made")
    chmod(credential, 0o444)
    #expect(try trouble(scratch) { $0.credentials = folder }?.reason == .secretsKeyWrong)
    chmod(credential, 0o600)
    try Data(repeating: 1, count: 64).write(to: URL(fileURLWithPath: credential))
    #expect(try trouble(scratch) { $0.credentials = folder }?.reason == .secretsKeyWrong)
  }

  @Test("the configuration may name another place for the key")
  func elsewhere() throws {
    let scratch = Scratch()
    let place = scratch.path + "/elsewhere.key"
    try VirtualLoop.run { loop in
      var options = StoreOptions.test(scratch.store)
      options.secretsKey = place
      let store = try Store.open(options, loop: loop, disk: InlineDiskLane())
      _ = try await store.enrol(
        name: "w", addressValue: 1, addressKind: 1, driver: "d", kind: "k", bond: Self.bond)
      await store.close()
      #expect(scratch.size(place) == 32 && !FileManager.default.fileExists(atPath: self.key(scratch)))
      let again = try Store.open(options, loop: loop, disk: InlineDiskLane())
      #expect(again.bonds.map(\.keys) == [Self.bond.keys])
      await again.close()
    }
    // In a missing folder no key can be made: reported, and no secret is stored in clear.
    let other = Scratch()
    try VirtualLoop.run { loop in
      var options = StoreOptions.test(other.store)
      options.secretsKey = other.path + "/nowhere/key"
      let store = try Store.open(options, loop: loop, disk: InlineDiskLane())
      #expect(store.secretsTrouble?.reason == .secretsKeyMissing)
      let refused = await reason {
        _ = try await store.enrol(name: "w", addressValue: 1, addressKind: 1, driver: "d", kind: "k", bond: Self.bond)
      }
      #expect(refused == .secretsKeyMissing && store.wearables.isEmpty)
      _ = try await store.enrol(name: "w", addressValue: 1, addressKind: 1, driver: "d", kind: "k")
      await store.close()
    }
  }

  @Test("a seal that was moved to another wearable's record opens there no more, and verifying with the key finds it")
  func swapped() throws {
    let scratch = Scratch()
    try made(scratch)
    #expect(try StoreReader(path: scratch.store).verify().findings == [])
    try scratch.tamper { transaction throws(DatabaseFailure) in
      let keys = [UInt64(1), 2].map { BondRow.key(0xF0F1_F2F3_F400 + $0, 2) }
      var seals: [[UInt8]] = []
      for key in keys { seals.append(try transaction.record(BondRow.self, key)?.seal ?? []) }
      for (key, seal) in zip(keys, seals.reversed()) {
        guard let row = try transaction.record(BondRow.self, key) else { continue }
        var fields = FieldWriter()
        fields.put(1, row.wearable.number)
        fields.put(2, row.createdAt.microseconds)
        fields.put(4, seal)
        fields.put(5, row.traits.rawValue)
        try transaction.put(transaction.tables.bonds, key, fields.finish())
      }
      // And the secret of the first to the second.
      guard let bytes = try transaction.get(transaction.tables.registry, [UInt8](bigEndian: UInt32(1))),
        let first = WearableCodec.decode(one, bytes),
        let other = try transaction.get(transaction.tables.registry, [UInt8](bigEndian: UInt32(2))),
        var second = WearableCodec.decode(two, other)
      else { return }
      second.sealedSecret = first.sealedSecret
      try transaction.put(transaction.tables.registry, [UInt8](bigEndian: UInt32(2)), WearableCodec.encode(second))
    }
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      #expect(store.secretsTrouble == nil && store.bonds.allSatisfy { $0.isSealed })
      #expect(store.record(one)?.secret == Self.secret)
      #expect(store.record(two)?.secret == nil && store.record(two)?.lacksSecrets == true)
      let found = try await store.verify().findings
      #expect(found.map { $0.place.split(separator: " ")[0] } == ["registry", "bonds", "bonds"])
      await store.close()
    }
    let reader = try StoreReader(path: scratch.store)
    let refused = #expect(throws: HearthError.self) { try reader.bondsWithKeys() }
    #expect(refused?.reason == .secretsKeyWrong)
    try FileManager.default.removeItem(atPath: key(scratch))
    #expect(try StoreReader(path: scratch.store).verify().findings == [], "without the key only layouts are looked at")
  }

  @Test("a member of the group lists bonds and is refused their keys")
  func group() throws {
    guard geteuid() == 0 else { return }
    let scratch = Scratch()
    try made(scratch)
    for path in [scratch.path, scratch.store] { chmod(path, 0o755) }
    func asked(by user: [String]) throws -> String {
      let child = Process()
      child.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
      child.arguments = user + ["--", try KillTests.program("store-torture").path, "bonds", scratch.store]
      child.environment = ["SWIFT_BACKTRACE": "enable=no"]
      let pipe = Pipe()
      child.standardOutput = pipe
      try child.run()
      child.waitUntilExit()
      return String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    }
    let group = "54322"
    chown(scratch.data, 0, 54_322)
    chmod(scratch.data, 0o640)
    let refused = try asked(by: ["--reuid", "54321", "--regid", group, "--clear-groups"])
    #expect(refused.hasPrefix("bonds 2 sealed 2\nfailed H6009 "), "\(refused)")
    #expect(try asked(by: ["--reuid", "0"]) == "bonds 2 sealed 0\nkeys of 2\n")
  }

  @Test("forged bytes open no seal, and are distinguished from what is sealed")
  func hostileBytes() throws {
    let seed = UInt64.random(in: 0 ..< .max)
    print("seed \(seed)")
    var random = Seeded(seed)
    var bytes = try #require(SecretsVault.freshKey())
    let vault = try #require(SecretsVault(&bytes))
    #expect(bytes.allSatisfy { $0 == 0 }, "the caller's copy is wiped")
    let place = SealPlace(table: "bonds", key: [1, 2], tag: 4)
    let seal = vault.seal(Array(0..<100), at: place)
    #expect(vault.open(seal, at: place) == Array(0..<100) && vault.seal(Array(0..<100), at: place) != seal)
    for other in [
      SealPlace(table: "registry", key: [1, 2], tag: 4), SealPlace(table: "bonds", key: [1, 3], tag: 4),
      SealPlace(table: "bonds", key: [1, 2], tag: 5), SealPlace(table: "bonds", key: [1], tag: 4, bound: [2]),
      SealPlace(table: "bonds", key: [1, 2], tag: 4, bound: [0]),
    ] { #expect(vault.open(seal, at: other) == nil) }
    for count in 0..<seal.count { #expect(vault.open(Array(seal.prefix(count)), at: place) == nil) }
    for bit in 0..<(seal.count * 8) {
      var flipped = seal
      flipped[bit / 8] ^= 1 << (bit % 8)
      #expect(vault.open(flipped, at: place) == nil)
    }
    let record = BondRow(Self.bond, vault).encode()
    let key = BondRow.key(Self.bond.addressValue, 2)
    for _ in 0..<20_000 {
      var fields = Array(record.dropLast(4))
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        fields[Int.random(in: 1..<fields.count, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
      }
      if Bool.random(using: &random) { fields.removeLast(Int.random(in: 0..<fields.count, using: &random)) }
      var crc = CRC32C()
      fields.withUnsafeBytes { crc.update($0) }
      fields.append(littleEndian: crc.value)
      let row = key.withUnsafeBytes { key in fields.withUnsafeBytes { BondRow.decode(key: key, value: $0) } }
      guard let row else { continue }
      let bond = row.opened(vault)
      #expect(bond.isSealed || bond.keys == Self.bond.keys || row.seal == nil)
    }
    for _ in 0..<2000 {
      let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...2, using: &random) }
      if let mark = bytes.withUnsafeBytes({ SecretsMark($0) }) { #expect(mark.check.count == 16 && bytes.count == 18) }
    }
  }
}
