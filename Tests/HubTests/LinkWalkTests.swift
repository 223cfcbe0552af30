import Bluetooth
import EventLoop
import Foundation
import Reasons
import RingStore
import Testing
import Wearable

@testable import Hub

/// Codes of links and visits: raised, their next step done as it says, and gone then.
@Suite("Next steps of links and visits that are walked")
struct LinkWalkTests {
  @LoopActor private func code(_ house: LaneHouse) throws -> Reason? {
    try house.hearth.wearable(named: "recorder-0").trouble?.reason
  }

  @LoopActor private func events(_ house: LaneHouse) throws -> [Reason] {
    try house.store.recentEvents(100).reversed().compactMap { Reason(rawValue: $0.reason) }
  }

  /// A wearable with a link that stays.
  private static var kept: RecorderDriver {
    var driver = RecorderDriver()
    driver.attention = .seconds(60)
    return driver
  }

  // MARK: Links

  @Test("H2102 and H2106: one that cannot be linked is brought near, and is visited", arguments: [true, false])
  func unreachable(isHeard: Bool) throws {
    try inHouse(files: { $0[0].files = [.of(500)] }) { house, twin in
      let error: LinkError = isHeard ? .failedToEstablish : .notHeard
      house.radio.connectFails = error
      house.start()
      try await house.wait(.seconds(60)) { try code(house) == error.reason }
      #expect(error.reason == (isHeard ? .failedToEstablish : .notHeard) && twin.files.count == 1)
      // The wearable is worn, and near.
      house.radio.connectFails = nil
      try await house.wait(.seconds(700)) { twin.files.isEmpty }
      #expect(try code(house) == nil)
    }
  }

  @Test(
    "H2163 and H3122: a link that the radio could not begin is made by the hub's next try",
    arguments: [LinkError.taken, .attemptsFull])
  func notBegun(error: LinkError) throws {
    try inHouse(files: { $0[0].files = [.of(500)] }) { house, twin in
      house.radio.connectFails = error
      house.start()
      try await house.wait(.seconds(60)) { try code(house) == error.reason }
      #expect(error.reason == (error == .taken ? .linkTaken : .attemptsFull) && twin.files.count == 1)
      house.radio.connectFails = nil
      try await house.wait(.seconds(700)) { twin.files.isEmpty }
      #expect(try code(house) == nil)
    }
  }

  @Test(
    "H2104, H2105 and H2108: a link that ended is made again by the hub, and the code is gone with that",
    arguments: [LinkError.linkLost, .peerClosed, .aborted])
  func ended(error: LinkError) throws {
    try inHouse(Self.kept, files: { $0[0].files = [.of(500)] }) { house, twin in
      house.start()
      try await house.wait { try house.visits().first?.ended != nil }
      try await house.pass(.seconds(90))
      #expect(try code(house) == nil && house.hearth.wearable(named: "recorder-0").state == .linked)
      twin.files = [.of(700, name: "b", mark: 2)]
      house.radio.bearers.last?.cut(error)
      // An action of the hub itself is not a trouble; the events have it all the same.
      #expect(try code(house) == (error == .aborted ? nil : error.reason))
      try await house.wait(.seconds(120)) { house.radio.bearers.contains { !$0.isClosed } }
      try await house.wait(.seconds(120)) { try code(house) == nil && events(house).contains(.linkFound) }
      #expect(try events(house).filter { [error.reason, .linkFound].contains($0) } == [error.reason, .linkFound])
      _ = try house.hearth.visitNow("recorder-0")
      try await house.wait(.seconds(120)) { twin.files.isEmpty }
    }
  }

  @Test("H2101: a wearable that waits for a slot that others hold has it when one of those is forgotten")
  func slotsFull() throws {
    var driver = Self.kept
    driver.needsLink = true
    try inHouse(driver, recorders: 3) { house, _ in
      house.radio.slots = 2
      house.start()
      try await house.pass(.seconds(3700))
      #expect(try events(house).contains(.slotsFull))
      try await house.hearth.forget("recorder-2")
      try await house.pass(.seconds(120))
      let told = try events(house).count { $0 == .slotsFull }
      try await house.pass(.seconds(7200))
      // What was counted before may still be told once for each.
      #expect(try events(house).count { $0 == .slotsFull } <= told + 2)
      #expect(house.hearth.registry.all.allSatisfy { $0.link != nil })
    }
  }

  // MARK: Visits

  @Test("H2120: one that is busy is left alone and come back to, and its visit is done then")
  func busy() throws {
    try inHouse(files: { $0[0].files = [.of(500)] }) { house, twin in
      twin.isBusy = true
      house.start()
      try await house.wait { try house.visits().first?.outcome == Reason.visitBusy.rawValue }
      let told = try #require(house.hearth.visits(1, of: "recorder-0").first?.trouble)
      #expect(told.reason == .visitBusy && told.detail.contains("writing its memory"))
      twin.isBusy = false
      try await house.wait(.seconds(120)) { twin.files.isEmpty }
      try await house.wait { try house.visits().first?.outcome == 0 }
    }
  }

