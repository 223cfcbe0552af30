import EventLoop
import Health
import Lights
import Reasons
import RingStore
import Testing

@testable import Hub

/// Live values beyond a limit, and what every surface says of it.
@Suite("Alerts of the hub's watch")
struct AlertTests {
  private static func beating(_ adjust: (inout RecorderDriver) -> Void = { _ in }) -> RecorderDriver {
    var driver = RecorderDriver()
    (driver.beats, driver.live) = (true, [.heartRate])
    adjust(&driver)
    return driver
  }

  /// A hub with one recorder that tells 72 bpm once a second; `rest-above 120` is set.
  private func watched(
    _ driver: RecorderDriver = AlertTests.beating(),
    _ body: @escaping @LoopActor (LaneHouse, RecorderTwin) async throws -> Void
  ) throws {
    try inHouse(driver, files: { $0[0].beats = .seconds(1) }) { house, twin in
      house.start()
      try await house.wait { try house.hearth.wearable(named: "recorder-0").state == .live }
      _ = try await house.hearth.orderAlerts("recorder-0") { $0.limits[.restAbove] = 120 }
      try await body(house, twin)
    }
  }

  /// What document, list, lamp and events say.
  private struct Shown: Equatable {
    var alerts: [String]
    var attention: [String]
    var lamp: String
    var row: Int
    var events: Int
  }

  @LoopActor private func shown(_ house: LaneHouse) throws -> Shown {
    let hearth = house.hearth
    let wearable = try hearth.wearable(named: "recorder-0")
    let asked = try hearth.alerts(of: "recorder-0").alerts
    #expect(wearable.alerts == asked)
    #expect(!wearable.state.needsPerson, "nobody has to act at the wearable")
    let link = arbitrate(hearth.status.lightState(), .ward)[Lamp.link.rawValue]
    #expect(link.reason?.code == asked.first?.trouble.reason.code)
    let events = try house.store.recentEvents(1000).count { $0.reason == Reason.restRateBeyond.rawValue }
    return Shown(
      alerts: asked.map { "\($0.trouble)" }, attention: hearth.snapshot().attention.map { "\($0.trouble)" },
      lamp: link.pattern.name, row: link.precedence, events: events)
  }

  private static let quiet = Shown(alerts: [], attention: [], lamp: "steady", row: 8, events: 0)
  private static let said = "H2401 alert: recorder-0: heart rate above 120 bpm for 15 min outside exercise"

  @Test("a muted alert is apart on every surface, with the end of its mute, and is reported again then")
  func muted() throws {
    try watched { house, twin in
      twin.pulse = [140]
      try await house.pass(.seconds(910))
      let end = house.loop.wall + .seconds(600)
      _ = try await house.hearth.mute(.restRateBeyond, of: "recorder-0", until: end)
      #expect(try shown(house) == Shown(alerts: [], attention: [], lamp: "steady", row: 8, events: 1))
      let muted = try house.hearth.alerts(of: "recorder-0").muted
      #expect(muted.map { "\($0.trouble)" } == [Self.said] && muted[0].mutedUntil == end)
      #expect(try house.hearth.wearable(named: "recorder-0").muted == muted.map(\.attention))
      #expect(house.hearth.snapshot().muted == muted.map(\.attention))
      try await house.pass(.seconds(660))
      #expect(try shown(house) == Shown(alerts: [Self.said], attention: [Self.said], lamp: "calm", row: 4, events: 1))
      #expect(try house.hearth.alerts(of: "recorder-0").muted.isEmpty)
    }
  }

  @Test("state, list, LED, event and document say the same of an alert until it is acknowledged")
  func surfaces() throws {
    try watched { house, twin in
      #expect(try shown(house) == Self.quiet)
      twin.pulse = [140]
      try await house.pass(.seconds(890))
      #expect(try shown(house) == Self.quiet)
      try await house.pass(.seconds(20))
      let raised = Shown(alerts: [Self.said], attention: [Self.said], lamp: "calm", row: 4, events: 1)
      #expect(try shown(house) == raised)
      let alert = try #require(try house.hearth.alerts(of: "recorder-0").alerts.first?.alert)
      #expect(alert.source == .hub && alert.value == 140 && alert.limit == 120 && alert.count == 1)
      // The alert stays after its end: it has not been acknowledged.
      twin.pulse = [72]
      try await house.pass(.seconds(70))
      #expect(try shown(house) == raised)
      #expect(try house.hearth.alerts(of: "recorder-0").alerts.first?.alert.ended != nil)
      // The next step of its code: hearth alerts NAME acknowledge.
      _ = try await house.hearth.acknowledgeAlerts("recorder-0")
      #expect(try shown(house) == Shown(alerts: [], attention: [], lamp: "steady", row: 8, events: 1))
      #expect(house.store.wearables[0].hubState[RaisedAlerts.self] == nil, "nothing is kept of it")
    }
  }

