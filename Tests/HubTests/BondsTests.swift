import Bluetooth
import EventLoop
import Reasons
import RingStore
import Testing

@testable import Hub

@Suite("Bonds")
struct BondsTests {
  static func keys(_ address: BluetoothAddress) -> BondKeys {
    var record = (0..<6).map { UInt8(truncatingIfNeeded: address.value >> (8 * UInt64($0))) } + [2, 2, 1, 16]
    record += [UInt8](repeating: 7, count: LongTermKey.size - record.count)
    return BondKeys(address: address, longTermKeys: LongTermKey(record).map { [$0] } ?? [], identityKey: nil)
  }

  @Test("keys of an enrolled wearable are kept and loaded, those of others are not")
  func kept() throws {
    try withParts { parts in
      let wearable = try await parts.enrol(1, "a")
      _ = parts.bonds.keysCame(on: Parts.address(9), Self.keys(Parts.address(9)))
      _ = parts.bonds.keysCame(on: wearable.address, Self.keys(wearable.address))
      try await parts.loop.sleep(for: .seconds(1))
      #expect(parts.store.bonds.map(\.wearable) == [wearable.id])
      #expect(parts.radio.keys == [Self.keys(wearable.address)] && parts.bonds.isGood(wearable))
    }
  }

  @Test("a key that is missing is shown once, and stays in the radio, as the wearable may prove that it has it")
  func missing() throws {
    try withParts { parts in
      let wearable = try await parts.enrol(1, "a")
      _ = parts.bonds.keysCame(on: wearable.address, Self.keys(wearable.address))
      try await parts.loop.sleep(for: .seconds(1))
      parts.bonds.keyIsMissing(wearable)
      #expect(wearable.trouble?.reason == .keyMissing && parts.radio.keys.count == 1 && !parts.bonds.isGood(wearable))
      wearable.trouble = nil
      parts.bonds.keyIsMissing(wearable)
      #expect(wearable.trouble == nil, "it is known already")
      _ = parts.bonds.keysCame(on: wearable.address, Self.keys(wearable.address))
      try await parts.loop.sleep(for: .seconds(1))
      #expect(parts.bonds.isGood(wearable) && parts.radio.keys.count == 1)
    }
  }

  @Test("keys that a request waits for go there, once, and become durable with the enrolment")
  func expected() throws {
    try withParts { parts in
      var came: [BondKeys] = []
      parts.bonds.expectKeys(of: Parts.address(1)) { came.append($0) }
      _ = parts.bonds.keysCame(on: Parts.address(1), Self.keys(Parts.address(1)))
      _ = parts.bonds.keysCame(on: Parts.address(1), Self.keys(Parts.address(1)))
      #expect(came.count == 1 && parts.store.bonds.isEmpty)
    }
  }
}
