import Bluetooth
import EventLoop
import Reasons
import RingStore
import Testing
import Wearable

@testable import Hub

@Suite("Rules of pairing")
struct PairingTests {
  @Test(
    "the rule, in all its cases", arguments: PairingRule.allCases,
    [PairingNeed.never, .welcome, .whereRefused, .required])
  func rule(rule: PairingRule, need: PairingNeed) {
    for isEnrolling in [true, false] {
      let policy = PairingPolicy(rule: rule, need: need, isEnrolling: isEnrolling)
      let isAllowed = need != .never && (isEnrolling || rule == .always)
      #expect(policy.decide(.justWorks) == (isAllowed ? .confirm : .refuse))
      for kind in [PairingRequest.Kind.compare(123_456), .passkey, .show(1)] {
        #expect(policy.decide(kind) == (isAllowed ? .ask : .refuse))
      }
    }
    let stranger = PairingPolicy(rule: rule, need: nil, isEnrolling: true)
    #expect(stranger.decide(.justWorks) == .refuse)
  }

  private static func driver(_ need: PairingNeed) -> RecorderDriver {
    var driver = RecorderDriver()
    driver.wants = need
    driver.securesFirst = true
    return driver
  }

  private static func keys(_ address: BluetoothAddress) -> BondKeys {
    var record = (0..<6).map { UInt8(truncatingIfNeeded: address.value >> (8 * UInt64($0))) } + [2, 2, 1, 16]
    record += [UInt8](repeating: 7, count: LongTermKey.size - record.count)
    return BondKeys(address: address, longTermKeys: LongTermKey(record).map { [$0] } ?? [], identityKey: nil)
  }

  @Test("a wearable that may pair gets keys that are kept, loaded again after a restart, and used")
  func pairs() throws {
    try inHouse(Self.driver(.welcome), prepare: { $0.pairing = .always }, files: { $0[0].files = [.of(500)] }) {
      house, twin in
      let address = house.radio.twins[0].address
      house.radio.pairsWith = Self.keys(address)
      house.start()
      try await house.wait { twin.files.isEmpty }
      #expect(house.radio.answers == [.yes])
      #expect(house.store.bonds.count == 1)
      #expect(house.hearth.bonds().map(\.address) == [address])
      #expect(house.radio.keys == [Self.keys(address)])
      try house.killAndRestart()
      #expect(house.radio.keys == [Self.keys(address)])
    }
  }

  @Test("one that is being linked to be paired is paired, whatever else is linked in the same second")
  func besideAnother() throws {
    var driver = Self.driver(.welcome)
    driver.needsLink = true
    try inHouse(driver, recorders: 2, files: { $0[0].files = [.of(500)] }) { house, twin in
      let address = house.radio.twins[0].address
      house.radio.pairsWith = Self.keys(address)
      house.radio.connectTakes = .seconds(2)
      // Of the two this one alone was accepted a moment ago.
      house.hearth.pairing.enrolled(address)
      house.start()
      try await house.wait { house.radio.connects == 2 }
      #expect(house.radio.bearers.isEmpty && house.radio.onPairingRequest != nil, "both are being linked")
      try await house.wait { twin.files.isEmpty }
      #expect(house.radio.answers == [.yes] && house.store.bonds.map(\.address) == [address])
    }
  }

  @Test("one that is no longer being enrolled is visited without encryption if its driver can, and never paired")
  func refusesLater() throws {
    try inHouse(Self.driver(.welcome), files: { $0[0].files = [.of(500)] }) { house, twin in
      house.start()
      try await house.wait { twin.files.isEmpty }
      #expect(house.radio.secured == 0 && house.store.bonds.isEmpty)
      #expect(house.radio.onPairingRequest == nil, "whoever asks is told that the hub does not pair")
    }
  }

