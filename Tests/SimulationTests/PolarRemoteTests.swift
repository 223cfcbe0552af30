import EventLoop
import Hub
import Reasons
import Simulation
import Testing

@testable import PolarTwin

@Suite("Trainings from afar, and logs, of Polar's wearables under the whole hub")
struct PolarRemoteTests {
  @LoopActor private func refusal<Value>(_ body: () async throws(HearthError) -> Value) async -> HearthError? {
    do throws(HearthError) { _ = try await body() } catch { return error }
    return nil
  }

  @LoopActor private func field(_ hub: SimulatedHub, _ topic: String, _ row: String, _ field: String) async throws
    -> String?
  {
    try await hub.hearth.report(topic, of: "polar-1").first { $0.name == row }?.fields.first { $0.name == field }?.value
  }

  @Test("a training is begun, paused, gone on with and ended, each read back, and what makes no sense is said")
  func training() throws {
    try VirtualLoop.run { loop in
      let (_, hub, watch) = try await PolarHouseTests.house(loop, .band360, seed: 91)
      try await loop.sleep(for: .seconds(300))
      @LoopActor func perform(_ name: String, _ words: [String] = []) async throws(HearthError) -> String {
        try await hub.hearth.perform(name, words, on: "polar-1")
      }
      #expect(
        await refusal { () throws(HearthError) in try await perform("exercise-pause") }?.detail.contains(
          "no training runs") == true)
      #expect(
        await refusal { () throws(HearthError) in try await perform("exercise-start", ["chess"]) }?.reason
          == .requestUnsupported)
      #expect(try await perform("exercise-stop") == "no training was running" && !watch.isTraining)
      #expect(try await field(hub, "recordings", "training", "running") == "no")
      #expect(try await field(hub, "recordings", "sleep", "recording") == "no")
      #expect(
        try await perform("exercise-start", ["running"]).hasPrefix("a training has begun: running") && watch.isTraining)
      #expect(
        await refusal { () throws(HearthError) in try await perform("exercise-start") }?.detail.contains("runs already")
          == true)
      #expect(try await field(hub, "recordings", "training", "running") == "yes")
      #expect(try await perform("exercise-pause") == "the training is paused" && watch.isTrainingPaused)
      #expect(try await perform("exercise-pause") == "the training is paused already")
      #expect(try await field(hub, "recordings", "training", "paused") == "yes")
      #expect(
        try await perform("exercise-resume") == "the training goes on" && watch.isTraining && !watch.isTrainingPaused)
      #expect(try await perform("exercise-resume") == "the training runs already")
      // Today's files are served again when it is over.
      let busy = await refusal { () throws(HearthError) in try await hub.hearth.report("today", of: "polar-1") }
      #expect(busy?.reason == .requestNotDone, "\(String(describing: busy))")
      #expect(try await perform("exercise-stop").hasPrefix("the training has ended") && !watch.isTraining)
      #expect(await refusal { () throws(HearthError) in try await hub.hearth.report("today", of: "polar-1") } == nil)
      await hub.stop()
      #expect(hub.watch.violations.isEmpty && watch.leftSynchronising == 0)
    }
  }

  @Test("logs are listed and removed by an operator, unread, without any other file")
  func logs() throws {
    try VirtualLoop.run { loop in
      let (_, hub, band) = try await PolarHouseTests.house(loop, .band360, seed: 92)
      try await loop.sleep(for: .seconds(300))
      let logs = ["/SDLOGS/20260101/ACC0.SLG", "/SDLOGS/INFO.TXT", "/TRC001.BIN"]
      let others = ["/SDLOGS/OTHER.DAT", "/TRCABC.BIN"]
      for path in logs + others { band.files.put(path, [UInt8](repeating: 1, count: 3000), isWhole: false) }
      #expect(try await field(hub, "settings", "logs", "files") == "3")
      #expect(try await field(hub, "settings", "logs", "size_bytes") == "9000")
      let before = band.files.files.map(\.path).filter { !logs.contains($0) }
      #expect(try await hub.hearth.perform("logs-remove", [], on: "polar-1") == "3 logs are gone, 9 kB")
      #expect(Set(before).isSubset(of: band.files.files.map(\.path)) && logs.allSatisfy { band.files[$0] == nil })
      #expect(try await hub.hearth.perform("logs-remove", [], on: "polar-1") == "it keeps no logs")
      #expect(try await field(hub, "settings", "logs", "files") == nil)
      await hub.stop()
    }
  }
}
