import Bluetooth
import EventLoop
import Foundation
import Logging
import Reasons
import Testing

@testable import Hub
@testable import RingStore

@Suite("Bonds of the hub", .serialized)
struct BondTests {
  private func inHub(_ body: @escaping @LoopActor (Hearth, Store, LaneRadio) async throws -> Void) throws {
    let path = NSTemporaryDirectory() + "hearth-bonds-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try VirtualLoop.run { loop in
      let store = try Store.open(
        StoreOptions(path: path, sizeBytes: StoreOptions.minimumSize), loop: loop, disk: InlineDiskLane())
      let radio = LaneRadio(loop)
      let hub = Hearth(
        HearthOptions(), loop: loop, radio: radio, store: store, lights: nil,
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, drivers: [])
      try await body(hub, store, radio)
      await hub.stop()
      await store.close()
    }
  }

  @Test(
    """
    H4010 and H4011: one with sealed keys is reported with the code and left alone, others are served, and once its \
    bond is removed it may be visited
    """
  )
  func locked() throws {
    let path = NSTemporaryDirectory() + "hearth-bonds-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let options = StoreOptions(path: path, sizeBytes: StoreOptions.minimumSize)
    let bonded = BluetoothAddress(value: 5, kind: .leRandom)
    let other = BluetoothAddress(value: 6, kind: .leRandom)
    for wanted in [Reason.secretsKeyMissing, .secretsKeyWrong] {
      try? FileManager.default.removeItem(atPath: path)
      try VirtualLoop.run { loop in
        let first = try Store.open(options, loop: loop, disk: InlineDiskLane())
        for address in [bonded, other] {
          _ = try await first.enrol(
            name: "w\(address.value)", addressValue: address.value, addressKind: address.kind.rawValue, driver: "d",
            kind: "k", bond: address == bonded ? self.bond(address.value) : nil)
        }
        await first.close()
        let key = path + "/secrets.key"
        if wanted == .secretsKeyMissing { unlink(key) } else { chmod(key, 0o644) }
        let store = try Store.open(options, loop: loop, disk: InlineDiskLane())
        let radio = LaneRadio(loop)
        let hub = Hearth(
          HearthOptions(), loop: loop, radio: radio, store: store, lights: nil,
          logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, drivers: [])
        let wearable = try #require(hub.registry[bonded])
        #expect(wearable.trouble?.reason == wanted && !wearable.mayBeVisited)
        #expect(hub.registry[other]?.mayBeVisited == true && hub.registry[other]?.trouble == nil)
        #expect(hub.snapshot().attention.contains { $0.trouble.reason == wanted && $0.wearable == nil })
        #expect(hub.bonds().map(\.isAuthenticated) == [true])
        #expect(await self.reason { _ = try hub.bondKeys() } == wanted)
        #expect(await self.reason { try await store.putBond(self.bond(5)) } == wanted)
        try await hub.removeBond("w5")
        #expect(wearable.trouble == nil && wearable.mayBeVisited)
        await hub.stop()
        await store.close()
      }
    }
  }

  /// As the kernel reports it: address, type, kind of key, the rest.
  private func longTerm(_ address: UInt64, kind: UInt8 = 3) -> LongTermKey {
    LongTermKey(
      BluetoothAddress(value: address, kind: .leRandom).wireBytes + [2, kind] + [UInt8](repeating: 7, count: 28))!
  }

  private func keys(_ address: UInt64, kind: UInt8 = 3) -> BondKeys {
    BondKeys(
      address: BluetoothAddress(value: address, kind: .leRandom), longTermKeys: [longTerm(address, kind: kind)],
      identityKey: [UInt8](repeating: 9, count: 16))
  }

  private func bond(_ address: UInt64) -> Bond {
    Bond(keys(address), of: WearableID(number: 0), at: VirtualLoop.morning)
  }

  private func reason(_ body: () async throws -> Void) async -> Reason? {
    do {
      try await body()
      return nil
    } catch { return (error as? HearthError)?.reason }
  }

  @Test("keys go into the store and come back as they were; debug keys are neither kept nor loaded")
  func mapping() throws {
    let whole = keys(5)
    #expect(BondKeys(Bond(whole, of: WearableID(number: 3), at: VirtualLoop.morning)) == whole)
    var debug = whole
    debug.longTermKeys.append(longTerm(5, kind: 4))
    #expect(
      Bond(debug, of: WearableID(number: 3), at: VirtualLoop.morning)
        == Bond(whole, of: WearableID(number: 3), at: VirtualLoop.morning))
    let stored = bond(5)
    let strange = Bond(
      addressValue: 5, addressKind: 2, wearable: stored.wearable, createdAt: stored.createdAt,
      keys: stored.keys + [
        BondKey(kind: 1, bytes: longTerm(5, kind: 4).record), BondKey(kind: 1, bytes: [1]),
        BondKey(kind: 77, bytes: [2]),
      ])
    #expect(BondKeys(strange) == whole)
    #expect(
      BondKeys(
        Bond(addressValue: 5, addressKind: 0, wearable: stored.wearable, createdAt: stored.createdAt, keys: stored.keys)
      ) == nil)
    #expect(stored.isAuthenticated && stored.isSecureConnections && stored.hasIdentityKey)
  }

  @Test(
    """
    an import enrols missing wearables, gives keys to present ones, and the radio gets the whole list; a second one \
    changes nothing
    """
  )
  func importing() throws {
    try inHub { hub, store, radio in
      let here = try await store.enrol(
        name: "here", addressValue: 5, addressKind: 2, driver: "heart-rate", kind: "HR strap")
      hub.registry.admit(here)
      let entries = [
        (name: "elsewhere", kind: "HR strap", driver: "heart-rate", bond: self.bond(5)),
        (name: "HERE", kind: "insole", driver: "x", bond: self.bond(6)),
      ]
      #expect(try await hub.importBonds(entries) == 2)
      #expect(store.wearables.map(\.name) == ["here", "HERE-2"])
      #expect(radio.keys == [self.keys(5), self.keys(6)])
      #expect(try await hub.importBonds(entries) == 0)
      #expect(hub.bonds().map(\.wearable) == ["HERE-2", "here"])
      #expect(
        hub.bonds().allSatisfy { $0.isAuthenticated && $0.isSecureConnections && $0.hasIdentityKey && !$0.isLost })
      #expect(try hub.bondKeys().map(\.wearable) == store.wearables.map(\.id))
    }
  }

  @Test("keys of another size, of another address or that anybody knows refuse an import whole")
  func hostileImport() throws {
    try inHub { hub, store, radio in
      let sound = self.bond(6)
      let strange: [[BondKey]] = [
        [], [BondKey(kind: 1, bytes: [UInt8](repeating: 0, count: 35))], [BondKey(kind: 2, bytes: [1])],
        [BondKey(kind: 3, bytes: [1])],
        [BondKey(kind: 1, bytes: self.longTerm(7).record)],
        sound.keys + [BondKey(kind: 1, bytes: self.longTerm(6, kind: 4).record)],
      ]
      for keys in strange {
        let bond = Bond(
          addressValue: 6, addressKind: 2, wearable: sound.wearable, createdAt: sound.createdAt, keys: keys)
        let entries = [
          (name: "a", kind: "", driver: "", bond: self.bond(5)), (name: "b", kind: "", driver: "", bond: bond),
        ]
        #expect(await self.reason { _ = try await hub.importBonds(entries) } == .bondFileDamaged)
      }
      #expect(
        await self.reason { _ = try await hub.importBonds([(name: "a b", kind: "", driver: "", bond: sound)]) }
          == .enrolNameInvalid)
      #expect(store.wearables.isEmpty && store.bonds.isEmpty && radio.keys.isEmpty)
    }
  }

  @Test("a wearable that is forgotten takes its keys along, out of the store and out of the radio")
  func forgetting() throws {
    try inHub { hub, store, radio in
      _ = try await hub.importBonds([5, 6].map { (name: "w\($0)", kind: "", driver: "", bond: self.bond($0)) })
      try await hub.forget("w6")
      #expect(store.bonds.map(\.addressValue) == [5])
      #expect(radio.keys == [self.keys(5)] && radio.forgotten.map(\.value) == [6])
    }
  }

  @Test(
    """
    a bond is removed by name or address, from store and radio; the wearable stays; a missing one is reported with \
    H2220
    """
  )
  func removing() throws {
    try inHub { hub, store, radio in
      _ = try await hub.importBonds([5, 6].map { (name: "w\($0)", kind: "", driver: "", bond: self.bond($0)) })
      try await hub.removeBond("W5")
      #expect(radio.keys == [self.keys(6)] && radio.forgotten.map(\.value) == [5])
      #expect(await self.reason { try await hub.removeBond("w5") } == .noSuchBond)
      try await hub.removeBond("00:00:00:00:00:06")
      #expect(store.bonds.isEmpty && radio.keys.isEmpty)
      #expect(store.wearables.count == 2)
    }
  }
}
