import EventLoop
import Health
import Testing
import Vitals

@testable import Hub

@Suite("A sensor that measures once")
struct SpotReadingTests {
  private static let live: [UInt8: [Series]] = [
    UInt8(ascii: "C"): [.systolicPressure, .diastolicPressure, .pulseRate], UInt8(ascii: "T"): [.bodyTemperature],
    UInt8(ascii: "W"): [.weight],
  ]

  /// A house with one such sensor, which measures when it is let.
  private func withSensor(
    _ kind: Character, _ body: @escaping @LoopActor (LaneHouse, RecorderTwin) async throws -> Void
  ) throws {
    let series = try #require(kind.asciiValue.flatMap { Self.live[$0] })
    var driver = RecorderDriver()
    (driver.beats, driver.sensor) = (true, RecorderSensor(live: series))
    try inHouse(driver) { house, twin in
      twin.beats = .seconds(1)
      house.start()
      try await house.wait { house.wearable.link?.isSettled == true }
      try await body(house, twin)
    }
  }

  private static let pressure: [UInt8] = [UInt8(ascii: "C"), 121, 79, 66]

  @LoopActor private func tell(_ twin: RecorderTwin, _ values: [[UInt8]]) {
    var left = values
    twin.next = { left.isEmpty ? nil : left.removeFirst() }
  }

  @Test("the reading of a cuff ends its measurement with the pulse that belongs to it, without a wait for the rest")
  func cuff() throws {
    try withSensor("C") { house, twin in
      let ear = SessionEar()
      ear.begin(house, seconds: 60)
      try await house.wait(.seconds(5)) { ear.state == .processing }
      try await house.pass(.seconds(6))
      tell(twin, [Self.pressure])
      try await house.wait(.seconds(6)) { ear.isOver }
      let record = try #require(ear.records.first)
      let results = Dictionary(uniqueKeysWithValues: record.results.map { ($0.name, $0.value) })
      #expect(results["blood_pressure_systolic"] == 121 && results["blood_pressure_diastolic"] == 79)
      #expect(results["pulse_rate"] == 66 && record.notReported.isEmpty)
      #expect(record.endReason == .stop && ear.states == SessionEar.whole && ear.notices.isEmpty)
      #expect(try await house.records() == [record])
    }
  }

  @Test("a cuff that hangs up before it has measured is waited for, and not taken for lost")
  func hangsUp() throws {
    try withSensor("C") { house, twin in
      let ear = SessionEar()
      ear.begin(house, seconds: 60)
      try await house.wait(.seconds(5)) { ear.state == .processing }
      twin.bearer?.cut(.peerClosed)
      try await house.wait(.seconds(20)) { house.wearable.link?.isSettled == true }
      #expect(ear.state == .processing && ear.notices.isEmpty)
      tell(twin, [Self.pressure])
      try await house.wait(.seconds(6)) { ear.isOver }
      #expect(ear.records.first?.results.contains { $0.name == "blood_pressure_systolic" } == true)
      #expect(ear.result?.code == nil && ear.states == SessionEar.whole)
    }
  }

  @Test("a link that is lost behind the reading loses no result")
  func lostBehindIt() throws {
    try withSensor("C") { house, twin in
      let ear = SessionEar()
      ear.begin(house, seconds: 60)
      try await house.wait(.seconds(5)) { ear.state == .processing }
      tell(twin, [Self.pressure])
      try await house.wait(.seconds(5)) { house.wearable.live.counters.samples > 0 }
      try await house.pass(.milliseconds(50))
      twin.bearer?.cut(.linkLost)
      try await house.wait(.seconds(6)) { ear.isOver }
      #expect(ear.records.first?.results.contains { $0.name == "blood_pressure_systolic" } == true)
      #expect(ear.notices.isEmpty)
    }
  }

  @Test("of several readings, one after the other, the newest is the result")
  func several() throws {
    try withSensor("C") { house, twin in
      let ear = SessionEar()
      ear.begin(house, seconds: 60)
      tell(twin, [[UInt8(ascii: "C"), 140, 90, 80], Self.pressure])
      try await house.wait(.seconds(12)) { ear.isOver }
      #expect(ear.records.first?.results.first { $0.name == "blood_pressure_systolic" }?.value == 121)
    }
  }

  @Test("a thermometer that measures each second, and a scale, are done with a reading too")
  func others() throws {
    try withSensor("T") { house, twin in
      // 37,412 m°C.
      twin.next = { [UInt8(ascii: "T"), 0x24, 0x92] }
      let ear = SessionEar()
      ear.begin(house, seconds: 60)
      try await house.wait(.seconds(20)) { ear.isOver }
      #expect(ear.records.first?.results.first { $0.name == "temperature" }?.value == 37.412)
    }
    try withSensor("W") { house, twin in
      let ear = SessionEar()
      ear.begin(house, seconds: 60)
      try await house.wait(.seconds(5)) { ear.state == .processing }
      // 71.5 kg in units of 5 g.
      tell(twin, [[UInt8(ascii: "W"), 0xDC, 0x37]])
      try await house.wait(.seconds(6)) { ear.isOver }
      let weight = try #require(ear.records.first?.results.first)
      #expect(weight.name == "weight" && weight.value == 71.5 && weight.unit == "kg")
      #expect(ear.opened?.sensor == .scale)
    }
  }

