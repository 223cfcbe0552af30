import Bluetooth
import EventLoop
import Reasons
import RingStore
import Testing
import Wearable

@testable import Hub

/// Codes raised by data that come over a link: a wearable with faulty firmware raises each. After a restart, or with
/// other firmware, the hub connects or visits it by itself, and the code is gone.
@Suite("Next steps of the wire that are walked")
struct WireWalkTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let reason: Reason
    /// The wearable is listened to, and stores no data.
    var isLiveOnly = true
    let tampers: @Sendable ([UInt8]) -> [[UInt8]]?
    var testDescription: String { reason.code }
  }

  private static let (findServices, findCharacteristics, write): (UInt8, UInt8, UInt8) = (0x10, 0x08, 0x12)

  static let cases: [Case] = [
    // An answer of no whole entry.
    Case(reason: .attMalformed) { $0.first == findServices ? [[0x11, 0x06, 0x01]] : nil },
    // Silence, whatever is written.
    Case(reason: .attTimeout, isLiveOnly: false) { $0.first == write ? [] : nil },
    // Answers without a request, three times.
    Case(reason: .attProtocol) { $0.first == findServices ? [[0x0B, 1], [0x0B, 1], [0x0B, 1]] : nil },
    // Service after service, each of one handle.
    Case(reason: .gattDiscoveryBounded) {
      guard $0.first == findServices, $0.count == 7 else { return nil }
      return [[0x11, 0x06, $0[1], $0[2], $0[1], $0[2], 0xF0, 0xFF]]
    },
    // Services without characteristics.
    Case(reason: .gattMissing) { $0.first == findCharacteristics ? [[0x01, $0[0], $0[1], $0[2], 0x0A]] : nil },
    // Subscribing is refused.
    Case(reason: .attRefused) { $0.first == write ? [[0x01, $0[0], $0[1], $0[2], 0x03]] : nil },
    // Discovery gets no answer.
    Case(reason: .procedureTimeout) { $0.first == findServices ? [] : nil },
  ]

  @Test(
    "what its firmware sends is reported by its code; when that is mended, the hub's next try ends it", arguments: cases
  )
  func walked(_ test: Case) throws {
    var driver = RecorderDriver()
    driver.keepsNothing = test.isLiveOnly
    (driver.beats, driver.needsPulse) = (test.isLiveOnly, test.isLiveOnly)
    try inHouse(driver) { house, twin in
      twin.beats = .seconds(1)
      if !test.isLiveOnly { twin.files = [.of(500)] }
      twin.tampers = test.tampers
      house.start()
      @LoopActor func code() throws -> Reason? { try house.hearth.wearable(named: "recorder-0").trouble?.reason }
      try await house.wait(.seconds(120)) { try code() == test.reason }
      #expect(try await house.values().isEmpty)
      // The wearable was restarted, or has other firmware.
      twin.tampers = nil
      try await house.wait(.seconds(900)) { try code() == nil }
      try await house.wait(.seconds(120)) {
        try test.isLiveOnly ? house.hearth.wearable(named: "recorder-0").state == .live : twin.files.isEmpty
      }
    }
  }

  @Test("H2008: one that floods is hung up on; when it no longer does, its values come")
  func flood() throws {
    var driver = RecorderDriver()
    (driver.keepsNothing, driver.beats, driver.needsPulse) = (true, true, true)
    try inHouse(driver) { house, twin in
      // More than any wearable sends, from when it is subscribed to.
      twin.beats = .microseconds(100)
      house.start()
      @LoopActor func code() throws -> Reason? { try house.hearth.wearable(named: "recorder-0").trouble?.reason }
      try await house.wait(.seconds(120)) { try code() == .notificationFlood }
      twin.beats = .seconds(1)
      try await house.wait(.seconds(900)) { try house.hearth.wearable(named: "recorder-0").state == .live }
      #expect(try code() == nil)
    }
  }

  @Test("H2005: values that do not fit are counted, and the link goes on; with other firmware they end")
  func malformedValues() throws {
    var driver = RecorderDriver()
    (driver.keepsNothing, driver.beats) = (true, true)
    try inHouse(driver) { house, twin in
      twin.beats = .seconds(1)
      house.start()
      @LoopActor func malformed() -> UInt64 { house.hearth.registry.all[0].live.counters.malformed }
      try await house.pass(.seconds(10))
      #expect(malformed() == 0)
      twin.pulse = []
      try await house.wait(.seconds(60)) { malformed() > 3 }
      twin.pulse = [72]
      try await house.pass(.seconds(1))
      let before = malformed()
      try await house.pass(.seconds(60))
      #expect(malformed() == before && house.radio.bearers.count { !$0.isClosed } == 1)
    }
  }
}
