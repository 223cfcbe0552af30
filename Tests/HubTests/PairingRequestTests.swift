import Bluetooth
import EventLoop
import Reasons
import Testing

@testable import Hub

@Suite("Pairing requests")
struct PairingRequestTests {
  private static var driver: RecorderDriver {
    var driver = RecorderDriver()
    driver.wants = .welcome
    return driver
  }

  @Test("digits wait for a person and the answer, which goes to the radio")
  func asks() throws {
    try withParts(Self.driver, { $0.pairing = .always }) { parts in
      let wearable = try await parts.enrol(1, "a")
      parts.pairing.admit(before: wearable.address)
      parts.radio.onPairingRequest?(PairingRequest(address: wearable.address, kind: .compare(1)))
      #expect(parts.pairing.isWaiting && parts.pairing.pairings().map(\.wearable) == ["a"])
      let pairing = parts.pairing
      #expect(await refusal { () throws(HearthError) in try pairing.answer("b", .yes) } == .pairingUnknown)
      try pairing.answer("a", .yes)
      #expect(parts.radio.answers == [.yes] && !pairing.isWaiting)
    }
  }

  @Test("an unanswered request is refused when the wearable waits no longer")
  func late() throws {
    try withParts(Self.driver, { $0.pairing = .always }) { parts in
      let wearable = try await parts.enrol(1, "a")
      parts.pairing.admit(before: wearable.address)
      parts.radio.onPairingRequest?(PairingRequest(address: wearable.address, kind: .passkey))
      try await parts.loop.sleep(for: Pairing.limit + .milliseconds(1))
      #expect(parts.radio.answers == [.no] && !parts.pairing.isWaiting)
    }
  }

  @Test("one that failed is tried again after 20 min, then after twice that each time, and after a day at last")
  func again() throws {
    try withParts(Self.driver, { $0.pairing = .always }) { parts in
      let wearable = try await parts.enrol(1, "a")
      for minutes in [20, 40, 80, 160, 320, 640, 1280, 1440, 1440] {
        parts.pairing.admit(before: wearable.address)
        #expect(parts.radio.onPairingRequest != nil)
        parts.pairing.failed(wearable.address, .authenticationFailed)
        try await parts.loop.sleep(for: .seconds(60 * minutes - 1))
        parts.pairing.admit(before: wearable.address)
        #expect(parts.radio.onPairingRequest == nil && parts.bonds.isUnpairable(wearable), "within \(minutes) min")
        try await parts.loop.sleep(for: .seconds(1))
      }
      parts.bonds.mayPairAgain(wearable.address)
      #expect(!parts.bonds.failedToPair(wearable))
    }
  }

  @Test("an enrolment that is under way is paired also while another wearable is linked")
  func twoAtOnce() throws {
    try withParts(Self.driver) { parts in
      let wearable = try await parts.enrol(1, "a")
      parts.hear(2)
      #expect(parts.pairing.beginEnrolment(of: Parts.address(2)))
      parts.pairing.admit(before: Parts.address(2))
      parts.pairing.admit(before: wearable.address)
      #expect(parts.radio.onPairingRequest != nil)
      parts.pairing.endEnrolment(of: Parts.address(2))
      parts.pairing.admit(before: wearable.address)
      #expect(parts.radio.onPairingRequest == nil)
    }
  }

  @Test("one that was paired and gave no key waits like one that refused, and says which it was")
  func withoutKey() throws {
    var driver = RecorderDriver()
    driver.wants = .whereRefused
    try withParts(driver, { $0.pairing = .always }) { parts in
      let wearable = try await parts.enrol(1, "a")
      parts.pairing.refusedUs(wearable)
      parts.pairing.failed(wearable.address, .keyNotGiven)
      #expect(parts.bonds.isUnpairable(wearable))
      #expect(parts.pairing.whereRefused(wearable) == .needs(.needsKeys(.keyNotGiven)))
    }
  }

  @Test("the radio pairs while a wearable that is about to be linked should be, and one that failed waits")
  func admitted() throws {
    try withParts(Self.driver) { parts in
      let wearable = try await parts.enrol(1, "a")
      parts.pairing.admit(before: wearable.address)
      #expect(parts.radio.onPairingRequest == nil, "it was enrolled before this hub began")
      parts.pairing.enrolled(wearable.address)
      parts.pairing.admit(before: wearable.address)
      #expect(parts.radio.onPairingRequest != nil)
      parts.pairing.failed(wearable.address, .authenticationFailed)
      parts.pairing.admit(before: wearable.address)
      #expect(parts.radio.onPairingRequest == nil && parts.bonds.isUnpairable(wearable))
    }
  }
}
