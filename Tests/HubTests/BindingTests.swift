import Bluetooth
import EventLoop
import Health
import Reasons
import RingStore
import Testing
import Wearable

@testable import Hub

/// A band that keeps its link after a visit, or does not.
func bandDriver(_ band: RecorderBand, stays: Bool = true) -> RecorderDriver {
  var driver = RecorderDriver()
  driver.band = band
  driver.attention = stays ? .seconds(600) : nil
  return driver
}

@Suite("Wearables that belong to one host")
struct BindingTests {
  private let name = "recorder-0"

  @LoopActor private func done(_ house: LaneHouse, _ count: Int = 1) async throws {
    try await house.wait {
      try house.visits().count { $0.ended != nil && $0.laneOutcome == VisitOutcome.done.rawValue } >= count
    }
  }

  /// The lane is free, and no visit runs.
  @LoopActor private func rest(_ house: LaneHouse) async throws {
    try await house.wait { house.hearth.lane.holder == nil }
  }

  @Test("a band is bound at its first link and logged in to with every later one; its visit says how far the link is")
  func stages() throws {
    let band = RecorderBand()
    try inHouse(bandDriver(band, stays: false), files: { $0[0].files = [.of(20_000)] }) { house, _ in
      (band.authenticatingTakes, band.preparingTakes) = (.seconds(2), .seconds(2))
      house.start()
      var stages: [LinkStage] = []
      var looks = 0
      let token = house.hearth.subscribeChanges { looks += 1 }
      try await house.wait(.seconds(60)) {
        let running = try house.hearth.visits(1, of: name).first { $0.isRunning }
        if let stage = running?.connection, stages.last != stage { stages.append(stage) }
        return try house.visits().contains { $0.ended != nil }
      }
      house.hearth.unsubscribeChanges(token)
      #expect(stages == [.authenticating, .preparing, .connected] && looks > 3)
      #expect(band.log == [.bound])
      #expect(try house.hearth.visits(1, of: name)[0].connection == nil, "one that ended is at none of them")
      #expect(house.store.wearables[0].hubState[BoundHere.self] != nil)
      try await rest(house)
      try house.hearth.visitNow(name)
      try await done(house, 2)
      #expect(band.log == [.bound, .loggedIn])
      try house.killAndRestart()
      try house.hearth.visitNow(name)
      try await house.wait { band.log.count == 3 }
      #expect(band.log == [.bound, .loggedIn, .loggedIn])
    }
  }

  @Test("a wearable that serves any central does not state how far its link is")
  func unbound() throws {
    try inHouse(files: { $0[0].files = [.of(20_000)] }) { house, twin in
      var wasSeen = false
      twin.onFetch = {
        let visit = try? house.hearth.visits(1, of: self.name).first
        wasSeen = visit?.isRunning == true && visit?.connection == nil
      }
      house.start()
      try await done(house)
      #expect(wasSeen && house.store.wearables[0].hubState[BoundHere.self] == nil)
    }
  }

  @Test("a visit that lost its link says at which state it was: authenticating, preparing data or connected")
  func lost() throws {
    let band = RecorderBand()
    try inHouse(bandDriver(band, stays: false), files: { $0[0].files = [.of(20_000)] }) { house, twin in
      (band.authenticatingTakes, band.preparingTakes) = (.seconds(3), .seconds(3))
      house.start()
      @LoopActor func detail(cuttingAt stage: LinkStage) async throws -> String {
        try await house.wait {
          try house.hearth.visits(1, of: name).first { $0.isRunning }?.connection == stage
        }
        let memory = house.hearth.registry.all[0].visits
        let number = memory.running?.record.number
        twin.bearer?.cut(.linkLost)
        try await house.wait { memory.last?.number == number }
        return memory.last?.remark ?? ""
      }
      var details: [String] = []
      for stage in [LinkStage.authenticating, .preparing, .connected] {
        details.append(try await detail(cuttingAt: stage))
      }
      #expect(details[0].hasSuffix("(while authenticating)"), "\(details)")
      #expect(details[1].hasSuffix("(while preparing data)"), "\(details)")
      #expect(details[2].hasSuffix("(while connected)"), "\(details)")
    }
  }

  @Test("H2240 to H2244: a band that does not accept the hub says why, its next step is done, and it is bound")
  func refusals() throws {
    let ways: [(BindingRefusal, Reason)] = [
      (.otherHost, .boundElsewhere), (.notConfirmed, .bindingNotConfirmed), (.cancelled, .bindingNotConfirmed),
      (.batteryLow, .bindingBatteryLow), (.resetNeeded, .bindingNeedsReset), (.unexplained, .bindingRefused),
    ]
    for (why, code) in ways {
      let band = RecorderBand()
      try inHouse(bandDriver(band), files: { $0[0].files = [.of(500)] }) { house, twin in
        if why == .otherHost { band.owner = .other } else { band.refuses = why }
        house.start()
        try await house.wait(.seconds(60)) { try house.hearth.wearable(named: name).trouble?.reason == code }
        let shown = try house.hearth.wearable(named: name)
        #expect(shown.state == .attention && shown.lastVisit?.outcome == .needsAttention, "\(why)")
        #expect(shown.trouble?.detail.hasSuffix("(while authenticating)") == true, "\(why)")
        #expect(!twin.log.contains(.listed) && band.log.isEmpty && !twin.files.isEmpty)
        // Unbound in the other phone's list, confirmed, charged, reset; then its next visit, or one that is asked for.
        (band.owner, band.refuses) = (.nobody, nil)
        try house.hearth.visitNow(name)
        try await house.wait(.seconds(60)) { twin.files.isEmpty }
        #expect(band.log == [.bound])
        try await rest(house)
        #expect(try house.hearth.wearable(named: name).trouble == nil, "\(why)")
      }
    }
  }

