import EventLoop
import Foundation
import Health
import StateCodec
import Testing

@testable import RingStore

/// A store as programs of format 5 left it, with keys and secrets in clear. Many were removed long ago. They lie in
/// free pages, in the gaps of used pages, and in damaged records.
struct ClearStore {
  /// Every secret that was ever written to it.
  private(set) var given: [[UInt8]] = []
  /// By address.
  private(set) var bonds: [Bond] = []
  private(set) var secrets: [WearableID: [UInt8]] = [:]
  /// Of `user-data`.
  private(set) var state: [UInt8] = []
  private var random: Seeded

  static let wearables: UInt32 = 12

  init(at scratch: Scratch, seed: UInt64, samples: Int = 4000) throws {
    random = Seeded(seed)
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      for number in 1...Self.wearables {
        _ = try await store.enrol(
          name: "w\(number)", addressValue: Self.address(number), addressKind: 2, driver: "d", kind: "k")
      }
      for sample in 0..<samples {
        store.append(WearableID(number: 1 + UInt32(sample % 12)), .heartRate, noise(sample), at: loop.now)
        if sample % 500 == 499 { try await store.flush() }
        if sample % 2000 == 1999 { try await store.pack() }
        store.noteEvent(.storePurged, text: "event \(sample)")
        try await loop.sleep(for: .milliseconds(7))
      }
      await store.close()
    }
    try FileManager.default.removeItem(atPath: scratch.store + "/secrets.key")
    try live(scratch)
  }

  static func address(_ number: UInt32) -> UInt64 { 0xC0DE_0000_0000 + UInt64(number) }

  private mutating func fresh(_ count: Int) -> [UInt8] {
    let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    given.append(bytes)
    return bytes
  }

  /// A bond's life after another in one environment, as in a daemon that runs for weeks.
  private mutating func live(_ scratch: Scratch) throws {
    let environment = try Environment(path: scratch.store, size: 64 << 20, mode: .writer)
    defer { environment.close() }
    try environment.openTables()
    var current: [UInt32: Bond] = [:]
    for round in 0..<60 {
      let number = UInt32(1 + round % Int(Self.wearables))
      let bond = Bond(
        addressValue: Self.address(number), addressKind: 2, wearable: WearableID(number: number),
        createdAt: WallTime(microseconds: Int64(round)),
        keys: [BondKey(kind: 1, bytes: fresh(36)), BondKey(kind: 2, bytes: fresh(16))])
      let isGone = round % 7 == 3
      current[number] = isGone ? nil : bond
      let secret = fresh(16)
      secrets[bond.wearable] = secret
      let consent = fresh(32)
      if number == 2 { state = consent }
      try environment.write { transaction throws(DatabaseFailure) in
        try transaction.put(transaction.tables.bonds, BondRow.key(bond.addressValue, 2), Self.row(bond))
        let key = [UInt8](bigEndian: number)
        if let bytes = try transaction.get(transaction.tables.registry, key),
          var record = WearableCodec.decode(bond.wearable, bytes)
        {
          record.secret = WearableSecret(secret)
          try transaction.put(transaction.tables.registry, key, WearableCodec.encode(record))
        }
        if number == 2 {
          let fields: [UInt8] = [99, UInt8(consent.count)] + consent
          try transaction.put(
            StateRecord<DriverStates>(
              bond.wearable, "user-data", RememberedStates.Entry(version: 1, fields: fields)))
        }
      }
      // The same process writes other tables with pages that it used before.
      try environment.write { transaction throws(DatabaseFailure) in
        if isGone { try transaction.delete(transaction.tables.bonds, BondRow.key(bond.addressValue, 2)) }
        try transaction.put(transaction.tables.events, [UInt8](bigEndian: UInt64(1_000_000 + round)), [1, 2, 3])
        try transaction.delete(transaction.tables.events, [UInt8](bigEndian: UInt64(1_000_000 + round)))
        try transaction.put(transaction.tables.meta, Array("of-a-test".utf8), Array(repeating: 7, count: round * 20))
      }
    }
    let lost = fresh(36)
    try environment.write { transaction throws(DatabaseFailure) in
      var damaged = Self.row(
        Bond(
          addressValue: 0xBAD, addressKind: 1, wearable: one, createdAt: WallTime(microseconds: 1),
          keys: [BondKey(kind: 1, bytes: lost)]))
      damaged[damaged.count - 1] ^= 1
      try transaction.put(transaction.tables.bonds, BondRow.key(0xBAD, 1), damaged)
      try transaction.delete(transaction.tables.meta, SecretsMark.key)
      var mark = try transaction.get(transaction.tables.meta, FormatMark.key).map { Array($0) } ?? []
      mark[FormatMark.magic.count] = 5
      try transaction.put(transaction.tables.meta, FormatMark.key, mark)
    }
    bonds = current.values.sorted { $0.addressValue < $1.addressValue }
  }

  /// As a bond lay on the disk until format 5.
  static func row(_ bond: Bond) -> [UInt8] {
    var fields = FieldWriter()
    fields.put(1, bond.wearable.number)
    fields.put(2, bond.createdAt.microseconds)
    for key in bond.keys { fields.put(3, [key.kind] + key.bytes) }
    return fields.finish()
  }

  /// All of it is there and can be read.
  @LoopActor
  func expectWhole(_ store: Store) {
    #expect(store.bonds == bonds)
    for record in store.wearables { #expect(record.secret?.bytes == secrets[record.id]) }
    #expect(store.record(two)?.driverState.entries["user-data"]?.fields == [99, 32] + state)
    #expect(store.wearables.allSatisfy { !$0.lacksSecrets })
  }
}

extension Bond {
  /// The record as it lay on the disk until format 5.
  var clearRow: BondRow? {
    BondRow.key(addressValue, addressKind).withUnsafeBytes { key in
      ClearStore.row(self).withUnsafeBytes { BondRow.decode(key: key, value: $0) }
    }
  }
}

/// Eight bytes each of what must not be found.
struct KeyWindows {
  private var windows: Set<UInt64> = []

  init(_ keys: [[UInt8]]) {
    for key in keys where key.count >= 8 {
      for start in 0...(key.count - 8) {
        windows.insert(key[start..<(start + 8)].reduce(0) { $0 << 8 | UInt64($1) })
      }
    }
  }

  /// In how many places of a file one of them begins.
  func count(in file: String) throws -> Int {
    var last: UInt64 = 0
    var found = 0
    for (place, byte) in try Data(contentsOf: URL(fileURLWithPath: file)).enumerated() {
      last = last << 8 | UInt64(byte)
      if place >= 7, windows.contains(last) { found += 1 }
    }
    return found
  }

  /// In the files of a folder that others than their owner may read.
  func count(inReadable folder: String) throws -> (found: Int, files: [String]) {
    var files: [String] = []
    var found = 0
    for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
      let mode = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")[.posixPermissions] as? Int ?? 0
      if mode & 0o044 == 0 { continue }
      files.append(name)
      found += try count(in: "\(folder)/\(name)")
    }
    return (found, files)
  }
}
