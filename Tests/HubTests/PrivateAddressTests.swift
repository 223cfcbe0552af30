import Bluetooth
import EventLoop
import Reasons
import RingStore
import Testing
import Wearable

@testable import Hub

/// Wearables with changing addresses, and the identity that they give when they are paired.
@Suite("Private addresses and identities")
struct PrivateAddressTests {
  private static let resolvable = BluetoothAddress(value: 0x5A01_0203_0405, kind: .leRandom)
  private static let unresolvable = BluetoothAddress(value: 0x0A01_0203_0405, kind: .leRandom)

  private static func driver(_ need: PairingNeed) -> RecorderDriver {
    var driver = RecorderDriver()
    driver.wants = need
    return driver
  }

  private static func keys(_ identity: BluetoothAddress, hasIdentityKey: Bool = true) -> BondKeys {
    var keys = BondsTests.keys(identity)
    if hasIdentityKey { keys.identityKey = [UInt8](repeating: 9, count: 16) }
    return keys
  }

  /// A recorder at such an address, an open window, and a radio that pairs with these keys.
  @LoopActor
  private static func hear(_ parts: Parts, _ address: BluetoothAddress, pairsWith keys: BondKeys?) throws {
    parts.radio.onKeys = { [bonds = parts.bonds] in bonds.keysCame(on: $0, $1) }
    parts.radio.onPairingFailed = { [pairing = parts.pairing] in pairing.failed($0, $1) }
    if !parts.radio.twins.contains(where: { $0.address == address }) {
      parts.radio.twins.append((address, RecorderTwin(parts.loop)))
    }
    parts.radio.pairsWith = keys
    parts.presence.hear(
      Advertisement(
        address: address, rssi: -30, isConnectable: true, data: [3, 3, 0xF0, 0xFF], time: parts.loop.now))
    if !parts.enrolment.isOpen { _ = try parts.enrolment.open(for: .seconds(600)) }
  }

  @LoopActor
  private static func refusalOfAccepting(_ parts: Parts, _ address: BluetoothAddress) async -> Reason? {
    let enrolment = parts.enrolment
    return await refusal { () throws(HearthError) in
      try await enrolment.accept(address.description, name: "hidden")
    }
  }

  @Test(
    "H2327: an address that changes is enrolled by its key, or refused: under its identity, with a bond",
    arguments: [PairingNeed.welcome, .whereRefused, .required])
  func enrolled(need: PairingNeed) throws {
    try withParts(Self.driver(need)) { parts in
      let identity = Parts.address(7)
      // Without a key to recognise it the wearable is not enrolled, and no data of it are stored.
      for keys in [nil, Self.keys(identity, hasIdentityKey: false)] {
        try Self.hear(parts, Self.resolvable, pairsWith: keys)
        let reason = await Self.refusalOfAccepting(parts, Self.resolvable)
        #expect(reason == (keys == nil ? .authenticationFailed : .enrolAddressChanges))
        #expect(parts.registry.all.isEmpty && parts.store.bonds.isEmpty && parts.radio.keys.isEmpty)
      }
      try Self.hear(parts, Self.resolvable, pairsWith: Self.keys(identity))
      let wearable = try await parts.enrolment.accept(Self.resolvable.description, name: "hidden")
      #expect(wearable.address == identity && parts.registry[Self.resolvable] == nil)
      #expect(parts.store.bonds.map(\.hasIdentityKey) == [true] && parts.bonds.isGood(wearable))
      #expect(parts.radio.keys == [Self.keys(identity)])
      #expect(parts.enrolment.snapshot().candidates.isEmpty, "what it was heard under is no candidate any more")
    }
  }

  @Test("H2327: one that no key resolves, and one of a family that is never paired, are refused before any link")
  func refused() throws {
    for (address, need) in [(Self.unresolvable, PairingNeed.required), (Self.resolvable, .never)] {
      try withParts(Self.driver(need)) { parts in
        try Self.hear(parts, address, pairsWith: Self.keys(Parts.address(7)))
        #expect(await Self.refusalOfAccepting(parts, address) == .enrolAddressChanges)
        #expect(parts.radio.connects == 0 && parts.store.wearables.isEmpty)
      }
    }
  }

  @Test("H2327: in mode all such strangers are neither tried nor paired, which is reported once an hour")
  func strangers() throws {
    try withParts(Self.driver(.welcome), { $0.enrolmentMode = .all }) { parts in
      parts.context.phase = .serving
      var told: [Reason] = []
      parts.context.changes.onHappening = { if case .strangerRefused(let trouble) = $0 { told.append(trouble.reason) } }
      for minute in 0..<60 as Range<UInt64> {
        let address = BluetoothAddress(value: Self.resolvable.value + minute, kind: .leRandom)
        for _ in 0..<60 {
          parts.presence.hear(
            Advertisement(
              address: address, rssi: -30, isConnectable: true, data: [3, 3, 0xF0, 0xFF, 2, 9, 0x52],
              time: parts.loop.now))
          try await parts.loop.sleep(for: .seconds(1))
        }
      }
      #expect(parts.radio.connects == 0 && parts.store.wearables.isEmpty && told == [.enrolAddressChanges])
      #expect(parts.enrolment.strangers.map { $0.refusals >= 60 } == true)
    }
  }

