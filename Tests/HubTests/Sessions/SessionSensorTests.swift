import EventLoop
import Health
import Reasons
import RingStore
import Testing
import Vitals
import Wearable

@testable import Hub

@Suite("Sensors of a measurement of vital signs")
struct SessionSensorTests {
  private func sensor(_ live: [Series], _ ordered: [Series] = [], _ model: String) -> VitalsSensor? {
    VitalsSensor(live: Set(live), ordered: Set(ordered), model: model)
  }

  @Test("what a sensor is follows from what it sends and from its identity")
  func classes() {
    #expect(sensor([.heartRate, .rrInterval], [], "H10")?.sensor == .electrical)
    #expect(sensor([.heartRate], [], "band")?.sensor == .rateOnly)
    let verity = sensor([.heartRate, .rrInterval, .ppi], [.ppi], "Polar Sense 12345678")
    #expect(verity?.sensor == .optical && verity?.trustsContact == false && verity?.streams == [.ppi])
    #expect(sensor([.ppi], [.ppi], "INW4J")?.trustsContact == false)
    let old = sensor([.heartRate, .ppi], [.ppi], "Polar OH1 1")
    #expect(old?.sensor == .optical && old?.trustsContact == true)
    #expect(sensor([.heartRate, .ppi], [.ppi], "Vantage V3")?.sensor == .opticalWrist)
    // This kind may have intervals; this wearable does not offer them.
    #expect(sensor([.heartRate, .ppi, .rrInterval], [.ecg], "H10")?.sensor == .electrical)
    #expect(sensor([.spo2, .pulseRate], [], "")?.sensor == .oximeter)
    #expect(sensor([.bodyTemperature], [], "")?.sensor == .thermometer)
    #expect(sensor([.systolicPressure, .diastolicPressure], [], "")?.sensor == .cuff)
    #expect(sensor([.acc], [], "") == nil)
  }

  /// Batches of five intervals, every five seconds, once it was asked for them; the first after 25 s.
  @LoopActor
  private final class Optical {
    let sensor: RecorderSensor
    let loop: any Loop
    var since: Instant?
    var count = 0
    var status: UInt8 = 6

    init(_ sensor: RecorderSensor, _ loop: any Loop) { (self.sensor, self.loop) = (sensor, loop) }

    func next() -> [UInt8]? {
      guard sensor.orders.last?.contains(.ppi) == true else {
        since = nil
        return [UInt8(ascii: "S"), 0, 61]
      }
      let begun = since ?? loop.now
      since = begun
      count += 1
      guard loop.now - begun >= .seconds(25), count.isMultiple(of: 5) else { return [UInt8(ascii: "S"), 0, 61] }
      let batch: [UInt8] = (0..<5).flatMap { beat -> [UInt8] in
        let ms = 985 + (count * 7 + beat * 5) % 31
        return [UInt8(ms & 0xFF), UInt8(ms >> 8), 6, 0, status]
      }
      return [UInt8(ascii: "P")] + batch
    }
  }

  private func withOptical(
    _ body: @escaping @LoopActor (LaneHouse, RecorderSensor, Optical) async throws -> Void
  ) throws {
    let sensor = RecorderSensor(live: [.heartRate, .ppi], ordered: [.ppi])
    var driver = RecorderDriver()
    (driver.beats, driver.sensor) = (true, sensor)
    try inHouse(driver) { house, twin in
      let optical = Optical(sensor, house.loop)
      twin.beats = .seconds(1)
      twin.next = { optical.next() }
      house.start()
      try await house.wait { house.wearable.link?.isSettled == true && house.hearth.lane.holder == nil }
      try await body(house, sensor, optical)
    }
  }

  @Test("an optical sensor is asked for its intervals; it is ready with its first batch, and the stream is given back")
  func optical() throws {
    try withOptical { house, sensor, _ in
      #expect(sensor.orders.last?.isEmpty == true)
      house.wearable.learn(.model("Verity Sense"))
      let ear = SessionEar()
      ear.begin(house)
      try await house.pass(.seconds(24))
      #expect(ear.state == .initializing && sensor.orders.last == [.ppi])
      try await house.wait(.seconds(8)) { ear.state == .processing }
      try await house.wait(.seconds(70)) { ear.isOver }
      let record = try #require(ear.records.first)
      #expect(ear.states == SessionEar.whole && ear.notices.isEmpty && record.basis == .ppi)
      #expect(record.actual == 60_000_000 && record.coverage > 0.95 && record.artefactShare < 0.05)
      let rmssd = try #require(record.results.first { $0.name == "rmssd" })
      #expect(rmssd.flags.contains(.optical))
      try await house.pass(.seconds(1))
      #expect(sensor.orders.last?.isEmpty == true && house.wearable.choices.orders.streams.isEmpty)
    }
  }

