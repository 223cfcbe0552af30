import EventLoop
import Hub
import PolarTwin
import Reasons
import Simulation
import Testing

@Suite("What a Polar wearable refuses for now")
struct PolarKeptOrderTests {
  @LoopActor private static func trouble(_ hub: SimulatedHub) -> Reason? {
    hub.hearth.wearables().first?.trouble?.reason
  }

  @Test(
    "a recording that is refused on the charger is kept, shown until it runs, and begun at the visit at which it can",
    arguments: [PolarTraits.Model.veritySense, .band360])
  func charger(_ model: PolarTraits.Model) throws {
    try VirtualLoop.run { loop in
      let (_, hub, sensor) = try await PolarHouseTests.house(loop, model, seed: 130)
      try await loop.sleep(for: .seconds(60))
      sensor.isInCharger = true
      let said = try await hub.hearth.perform("recording-start", ["acc"], on: "polar-1")
      #expect(said == "acc is not recorded yet (start of acc: not while it is charging); kept, and tried at each visit")
      #expect(sensor.runningRecordings.isEmpty)
      try await loop.sleep(for: .seconds(1800))
      #expect(Self.trouble(hub) == .recordingNotArmed && sensor.runningRecordings.isEmpty)
      let rows = try await hub.hearth.report("recordings", of: "polar-1").first { $0.name == "acc" }
      #expect(rows?.fields.first { $0.name == "refused" }?.value == "start of acc: not while it is charging")
      await hub.stop()
      try await hub.start()
      sensor.isInCharger = false
      try await loop.sleep(for: .seconds(3600))
      #expect(sensor.runningRecordings == [.acc] && Self.trouble(hub) == nil)
      await hub.stop()
    }
  }

  @Test("one that it will never make is refused and not kept")
  func never() throws {
    try VirtualLoop.run { loop in
      let (_, hub, sensor) = try await PolarHouseTests.house(loop, .veritySense, seed: 131)
      try await loop.sleep(for: .seconds(60))
      sensor.isInCharger = true
      await #expect(throws: HearthError.self) {
        _ = try await hub.hearth.perform("recording-start", ["acc", "rate=7"], on: "polar-1")
      }
      await #expect(throws: HearthError.self) {
        _ = try await hub.hearth.perform("recording-start", ["ecg"], on: "polar-1")
      }
      sensor.isInCharger = false
      try await loop.sleep(for: .seconds(3600))
      #expect(sensor.runningRecordings.isEmpty && Self.trouble(hub) == nil)
      await hub.stop()
    }
  }

  @Test("a question with an answer that is not kept does not say that the hub comes again")
  func notKept() throws {
    try VirtualLoop.run { loop in
      let (_, hub, band) = try await PolarHouseTests.house(loop, .band360, seed: 132)
      try await loop.sleep(for: .seconds(300))
      band.startTraining()
      do throws(HearthError) {
        _ = try await hub.hearth.report("today", of: "polar-1")
        Issue.record("it was answered")
      } catch { #expect(error.reason == .requestNotDone && error.reason.text.next.contains("not kept"), "\(error)") }
      await hub.stop()
    }
  }
}
