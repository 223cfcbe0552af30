import EventLoop
import Health
import Hub
import PolarFamily
import Reasons
import RingStore
import Simulation
import Testing

@testable import PolarTwin

/// What is known to be wrong with Polar's wearables, each by a twin that does it.
@Suite("Known issues of Polar's wearables, under the whole hub")
struct PolarQuirkTests {
  /// Tried below.
  private static let tried: Set<String> = [
    "ppg-rate-overstated", "ppg-rate-understated", "battery-frozen", "stream-clock-late", "strap-off", "stream-left-on",
    "ppg-drift", "clock-lost-off-body",
    "clock-lost-empty", "local-time-unread", "ppi-slows-heart-rate", "files-in-sensor-mode-only",
    "exercise-trigger-without-ppi", "bonds-once",
    "recording-appears-late", "clock-lost-in-storage", "stream-on-screen-only",
  ]

  @Test("every known issue has its test")
  func complete() { #expect(Set(Polar.knownIssues.map(\.id)) == Self.tried) }

  @LoopActor
  private static func house(
    _ loop: VirtualLoop, _ model: PolarTraits.Model, seed: UInt64, adjust: (inout PolarTraits) -> Void = { _ in }
  ) async throws -> (SimulatedHub, VirtualPolar) {
    let house = try await polarHouse(
      loop, seed: seed, [.of(model, adjust)], driver: model == .h10 ? "polar-strap" : "polar")
    return (house.hub, house.wearables[0])
  }

  /// Records for some minutes out of range, and comes back; returns the stored values.
  @LoopActor
  private static func recorded(
    _ kind: PolarKind, _ series: Series, _ hub: SimulatedHub, _ wearable: VirtualPolar, _ loop: VirtualLoop
  ) async throws -> [StoredSample] {
    try await loop.sleep(for: .seconds(90))
    wearable.leave()
    wearable.beginRecording(kind)
    try await loop.sleep(for: .seconds(600))
    wearable.endRecording(kind)
    wearable.arrive()
    try await loop.sleep(for: .seconds(900))
    await hub.stop()
    #expect(hub.watch.violations.isEmpty && wearable.files.lost.isEmpty, "\(hub.watch.violations)")
    return try await hub.storedSamples().filter { $0.series == series && $0.origin == .fetched }
  }

  @Test("ppg-rate-overstated: 135 Hz is what old firmware says, samples lie 1/55 s apart from the first on")
  func overstated() throws {
    try VirtualLoop.run { loop in
      let (hub, sensor) = try await Self.house(loop, .veritySense, seed: 101) { $0.firmware = "2.0.9" }
      let blocks = try await Self.recorded(.ppg, .ppg, hub, sensor, loop)
      #expect(!blocks.isEmpty)
      for block in blocks { #expect(abs(block.values[0] - 1_000_000_000 / 55) < 100_000, "\(block.values[0])") }
    }
  }

  /// What is wrong with a block's begin, µs: against when the twin measured it, by the time that both go by.
  @LoopActor
  private static func error(_ block: StoredSample, _ run: PolarRun, _ index: Int, _ loop: VirtualLoop) -> Int64 {
    let age = (loop.now.nanoseconds - run.clock.instant(of: run.time(of: index)).nanoseconds) / 1000
    return block.time.microseconds - (loop.wall.microseconds - age)
  }

  @Test("ppg-rate-understated: 130 Hz is what an OH1 says, samples lie 1/135 s apart from the first on")
  func understated() throws {
    try VirtualLoop.run { loop in
      let (hub, sensor) = try await Self.house(loop, .oh1, seed: 110)
      _ = try await hub.hearth.orderStreams("polar-1", [.ppg])
      try await loop.sleep(for: .seconds(300))
      await hub.stop()
      let blocks = try await hub.storedSamples().filter { $0.series == .ppg }
      #expect(blocks.count > 100 && sensor.liveRuns.map(\.rate) == [135])
      for block in blocks { #expect(abs(block.values[0] - 1_000_000_000 / 135) < 100_000, "\(block.values[0])") }
    }
  }

  @Test(
    "stream-clock-late: stamps that follow a clock set an hour ago do not move a sample",
    arguments: [.veritySense, .oh1] as [PolarTraits.Model])
  func stampsLate(_ model: PolarTraits.Model) throws {
    try VirtualLoop.run { loop in
      let (hub, sensor) = try await Self.house(loop, model, seed: 111) { $0.clockError = .seconds(-5000) }
      _ = try await hub.hearth.orderStreams("polar-1", [.acc])
      try await loop.sleep(for: .seconds(600))
      #expect(!sensor.timesSet.isEmpty)
      let run = try #require(sensor.liveRuns.last)
      #expect(
        abs(run.clock.now(at: loop.now) - sensor.clock.now(at: loop.now)) > 4_900_000_000_000,
        "the twin's stamps follow at once")
      await hub.stop()
      let blocks = try await hub.storedSamples().filter { $0.series == .acc }
      #expect(blocks.count > 400 && sensor.liveRuns.count == 1)
      var index = try #require(run.delivered.first?.lowerBound)
      for block in blocks {
        #expect(abs(Self.error(block, run, index, loop)) < 100_000)
        index += Int(block.values[1])
      }
    }
  }

  @Test(
    """
    ppi-slows-heart-rate: what comes is stored as it comes, the stream has its time to begin, and no training ends \
    for it
    """
  )
  func intervals() throws {
    try VirtualLoop.run { loop in
      let (hub, sensor) = try await Self.house(loop, .veritySense, seed: 112)
      try await loop.sleep(for: .seconds(60))
      let ordered = loop.wall
      _ = try await hub.hearth.orderStreams("polar-1", [.ppi])
      try await loop.sleep(for: .seconds(600))
      #expect(sensor.liveRuns.count == 1, "it was given up for silent")
      // The hub never ends a training to fetch its intervals; they come when it is over.
      sensor.startTraining()
      let training = loop.wall
      try await loop.sleep(for: .seconds(1200))
      #expect(sensor.isTraining && sensor.trainingsAborted == 0 && sensor.streams.isEmpty)
      let row = try #require(try await hub.hearth.report("streams", of: "polar-1").first)
      #expect(row.fields.contains { $0.name == "why" && $0.value.contains("training") })
      sensor.endTraining()
      try await loop.sleep(for: .seconds(120))
      #expect(sensor.streams[.ppi] != nil && sensor.liveRuns.count == 2)
      await hub.stop()
      let rates = try await hub.storedSamples().filter {
        $0.series == .heartRate && $0.time > ordered + .seconds(10) && $0.time < training
      }
      #expect(rates.count > 110 && zip(rates, rates.dropFirst()).allSatisfy { ($1.time - $0.time).inSeconds > 4.5 })
      #expect(try await hub.storedSamples().contains { $0.series == .ppi && $0.time > training + .seconds(1200) })
    }
  }

  @Test("ppi-slows-heart-rate: a training that began before the link is not ended either")
  func trainsAlready() throws {
    try VirtualLoop.run { loop in
      let (hub, sensor) = try await Self.house(loop, .veritySense, seed: 113)
      _ = try await hub.hearth.orderStreams("polar-1", [.ppi])
      sensor.startTraining()
      try await loop.sleep(for: .seconds(1800))
      #expect(sensor.isTraining && sensor.trainingsAborted == 0 && sensor.links > 0)
      await hub.stop()
    }
  }

  @Test("exercise-trigger-without-ppi: it is refused with what would be taken, and what was armed before stays armed")
  func triggers() throws {
    try VirtualLoop.run { loop in
      let (hub, sensor) = try await Self.house(loop, .veritySense, seed: 114)
      try await loop.sleep(for: .seconds(60))
      _ = try await hub.hearth.perform("triggers", ["system-start", "ppi"], on: "polar-1")
      var refusal: HearthError?
      do throws(HearthError) {
        _ = try await hub.hearth.perform("triggers", ["exercise-start", "acc", "ppi"], on: "polar-1")
      } catch { refusal = error }
      #expect(refusal?.reason == .requestUnsupported && refusal?.detail.contains("acc") == true)
      #expect(sensor.triggerMode == 1 && Set(sensor.triggers.keys) == [.ppi])
      await hub.stop()
    }
  }

  @Test("stream-on-screen-only: a watch streams when its wearer shows the screen, without anybody at the hub")
  func screen() throws {
    try VirtualLoop.run { loop in
      let (hub, watch) = try await Self.house(loop, .watch, seed: 115) { $0.showsTrainingScreen = false }
      _ = try await hub.hearth.orderStreams("polar-1", [.acc])
      try await loop.sleep(for: .seconds(900))
      #expect(watch.liveRuns.isEmpty)
      let asked = watch.commandLog.count { $0.operation == 2 }
      #expect((3...12).contains(asked), "\(asked)")
      watch.showsTrainingScreen = true
      try await loop.sleep(for: .seconds(620))
      #expect(watch.streams[.acc] != nil)
      await hub.stop()
    }
  }

  @Test("clock-lost-in-storage: a band that was switched off gets its clock at the first visit, and loses no value")
  func stored() throws {
    try VirtualLoop.run { loop in
      let (hub, band) = try await Self.house(loop, .band360, seed: 116)
      try await loop.sleep(for: .seconds(120))
      band.powerOff()
      try await loop.sleep(for: .seconds(3600))
      band.powerOn()
      #expect(!band.clock.isSet)
      try await loop.sleep(for: .seconds(900))
      #expect(
        band.clock.isSet
          && abs(band.clock.now(at: loop.now) / 1000 + 946_684_800_000_000 - loop.wall.microseconds) < 2_000_000)
      #expect(hub.watch.violations.isEmpty && band.files.lost.isEmpty)
      await hub.stop()
    }
  }

  @Test("ppg-drift: if the sensor is faster than it says, its time stamps decide")
  func drift() throws {
    try VirtualLoop.run { loop in
      let (hub, band) = try await Self.house(loop, .band360, seed: 102) { $0.firmware = "2.0.8" }
      let blocks = try await Self.recorded(.ppg, .ppg, hub, band, loop)
      let run = try #require(band.recordedRuns.first)
      #expect(run.rate == 23 && blocks.count > 10)
      // The first has no frame before it.
      for block in blocks.dropFirst() {
        #expect(abs(block.values[0] - 1_000_000_000 / 23) < 100_000, "\(block.values[0])")
      }
      let last = try #require(blocks.last)
      let end = last.time.microseconds + (last.values[1] - 1) * last.values[0] / 1000
      let truth =
        loop.wall.microseconds
        - (loop.now.nanoseconds
          - run.clock.instant(of: run.time(of: (run.delivered.last?.upperBound ?? 1) - 1)).nanoseconds) / 1000
      #expect(abs(end - truth) < 100_000)
    }
  }

  @Test("battery-frozen: a level that stands still is shown as it is sent, as no field says that it is on USB")
  func battery() throws {
    try VirtualLoop.run { loop in
      let (hub, sensor) = try await Self.house(loop, .veritySense, seed: 103) { traits in
        traits.firmware = "2.2.5"
        traits.isCharging = true
        traits.battery = 40
      }
      try await loop.sleep(for: .seconds(3600))
      #expect(sensor.batteryLevel == 40)
      #expect(try #require(hub.hearth.wearables().first).battery == 40)
      await hub.stop()
    }
  }

  @Test("stream-left-on: what a strap was left to stream is ended by the next link")
  func leftOn() throws {
    try VirtualLoop.run { loop in
      let (hub, strap) = try await Self.house(loop, .h10, seed: 104)
      strap.command([2, 0, 0, 1, 130, 0, 1, 1, 14, 0])
      #expect(strap.streams[.ecg] != nil)
      try await loop.sleep(for: .seconds(120))
      #expect(strap.streams.isEmpty)
      await hub.stop()
    }
  }

  @Test(
    """
    strap-off, clock-lost-off-body, local-time-unread: a strap that hangs up and loses the time gets it blindly when \
    it comes again, not while it records, and its exercise comes whole
    """
  )
  func strapOff() throws {
    try VirtualLoop.run { loop in
      let (hub, strap) = try await Self.house(loop, .h10, seed: 105)
      try await loop.sleep(for: .seconds(60))
      #expect(strap.beginExercise("run_20261121_000100_000", isIntervals: true))
      let began = loop.now
      try await loop.sleep(for: .seconds(3600))
      strap.endExercise()
      let ended = loop.now
      strap.takeOff()
      try await loop.sleep(for: .seconds(46))
      strap.reboot(losesClock: true)
      try await loop.sleep(for: .seconds(1800))
      #expect(strap.timesSet.first.map { $0.at < began } == true && strap.timesSet.last.map { $0.at > ended } == true)
      #expect(!strap.timesSet.contains { began <= $0.at && $0.at <= ended } && strap.clockReadings.isEmpty)
      await hub.stop()
      let beats = try await hub.storedSamples().filter { $0.series == .rrInterval && $0.origin == .fetched }
      #expect(beats.count == strap.exercises.first?.intervals.count && beats.count > 3000)
      #expect(hub.watch.violations.isEmpty && strap.files.lost.isEmpty)
    }
  }

  @Test(
    """
    clock-lost-empty: after an empty battery the clock is set at the first visit, and what was recorded before keeps \
    its time
    """
  )
  func emptied() throws {
    try VirtualLoop.run { loop in
      let (hub, sensor) = try await Self.house(loop, .veritySense, seed: 106)
      try await loop.sleep(for: .seconds(60))
      sensor.leave()
      sensor.beginRecording(.heartRate)
      let began = loop.wall
      try await loop.sleep(for: .seconds(600))
      sensor.reboot(losesClock: true)
      try await loop.sleep(for: .seconds(600))
      sensor.arrive()
      try await loop.sleep(for: .seconds(900))
      #expect(sensor.clock.isSet && !sensor.timesSet.isEmpty)
      await hub.stop()
      let rates = try await hub.storedSamples().filter { $0.series == .heartRate && $0.origin == .fetched }
      #expect(rates.count > 590)
      // A recorded rate has whole seconds.
      #expect(abs(try #require(rates.first).time.microseconds - began.microseconds) < 1_200_000)
    }
  }

  @Test("files-in-sensor-mode-only: a sensor in another mode is busy, and visited when it is not")
  func otherMode() throws {
    try VirtualLoop.run { loop in
      let (hub, sensor) = try await Self.house(loop, .veritySense, seed: 107)
      sensor.startTraining()
      sensor.beginRecording(.heartRate)
      try await loop.sleep(for: .seconds(1500))
      sensor.endRecording(.heartRate)
      #expect(hub.hearth.wearables().first?.lastVisit?.outcome == .busy)
      sensor.endTraining()
      try await loop.sleep(for: .seconds(600))
      #expect(sensor.files.removed.contains { $0.path.hasSuffix(".REC") } && sensor.files.lost.isEmpty)
      await hub.stop()
    }
  }

  @Test("bonds-once: a band that has another owner is said to need a person, and left in peace")
  func bonded() throws {
    try VirtualLoop.run { loop in
      let (hub, band) = try await Self.house(loop, .band360, seed: 108) { $0.daysBefore = 2 }
      band.bond = [UInt8](repeating: 7, count: 16)
      try await loop.sleep(for: .seconds(3600))
      #expect(band.links < 40 && band.files.removed.isEmpty && band.timesSet.isEmpty)
      #expect(hub.hearth.wearables().first?.trouble != nil)
      await hub.stop()
    }
  }

  @Test("recording-appears-late: the folder of a recording without its file yet is never removed under it")
  func late() throws {
    try VirtualLoop.run { loop in
      let (hub, sensor) = try await Self.house(loop, .veritySense, seed: 109) { $0.recordingDelay = .seconds(300) }
      try await loop.sleep(for: .seconds(60))
      for _ in 0..<6 {
        sensor.beginRecording(.heartRate)
        try await loop.sleep(for: .seconds(100))
        _ = try? hub.hearth.visitNow("polar-1")
        try await loop.sleep(for: .seconds(700))
        sensor.endRecording(.heartRate)
      }
      try await loop.sleep(for: .seconds(1800))
      #expect(sensor.removalsOfRunning.isEmpty && sensor.files.lost.isEmpty)
      let truth = sensor.recordedRuns.reduce(0) { $0 + $1.delivered.reduce(0) { $0 + $1.count } }
      await hub.stop()
      let rates = try await hub.storedSamples().filter { $0.series == .heartRate && $0.origin == .fetched }
      #expect(rates.count == truth && truth > 4000, "\(rates.count) of \(truth)")
    }
  }
}