  @Test(
    "an alert is there after a kill and after a stop, and what it is of does not raise it again",
    arguments: [true, false])
  func restart(isKilled: Bool) throws {
    try watched { house, twin in
      twin.pulse = [140]
      try await house.wait(.seconds(1000)) { try !house.hearth.alerts(of: "recorder-0").alerts.isEmpty }
      try await house.pass(.seconds(30))
      let before = try house.hearth.alerts(of: "recorder-0").alerts
      if isKilled { try house.killAndRestart() } else { try await house.stopAndRestart() }
      #expect(try house.hearth.alerts(of: "recorder-0").alerts == before)
      #expect(house.hearth.status.lightState().alert == .restRateBeyond)
      #expect(try house.hearth.alerts(of: "recorder-0").orders.limits == [.restAbove: 120])
      try await house.pass(.seconds(2000))
      #expect(try house.hearth.alerts(of: "recorder-0").alerts == before)
      // Acknowledged while it goes on: not shown, and not raised again, after another start neither.
      _ = try await house.hearth.acknowledgeAlerts("recorder-0")
      if isKilled { try house.killAndRestart() } else { try await house.stopAndRestart() }
      try await house.pass(.seconds(2000))
      #expect(try house.hearth.alerts(of: "recorder-0").alerts.isEmpty)
      twin.pulse = [72]
      try await house.pass(.seconds(70))
      twin.pulse = [140]
      try await house.pass(.seconds(910))
      #expect(try house.hearth.alerts(of: "recorder-0").alerts.map(\.alert.count) == [1])
    }
  }

  @Test("one that comes again is one alert with a count, and its events are counted by the hour")
  func again() throws {
    try watched { house, twin in
      for _ in 0..<3 {
        twin.pulse = [140]
        try await house.pass(.seconds(920))
        twin.pulse = [72]
        try await house.pass(.seconds(80))
      }
      let alerts = try house.hearth.alerts(of: "recorder-0").alerts
      #expect(alerts.map(\.alert.count) == [3])
      try await house.pass(.seconds(3700))
      let events = try house.store.recentEvents(1000).filter { $0.reason == Reason.restRateBeyond.rawValue }
      #expect(events.compactMap(\.span.count) == [2] && events.count == 2, "\(events)")
    }
  }

  @Test("values that the sensor doubts do not count")
  func doubtful() throws {
    try watched(Self.beating { $0.asks = true }) { house, twin in
      twin.pulse = [140]
      try await house.pass(.seconds(2000))
      #expect(try house.hearth.alerts(of: "recorder-0").alerts.isEmpty)
    }
  }

  @Test("without new values no alert is raised, however high the last value was")
  func silence() throws {
    try watched { house, twin in
      twin.pulse = [140]
      try await house.pass(.seconds(890))
      twin.isMute = true
      try await house.pass(.seconds(3600))
      #expect(try house.hearth.alerts(of: "recorder-0").alerts.isEmpty)
      twin.isMute = false
      try await house.pass(.seconds(60))
      #expect(try house.hearth.alerts(of: "recorder-0").alerts.isEmpty)
    }
  }

  @Test("what is ordered to be exercise is: the limits at rest do not apply, those of exercise do")
  func ordered() throws {
    try watched { house, twin in
      let orders = try await house.hearth.orderAlerts("recorder-0") {
        $0.exercise = .on
        $0.limits[.exerciseAbove] = 185
      }
      #expect(orders.isExercise)
      twin.pulse = [150]
      try await house.pass(.seconds(2000))
      #expect(try house.hearth.alerts(of: "recorder-0").alerts.isEmpty)
      twin.pulse = [190]
      try await house.pass(.seconds(9))
      #expect(try house.hearth.alerts(of: "recorder-0").alerts.isEmpty)
      try await house.pass(.seconds(3))
      let alerts = try house.hearth.alerts(of: "recorder-0").alerts
      #expect(alerts.map(\.alert.kind) == [.exerciseAbove] && alerts.map(\.trouble.reason) == [.exerciseRateBeyond])
      #expect(
        alerts.map(\.trouble.detail) == ["recorder-0: heart rate above 185 bpm for 10 s in exercise"])
    }
  }

  @Test("limits that contradict each other, and of what is not sent, are refused without any change")
  func refused() throws {
    try watched { house, _ in
      let hearth = house.hearth
      let contradicting = await refusal { () throws(HearthError) in
        try await hearth.orderAlerts("recorder-0") { orders in orders.limits[.restBelow] = 120 }
      }
      let unsent = await refusal { () throws(HearthError) in
        try await hearth.orderAlerts("recorder-0") { orders in orders.limits[.oxygenBelow] = 90 }
      }
      let unknown = await refusal { () throws(HearthError) in try await hearth.acknowledgeAlerts("strap-99") }
      #expect(contradicting == .controlBadParameter && unsent == .requestUnsupported && unknown == .noSuchWearable)
      let orders = try hearth.alerts(of: "recorder-0").orders
      #expect(orders.limits == [.restAbove: 120])
    }
  }

  @Test("an alert with a removed limit is over, and shown until it is acknowledged")
  func takenBack() throws {
    try watched { house, twin in
      twin.pulse = [140]
      try await house.pass(.seconds(920))
      let found = try await house.hearth.orderAlerts("recorder-0") { $0.limits[.restAbove] = nil }
      #expect(found.alerts.count == 1 && found.alerts.first?.alert.ended != nil && found.orders == AlertOrders())
      try await house.pass(.seconds(2000))
      #expect(try house.hearth.alerts(of: "recorder-0").alerts.map(\.alert.count) == [1])
      _ = try await house.hearth.acknowledgeAlerts("recorder-0")
      #expect(house.store.wearables[0].hubState[RaisedAlerts.self] == nil)
      #expect(house.store.wearables[0].hubState[KeptAlertOrders.self] == nil)
    }
  }
}

