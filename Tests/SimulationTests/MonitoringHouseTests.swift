import EventLoop
import Hub
import PolarMessages
import PolarTwin
import Reasons
import RingStore
import Simulation
import StrapTwin
import Testing
import Wearable

@testable import Health

@Suite("Measuring by itself, under the whole hub")
struct MonitoringHouseTests {
  @LoopActor private func refusal<Value>(_ body: () async throws(HearthError) -> Value) async -> HearthError? {
    do throws(HearthError) { _ = try await body() } catch { return error }
    return nil
  }

  @LoopActor
  private func shown(_ hub: SimulatedHub, _ name: String) throws -> MonitoredSeries? {
    try hub.hearth.monitoring(of: name).series.first
  }

  @Test(
    "a thermometer measures as often as it is ordered, through a kill of the hub, and as before when no order wants it")
  func thermometer() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 960)
      let thermometer = world.addThermometer { $0.interval = 60 }
      let hub = SimulatedHub(world)
      try await hub.start(enrolling: [("patch", thermometer, "heart-rate", "thermometer")])
      try await loop.sleep(for: .seconds(120))
      let before = try #require(try shown(hub, "patch"))
      #expect(before.series == .bodyTemperature && before.says?.interval == 60 && before.progress == .none)
      #expect(before.parts == [.isOn, .interval])
      _ = try await hub.hearth.orderMonitoring("patch", .bodyTemperature) { $0.interval = 300 }
      try await loop.sleep(for: .seconds(10))
      #expect(try thermometer.interval == 300 && shown(hub, "patch")?.progress == .taken)
      await hub.kill()
      try await hub.start()
      try await loop.sleep(for: .seconds(1800))
      #expect(try thermometer.interval == 300 && shown(hub, "patch")?.asked?.interval == 300)
      // A person sets it at the thermometer itself: the next visit sets it as ordered.
      thermometer.setInterval(30)
      try hub.hearth.visitNow("patch")
      try await loop.sleep(for: .seconds(120))
      #expect(thermometer.interval == 300)
      // What its range does not have it has told by now.
      let beyond = await refusal { () throws(HearthError) in
        try await hub.hearth.orderMonitoring("patch", .bodyTemperature) { $0.interval = 4 }
      }
      #expect(beyond?.detail == "patch: it takes 5 to 3600 s between two measurements, not 4 s")
      #expect(try shown(hub, "patch")?.progress == .taken && shown(hub, "patch")?.asked?.interval == 300)
      _ = try await hub.hearth.orderMonitoring("patch", .bodyTemperature) { $0 = MonitoringOrder() }
      try hub.hearth.visitNow("patch")
      try await loop.sleep(for: .seconds(120))
      #expect(try thermometer.interval == 60 && hub.hearth.wearable(named: "patch").trouble == nil)
      let rate = await refusal { () throws(HearthError) in
        try await hub.hearth.orderMonitoring("patch", .heartRate) { $0.isOn = true }
      }
      #expect(rate?.reason == .requestUnsupported)
      await hub.stop()
      #expect(thermometer.ledger.faults.isEmpty, "nothing was written that it does not take")
    }
  }

  @Test("a band measures the heart rate day and night or not, as it is ordered, and as before when no order wants it")
  func band() throws {
    try VirtualLoop.run { loop in
      let (_, hub, band) = try await PolarHouseTests.house(loop, .band360, seed: 125)
      var message = PbUserDeviceSettings()
      message.generalSettings.deviceLocation = .deviceLocationWristLeft
      (message.lastModified.date.year, message.lastModified.date.month, message.lastModified.date.day) = (2026, 1, 1)
      (message.lastModified.time.hour, message.lastModified.time.minute, message.lastModified.time.seconds) = (0, 0, 0)
      message.lastModified.trusted = true
      let file = try message.wire()
      band.keepSettings(file)
      @LoopActor func isOn() throws -> Bool {
        let kept = try PbUserDeviceSettings(wire: band.files["/U/0/S/UDEVSET.BPB"]?.bytes ?? [])
        let said = kept.automaticMeasurementSettings.automaticOhrMeasurement
        return !said.hasState || said.state != .off
      }
      try await loop.sleep(for: .seconds(300))
      _ = try await hub.hearth.orderMonitoring("polar-1", .heartRate) { $0.isOn = false }
      try await loop.sleep(for: .seconds(900))
      #expect(try !isOn() && shown(hub, "polar-1")?.progress == .taken)
      await hub.kill()
      try await hub.start()
      try await loop.sleep(for: .seconds(1800))
      let now = try await hub.hearth.readMonitoring(of: "polar-1").series.first
      #expect(try !isOn() && now?.asked?.isOn == false && now?.says?.isOn == false && now?.progress == .taken)
      let window = await refusal { () throws(HearthError) in
        try await hub.hearth.orderMonitoring("polar-1", .heartRate) { $0.window = MonitoringWindow(begin: 0, end: 60) }
      }
      #expect(
        window?.detail == "polar-1: of measuring heart_rate by itself window cannot be ordered; on can")
      _ = try await hub.hearth.orderMonitoring("polar-1", .heartRate) { $0 = MonitoringOrder() }
      try await loop.sleep(for: .seconds(900))
      #expect(try isOn() && hub.hearth.wearable(named: "polar-1").trouble == nil)
      await hub.stop()
    }
  }
}
