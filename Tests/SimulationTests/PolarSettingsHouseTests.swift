import EventLoop
import Hub
import PolarMessages
import PolarTwin
import Reasons
import RingStore
import Simulation
import Testing

@testable import CivilTime
@testable import Health

@Suite("Settings of Polar's wearables, under the whole hub")
struct PolarSettingsHouseTests {
  @LoopActor private func refusal<Value>(_ body: () async throws(HearthError) -> Value) async -> HearthError? {
    do throws(HearthError) { _ = try await body() } catch { return error }
    return nil
  }

  @LoopActor private func field(_ hub: SimulatedHub, _ row: String, _ field: String) async throws -> String? {
    try await hub.hearth.report("settings", of: "polar-1").first { $0.name == row }?.fields.first { $0.name == field }?
      .value
  }

  private func settings() throws -> [UInt8] {
    var message = PbUserDeviceSettings()
    message.generalSettings.deviceLocation = .deviceLocationWristLeft
    (message.lastModified.date.year, message.lastModified.date.month, message.lastModified.date.day) = (2026, 1, 1)
    (message.lastModified.time.hour, message.lastModified.time.minute, message.lastModified.time.seconds) = (0, 0, 0)
    message.lastModified.trusted = true
    return try message.wire()
  }

  @LoopActor private func kept(_ band: VirtualPolar) throws -> PbUserDeviceSettings {
    try PbUserDeviceSettings(wire: band.files["/U/0/S/UDEVSET.BPB"]?.bytes ?? [])
  }

  @Test(
    """
    a strap is seen by treadmills by order, at once over its link and after a restart of the hub, and as it was when \
    no order wants that any more
    """
  )
  func radio() throws {
    try VirtualLoop.run { loop in
      let (_, hub, straps) = try await polarHouse(loop, seed: 121, [.of(.h10) { _ in }], driver: "polar-strap")
      let strap = straps[0]
      try await loop.sleep(for: .seconds(60))
      _ = try await hub.hearth.orderSettings("polar-1", ["ant-plus": "on", "broadcast": "off"])
      try await loop.sleep(for: .seconds(10))
      #expect(strap.radio == [10: true, 1: false])
      var said: [String?] = []
      for name in ["ant-plus", "broadcast", "5-khz"] { said.append(try await field(hub, name, "on")) }
      #expect(said == ["yes", "no", "no"])
      await hub.kill()
      strap.forgetRadio()
      try await hub.start()
      try await loop.sleep(for: .seconds(1200))
      #expect(strap.radio[10] == true && strap.radio[1] == false)
      _ = try await hub.hearth.orderSettings("polar-1", ["ant-plus": nil, "broadcast": nil])
      try await loop.sleep(for: .seconds(10))
      #expect(strap.radio[10] == false && strap.radio[1] == true)
      let error = await refusal { () throws(HearthError) in
        try await hub.hearth.orderSettings("polar-1", ["worn": "chest"])
      }
      #expect(error?.reason == .requestUnsupported && error?.detail.contains("it has broadcast, 5-khz") == true)
      await hub.stop()
    }
  }

