import EventLoop
import Hub
import PolarTwin
import Simulation
import Testing

@testable import PolarFamily

@Suite("Recordings that a visit restarts, with a link that is lost in between")
struct PolarRenewalTests {
  /// A sensor without orders comes home with two recordings that are old enough to be ended.
  @LoopActor
  private static func house(_ loop: VirtualLoop) async throws -> (SimulatedHub, VirtualPolar) {
    let (_, hub, sensor) = try await PolarHouseTests.house(loop, .veritySense, seed: 120)
    try await loop.sleep(for: .seconds(60))
    sensor.leave()
    sensor.beginRecording(.acc)
    sensor.beginRecording(.gyro)
    try await loop.sleep(for: .seconds(2400))
    return (hub, sensor)
  }

  @LoopActor
  private static func note(_ hub: SimulatedHub) -> [PolarRenewals.Renewal]? {
    hub.store.wearables.first?.driverState[PolarPendingRenewals.self]?.all
  }

  // Each is ended and looked at, and then each is begun: six commands.
  @Test(
    "whatever command the link ends at, both run again a visit later, as they were", arguments: 0..<6, [false, true])
  func cut(_ command: Int, _ isHandled: Bool) throws {
    try VirtualLoop.run { loop in
      let (hub, sensor) = try await Self.house(loop)
      sensor.cutsLink = (command, isHandled)
      let links = sensor.links
      sensor.arrive()
      try await loop.sleep(for: .seconds(300))
      #expect(sensor.links == links + 2, "the link was not lost once")
      #expect(sensor.runningRecordings == [.acc, .gyro])
      #expect(Self.note(hub) == nil, "nothing is left to be begun")
      // What was not ended goes on as it was.
      let ended = (command > 0 || isHandled ? 1 : 0) + (command > 2 || command == 2 && isHandled ? 1 : 0)
      #expect(sensor.recordedRuns.count == 2 + ended && sensor.recordedRuns.allSatisfy { $0.rate == 52 })
      #expect(sensor.files.lost.isEmpty && sensor.removalsOfRunning.isEmpty && hub.watch.violations.isEmpty)
      await hub.stop()
    }
  }

  @Test("a hub that is killed in between begins them in its next life")
  func killed() throws {
    try VirtualLoop.run { loop in
      let (hub, sensor) = try await Self.house(loop)
      sensor.cutsLink = (1, true)
      sensor.arrive()
      for _ in 0..<3000 where Self.note(hub) == nil || sensor.runningRecordings.count > 1 {
        try await loop.sleep(for: .milliseconds(20))
      }
      #expect(sensor.runningRecordings == [.gyro] && Self.note(hub)?.map(\.type) == [.acc, .gyro])
      let ranges = Self.note(hub)?.map { $0.selection.values[.range] }
      #expect(
        ranges == [8, 2000]
          && Self.note(hub)?.allSatisfy { $0.selection.values[.sampleRate] == 52 && !$0.wasEncrypted } == true)
      await hub.kill()
      try await hub.start()
      try await loop.sleep(for: .seconds(300))
      #expect(sensor.runningRecordings == [.acc, .gyro] && Self.note(hub) == nil)
      await hub.stop()
    }
  }

  @Test("what cannot be begun now is begun at a visit at which it can")
  func later() throws {
    try VirtualLoop.run { loop in
      let (hub, sensor) = try await Self.house(loop)
      sensor.isInCharger = true
      sensor.arrive()
      try await loop.sleep(for: .seconds(1200))
      #expect(sensor.runningRecordings.isEmpty && hub.hearth.wearables().first?.trouble != nil)
      sensor.isInCharger = false
      try await loop.sleep(for: .seconds(1800))
      #expect(sensor.runningRecordings == [.acc, .gyro] && Self.note(hub) == nil)
      await hub.stop()
    }
  }

  @Test("what an operator ends meanwhile is not begun")
  func ended() throws {
    try VirtualLoop.run { loop in
      let (hub, sensor) = try await Self.house(loop)
      sensor.isInCharger = true
      sensor.arrive()
      try await loop.sleep(for: .seconds(300))
      #expect(Self.note(hub) != nil)
      let said = try await hub.hearth.perform("recording-stop", ["all"], on: "polar-1")
      #expect(said == "no recording was running")
      sensor.isInCharger = false
      try await loop.sleep(for: .seconds(3600))
      #expect(sensor.runningRecordings.isEmpty && Self.note(hub) == nil && hub.hearth.wearables().first?.trouble == nil)
      await hub.stop()
    }
  }
}
