import EventLoop
import Hub
import Simulation
import StrapTwin
import Testing
import Vitals

@testable import Health

/// As the served ward has them: silent until they are used, then heard for half a minute.
@Suite("Measurements of cuffs, scales, thermometers and spot-check oximeters in the whole hub", .serialized)
struct SpotMeasurementTests {
  /// Orders a measurement and uses the sensor so long after that, as a person does after typing.
  @LoopActor private func measure(
    _ hub: SimulatedHub, _ name: String, after pause: Duration, _ use: @escaping @LoopActor () -> Void
  ) async throws -> (ear: VitalsEar, result: VitalsResult) {
    let loop = hub.world.loop
    let ear = VitalsEar(0, name, VitalsOrder(), life: 0, loop)
    loop.schedule(after: pause) { use() }
    let result = try await hub.hearth.measureVitals(name, ear.order, isWanted: { true }) { ear.hear($0) }
    return (ear, result)
  }

  private func values(_ result: VitalsResult) -> [String: Double] {
    let results = result.record?.results ?? []
    return Dictionary(results.map { ($0.name, $0.value) }) { first, _ in first }
  }

  @LoopActor private func newest(_ sensor: HealthTwin, _ quantity: Quantity, scale: Int64) -> Double? {
    let facts = sensor.ledger.readings(worth: [.good, .doubtful]).last?.facts
    return facts?.first { $0.quantity == quantity }.map { Double($0.value.rounded(scale: scale)) / Double(scale) }
  }