  @Test("a band keeps its place on the body and how it detects trainings; one with a fixed radio shows that")
  func band() throws {
    try VirtualLoop.run { loop in
      let (_, hub, band) = try await PolarHouseTests.house(loop, .band360, seed: 122) { $0.keepsRadio = true }
      band.keepSettings(try settings())
      _ = try await hub.hearth.orderSettings(
        "polar-1",
        ["worn": "chest", "training-detection": "on", "training-sensitivity": "40", "training-minimum": "900"])
      try await loop.sleep(for: .seconds(900))
      let detection = try kept(band).automaticMeasurementSettings.automaticTrainingDetectionSettings
      #expect(
        try kept(band).generalSettings.deviceLocation == .deviceLocationChest && detection.state == .on
          && detection.sensitivity == 40)
      let (worn, minimum) = (
        try await field(hub, "place", "worn"), try await field(hub, "training-detection", "minimum_s")
      )
      #expect(worn == "chest" && minimum == "900")
      #expect(try hub.hearth.wearable(named: "polar-1").trouble == nil)
      let stream = await refusal { () throws(HearthError) in try await hub.hearth.orderStreams("polar-1", [.ecg]) }
      #expect(
        stream?.reason == .requestUnsupported
          && stream?.detail == "polar-1: its model sends no ecg by order; it has ppg, acc, ppi, skin_temperature")
      _ = try await hub.hearth.orderSettings("polar-1", ["second-link": "on"])
      try hub.hearth.visitNow("polar-1")
      try await loop.sleep(for: .seconds(120))
      let trouble = try hub.hearth.wearable(named: "polar-1").trouble
      #expect(trouble?.reason == .settingNotTaken && trouble?.detail.contains("second-link stays off") == true)
      // What it never takes is taken back.
      _ = try await hub.hearth.orderSettings("polar-1", ["second-link": nil])
      try hub.hearth.visitNow("polar-1")
      try await loop.sleep(for: .seconds(120))
      #expect(try hub.hearth.wearable(named: "polar-1").trouble == nil)
      await hub.stop()
    }
  }

  @Test(
    """
    clocks change while a band is away: it follows by itself, or is set by its first visit; no value is stored at \
    another hour
    """,
    arguments: [true, false], [3600, -3600] as [Int64])
  func daylight(_ follows: Bool, _ shift: Int64) throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 123)
      let traits = PolarTraits.of(.band360) {
        $0.zoneOffset = 120
        $0.changesClock = follows
      }
      let band = world.add { VirtualPolar($0, address: $1, random: $2, traits: traits) }
      band.keepSettings(try settings())
      var options = SimulatedHubOptions()
      options.hub.pairing = .always
      let change = loop.wall.microseconds / 1_000_000 + 6 * 3600
      options.hub.timeZone = TimeZoneRules(
        name: "test", changes: [change], offsets: [7200 + shift], firstOffset: 7200, rule: nil)
      let hub = SimulatedHub(world, options: options)
      try await hub.start(enrolling: [("polar-1", band, "polar", "band")])
      try await loop.sleep(for: .seconds(3600))
      #expect(try Int64(kept(band).daylightSaving.offset) == shift && band.timesSet.isEmpty)
      band.leave()
      try await loop.sleep(for: .seconds(7 * 3600))
      #expect(band.clockChanges == (follows ? 1 : 0))
      band.arrive()
      try await loop.sleep(for: .seconds(600))
      #expect(band.timesSet.count == (follows ? 0 : 1) && band.clock.offset == 120 + Int32(shift / 60))
      let offBy = try await field(hub, "clock", "off_by_s").flatMap { Double($0) }
      #expect(abs(offBy ?? 99) < 1)
      await hub.stop()
    }
  }

  @Test(
    """
    a rate that there is in SDK mode alone is recorded in it, through a restart of the wearable, and the heart rate \
    is back when it ends
    """
  )
  func sdkMode() throws {
    try VirtualLoop.run { loop in
      let (_, hub, sensor) = try await PolarHouseTests.house(loop, .veritySense, seed: 124)
      try await loop.sleep(for: .seconds(60))
      let said = try await hub.hearth.perform("recording-start", ["acc", "rate=26"], on: "polar-1")
      #expect(
        said.hasPrefix("acc is being recorded, 26 Hz") && said.contains("in SDK mode") && said.contains("no heart rate")
      )
      #expect(sensor.isSDKMode && sensor.runningRecordings == [.acc])
      let refused = await refusal { () throws(HearthError) in
        try await hub.hearth.perform("recording-start", ["acc", "rate=51"], on: "polar-1")
      }
      #expect(refused?.reason == .requestUnsupported && refused?.detail.contains("13, 26, 52") == true)
      try await loop.sleep(for: .seconds(3600))
      #expect(sensor.isSDKMode && sensor.runningRecordings == [.acc], "a link that ends does not end it")
      sensor.reboot()
      #expect(!sensor.isSDKMode)
      try await loop.sleep(for: .seconds(3600))
      #expect(
        sensor.isSDKMode && sensor.runningRecordings == [.acc] && sensor.recordedRuns.allSatisfy { $0.rate == 26 })
      _ = try await hub.hearth.perform("recording-stop", ["acc"], on: "polar-1")
      #expect(!sensor.isSDKMode && sensor.runningRecordings.isEmpty)
      try await loop.sleep(for: .seconds(1800))
      #expect(!sensor.isSDKMode && sensor.files.lost.isEmpty)
      // In the usual mode again, which no rate of SDK mode is begun in while something is recorded.
      let usual = try await hub.hearth.perform("recording-start", ["gyro"], on: "polar-1")
      #expect(!usual.contains("SDK mode"))
      let kept = try await hub.hearth.perform("recording-start", ["acc", "rate=26"], on: "polar-1")
      #expect(
        kept.contains("cannot while gyro is recorded or streamed") && kept.hasSuffix("kept, and tried at each visit")
          && !sensor.isSDKMode)
      await hub.stop()
      try await PolarHouseTests.judge(hub)
    }
  }
}