  @Test("a reading that its sensor doubts is reported, and with low confidence")
  func doubtful() throws {
    try VirtualLoop.run { loop in
      let tap = VitalsTap(VitalsSensor(.cuff), loop)
      let flags = SampleFlags(origin: .live, isManual: true, isLowQuality: true)
      let time = loop.now
      tap.packetBegan(at: time)
      for (series, value) in [(Series.systolicPressure, 15_000), (.diastolicPressure, 9000), (.pulseRate, 910)] {
        tap.value(Sample(series, Int64(value), flags: flags), at: time)
      }
      tap.packetEnded()
      let reading = tap.readings.reading(from: 0, to: 1)
      #expect(reading.isDoubtful && reading.cuff == CuffReading(systolic: 150, diastolic: 90, pulse: 91))
      var signs = VitalSigns()
      let report = signs.report(
        VitalRequest(sensor: .cuff, phase: .final, reading: reading), of: BeatWindow())
      #expect(report.result(.systolicPressure)?.confidence == .low && report.result(.pulseRate)?.value == .number(91))
    }
  }

  @Test("an early temperature is no reading, and an older reading takes no newer one's place")
  func early() throws {
    try VirtualLoop.run { loop in
      let tap = VitalsTap(VitalsSensor(.thermometer), loop)
      let early = SampleFlags(origin: .live, isLowQuality: true)
      tap.value(Sample(.bodyTemperature, 31_000, flags: early), at: loop.now)
      #expect(tap.readings.came == nil)
      tap.value(Sample(.bodyTemperature, 37_000), at: loop.now)
      tap.value(Sample(.bodyTemperature, 36_000), at: loop.now - .seconds(30))
      #expect(tap.readings.reading(from: 0, to: 1).temperature == 37)
      // What was measured long before the order is not its result.
      let fresh = VitalsTap(VitalsSensor(.thermometer), loop)
      fresh.value(Sample(.bodyTemperature, 36_000), at: loop.now - .seconds(90))
      #expect(fresh.readings.came == nil)
    }
  }

  @LoopActor private func cuff(
    _ systolic: Int64, _ tap: VitalsTap, at time: Instant, isSure: Bool = false, isKnown: Bool = true
  ) {
    for (series, value) in [(Series.systolicPressure, systolic * 100), (.diastolicPressure, 8000)] {
      tap.reading(Sample(series, value), at: time, isSure: isSure, isKnown: isKnown)
    }
  }

  @LoopActor private func told(_ tap: VitalsTap) -> SensorReading { tap.readings.reading(from: 0, to: 1) }

  @Test("an undated reading is the result only when its sensor has handed over before what it had kept")
  func undated() throws {
    try VirtualLoop.run { loop in
      let tap = VitalsTap(VitalsSensor(.cuff), loop)
      tap.noteLink(isOfUse: true)
      cuff(150, tap, at: loop.now, isKnown: false)
      #expect(tap.readings.came == nil && told(tap).cuff == nil && told(tap).isUndated)
      var signs = VitalSigns()
      let report = signs.report(
        VitalRequest(sensor: .cuff, phase: .final, reading: told(tap)), of: BeatWindow())
      #expect(report.results.isEmpty && report.reason(.systolicPressure) == .timeUnknown)
      #expect(report.reason(.diastolicPressure) == .timeUnknown)
      for second in 0..<8 {
        try await loop.sleep(for: .seconds(1))
        tap.noteLink(isOfUse: true)
        // The next one that it had kept.
        if second == 1 { cuff(140, tap, at: loop.now, isKnown: false) }
        #expect(tap.hasSaidAll == (second >= 6), "\(second)")
      }
      cuff(130, tap, at: loop.now, isKnown: false)
      #expect(told(tap).cuff?.systolic == 130)
      // Without a link no value was handed over.
      let away = VitalsTap(VitalsSensor(.cuff), loop)
      for _ in 0..<8 {
        try await loop.sleep(for: .seconds(1))
        away.noteLink(isOfUse: false)
      }
      cuff(130, away, at: loop.now, isKnown: false)
      #expect(away.readings.came == nil)
    }
  }

  @Test("a further measurement takes what comes by a slow, unread clock, and not what is older")
  func slow() throws {
    try VirtualLoop.run { loop in
      let tap = VitalsTap(VitalsSensor(.cuff), loop)
      for _ in 0..<8 {
        try await loop.sleep(for: .seconds(1))
        tap.noteLink(isOfUse: true)
      }
      cuff(150, tap, at: loop.now - .seconds(30))
      #expect(told(tap).cuff?.systolic == 150)
      tap.beginAnother()
      #expect(told(tap).cuff == nil)
      cuff(140, tap, at: loop.now - .seconds(50), isSure: true)
      #expect(tap.readings.came == nil, "sure, and of before")
      cuff(130, tap, at: loop.now - .seconds(30))
      #expect(told(tap).cuff?.systolic == 130)
    }
  }

  @Test("the weight of a minute ago may be that of another person, and is not the result; that of now is")
  func scale() throws {
    try VirtualLoop.run { loop in
      @LoopActor func weigh(_ tap: VitalsTap, _ ago: Int64, isSure: Bool) {
        tap.reading(Sample(.weight, 80_000), at: loop.now - .seconds(ago), isSure: isSure, isKnown: true)
      }
      for isSure in [true, false] {
        let tap = VitalsTap(VitalsSensor(.scale), loop)
        weigh(tap, 50, isSure: isSure)
        #expect(tap.readings.came == nil && told(tap).isUndated == !isSure)
        weigh(tap, 4, isSure: isSure)
        #expect(told(tap).weight == 80)
      }
      // What it is was learned over its link.
      let unknown = VitalsTap(VitalsSensor(.cuff), loop)
      let tap = VitalsTap(VitalsSensor(.scale), loop, after: unknown)
      weigh(tap, 50, isSure: true)
      #expect(tap.readings.came == nil)
      let cuff = VitalsTap(VitalsSensor(.cuff), loop)
      self.cuff(130, cuff, at: loop.now - .seconds(50), isSure: true)
      #expect(told(cuff).cuff?.systolic == 130, "one that comes when it has measured")
    }
  }
}