  @Test("one that is being reset is busy, and no person is called for it")
  func resetting() throws {
    let band = RecorderBand()
    try inHouse(bandDriver(band)) { house, _ in
      band.refuses = .resetting
      house.start()
      try await house.wait { try house.visits().contains { $0.laneOutcome == VisitOutcome.busy.rawValue } }
      #expect(try house.hearth.wearable(named: name).trouble?.reason.needsPerson != true)
      band.refuses = nil
      try await done(house)
    }
  }

  // MARK: Forgetting

  @Test(
    "forgetting unbinds over the link that there is, before the record and the notes are gone",
    arguments: [true, false])
  func forgetLinked(isVisited: Bool) throws {
    let band = RecorderBand()
    try inHouse(bandDriver(band), files: { $0[0].files = isVisited ? [.of(200_000)] : [] }) { house, twin in
      house.start()
      if isVisited {
        try await house.wait { twin.payload > 10_000 }
      } else {
        try await done(house)
        try await rest(house)
        #expect(house.hearth.registry.all[0].link != nil)
      }
      var wasEnrolled = false
      band.onUnbind = { wasEnrolled = house.store.wearables.count == 1 }
      let connects = house.radio.connects
      #expect(try await house.hearth.forget(name) == nil)
      #expect(wasEnrolled && house.store.wearables.isEmpty && house.radio.connects == connects)
      try await house.pass(.seconds(300))
      #expect(band.log == [.bound, .unbound], "it is not bound anew")
      #expect(house.radio.bearers.allSatisfy { $0.isClosed })
    }
  }

  @Test("forgetting one without a link visits it for that, if it is there; it is unbound, and not bound again")
  func forgetPresent() throws {
    let band = RecorderBand()
    try inHouse(bandDriver(band, stays: false)) { house, _ in
      house.start()
      try await done(house)
      try await rest(house)
      #expect(house.hearth.registry.all[0].link == nil)
      let began = house.loop.now
      #expect(try await house.hearth.forget(name) == nil)
      #expect(house.store.wearables.isEmpty && house.loop.now - began < .seconds(10))
      try await house.pass(.seconds(300))
      #expect(band.log == [.bound, .loggedIn, .unbound])
    }
  }

  @Test("H2245: one that cannot be had is forgotten all the same, and that is said; also by a hub that was restarted")
  func forgetAbsent() throws {
    let band = RecorderBand()
    try inHouse(bandDriver(band, stays: false)) { house, _ in
      house.start()
      try await done(house)
      try await rest(house)
      try await house.stopAndRestart(isQuiet: true)
      let began = house.loop.now
      let warning = try await house.hearth.forget(name)
      #expect(warning?.reason == .bindingLeft && warning?.detail.contains("is not heard") == true, "\(warning as Any)")
      #expect(house.loop.now - began < .seconds(1) && house.store.wearables.isEmpty)
      let told = try house.store.recentEvents(100).filter { $0.reason == Reason.bindingLeft.rawValue }
      #expect(told.count == 1 && told[0].text == warning?.detail)
      #expect(band.owner == .hub)
    }
  }

  @Test("one that is there and cannot be linked is waited for a minute, no longer")
  func forgetUnreachable() throws {
    let band = RecorderBand()
    try inHouse(bandDriver(band, stays: false)) { house, _ in
      house.start()
      try await done(house)
      try await rest(house)
      house.radio.connectFails = .notHeard
      let began = house.loop.now
      #expect(try await house.hearth.forget(name)?.reason == .bindingLeft)
      #expect(house.loop.now - began <= .seconds(61) && house.store.wearables.isEmpty)
    }
  }

  @Test("a wearable that does not take the end of its binding is forgotten, and that is said")
  func unbindFails() throws {
    let band = RecorderBand()
    try inHouse(bandDriver(band)) { house, _ in
      house.start()
      try await done(house)
      try await rest(house)
      band.unbindFails = .refused(.unlikelyError, what: "the end of its binding")
      #expect(try await house.hearth.forget(name)?.reason == .bindingLeft)
      #expect(house.store.wearables.isEmpty)
    }
  }

  @Test("one that was never bound here, or has another owner by now, is forgotten without a word")
  func forgetUnbound() throws {
    let stranger = RecorderBand()
    try inHouse(bandDriver(stranger)) { house, _ in
      stranger.owner = .other
      house.start()
      try await house.wait(.seconds(60)) { try house.hearth.wearable(named: name).trouble?.reason == .boundElsewhere }
      try await rest(house)
      #expect(try await house.hearth.forget(name) == nil)
    }
    let taken = RecorderBand()
    try inHouse(bandDriver(taken, stays: false)) { house, _ in
      house.start()
      try await done(house)
      try await rest(house)
      taken.owner = .other
      #expect(try await house.hearth.forget(name) == nil)
      #expect(taken.log == [.bound] && house.store.wearables.isEmpty)
    }
  }
}