  @Test("H2121: what was refused is reported by its visit; when it agrees, the next one fetches it")
  func refused() throws {
    try inHouse(files: { $0[0].files = [.of(500)] }) { house, twin in
      twin.refusesList = true
      house.start()
      try await house.wait(.seconds(60)) { try code(house) == .visitRefused }
      #expect(try house.hearth.visits(1, of: "recorder-0").first?.trouble?.detail.contains("listing") == true)
      #expect(twin.files.count == 1, "what it recorded is still on it")
      // Other firmware, or its owner's settings.
      twin.refusesList = false
      try await house.wait(.seconds(700)) { twin.files.isEmpty }
      #expect(try code(house) == nil)
    }
  }

  @Test("H2122 and H2123: nonsense and silence end the link; the next visit goes on from there, and all is well")
  func brokenAndSilent() throws {
    try inHouse(files: { $0[0].files = [.of(5000)] }) { house, twin in
      twin.breaksFraming = true
      house.start()
      try await house.wait(.seconds(60)) { try code(house) == .visitBroken }
      twin.fallsSilentAfter = 2000
      try await house.wait(.seconds(120)) { try code(house) == .visitSilent }
      #expect(twin.files.count == 1)
      try await house.wait(.seconds(120)) { twin.files.isEmpty }
      #expect(try code(house) == nil)
      #expect(twin.fetches("a").count == 2 && twin.fetches("a")[1] > 0, "where it stopped")
    }
  }

  @Test("H2125: what is not removed is in the store; the hub tries again the day after, and the code is gone")
  func eraseIneffective() throws {
    try inHouse(files: { $0[0].files = [.of(500)] }) { house, twin in
      twin.removesNothing = true
      house.start()
      try await house.wait(.seconds(60)) { try code(house) == .eraseIneffective }
      #expect(try house.custody().first?.durableAt != nil && twin.files.count == 1)
      // The wearable was restarted, or whatever kept it from removing is over.
      twin.removesNothing = false
      try await house.pass(.seconds(3600))
      #expect(try code(house) == .eraseIneffective, "not before the day is over")
      try await house.pass(.seconds(86_400 + 1800))
      #expect(try twin.files.isEmpty && code(house) == nil)
    }
  }

  @Test("H2126: custody says what this version does not know; a newer version of Hearth fetches it")
  func unsupported() throws {
    var driver = RecorderDriver()
    driver.hasBadDomain = true
    try inHouse(driver, files: { $0[0].files = [.of(500)] }) { house, twin in
      house.start()
      try await house.wait(.seconds(60)) { try code(house) == .visitUnsupported }
      let custody = try house.hearth.custody(of: "recorder-0", lastVisitOnly: true)
      #expect(custody.visit?.trouble?.detail.contains("a version of tomorrow") == true)
      house.driver.hasBadDomain = false
      try await house.stopAndRestart()
      twin.files = [.of(700, name: "b", mark: 2)]
      try await house.wait { twin.files.isEmpty }
      #expect(try code(house) == nil)
      #expect(try house.hearth.custody(of: "recorder-0", lastVisitOnly: true).visit?.trouble == nil)
    }
  }

  @Test("H4102: a full ring leaves data on the wearable until its quota is raised")
  func storeRefusing() throws {
    try inHouse(refuses: true, files: { $0[0].files = [.of(500)] }) { house, twin in
      house.start()
      try await house.wait(.seconds(60)) { try code(house) == .storeRefusing }
      #expect(twin.files.count == 1 && twin.fetches("a").isEmpty)
      // The quota is raised in the configuration, and hearthd started again.
      try await house.stopAndRestart()
      try await house.wait { twin.files.isEmpty }
      #expect(try code(house) == nil)
    }
  }

  // MARK: Enrolment and pairing

  @Test("H2308: an unknown wearable is not accepted; the list shows which are known, and that one joins")
  func notRecognised() throws {
    try withParts { parts in
      let enrolment = parts.enrolment
      _ = try enrolment.open(for: .seconds(600))
      parts.hear(3, data: [3, 3, 0x0F, 0x18])
      let address = "\(Parts.address(3))"
      #expect(
        await refusal { () throws(HearthError) in try await enrolment.accept(address, name: nil) }
          == .enrolNotRecognised)
      parts.hear(4)
      let listed = enrolment.snapshot().candidates
      #expect(listed.map(\.address) == [Parts.address(4)])
      let letter = try #require(listed.first?.letter)
      _ = try await enrolment.accept(letter, name: nil)
      #expect(parts.registry.all.map(\.address) == [Parts.address(4)])
    }
  }

  @Test("H2209: no request waits, and the list says so; when one does, it is listed and answered")
  func pairingUnknown() throws {
    var driver = RecorderDriver()
    driver.wants = .welcome
    try withParts(driver, { $0.pairing = .always }) { parts in
      let wearable = try await parts.enrol(1, "a")
      let pairing = parts.pairing
      #expect(await refusal { () throws(HearthError) in try pairing.answer("a", .yes) } == .pairingUnknown)
      #expect(pairing.pairings().isEmpty)
      pairing.admit(before: wearable.address)
      parts.radio.onPairingRequest?(PairingRequest(address: wearable.address, kind: .compare(1)))
      #expect(pairing.pairings().map(\.wearable) == ["a"])
      try pairing.answer("a", .yes)
      #expect(parts.radio.answers == [.yes])
    }
  }
}
