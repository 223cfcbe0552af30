import CivilTime
import EventLoop
import Export
import Health
import PolarMessages
import PolarTwin
import Reasons
import RingStore
import Simulation
import Testing

@testable import Hub

@Suite("What people order of Polar's wearables, under the whole hub")
struct PolarOrdersTests {
  @LoopActor private func refusal<Value>(_ body: () async throws(HearthError) -> Value) async -> HearthError? {
    do throws(HearthError) { _ = try await body() } catch { return error }
    return nil
  }

  private func field(_ rows: [(name: String, fields: [String: String])], _ row: String, _ field: String) -> String? {
    rows.first { $0.name == row }?.fields[field]
  }

  @LoopActor private func recordings(_ hub: SimulatedHub) async throws -> [(name: String, fields: [String: String])] {
    try await hub.hearth.report("recordings", of: "polar-1").map { row in
      (row.name, Dictionary(row.fields.map { ($0.name, $0.value) }) { first, _ in first })
    }
  }

  @Test(
    """
    a recording that was ordered is kept going through a restart of the wearable and of the hub, until an operator \
    ends it
    """
  )
  func keptGoing() throws {
    try VirtualLoop.run { loop in
      let (_, hub, sensor) = try await PolarHouseTests.house(loop, .veritySense, seed: 81)
      try await loop.sleep(for: .seconds(60))
      let said = try await hub.hearth.perform("recording-start", ["acc", "rate=52"], on: "polar-1")
      #expect(said == "acc is being recorded, 52 Hz, range 8" && sensor.runningRecordings == [.acc])
      try await loop.sleep(for: .seconds(120))
      let rows = try await recordings(hub)
      #expect(
        field(rows, "acc", "recording") == "yes" && field(rows, "acc", "kept_going") == "yes"
          && field(rows, "acc", "rate_hz") == "52")
      // Said before anything is ordered of it.
      #expect(field(rows, "acc", "can_hz") == "52" && field(rows, "acc", "can_hz_sdk") == "13, 26")
      #expect(
        field(rows, "gyro", "recording") == "no" && field(rows, "memory", "free_bytes") != nil
          && field(rows, "triggers", "mode") == "off")

      sensor.reboot()
      #expect(sensor.runningRecordings.isEmpty)
      try await loop.sleep(for: .seconds(3600))
      #expect(sensor.runningRecordings == [.acc])
      await hub.stop()
      sensor.reboot()
      try await hub.start()
      try await loop.sleep(for: .seconds(3600))
      #expect(sensor.runningRecordings == [.acc])

