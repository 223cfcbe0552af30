import Bluetooth
import EventLoop
import Health
import HubModel
import Reasons
import Testing
import Wearable

@testable import Hub

@Suite("What is current, and what is live")
struct LivenessTests {
  private static let start = Instant(nanoseconds: 1_000_000_000)

  @Test(
    """
    a value is current for five seconds, or three of its periods; one that was late does not make the next one \
    current for longer
    """
  )
  func current() {
    func at(_ seconds: Double) -> Instant { Self.start + .milliseconds(Int64(seconds * 1000)) }
    var pulse = LatestValue(70, at: at(0))
    #expect(pulse.isCurrent(at(5)) && !pulse.isCurrent(at(5.001)))
    for second in [1.0, 2, 3, 12] { pulse.came(71, at: at(second)) }
    #expect(pulse.isCurrent(at(17)) && !pulse.isCurrent(at(17.001)), "a hole of nine seconds is no period")
    // Two of one notification.
    pulse.came(72, at: at(12))
    #expect(pulse.value == 72 && !pulse.isCurrent(at(17.001)))
    var slow = LatestValue(70, at: at(0))
    for second in [5.0, 10, 15] { slow.came(71, at: at(second)) }
    #expect(slow.isCurrent(at(30)) && !slow.isCurrent(at(30.001)))
    for second in [200.0, 400, 600] { slow.came(71, at: at(second)) }
    #expect(slow.isCurrent(at(630)) && !slow.isCurrent(at(630.001)), "nobody would say now of ten minutes ago")
  }

  private static func beating(_ adjust: (inout RecorderDriver) -> Void = { _ in }) -> RecorderDriver {
    var driver = RecorderDriver()
    driver.beats = true
    adjust(&driver)
    return driver
  }

  @LoopActor private static func shown(_ house: LaneHouse) throws -> WearableSnapshot {
    try house.hearth.wearable(named: "recorder-0")
  }

  @Test(
    """
    a link that falls silent shows no pulse after five seconds and is not live after thirty, on the lights neither, \
    and is again with the next value
    """
  )
  func falls() throws {
    try inHouse(Self.beating(), files: { $0[0].beats = .seconds(1) }) { house, twin in
      house.start()
      try await house.wait { try Self.shown(house).heartRate != nil }
      try await house.pass(.seconds(60))
      #expect(
        try Self.shown(house).state == .live && Self.shown(house).heartRate?.bpm == 72
          && house.hearth.status.lightState().links == 1)
      twin.isMute = true
      try await house.pass(.milliseconds(4500))
      #expect(try Self.shown(house).heartRate != nil)
      try await house.pass(.milliseconds(1600))
      #expect(try Self.shown(house).heartRate == nil && Self.shown(house).state == .live)
      try await house.pass(.seconds(25))
      let silent = try Self.shown(house)
      #expect(silent.state.rawValue == "linked" && silent.heartRate == nil && silent.linkedSince != nil)
      #expect(house.hearth.snapshot().live == 0 && house.hearth.status.lightState().links == 0)
      // The time when it was heard last is reported.
      #expect(silent.lastSeen.map { house.loop.wall - $0 > .seconds(29) } == true)
      twin.isMute = false
      try await house.pass(.seconds(2))
      #expect(
        try Self.shown(house).state == .live && Self.shown(house).heartRate?.bpm == 72
          && house.hearth.status.lightState().links == 1)
    }
  }

  @Test("a wearable that says something only when it is asked to is linked, and not live")
  func onDemand() throws {
    try inHouse(Self.beating { $0.attention = .seconds(120) }) { house, _ in
      house.start()
      try await house.pass(.seconds(100))
      #expect(try Self.shown(house).state.rawValue == "linked" && house.radio.facts.links == 1)
    }
  }

  @Test("if the check fails for want of a bond, open values come all the same, over a link that is not left fast")
  func open() throws {
    try inHouse(Self.beating { ($0.wants, $0.securesFirst) = (.required, true) }, files: { $0[0].beats = .seconds(1) })
    { house, twin in
      house.start()
      try await house.wait(.seconds(60)) { try Self.shown(house).trouble?.reason == .pairingRefused }
      try await house.pass(.seconds(20))
      let shown = try Self.shown(house)
      #expect(shown.state == .attention && shown.heartRate?.bpm == 72 && shown.trouble?.reason == .pairingRefused)
      let effective = try #require(house.radio.effective[house.radio.twins[0].address])
      #expect(
        effective.interval >= LinkProfile.background.parameters.minimumInterval,
        "left at \(effective.interval) x 1.25 ms")
      #expect(twin.log.count { $0 == .linked } == 1)
      #expect(try await house.values(.heartRate).isEmpty == false)
    }
  }

  @Test("if the check fails and every value needs a bond, the link is closed")
  func closed() throws {
    var driver = RecorderDriver()
    (driver.wants, driver.securesFirst) = (.required, true)
    try inHouse(driver) { house, _ in
      house.start()
      try await house.wait(.seconds(60)) { try Self.shown(house).trouble?.reason == .pairingRefused }
      try await house.pass(.seconds(5))
      #expect(house.radio.facts.links == 0)
      #expect(try Self.shown(house).state == .attention)
    }
  }

  @Test("a link that the controller would not slow down is asked for again a minute later")
  func slowsDown() throws {
    try inHouse(Self.beating(), files: { $0[0].beats = .seconds(1) }) { house, _ in
      house.radio.updateFails = .timedOut
      house.start()
      try await house.pass(.seconds(30))
      let address = house.radio.twins[0].address
      #expect(
        house.radio.effective[address].map { $0.interval < LinkProfile.background.parameters.minimumInterval } == true)
      house.radio.updateFails = nil
      try await house.pass(.seconds(60))
      #expect(
        house.radio.effective[address].map { $0.interval >= LinkProfile.background.parameters.minimumInterval } == true)
    }
  }
}

