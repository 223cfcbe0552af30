// Cost to wearables of a radio that goes and comes back: zero.

import Bluetooth
import EventLoop
import Reasons
import Testing

@testable import Hub

@Suite("A radio that returns")
struct RadioReturnTests {
  /// What is promised after a plug.
  private static let bound: Duration = .seconds(15)

  private static var strap: RecorderDriver {
    var driver = RecorderDriver()
    (driver.keepsNothing, driver.beats) = (true, true)
    return driver
  }

  @Test(
    "straps of an adapter that is pulled out and plugged in again twenty times are linked again in seconds each time")
  func plugs() throws {
    try inHouse(Self.strap, recorders: 3) { house, _ in
      house.twins.forEach { $0.beats = .seconds(1) }
      house.start()
      try await house.wait(until: { Self.areLinked(house) })
      for _ in 0..<20 {
        // Sooner than any link is worth its try.
        try await house.pass(.seconds(2))
        Self.pullOut(house)
        try await house.pass(.milliseconds(500))
        Self.plugIn(house)
        try await house.wait(.seconds(5)) { Self.areLinked(house) }
      }
    }
  }

  @Test("a kernel that holds on to the links of before for ten seconds after a plug costs fifteen seconds at most")
  func busyKernel() throws {
    try inHouse(Self.strap, recorders: 2) { house, _ in
      house.twins.forEach { $0.beats = .seconds(1) }
      house.start()
      try await house.wait(until: { Self.areLinked(house) })
      for _ in 0..<3 {
        try await house.pass(.seconds(2))
        Self.pullOut(house)
        try await house.pass(.milliseconds(500))
        // For so long an attempt asks the kernel again by itself before it says so (`PatientAttempt`).
        (house.radio.connectFails, house.radio.connectTakes) = (.system(errno: 16), .seconds(4))
        Self.plugIn(house)
        let plugged = house.loop.now
        house.loop.schedule(after: .seconds(10)) {
          (house.radio.connectFails, house.radio.connectTakes) = (nil, .milliseconds(50))
        }
        try await house.wait(Self.bound) { house.loop.now - plugged >= .seconds(10) && Self.areLinked(house) }
      }
    }
  }

  @Test("a controller that hung while links were tried leaves no wait behind")
  func hang() throws {
    try inHouse(Self.strap) { house, _ in
      house.twins.forEach { $0.beats = .seconds(1) }
      house.start()
      try await house.wait(until: { Self.areLinked(house) })
      house.radio.connectFails = .linkLost
      house.radio.bearers.forEach { $0.cut(.linkLost) }
      // Six tries and no more.
      try await house.pass(.seconds(60))
      let tries = house.radio.connects
      try await house.pass(.seconds(60))
      #expect(house.radio.connects == tries)
      Self.pullOut(house)
      house.radio.connectFails = nil
      Self.plugIn(house)
      try await house.wait(.seconds(5)) { Self.areLinked(house) }
    }
  }

  @Test("why it is down stands once among what needs a person, with all that the radio says of it")
  func once() throws {
    try inHouse(Self.strap) { house, _ in
      house.start()
      let why = HearthError(.kernelWithoutBluetooth, "socket of AF_BLUETOOTH gave errno 97")
      house.radio.warnings = [why, HearthError(.busResetRefused, "no")]
      house.radio.state = .down(.kernelWithoutBluetooth)
      let told = house.hearth.snapshot().attention.filter { $0.wearable == nil }.map(\.trouble)
      #expect(told == [why, house.radio.warnings[1]])
      house.radio.warnings = []
      #expect(house.hearth.snapshot().attention.map(\.trouble.reason) == [.kernelWithoutBluetooth])
    }
  }

  @LoopActor
  private static func areLinked(_ house: LaneHouse) -> Bool {
    house.radio.bearers.count { !$0.isClosed } == house.twins.count
      && house.hearth.wearables().allSatisfy { $0.linkedSince != nil }
  }

  /// The links end first, and then the radio says why.
  @LoopActor
  private static func pullOut(_ house: LaneHouse) {
    for bearer in house.radio.bearers { bearer.cut(.adapterGone) }
    house.radio.state = .down(.adapterRemoved)
    house.radio.onStateChange?(house.radio.state)
  }

  @LoopActor
  private static func plugIn(_ house: LaneHouse) {
    house.radio.state = .ready
    house.radio.onStateChange?(.ready)
  }
}
