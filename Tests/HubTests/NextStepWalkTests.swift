import Bluetooth
import EventLoop
import Reasons
import RingStore
import Testing
import Wearable

@testable import Hub

/// Codes that are raised. Each test follows the next step of a code, and expects the code to disappear.
@Suite("Next steps that are walked")
struct NextStepWalkTests {
  private static func driver(_ need: PairingNeed) -> RecorderDriver {
    var driver = RecorderDriver()
    (driver.wants, driver.securesFirst) = (need, true)
    return driver
  }

  private static func keys(_ address: BluetoothAddress, _ fill: UInt8 = 7) -> BondKeys {
    var record = (0..<6).map { UInt8(truncatingIfNeeded: address.value >> (8 * UInt64($0))) } + [2, 2, 1, 16]
    record += [UInt8](repeating: fill, count: LongTermKey.size - record.count)
    return BondKeys(address: address, longTermKeys: LongTermKey(record).map { [$0] } ?? [], identityKey: nil)
  }

  @LoopActor private func code(_ house: LaneHouse) throws -> Reason? {
    try house.hearth.wearable(named: "recorder-0").trouble?.reason
  }

  /// hearth enroll open, then hearth enroll accept NAME.
  @LoopActor private func enrolAgain(_ house: LaneHouse) async throws {
    let before = house.store.wearables[0]
    #expect(
      await refusal { () throws(HearthError) in try await house.hearth.accept("recorder-0", name: nil) }
        == .enrolWindowClosed)
    _ = try house.hearth.openEnrolment(for: nil)
    let shown = try await house.hearth.accept("recorder-0", name: nil)
    #expect(shown.name == "recorder-0" && shown.trouble == nil)
    #expect(house.store.wearables.map(\.id) == [before.id] && house.store.wearables[0].enrolledAt == before.enrolledAt)
  }

  @Test("H2208: a wearable that wants to be paired is enrolled again, under its name, and the code is gone")
  func pairingRefused() throws {
    try inHouse(Self.driver(.required), files: { $0[0].files = [.of(500)] }) { house, twin in
      house.radio.pairsWith = Self.keys(house.radio.twins[0].address)
      house.start()
      try await house.wait(.seconds(60)) { try code(house) == .pairingRefused }
      #expect(try house.hearth.wearable(named: "recorder-0").state == .attention)
      #expect(house.radio.secured == 0 && !twin.files.isEmpty)
      try await house.pass(.seconds(30))
      try await enrolAgain(house)
      try await house.wait(.seconds(60)) { twin.files.isEmpty }
      #expect(try code(house) == nil)
      #expect(house.radio.answers == [.yes] && house.store.bonds.count == 1)
      // The wearable is already enrolled: enrolling it again has no effect.
      let hearth = house.hearth
      #expect(
        await refusal { () throws(HearthError) in try await hearth.accept("recorder-0", name: nil) } == .enrolNameTaken)
    }
  }

  @Test("H2206: one that refused, because it was bonded elsewhere, is enrolled again when it is free, and pairs")
  func authenticationFailed() throws {
    try inHouse(Self.driver(.required), files: { $0[0].files = [.of(500)] }) { house, twin in
      let address = house.radio.twins[0].address
      try await house.store.putBond(Bond(Self.keys(address, 3), of: house.store.wearables[0].id, at: house.loop.wall))
      house.radio.secureFails = .authenticationFailed
      house.start()
      try await house.wait(.seconds(60)) { try code(house) == .authenticationFailed }
      // The bond with the other one is ended.
      house.radio.secureFails = nil
      house.radio.pairsWith = Self.keys(address, 9)
      try await enrolAgain(house)
      try await house.wait(.seconds(120)) { twin.files.isEmpty }
      #expect(try code(house) == nil)
      #expect(house.radio.keys == [Self.keys(address, 9)] && house.store.bonds.count == 1)
    }
  }

  @Test("H2211: a pairing that gave no key is invalid; accepted again and bonding, it is served, also after a restart")
  func keyNotGiven() throws {
    try inHouse(Self.driver(.required), files: { $0[0].files = [.of(500)] }) { house, twin in
      house.radio.secureFails = .keyNotGiven
      house.start()
      try await house.wait(.seconds(60)) { try code(house) == .pairingRefused }
      try await house.pass(.seconds(30))
      try await enrolAgain(house)
      try await house.wait(.seconds(60)) { try code(house) == .keyNotGiven }
      #expect(try house.hearth.wearable(named: "recorder-0").state == .attention)
      #expect(!twin.files.isEmpty && house.store.bonds.isEmpty)
      house.radio.secureFails = nil
      house.radio.pairsWith = Self.keys(house.radio.twins[0].address)
      // The window is still open.
      _ = try await house.hearth.accept("recorder-0", name: nil)
      try await house.wait(.seconds(120)) { twin.files.isEmpty }
      #expect(try code(house) == nil && house.store.bonds.count == 1)
      twin.files = [.of(700, name: "b")]
      try house.killAndRestart()
      try await house.wait(.seconds(600)) { twin.files.isEmpty }
      #expect(try code(house) == nil)
    }
  }

  @Test("H2207: a wearable that lost the hub's key is enrolled again, gets another, and the code is gone")
  func keyMissing() throws {
    try inHouse(Self.driver(.required), files: { $0[0].files = [.of(500)] }) { house, twin in
      let address = house.radio.twins[0].address
      try await house.store.putBond(Bond(Self.keys(address, 3), of: house.store.wearables[0].id, at: house.loop.wall))
      house.radio.secureFails = .keyMissing
      house.start()
      try await house.wait(.seconds(60)) { house.hearth.bonds().first?.isLost == true }
      house.radio.secureFails = nil
      house.radio.pairsWith = Self.keys(address, 9)
      try await enrolAgain(house)
      try await house.wait(.seconds(120)) { twin.files.isEmpty }
      #expect(try code(house) == nil && house.hearth.bonds().first?.isLost == false)
      #expect(house.radio.keys == [Self.keys(address, 9)])
    }
  }

  @Test("a renewal that is refused by the wearable takes no key away; another name than it has is refused")
  func failedRenewal() throws {
    try inHouse(Self.driver(.required), files: { $0[0].files = [.of(500)] }) { house, _ in
      let address = house.radio.twins[0].address
      try await house.store.putBond(Bond(Self.keys(address, 3), of: house.store.wearables[0].id, at: house.loop.wall))
      house.radio.secureFails = .authenticationFailed
      house.start()
      try await house.wait(.seconds(60)) { try code(house) == .authenticationFailed }
      _ = try house.hearth.openEnrolment(for: nil)
      let hearth = house.hearth
      #expect(
        await refusal { () throws(HearthError) in try await hearth.accept("recorder-0", name: "other") }
          == .enrolNameTaken)
      _ = try await house.hearth.accept("recorder-0", name: "recorder-0")
      try await house.wait(.seconds(120)) { try code(house) != nil }
      #expect(
        house.store.bonds.map { $0.keys } == [
          Bond(Self.keys(address, 3), of: house.store.wearables[0].id, at: house.loop.wall).keys
        ])
    }
  }

  @Test("a visit that could not list says why, and not that the wearable is empty")
  func unread() throws {
    var driver = RecorderDriver()
    driver.unread = "its files: it refuses to report them"
    try inHouse(driver, files: { $0[0].files = [.of(500)] }) { house, _ in
      house.start()
      try await house.wait { try house.visits().first?.ended != nil }
      let remark = try house.hearth.visits(1, of: "recorder-0").first?.remark
      #expect(remark == "no item could be listed: its files: it refuses to report them")
    }
  }

  @Test("H2301, H2303, H2302 and H2304: open, wake it, hold it near, take another name, and it is enrolled")
  func joining() throws {
    try withParts { parts in
      let enrolment = parts.enrolment
      _ = try await parts.enrol(9, "taken")
      func refused(_ name: String?) async -> Reason? {
        await refusal { () throws(HearthError) in try await enrolment.accept("A", name: name) }
      }
      #expect(await refused(nil) == .enrolWindowClosed)
      _ = try enrolment.open(for: .seconds(600))
      #expect(await refused(nil) == .enrolNotHeard)
      parts.hear(1, rssi: -90)
      #expect(await refused(nil) == .enrolTooFar)
      for _ in 0..<60 {
        try await parts.loop.sleep(for: .milliseconds(500))
        parts.hear(1, rssi: -30)
      }
      #expect(await refused("taken") == .enrolNameTaken)
      #expect(await refused("two words") == .enrolNameInvalid)
      let wearable = try await enrolment.accept("A", name: "free")
      #expect(parts.registry.contains(wearable) && wearable.trouble == nil)
    }
  }

  @Test("a wearable of a missing driver says so by a code of its own, and can be forgotten")
  func driverMissing() throws {
    try withParts { parts in
      let address = Parts.address(5)
      let record = try await parts.store.enrol(
        name: "later", addressValue: address.value, addressKind: address.kind.rawValue, driver: "of-tomorrow",
        kind: "Watch")
      _ = parts.registry.admit(record)
      let lane = parts.lane
      #expect(await refusal { () throws(HearthError) in try lane.visitNow("later") } == .driverMissing)
      try await parts.enrolment.forget("later")
      #expect(parts.registry.all.isEmpty)
    }
  }

  @Test("a visit that ended well says why it fetched no item, or what it did, also after a restart")
  func remarks() throws {
    var driver = RecorderDriver()
    driver.attention = nil
    try inHouse(driver, files: { $0[0].files = [.of(500), .of(300, name: "b", mark: 2)] }) { house, twin in
      house.start()
      try await house.wait { twin.files.isEmpty }
      try await house.wait { try house.visits().first?.ended != nil }
      let first = try #require(house.hearth.visits(1, of: "recorder-0").first)
      #expect(first.outcome == .done && first.trouble == nil)
      #expect(first.remark == "2 items of 2 new; 2 items erased")
      _ = try house.hearth.visitNow("recorder-0")
      try await house.wait {
        try house.hearth.visits(1, of: "recorder-0").first.map { $0.number > first.number && !$0.isRunning } ?? false
      }
      #expect(try house.hearth.visits(1, of: "recorder-0").first?.remark == "no data is on it")
      _ = try await house.hearth.setErasing("recorder-0", .no)
      twin.files = [.of(700, name: "c", mark: 3)]
      for expected in [
        "1 item of 1 new; erasing is switched off", "no new items: its one item is held; erasing is switched off",
      ] {
        let before = try house.hearth.visits(1, of: "recorder-0").first?.number ?? 0
        _ = try house.hearth.visitNow("recorder-0")
        try await house.wait {
          try house.hearth.visits(1, of: "recorder-0").first.map { $0.number > before && !$0.isRunning } ?? false
        }
        #expect(try house.hearth.visits(1, of: "recorder-0").first?.remark == expected)
        #expect(try house.hearth.custody(of: "recorder-0", lastVisitOnly: true).visit?.remark == expected)
      }
      let last = try house.hearth.visits(1, of: "recorder-0").first
      try await house.stopAndRestart(isQuiet: true)
      #expect(try house.hearth.visits(1, of: "recorder-0").first?.remark == last?.remark)
    }
  }
}