  @Test("a name that is taken is refused before anything is paired for it")
  func taken() throws {
    try withParts(Self.driver(.welcome)) { parts in
      _ = try await parts.enrol(9, "hidden")
      try Self.hear(parts, Self.resolvable, pairsWith: Self.keys(Parts.address(7)))
      #expect(await Self.refusalOfAccepting(parts, Self.resolvable) == .enrolNameTaken)
      #expect(parts.radio.connects == 0)
    }
  }

  @Test("H2251: keys under the address of another wearable are refused; forgotten first, it is accepted with a new key")
  func claimed() throws {
    for hasBond in [true, false] {
      try withParts(Self.driver(.welcome)) { parts in
        let victim = Parts.address(7)
        var told: [Reason] = []
        parts.context.changes.onHappening = {
          if case .identityClaimed(let wearable, let trouble) = $0, wearable.address == victim {
            told.append(trouble.reason)
          }
        }
        let owner = try await parts.enrol(7, "owner")
        if hasBond {
          _ = parts.bonds.keysCame(on: victim, BondsTests.keys(victim))
          try await parts.loop.sleep(for: .seconds(1))
        }
        let before = parts.store.bonds
        try Self.hear(parts, Self.resolvable, pairsWith: Self.keys(victim))
        #expect(await Self.refusalOfAccepting(parts, Self.resolvable) == .identityClaimed)
        try await parts.loop.sleep(for: .seconds(1))
        #expect(parts.store.bonds == before && parts.store.bonds.count == (hasBond ? 1 : 0))
        #expect(parts.store.wearables.map(\.name) == ["owner"] && parts.bonds.isGood(owner) == hasBond)
        #expect(told == [.identityClaimed])
        try await parts.enrolment.forget("owner")
        try Self.hear(parts, Self.resolvable, pairsWith: Self.keys(victim))
        #expect(try await parts.enrolment.accept(Self.resolvable.description, name: "owner").address == victim)
      }
    }
  }

  @Test("H2251: keys under an address that is heard beside the link are refused, and taken if it was long ago")
  func claimedOfStranger() throws {
    try withParts(Self.driver(.welcome)) { parts in
      parts.hear(7)
      try Self.hear(parts, Self.resolvable, pairsWith: Self.keys(Parts.address(7)))
      #expect(await Self.refusalOfAccepting(parts, Self.resolvable) == .identityClaimed)
      #expect(parts.store.wearables.isEmpty && parts.store.bonds.isEmpty)
      try await parts.loop.sleep(for: IdentityClaim.sameTime + .seconds(1))
      try Self.hear(parts, Self.resolvable, pairsWith: Self.keys(Parts.address(7)))
      #expect(await Self.refusalOfAccepting(parts, Self.resolvable) == nil)
    }
  }

  @Test("H2251: keys that an enrolled wearable gives under another's address change no key of that, and it is reported")
  func claimedByEnrolled() throws {
    try withParts(Self.driver(.welcome), { $0.pairing = .always }) { parts in
      let thief = try await parts.enrol(1, "thief")
      let owner = try await parts.enrol(7, "owner")
      _ = parts.bonds.keysCame(on: owner.address, BondsTests.keys(owner.address))
      try await parts.loop.sleep(for: .seconds(1))
      let before = parts.store.bonds
      // An address that stays has one identity, enrolled or not.
      for identity in [owner.address, Parts.address(9)] {
        thief.trouble = nil
        #expect(parts.bonds.keysCame(on: thief.address, Self.keys(identity)) == .refused(.identityClaimed))
        #expect(thief.trouble?.reason == .identityClaimed)
      }
      try await parts.loop.sleep(for: .seconds(1))
      #expect(parts.store.bonds == before && parts.radio.keys == [BondsTests.keys(owner.address)])
    }
  }

  @Test("a stranger that advertises the name of an enrolled wearable is not what a person means by that name")
  func names() throws {
    try withParts(Self.driver(.required)) { parts in
      let known = try await parts.enrol(7, "strap")
      known.trouble = HearthError(.keyMissing, "strap")
      parts.hear(7, rssi: -30)
      parts.hear(8, rssi: -30, data: [3, 3, 0xF0, 0xFF, 6, 9] + Array("strap".utf8))
      _ = try parts.enrolment.open(for: nil)
      #expect(try await parts.enrolment.accept("strap", name: nil) === known)
      #expect(parts.registry.all.count == 1)
    }
  }
}