/// Signs of exercise and values of other series, on the way that live values take.
@Suite("What live values are watched for")
struct AlertIntakeTests {
  @LoopActor private func makeIntake(_ parts: Parts, _ wearable: EnrolledWearable) -> LiveIntake {
    let intake = parts.live.intake(of: wearable, RecorderDriver())
    intake.events.alerted = { [context = parts.context, unowned wearable] in
      context.changes.raise(.alerted(wearable, $0))
    }
    return intake
  }

  @Test("a saturation and a temperature are watched as a heart rate at rest is")
  func others() throws {
    try withParts { parts in
      let keeper = AlertKeeper(parts.context, parts.registry)
      let wearable = try await parts.enrol(1, "a")
      wearable.choices.alerts.limits = [.oxygenBelow: 90, .temperatureAbove: 38_500]
      keeper.watch(wearable)
      let intake = makeIntake(parts, wearable)
      for _ in 0...900 {
        intake.begin(at: parts.loop.now)
        intake.append(Sample(.spo2, 85))
        intake.append(Sample(.bodyTemperature, 39_100))
        try await parts.loop.sleep(for: .seconds(1))
      }
      let alerts = try keeper.alerts(of: "a").alerts
      #expect(alerts.map(\.trouble.reason) == [.oxygenBeyond, .temperatureBeyond])
      #expect(
        alerts.map(\.trouble.detail) == [
          "a: oxygen saturation below 90 % for 15 min outside exercise",
          "a: body temperature above 38.5 C for 15 min outside exercise",
        ])
    }
  }

  @Test("a value that was measured before now does not count")
  func old() throws {
    try withParts { parts in
      let keeper = AlertKeeper(parts.context, parts.registry)
      let wearable = try await parts.enrol(1, "a")
      wearable.choices.alerts.limits = [.restAbove: 120]
      keeper.watch(wearable)
      let intake = makeIntake(parts, wearable)
      for _ in 0...1000 {
        intake.begin(at: parts.loop.now + .seconds(-6))
        intake.append(Sample(.heartRate, 140))
        try await parts.loop.sleep(for: .seconds(1))
      }
      #expect(try keeper.alerts(of: "a").alerts.isEmpty)
    }
  }

  @Test(
    "steps of one wearable, and a session of another of the same wearer, are exercise; of another wearer they are not")
  func motion() throws {
    try withParts { parts in
      let keeper = AlertKeeper(parts.context, parts.registry)
      let wearers = WearerKeeper(parts.context, parts.registry)
      wearers.onChange = { keeper.wearerChanged(of: $0) }
      let strap = try await parts.enrol(1, "strap")
      let insole = try await parts.enrol(2, "insole")
      let (onStrap, onInsole) = (makeIntake(parts, strap), makeIntake(parts, insole))
      #expect(try !keeper.alerts(of: "strap").isExercise)
      onStrap.begin(at: parts.loop.now)
      onStrap.append(Sample(.cadence, 160))
      #expect(try keeper.alerts(of: "strap").isExercise && !keeper.alerts(of: "insole").isExercise)
      try await parts.loop.sleep(for: .seconds(61))
      #expect(try !keeper.alerts(of: "strap").isExercise)
      _ = try await wearers.addWearer("Ada")
      for name in ["strap", "insole"] { _ = try await wearers.assign(name, to: "Ada", from: nil) }
      onInsole.begin(at: parts.loop.now)
      onInsole.noteExercise(true)
      #expect(try keeper.alerts(of: "strap").isExercise)
      _ = try await wearers.assign("strap", to: nil, from: nil)
      #expect(try !keeper.alerts(of: "strap").isExercise && keeper.alerts(of: "insole").isExercise)
      onInsole.noteExercise(false)
      #expect(try !keeper.alerts(of: "insole").isExercise)
      wearers.stop()
    }
  }
}