      _ = try await hub.hearth.perform("recording-stop", ["acc"], on: "polar-1")
      #expect(sensor.runningRecordings.isEmpty)
      try await loop.sleep(for: .seconds(3600))
      #expect(sensor.runningRecordings.isEmpty && sensor.removalsOfRunning.isEmpty && sensor.files.lost.isEmpty)
      await hub.stop()
      try await PolarHouseTests.judge(hub)
    }
  }

  @Test(
    """
    a recording that was just restarted is not ended again by the visits after a lost link, nor by a hub that was \
    killed
    """
  )
  func begunLately() throws {
    try VirtualLoop.run { loop in
      let (_, hub, sensor) = try await PolarHouseTests.house(loop, .veritySense, seed: 99) {
        $0.recordingDelay = .seconds(600)
      }
      try await loop.sleep(for: .seconds(60))
      sensor.leave()
      sensor.beginRecording(.acc)
      try await loop.sleep(for: .seconds(2400))
      sensor.arrive()
      for _ in 0..<3000 where sensor.recordedRuns.count == 1 { try await loop.sleep(for: .milliseconds(20)) }
      sensor.hangUp()
      let links = sensor.links
      try await loop.sleep(for: .seconds(120))
      #expect(sensor.recordedRuns.count == 2 && sensor.links > links)
      await hub.kill()
      try await hub.start()
      try await loop.sleep(for: .seconds(300))
      #expect(sensor.recordedRuns.count == 2 && sensor.runningRecordings == [.acc])
      // The recording goes on from visit to visit as before.
      try await loop.sleep(for: .seconds(7200))
      #expect((3...6).contains(sensor.recordedRuns.count), "\(sensor.recordedRuns.count)")
      #expect(sensor.removalsOfRunning.isEmpty && sensor.files.lost.isEmpty)
      await hub.stop()
      try await PolarHouseTests.judge(hub)
    }
  }

  @Test("what makes no sense is refused with what would")
  func nonsense() throws {
    try VirtualLoop.run { loop in
      let (_, hub, sensor) = try await PolarHouseTests.house(loop, .veritySense, seed: 82)
      try await loop.sleep(for: .seconds(60))
      for (words, hint) in [
        ([], "type"), (["ecg"], "acc"), (["acc", "rate=50"], "52"), (["acc", "speed=1"], "rate=HZ"),
        (["acc", "rate=x"], "rate=HZ"), (["acc", "range=3"], "it has 8, and in SDK mode 2, 4, 16"),
      ] as [([String], String)] {
        let error = await refusal { () throws(HearthError) in
          try await hub.hearth.perform("recording-start", words, on: "polar-1")
        }
        #expect(
          error?.reason == .requestUnsupported && error?.detail.contains(hint) == true,
          "\(words): \(String(describing: error))")
      }
      #expect(sensor.runningRecordings.isEmpty)
      let unknown = await refusal { () throws(HearthError) in try await hub.hearth.perform("dance", on: "polar-1") }
      #expect(unknown?.reason == .requestUnsupported)
      await hub.stop()
    }
  }

  @Test("a rate that was ordered is the stream's rate, at once and after a restart of the hub, until no order wants it")
  func rates() throws {
    try VirtualLoop.run { loop in
      let (_, hub, straps) = try await polarHouse(loop, seed: 87, [.of(.h10) { _ in }], driver: "polar-strap")
      let strap = straps[0]
      try await loop.sleep(for: .seconds(60))
      let offered = try hub.hearth.orders(of: "polar-1").rateChoices
      #expect(
        offered.map(\.series) == [.ecg, .acc] && offered.map { $0.rates.map(\.hertz) } == [[130], [25, 50, 100, 200]])
      _ = try await hub.hearth.orderStreams("polar-1", [.acc])
      try await loop.sleep(for: .seconds(10))
      #expect(strap.liveRuns.map(\.rate) == [50])
      _ = try await hub.hearth.orderRates("polar-1", [.acc: 100])
      try await loop.sleep(for: .seconds(10))
      #expect(strap.liveRuns.map(\.rate) == [50, 100])
      await hub.kill()
      try await hub.start()
      try await loop.sleep(for: .seconds(120))
      #expect(strap.liveRuns.last?.rate == 100 && strap.liveRuns.count == 3)
      _ = try await hub.hearth.orderRates("polar-1", [:])
      try await loop.sleep(for: .seconds(10))
      #expect(strap.liveRuns.last?.rate == 50)
      let error = await refusal { () throws(HearthError) in try await hub.hearth.orderRates("polar-1", [.acc: 52]) }
      #expect(error?.reason == .requestUnsupported && error?.detail.hasSuffix("it has 25, 50, 100, 200 Hz") == true)
      await hub.stop()
    }
  }

  @Test("with a secret recordings are encrypted, and a model that cannot do that says so instead of recording in clear")
  func encrypted() throws {
    try VirtualLoop.run { loop in
      let (_, hub, sensor) = try await PolarHouseTests.house(loop, .veritySense, seed: 83)
      _ = try await hub.hearth.orderSecret("polar-1", [UInt8](1...16))
      try await loop.sleep(for: .seconds(60))
      #expect(try await hub.hearth.perform("recording-start", ["acc"], on: "polar-1").hasSuffix("encrypted"))
      #expect(sensor.runningRecordings == [.acc])
      await hub.stop()

      let (_, other, band) = try await PolarHouseTests.house(loop, .band360, seed: 84)
      // The wearable was not heard yet: its model is unknown.
      _ = try await other.hearth.orderSecret("polar-1", Hearth.freshSecret())
      try await loop.sleep(for: .seconds(60))
      let error = await refusal { () throws(HearthError) in
        try await other.hearth.perform("recording-start", ["acc"], on: "polar-1")
      }
      #expect(error?.detail.contains("does not encrypt") == true && band.runningRecordings.isEmpty)
      let shown = field(try await recordings(other), "encryption", "possible")
      #expect(shown == "no")
      _ = try await other.hearth.orderSecret("polar-1", nil)
      let refused = await refusal { () throws(HearthError) in
        try await other.hearth.orderSecret("polar-1", Hearth.freshSecret())
      }
      #expect(refused?.reason == .secretUseless)
      let said = try await other.hearth.perform("recording-start", ["acc"], on: "polar-1")
      #expect(said.hasPrefix("acc is being recorded"))
      // As a hub that did not know the model kept it: what was ordered is not begun again in clear, and the wearable
      // shows why.
      try other.hearth.registry.require("polar-1").choices.orders.secret = Hearth.freshSecret()
      band.reboot()
      try await loop.sleep(for: .seconds(1200))
      let trouble = try other.hearth.wearable(named: "polar-1").trouble
      #expect(
        trouble?.reason == .recordingNotArmed && trouble?.detail.contains("does not encrypt") == true
          && band.runningRecordings.isEmpty)
      await other.stop()
    }
  }

  @Test("triggers are set with what they begin, and begin it")
  func triggers() throws {
    try VirtualLoop.run { loop in
      let (_, hub, sensor) = try await PolarHouseTests.house(loop, .veritySense, seed: 85)
      try await loop.sleep(for: .seconds(60))
      #expect(
        try await hub.hearth.perform("triggers", ["system-start", "acc", "gyro"], on: "polar-1")
          == "acc, gyro begin at system-start")
      sensor.reboot()
      #expect(sensor.runningRecordings == [.acc, .gyro])
      try await loop.sleep(for: .seconds(120))
      #expect(try await hub.hearth.perform("triggers", ["off"], on: "polar-1") == "no recording begins by itself")
      #expect(sensor.triggerMode == 0)
      #expect(
        try await hub.hearth.perform("recording-stop", ["all"], on: "polar-1").hasPrefix(
          "acc, gyro is no longer recorded"))
      await hub.stop()
    }
  }

  @Test(
    """
    a band gets its wearer, also when an assignment of the future begins; every sample belongs to the wearer at its \
    time
    """
  )
  func wearers() throws {
    try VirtualLoop.run { loop in
      let (_, hub, band) = try await PolarHouseTests.house(loop, .band360, seed: 86) { $0.daysBefore = 2 }
      let hearth = hub.hearth
      for (name, height) in [("Ada", 171), ("Bo", 184)] {
        _ = try await hearth.addWearer(name)
        _ = try await hearth.setBody(name) { body in
          (body.born, body.sex, body.height, body.weight) = (
            LocalDate(year: 1980, month: 5, day: 17), .female, height, 70
          )
        }
      }
      let begin = loop.wall
      let change = begin + .seconds(2 * 3600)
      _ = try await hearth.assign("polar-1", to: "Ada", from: begin + .seconds(-86_400))
      #expect(try await hearth.assign("polar-1", to: "bo", from: change).map(\.wearer) == ["Ada", "Bo"])
      @LoopActor func height() throws -> Float? {
        try band.files["/U/0/S/PHYSDATA.BPB"].map { try PbUserPhysData(wire: $0.bytes).height.value }
      }
      try await loop.sleep(for: .seconds(600))
      #expect(try height() == 171 && band.files["/U/0/USERID.BPB"] != nil)
      #expect(try hearth.wearable(named: "polar-1").wearer == "Ada")
      try await loop.sleep(for: .seconds(2 * 3600))
      #expect(try height() == 184 && hearth.wearable(named: "polar-1").wearer == "Bo")
      #expect(hearth.wearers().map(\.wears) == [[], ["polar-1"]])

      let export = hub.store.sampleExport(.ndjson)
      let samples = try await hub.storedSamples()
      let (before, after) = (
        samples.filter { $0.time >= begin && $0.time < change }, samples.filter { $0.time >= change }
      )
      #expect(!before.isEmpty && !after.isEmpty)
      #expect(
        before.allSatisfy { export.line($0).contains(#""wearer":"Ada""#) }
          && after.allSatisfy { export.line($0).contains(#""wearer":"Bo""#) })
      // Days that were over when Ada got it are hers only from the day on which she did.
      #expect(samples.contains { $0.time < begin + .seconds(-86_400) && !export.line($0).contains("wearer") })
      await hub.stop()
    }
  }

  @Test(
    """
    a band that a phone set up gets what people entered, for any wearer, and gets back what was another's; every other \
    byte stays, and its identifier
    """
  )
  func physicalData() throws {
    try VirtualLoop.run { loop in
      let (_, hub, band) = try await PolarHouseTests.house(loop, .band360, seed: 93) { $0.daysBefore = 1 }
      band.beSetUpByPhone()
      let hearth = hub.hearth
      let phone = try #require(band.files[VirtualPolar.physicalPath]?.bytes)
      _ = try await hearth.addWearer("Ada")
      _ = try await hearth.assign("polar-1", to: "Ada", from: loop.wall)
      try await loop.sleep(for: .seconds(600))
      #expect(band.changes.isEmpty && band.puts.isEmpty, "nothing is known of Ada")
      _ = try await hearth.setBody("Ada") { $0.height = 172 }
      try await loop.sleep(for: .seconds(600))
      #expect(band.changes.map(\.field) == [4, 100])
      _ = try await hearth.setBody("Ada") { body in
        (body.born, body.sex, body.weight) = (LocalDate(year: 1980, month: 5, day: 17), .female, 62)
        (body.vo2Max, body.trainingBackground, body.typicalDay, body.sleepGoal) = (50, .heavy, .sitting, 480)
      }
      try await loop.sleep(for: .seconds(600))
      // What is as it was told keeps its time: birth date, sex and training background.
      #expect(band.changes.dropFirst(2).map(\.field) == [3, 10, 12, 17, 100])
      _ = try await hearth.addWearer("Bo")
      _ = try await hearth.setBody("Bo") { body in
        (body.born, body.sex, body.height, body.weight) = (LocalDate(year: 1999, month: 12, day: 1), .male, 184, 80)
        (body.maximumHeartRate, body.restingHeartRate) = (199, 55)
      }
      let before = band.changes.count
      _ = try await hearth.assign("polar-1", to: "Bo", from: loop.wall)
      try await loop.sleep(for: .seconds(600))
      // Ada's oxygen uptake, typical day and sleep goal are not Bo's: they are as the phone had told them.
      #expect(band.changes.dropFirst(before).map(\.field) == [1, 2, 3, 4, 5, 6, 10, 12, 17, 100])
      #expect(band.puts.allSatisfy { $0.path == VirtualPolar.physicalPath })
      let now = try #require(band.files[VirtualPolar.physicalPath]?.bytes)
      #expect(now.prefix(2) == phone.prefix(2) && now.suffix(5) == phone.suffix(5), "what no definition has")
      #expect(try hearth.wearable(named: "polar-1").trouble == nil)
      await hub.stop()
    }
  }

  @Test(
    "while a band trains, what runs and how its training goes are shown; what needs its files is named and comes later"
  )
  func recordingsWhileTraining() throws {
    try VirtualLoop.run { loop in
      let (_, hub, band) = try await PolarHouseTests.house(loop, .band360, seed: 94) { $0.daysBefore = 1 }
      try await loop.sleep(for: .seconds(60))
      _ = try await hub.hearth.perform("recording-start", ["acc"], on: "polar-1")
      _ = try await hub.hearth.perform("exercise-start", ["running"], on: "polar-1")
      let begun = loop.now
      let rows = try await hub.hearth.report("recordings", of: "polar-1")
      #expect(loop.now - begun < .seconds(60))
      func field(_ row: String, _ name: String) -> String? {
        rows.first { $0.name == row }?.fields.first { $0.name == name }?.value
      }
      #expect(
        field("acc", "recording") == "yes" && field("acc", "kept_going") == "yes"
          && field("training", "running") == "yes")
      #expect(field("not-now", "why") == "it trains, and reports since when, rate and range afterwards")
      try await loop.sleep(for: .seconds(1500))
      #expect(
        try await hub.hearth.report("recordings", of: "polar-1").contains { $0.name == "training" },
        "also later, between visits that meet it busy")
      _ = try await hub.hearth.perform("exercise-stop", on: "polar-1")
      try await loop.sleep(for: .seconds(900))
      #expect(try await hub.hearth.report("recordings", of: "polar-1").contains { $0.name == "not-now" } == false)
      _ = band
      await hub.stop()
    }
  }

  @Test("people see how far the fetch of a long recording is")
  func progress() throws {
    try VirtualLoop.run { loop in
      let (_, hub, sensor) = try await PolarHouseTests.house(loop, .veritySense, seed: 87)
      try await loop.sleep(for: .seconds(30))
      _ = try await hub.hearth.perform("recording-start", ["acc"], on: "polar-1")
      try await loop.sleep(for: .seconds(3500))
      _ = try await hub.hearth.perform("recording-stop", ["acc"], on: "polar-1")
      try hub.hearth.visitNow("polar-1")
      var seen: [Int] = []
      let before = sensor.files.removed.count
      for _ in 0..<3000 where sensor.files.removed.count == before {
        if let visit = try hub.hearth.visits(1, of: nil).first, visit.isRunning, let size = visit.itemSize,
          let fetched = visit.itemFetched, fetched <= size
        {
          seen.append(fetched)
        }
        try await loop.sleep(for: .milliseconds(50))
      }
      #expect(Set(seen).count > 10, "\(seen)")
      await hub.stop()
    }
  }
}