  @Test("a link lost in stopping loses no result: results stand, without a wait for the sensor")
  func lostInStopping() throws {
    try withOptical { house, sensor, _ in
      let ear = SessionEar()
      ear.begin(house, seconds: 21)
      // The batch that covers the end is under way.
      try await house.wait(.seconds(90)) { ear.state == .stopping }
      house.twins[0].bearer?.cut(.linkLost)
      try await house.wait(.seconds(3)) { ear.isOver }
      let way: [SessionState] = [.processing, .stopping, .initializing, .terminating, .terminated]
      #expect(Array(ear.states.suffix(5)) == way && ear.notices == ["+8007"])
      #expect(ear.records.count == 1 && ear.result?.record != nil && ear.result?.trouble == nil)
      #expect(ear.result?.code == nil)
      #expect(try await house.records().count == 1)
    }
  }

  @Test("a link that is made for a session begins the stream; a lost one is made again at once, and the stream with it")
  func newLink() throws {
    try withOptical { house, sensor, _ in
      house.twins[0].bearer?.cut(.linkLost)
      let ear = SessionEar()
      ear.begin(house, seconds: 20)
      try await house.wait(.seconds(55)) { ear.state == .processing }
      try await house.pass(.seconds(5))
      house.twins[0].bearer?.cut(.linkLost)
      try await house.wait(.seconds(3)) { house.wearable.link != nil }
      try await house.wait(.seconds(50)) { ear.isOver }
      #expect(ear.notices == ["+8007", "-8007"] && ear.records.isEmpty)
      try await house.pass(.seconds(2))
      #expect(sensor.orders.last?.isEmpty == true)
    }
  }

  @Test("a stream that was ordered stays when the session is over")
  func orderedStream() throws {
    try withOptical { house, sensor, _ in
      _ = try await house.hearth.orderStreams("recorder-0", [.ppi])
      let ear = SessionEar()
      ear.begin(house, seconds: 20)
      try await house.wait(.seconds(90)) { ear.isOver }
      try await house.pass(.seconds(2))
      #expect(ear.records.count == 1 && sensor.orders.last == [.ppi])
    }
  }

  @Test("without contact or blocked, optical intervals count as gaps: a measurement without them ends with 3003")
  func blocked() throws {
    try withOptical { house, _, optical in
      let ear = SessionEar()
      ear.begin(house)
      try await house.wait(.seconds(60)) { ear.values.count == 8 }
      // Blocked, and the sensor has contact.
      optical.status = 7
      try await house.wait(.seconds(60)) { ear.isOver }
      #expect(ear.notices.contains("+3003") && ear.records.isEmpty && ear.result?.code == .signalLost)
      #expect(ear.states == SessionEar.whole, "the sensor is still there")
      #expect(try await house.records().isEmpty)
    }
  }

  @Test("an oximeter's values are passed through, and the reading of a cuff and of a thermometer is")
  func passedThrough() throws {
    let series: [String: [Series]] = [
      "O": [.spo2, .pulseRate], "C": [.systolicPressure, .diastolicPressure, .pulseRate], "T": [.bodyTemperature],
    ]
    for (kind, live) in series {
      var driver = RecorderDriver()
      (driver.beats, driver.sensor) = (true, RecorderSensor(live: live))
      try inHouse(driver) { house, twin in
        twin.beats = .seconds(1)
        var count = 0
        twin.next = {
          count += 1
          if kind == "O" { return [UInt8(ascii: "O"), 97, 64] }
          // 37,412 m°C.
          if kind == "T" { return count == 30 ? [UInt8(ascii: "T"), 0x24, 0x92] : nil }
          return count == 30 ? [UInt8(ascii: "C"), 121, 79, 66] : nil
        }
        house.start()
        try await house.wait { house.wearable.link?.isSettled == true }
        let ear = SessionEar()
        ear.begin(house, seconds: 40)
        try await house.wait(.seconds(60)) { ear.isOver }
        let record = try #require(ear.records.first)
        func value(_ name: String) -> Double? { record.results.first { $0.name == name }?.value }
        if kind == "T" {
          #expect(ear.opened?.sensor == .thermometer && value("temperature") == 37.412)
          #expect(record.results.count == 1 && ear.notices.isEmpty)
        } else if kind == "O" {
          #expect(value("spo2") == 97 && value("pulse_rate") == 64)
        } else {
          #expect(value("blood_pressure_systolic") == 121 && value("blood_pressure_diastolic") == 79)
          #expect(value("pulse_rate") == 66)
        }
      }
    }
  }

  @Test("a sensor of a driver that does not accept the hub is reported as refused, with why")
  func refused() throws {
    let sensor = RecorderSensor(live: [.heartRate, .ppi], ordered: [.ppi])
    var driver = RecorderDriver()
    (driver.beats, driver.sensor) = (true, sensor)
    try inHouse(driver) { house, twin in
      sensor.checkFails = .bindingRefused(.otherHost)
      house.start()
      let ear = SessionEar()
      ear.begin(house)
      try await house.wait(.seconds(59)) { ear.isOver }
      #expect(ear.result?.code == .sensorUnknown && ear.result?.trouble?.reason.needsPerson == true)
      #expect(ear.states == [.initializing, .terminating, .terminated] && ear.notices == ["+8004"])
    }
  }
}