@Suite("A client waits for a wearable")
struct AwaitedTests {
  private static func beating() -> RecorderDriver {
    var driver = RecorderDriver()
    driver.beats = true
    return driver
  }

  @Test(
    "while a client watches, a lost link is tried at once, and never rests for five minutes", arguments: [true, false])
  func watched(isWatched: Bool) throws {
    try inHouse(Self.beating(), files: { $0[0].beats = .seconds(1) }) { house, twin in
      house.start()
      try await house.pass(.seconds(60))
      let wearable = house.hearth.registry.all[0]
      let token = isWatched ? try house.hearth.subscribeLive("recorder-0") { _ in } : nil
      // The wearable advertises, and does not answer.
      house.radio.connectFails = .notHeard
      house.radio.bearers.last?.cut(.linkLost)
      let before = house.radio.connects
      try await house.pass(.seconds(240))
      let tries = house.radio.connects - before
      #expect(isWatched ? (12...15).contains(tries) : tries <= 7, "\(tries)")
      #expect(wearable.lane.retry.isCooling == !isWatched)
      house.radio.connectFails = nil
      if isWatched {
        try await house.wait(.seconds(35)) { wearable.link != nil }
      } else {
        // A new watcher ends the rest.
        try await house.pass(.seconds(20))
        #expect(wearable.link == nil)
        house.hearth.watch("recorder-0", for: .seconds(30))
        try await house.wait(.seconds(35)) { wearable.link != nil }
      }
      if let token { house.hearth.unsubscribeLive(token) }
    }
  }

  @Test("a live link that is lost while a client watches is there again within a second")
  func atOnce() throws {
    try inHouse(Self.beating(), files: { $0[0].beats = .seconds(1) }) { house, _ in
      house.start()
      try await house.pass(.seconds(60))
      let wearable = house.hearth.registry.all[0]
      for _ in 0..<3 {
        house.hearth.watch("recorder-0", for: .seconds(30))
        house.radio.bearers.last?.cut(.peerClosed)
        let lost = house.loop.now
        try await house.wait(.seconds(10)) { wearable.link != nil }
        #expect((house.loop.now - lost).inSeconds < 2, "\((house.loop.now - lost).inSeconds)")
        try await house.pass(.seconds(5))
      }
    }
  }
}

@Suite("Live links across a restart")
struct RestartTests {
  @Test(
    """
    what had a live link when the hub was stopped or killed is linked again within seconds, however fresh its last \
    visit is
    """,
    arguments: [true, false])
  func comesBack(isKilled: Bool) throws {
    var driver = RecorderDriver()
    driver.beats = true
    try inHouse(driver, files: { $0[0].beats = .seconds(1) }) { house, _ in
      house.start()
      try await house.pass(.seconds(30))
      #expect(house.hearth.snapshot().live == 1)
      if isKilled { try house.killAndRestart() } else { try await house.stopAndRestart() }
      try await house.pass(.seconds(5))
      #expect(try house.hearth.wearable(named: "recorder-0").heartRate?.bpm == 72, "not live after 5 s")
    }
  }

  @Test("one that had no link waits for its turn after a restart, as ever")
  func others() throws {
    try inHouse(files: { $0[0].files = [.of(500)] }) { house, _ in
      house.start()
      try await house.wait {
        try house.visits().contains { $0.laneOutcome == VisitOutcome.done.rawValue && $0.ended != nil }
      }
      try await house.stopAndRestart()
      try await house.pass(.seconds(60))
      #expect(house.radio.connects == 0)
    }
  }
}