  /// Used for the first time, again after a minute, and after its link was lost: each time the reading is the result.
  @Test("a cuff that is put on after the order gives its reading as the result", arguments: [0, 20, 45, 90])
  func cuff(_ seconds: Int) throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 4310)
      let cuff = world.addCuff { traits in
        traits.keeping.measuresEvery = .seconds(86_400)...(.seconds(90_000))
        traits.failed = 0
      }
      let hub = SimulatedHub(world)
      try await hub.start(enrolling: [("cuff", cuff, "heart-rate", "cuff")])
      try await loop.sleep(for: .seconds(30))
      for _ in 0..<4 {
        let before = loop.now
        let (ear, result) = try await measure(hub, "cuff", after: .seconds(Int64(seconds))) { cuff.measureNow() }
        #expect(ear.faults.isEmpty && result.trouble == nil && result.code == nil, "\(ear.faults)")
        let found = values(result)
        #expect(found["blood_pressure_systolic"] == newest(cuff, .systolic, scale: 100))
        #expect(found["blood_pressure_diastolic"] == newest(cuff, .diastolic, scale: 100))
        #expect(found["pulse_rate"] == newest(cuff, .pulseRate, scale: 10))
        #expect(loop.now - before < .seconds(Int64(seconds) + 15))
        try await loop.sleep(for: .seconds(60))
      }
      let pressures = try await hub.storedSamples().filter { $0.series == .systolicPressure }
      #expect(pressures.count == 4 && pressures.allSatisfy { $0.flags.isManual }, "by hand, and each once")
      await hub.stop()
    }
  }

  @Test("what a cuff kept from hours ago is stored and is not the result; the reading of now is")
  func kept() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 4311)
      let cuff = world.addCuff(.manual) { traits in
        traits.keeping.measuresEvery = .seconds(86_400)...(.seconds(90_000))
        traits.failed = 0
      }
      let hub = SimulatedHub(world)
      try await hub.start(enrolling: [("cuff", cuff, "heart-rate", "cuff")])
      for _ in 0..<3 {
        cuff.measureNow()
        try await loop.sleep(for: .seconds(3600))
      }
      cuff.arrive()
      let (ear, result) = try await measure(hub, "cuff", after: .seconds(30)) { cuff.measureNow() }
      #expect(ear.faults.isEmpty && result.trouble == nil, "\(ear.faults)")
      #expect(values(result)["blood_pressure_systolic"] == newest(cuff, .systolic, scale: 100))
      #expect(try await hub.storedSamples().count { $0.series == .systolicPressure } == 4)
      await hub.stop()
    }
  }

  @Test("what comes with the link of a cuff with an unset clock is stored and not the result, and says why")
  func unset() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 4316)
      let cuff = world.addCuff(.manual) { traits in
        traits.sensor.clock.state = .unset
        traits.keeping.measuresEvery = .seconds(86_400)...(.seconds(90_000))
        traits.failed = 0
      }
      let hub = SimulatedHub(world)
      try await hub.start(enrolling: [("cuff", cuff, "heart-rate", "cuff")])
      cuff.measureNow()
      try await loop.sleep(for: .seconds(3600))
      cuff.arrive()
      // The button is pressed, without a measurement.
      let (ear, result) = try await measure(hub, "cuff", after: .zero) { cuff.isAdvertising = true }
      #expect(ear.faults.isEmpty && result.trouble == nil && result.record?.results.isEmpty == true, "\(ear.faults)")
      let reasons = Set((result.record?.notReported ?? []).map(\.reason))
      #expect(reasons == ["time_unknown"], "\(reasons)")
      #expect(try await hub.storedSamples().count { $0.series == .systolicPressure } == 1, "and it is stored")
      // The value cannot be distinguished from one of last week.
      let again = try await measure(hub, "cuff", after: .seconds(45)) { cuff.measureNow() }
      #expect(again.result.record?.results.isEmpty == true, "\(values(again.result))")
      #expect(Set((again.result.record?.notReported ?? []).map(\.reason)) == ["time_unknown"])
      #expect(try await hub.storedSamples().count { $0.series == .systolicPressure } == 2)
      await hub.stop()
    }
  }

  @Test("one that is not used ends after three minutes, and says that no link came about")
  func unused() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 4312)
      let cuff = world.addCuff { $0.keeping.measuresEvery = .seconds(86_400)...(.seconds(90_000)) }
      let hub = SimulatedHub(world)
      try await hub.start(enrolling: [("cuff", cuff, "heart-rate", "cuff")])
      let before = loop.now
      let (_, result) = try await measure(hub, "cuff", after: .zero) {}
      #expect(result.code == .connectionTimedOut && result.record == nil)
      #expect(loop.now - before == .seconds(180))
      await hub.stop()
    }
  }

  @Test("a thermometer, a scale and an oximeter that measures once give their reading as the result")
  func others() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 4313)
      let rarely: ClosedRange<Duration> = .seconds(86_400)...(.seconds(90_000))
      let thermometer = world.addThermometer {
        ($0.interval, $0.special) = (nil, 0)
        $0.keeping.measuresEvery = rarely
      }
      let scale = world.addScale {
        $0.failed = 0
        $0.keeping.measuresEvery = rarely
      }
      let oximeter = world.addSpotOximeter {
        ($0.poor, $0.recording.firstRecords) = (0, 3)
        $0.recording.recordsEvery = rarely
      }
      let hub = SimulatedHub(world)
      try await hub.start(enrolling: [
        ("thermometer", thermometer, "heart-rate", "thermometer"), ("scale", scale, "heart-rate", "scale"),
        ("oximeter", oximeter, "heart-rate", "oximeter"),
      ])
      try await loop.sleep(for: .seconds(90))
      for _ in 0..<2 {
        var told = try await measure(hub, "thermometer", after: .seconds(25)) { thermometer.measureNow() }
        #expect(told.ear.faults.isEmpty && told.ear.session?.sensor == .thermometer, "\(told.ear.faults)")
        #expect(values(told.result)["temperature"] == newest(thermometer, .temperature, scale: 1000))
        told = try await measure(hub, "scale", after: .seconds(25)) { scale.measureNow() }
        #expect(told.ear.faults.isEmpty && told.ear.session?.sensor == .scale, "\(told.ear.faults)")
        #expect(values(told.result)["weight"] == newest(scale, .weight, scale: 1000))
        told = try await measure(hub, "oximeter", after: .seconds(25)) { oximeter.measureNow() }
        #expect(told.ear.faults.isEmpty && told.ear.session?.sensor == .oximeter, "\(told.ear.faults)")
        #expect(values(told.result)["spo2"] == newest(oximeter, .oxygenSaturation, scale: 1))
        #expect(values(told.result)["pulse_rate"] == newest(oximeter, .pulseRate, scale: 10))
      }
      await hub.stop()
    }
  }

  @Test(
    """
    a cuff and a thermometer with a Date Time in their own service are set within 5 s of their link, and what they \
    kept is dated by what they showed
    """, arguments: [ClockTraits.State.wrong(by: .seconds(-3700)), .unset, .right])
  func dateTime(_ state: ClockTraits.State) throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 4314)
      let cuff = world.addCuff {
        ($0.sensor.clock.isDateTime, $0.sensor.clock.state, $0.failed) = (true, state, 0)
        $0.keeping.measuresEvery = .seconds(3000)...(.seconds(5000))
      }
      let thermometer = world.addThermometer {
        ($0.sensor.clock.isDateTime, $0.sensor.clock.state, $0.special) = (true, state, 0)
        ($0.interval, $0.hasTime) = (nil, true)
        $0.keeping.measuresEvery = .seconds(3000)...(.seconds(5000))
      }
      let hub = SimulatedHub(world)
      try await hub.start(enrolling: [
        ("cuff", cuff, "heart-rate", "cuff"), ("thermometer", thermometer, "heart-rate", "thermometer"),
      ])
      for sensor: SpotCheckTwin in [cuff, thermometer] {
        try await loop.sleep(for: .seconds(20))
        sensor.measureNow()
        while sensor.link == nil { try await loop.sleep(for: .milliseconds(50)) }
        let linked = loop.now
        try await loop.sleep(for: .seconds(15))
        let settings = sensor.clockSettings
        #expect(settings.count == (state == .right ? 0 : 1))
        for setting in settings { #expect(setting.at - linked < .seconds(5), "\(setting.at - linked)") }
      }
      try await loop.sleep(for: .seconds(40_000))
      await hub.stop()
      #expect(hub.watch.violations.isEmpty && cuff.ledger.faults.isEmpty && thermometer.ledger.faults.isEmpty)
      #expect(cuff.clockSettings.count == (state == .right ? 0 : 1), "it is right since, and is not set again")
      var verdict = SensorVerdict(expects: SensorVerdict.pressures)
      verdict.tolerance = .seconds(6)
      #expect(try await verdict.judge(hub, cuff) > 20)
    }
  }

  @Test("a cuff that hangs up without the time is given it over each link, and its readings come")
  func wantsTime() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 4317)
      let cuff = world.addCuff {
        ($0.sensor.name, $0.sensor.clock.isDateTime, $0.failed) = ("A&D_UA-651BLE_75E8D1", true, 0)
        $0.sensor.clock.wantsTimeWithin = .seconds(5)
        $0.keeping.measuresEvery = .seconds(3000)...(.seconds(5000))
      }
      let hub = SimulatedHub(world)
      try await hub.start(enrolling: [("cuff", cuff, "heart-rate", "cuff")])
      try await loop.sleep(for: .seconds(60_000))
      await hub.stop()
      #expect(hub.watch.violations.isEmpty && cuff.ledger.faults.isEmpty && cuff.untimedLinks == 0)
      var verdict = SensorVerdict(expects: SensorVerdict.pressures)
      verdict.tolerance = .seconds(6)
      #expect(try await verdict.judge(hub, cuff) > 10 && cuff.clockSettings.count > 10)
    }
  }

  @Test("readings 25 s apart that are handed over one behind the other are stored 25 s apart")
  func distances() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 4315)
      let cuff = world.addCuff(.manual) {
        $0.failed = 0
        $0.keeping.measuresEvery = .seconds(86_400)...(.seconds(90_000))
      }
      let hub = SimulatedHub(world)
      try await hub.start(enrolling: [("cuff", cuff, "heart-rate", "cuff")])
      for _ in 0..<3 {
        cuff.measureNow()
        try await loop.sleep(for: .seconds(25))
      }
      cuff.arrive()
      try await loop.sleep(for: .seconds(20))
      let found = try await hub.storedSamples().filter { $0.series == .systolicPressure }.sorted { $0.time < $1.time }
      #expect(found.count == 3 && found.allSatisfy { !$0.clockTrusted }, "nobody read its clock")
      for (first, second) in zip(found, found.dropFirst()) {
        #expect(abs((second.time - first.time).inSeconds - 25) <= 2)
      }
      await hub.stop()
    }
  }
}