  @Test("one that refuses to be paired is visited without encryption from the next link on, and not asked again")
  func refusesUs() throws {
    var driver = Self.driver(.welcome)
    driver.securesFirst = false
    driver.attention = .seconds(120)
    try inHouse(driver, prepare: { $0.pairing = .always }, files: { $0[0].files = [.of(20_000)] }) { house, twin in
      let address = house.radio.twins[0].address
      twin.afterBytes = (
        5000,
        {
          #expect(house.radio.onPairingRequest != nil)
          house.radio.onPairingFailed?(address, .authenticationFailed)
          house.radio.bearers.last?.cut(.authenticationFailed)
        }
      )
      house.start()
      try await house.wait(.seconds(60)) { twin.files.isEmpty }
      #expect(house.radio.connects == 2)
      #expect(house.radio.onPairingRequest == nil)
    }
  }

  @Test("a key that the wearable has lost is shown, and it is not read until a person accepts it without")
  func keyLost() throws {
    try inHouse(Self.driver(.welcome), files: { $0[0].files = [.of(500)] }) { house, twin in
      let address = house.radio.twins[0].address
      try await house.store.putBond(Bond(Self.keys(address), of: house.store.wearables[0].id, at: house.loop.wall))
      house.radio.secureFails = .keyMissing
      house.start()
      try await house.wait { house.hearth.bonds().first?.isLost == true }
      try await house.pass(.seconds(1500))
      #expect(twin.fetches("a").isEmpty && !twin.files.isEmpty)
      #expect(try house.hearth.wearable(named: "recorder-0").trouble?.reason == .keyMissing)
      #expect(try house.hearth.wearable(named: "recorder-0").state == .attention)
      #expect(house.radio.keys.count == 1, "with its key it can prove that it is the wearable")
      house.radio.secureFails = nil
      _ = try house.hearth.openEnrolment(for: nil)
      _ = try await house.hearth.accept("recorder-0", name: nil)
      #expect(house.radio.keys.isEmpty)
      // For ten minutes it counts as being enrolled, and pairing it has no effect; then it is served without.
      try await house.wait(.seconds(1500)) { twin.files.isEmpty }
      #expect(house.store.bonds.count == 1)
      twin.files = [.of(700, name: "b")]
      try house.killAndRestart()
      try await house.wait(.seconds(1500)) { twin.files.isEmpty }
    }
  }

  @Test("one that has a key which was said to be lost is served again without a person")
  func keyFound() throws {
    try inHouse(Self.driver(.welcome), files: { $0[0].files = [.of(500)] }) { house, twin in
      let address = house.radio.twins[0].address
      try await house.store.putBond(Bond(Self.keys(address), of: house.store.wearables[0].id, at: house.loop.wall))
      house.radio.secureFails = .keyMissing
      house.start()
      try await house.wait { house.hearth.bonds().first?.isLost == true }
      house.radio.secureFails = nil
      try await house.wait { twin.files.isEmpty }
      #expect(house.hearth.bonds().first?.isLost == false)
      #expect(try house.hearth.wearable(named: "recorder-0").trouble == nil)
    }
  }

  @Test("digits wait for a person for 30 s, and an answer goes to the radio once")
  func asks() throws {
    var driver = Self.driver(.welcome)
    driver.securesFirst = false
    driver.attention = .seconds(120)
    try inHouse(driver, prepare: { $0.pairing = .always }) { house, _ in
      house.start()
      try await house.wait { house.radio.onPairingRequest != nil }
      let request = PairingRequest(address: house.radio.twins[0].address, kind: .passkey)
      house.radio.onPairingRequest?(request)
      #expect(house.hearth.pairings().map(\.request) == [request])
      try house.hearth.answerPairing("recorder-0", .passkey(123_456))
      #expect(house.radio.answers == [.passkey(123_456)])
      #expect(throws: HearthError.self) { try house.hearth.answerPairing("recorder-0", .yes) }
      house.radio.onPairingRequest?(request)
      try await house.pass(.seconds(31))
      #expect(house.hearth.pairings().isEmpty)
      #expect(house.radio.answers == [.passkey(123_456), .no])
    }
  }
}
