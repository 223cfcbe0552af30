import Bluetooth
import EventLoop
import Health
import Reasons
import RingStore
import Testing
import Wearable

@testable import Hub

@Suite("Whether what answers is the wearable")
struct IdentityTests {
  private struct Showing: Sendable {
    var name: String? = "Recorder 07"
    var serial: String?
    var model: String? = "R1"
    var firmware: String? = "1.0"
    var shift = 0
  }

  @LoopActor private func become(_ twin: RecorderTwin, _ it: Showing) {
    twin.become(name: it.name, serial: it.serial, model: it.model, firmware: it.firmware, shift: it.shift)
  }

  /// A wearable that was visited once as `before`, appears as `after`, and holds a file.
  private func meet(
    _ before: Showing, _ after: Showing, _ body: @escaping @LoopActor (LaneHouse, RecorderTwin) async throws -> Void
  ) throws {
    var driver = RecorderDriver()
    driver.beats = true
    try inHouse(driver, prepare: { $0.visitBound = .seconds(60) }) { house, twin in
      become(twin, before)
      twin.beats = .seconds(1)
      house.start()
      try await house.wait { try house.visits().contains { $0.ended != nil } }
      try await house.pass(.seconds(5))
      become(twin, after)
      twin.files = [.of(500)]
      house.radio.bearers.last?.cut(.linkLost)
      try await house.store.flush()
      try await body(house, twin)
    }
  }

  @LoopActor private func trouble(_ house: LaneHouse) throws -> HearthError? {
    try house.hearth.wearable(named: "recorder-0").trouble
  }

  private static let others: [(before: Showing, after: Showing, what: String)] = [
    (Showing(serial: "A1"), Showing(serial: "B2"), "serial number"),
    (Showing(serial: "A1"), Showing(serial: nil), "serial number"),
    (Showing(), Showing(name: "Recorder 08"), "name"),
    (Showing(), Showing(model: "R2", firmware: "1.1", shift: 1), "model"),
    (Showing(), Showing(shift: 1), "database"),
    (Showing(serial: "A1"), Showing(serial: "A1", shift: 1), "database"),
  ]

  @Test("no value is stored of one that differs, and the code says in what", arguments: others.indices)
  func differs(_ index: Int) throws {
    let (before, after, what) = Self.others[index]
    try meet(before, after) { house, twin in
      let stored = try await house.values().count
      try await house.wait(.seconds(400)) { try trouble(house)?.reason == .impostorSuspected }
      try await house.pass(.seconds(900))
      let text = try #require(try trouble(house)?.detail)
      #expect(text.contains("another \(what)"), "\(text)")
      #expect(try house.hearth.wearable(named: "recorder-0").state == .attention)
      try await house.store.flush()
      #expect(try await house.values().count == stored && twin.fetches("a").isEmpty)
      #expect(try house.store.recentEvents(100).contains { $0.reason == Reason.impostorSuspected.rawValue })
      // The true one is back.
      become(twin, before)
      try await house.wait(.seconds(400)) { twin.files.isEmpty }
      #expect(try trouble(house) == nil)
    }
  }

  @Test("the true one is served within seconds of its return, though another answered in its stead before")
  func returns() throws {
    let (before, after, _) = Self.others[0]
    try meet(before, after) { house, twin in
      try await house.wait(.seconds(60)) { try trouble(house)?.reason == .impostorSuspected }
      try await house.pass(.seconds(10))
      become(twin, before)
      let began = house.loop.now
      try await house.wait(.seconds(60)) { twin.files.isEmpty }
      #expect(house.loop.now - began < .seconds(5), "\(house.loop.now - began)")
    }
  }

  private static let same: [(before: Showing, after: Showing)] = [
    (Showing(), Showing()), (Showing(serial: "A1"), Showing(serial: "A1")),
    (Showing(serial: "A1"), Showing(name: "mine", serial: "A1")),
    (Showing(serial: "A1"), Showing(serial: "A1", firmware: "1.1", shift: 2)),
    (Showing(), Showing(firmware: "1.1", shift: 1)),
    (Showing(name: nil, model: nil, firmware: nil), Showing(name: nil, model: nil, firmware: nil)),
  ]

  @Test(
    "one that is the same, got another firmware, or another name with its number, is served", arguments: same.indices)
  func isSame(_ index: Int) throws {
    let (before, after) = Self.same[index]
    try meet(before, after) { house, twin in
      try await house.wait(.seconds(400)) { twin.files.isEmpty }
      #expect(try trouble(house) == nil)
      #expect(try !house.store.recentEvents(100).contains { $0.reason == Reason.impostorSuspected.rawValue })
    }
  }

  @Test("what was known outlives the hub")
  func restart() throws {
    try meet(Showing(serial: "A1"), Showing(serial: "B2")) { house, twin in
      try house.killAndRestart()
      try await house.wait(.seconds(400)) { try trouble(house)?.reason == .impostorSuspected }
      #expect(twin.fetches("a").isEmpty)
    }
  }

  @Test("H2250: one that was replaced is accepted again by a person, under its name, and the code is gone")
  func acceptedAnew() throws {
    try meet(Showing(serial: "A1"), Showing(serial: "B2")) { house, twin in
      try await house.wait(.seconds(400)) { try trouble(house)?.reason == .impostorSuspected }
      _ = try house.hearth.openEnrolment(for: nil)
      let shown = try await house.hearth.accept("recorder-0", name: nil)
      #expect(shown.name == "recorder-0" && shown.trouble == nil)
      try await house.wait(.seconds(60)) { twin.files.isEmpty }
      #expect(try trouble(house) == nil && house.store.wearables.count == 1)
      #expect(house.hearth.registry.all[0].identity?.serialNumber == "B2")
    }
  }

  @Test("a difference is reported for whatever differs, from fresh seeds, and never for the same")
  func rules() {
    var random = SystemRandomNumberGenerator()
    func word() -> String? { Bool.random(using: &random) ? nil : "\(UInt8.random(in: 0..<2, using: &random))" }
    for _ in 0..<10_000 {
      var shown = ShownIdentity(database: UInt64.random(in: 0..<2, using: &random))
      (shown.serialNumber, shown.wasAskedForSerialNumber) = (word(), true)
      (shown.manufacturer, shown.model, shown.firmware, shown.deviceName) = (word(), word(), word(), word())
      let known = KnownIdentity().learning(shown)
      #expect(shown.difference(from: known) == nil)
      var other = shown
      other.serialNumber = "other"
      #expect((other.difference(from: known) == .serialNumber) == (known.serialNumber != nil))
      other = shown
      other.database ^= 1
      #expect(other.difference(from: known) == .database)
      if shown.firmware != nil {
        other.firmware = "other"
        #expect(other.difference(from: known) == nil)
      }
    }
  }
}
