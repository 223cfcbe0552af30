import EventLoop
import Hub
import Simulation
import StrapTwin
import Testing

@testable import Health

@Suite("Pulse oximeters among other wearables")
struct OximeterTests {
  /// A hub that has one oximeter enrolled, for so long.
  @LoopActor
  private func serve(
    _ loop: any Loop, seed: UInt64, for length: Duration = .seconds(1800), faults: FaultPlan = FaultPlan(),
    _ adjust: (inout OximeterTraits) -> Void
  ) async throws -> (hub: SimulatedHub, oximeter: VirtualOximeter) {
    let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? seed, faults: faults)
    var traits = OximeterTraits()
    adjust(&traits)
    let oximeter = world.add { VirtualOximeter($0, address: $1, random: $2, traits: traits) }
    let hub = SimulatedHub(world)
    try await hub.start(enrolling: [("oximeter", oximeter, "heart-rate", "oximeter")])
    try await loop.sleep(for: length)
    return (hub, oximeter)
  }

  @LoopActor
  private func counts(_ hub: SimulatedHub) async throws -> [String: Int] {
    var counts: [String: Int] = [:]
    for sample in try await hub.storedSamples() { counts[sample.series.name, default: 0] += 1 }
    return counts
  }

  @Test("every make: what it stands by is in the store once, exactly, and no value that it doubts", arguments: 0..<32)
  func makes(_ number: Int) throws {
    try VirtualLoop.run { loop in
      let (hub, oximeter) = try await serve(loop, seed: 900 + UInt64(number)) { traits in
        traits.hasContinuous = number & 3 != 1
        traits.hasSpotChecks = number & 3 != 2
        traits.hasStatus = number & 4 == 0
        traits.isDecimal = number & 8 == 0
        // Without a status the twin cannot say that its amplitude is of no finger.
        traits.hasAmplitude = number & 16 == 0 && traits.hasStatus
        traits.hasAverages = number % 5 == 0
        traits.clockIsSet = number % 3 != 0
        traits.hasStorage = number % 2 == 0
        traits.hasBattery = number % 7 != 0
      }
      #expect(oximeter.isHeard && oximeter.links == 1)
      await hub.stop()
      try await judge(hub, "OximeterTests")
      let counts = try await counts(hub)
      let isContinuous = oximeter.traits.hasContinuous
      #expect((counts["spo2"] ?? 0) > (isContinuous ? 1000 : 15) && counts["pulse_rate"] == counts["spo2"])
      #expect((counts["pulse_amplitude_index"] != nil) == oximeter.traits.hasAmplitude && counts["heart_rate"] == nil)
      #expect(oximeter.traits.hasSpotChecks == (oximeter.spotChecks > 15))
      // The records are counted, and a sensor that does not answer gets no other request.
      #expect(oximeter.recordRequests.allSatisfy { $0 == [4, 1] } && oximeter.recordRequests.count <= 1)
      if isContinuous { #expect(oximeter.doubtful > 0) }
    }
  }

  @Test("a wearable with heart rate and oximetry gives both, each under its own name")
  func both() throws {
    try VirtualLoop.run { loop in
      let (hub, oximeter) = try await serve(loop, seed: 940) { $0.hasHeartRate = true }
      let shown = try hub.hearth.wearable(named: "oximeter")
      #expect(shown.state == .live && shown.heartRate != nil)
      await hub.stop()
      try await judge(hub, "OximeterTests")
      let counts = try await counts(hub)
      #expect((counts["heart_rate"] ?? 0) > 1700 && (counts["spo2"] ?? 0) > 1000 && (counts["pulse_rate"] ?? 0) > 1000)
      #expect(oximeter.links == 1)
    }
  }

  @Test("enrolled as a strap before its oximetry was served, it gives both from its next link on")
  func enrolledAsStrap() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 941)
      var traits = OximeterTraits()
      traits.hasHeartRate = true
      let oximeter = world.add { VirtualOximeter($0, address: $1, random: $2, traits: traits) }
      let hub = SimulatedHub(world)
      try await hub.start(enrolling: [("strap", oximeter, "heart-rate", "HR strap")])
      try await loop.sleep(for: .seconds(300))
      await hub.stop()
      try await judge(hub, "OximeterTests")
      let counts = try await counts(hub)
      #expect(counts["heart_rate"] != nil && counts["spo2"] != nil)
    }
  }

  @Test("what one service refuses costs the other no value", arguments: [true, false])
  func refused(_ isHeartRefused: Bool) throws {
    try VirtualLoop.run { loop in
      let (hub, oximeter) = try await serve(loop, seed: 942, for: .seconds(600)) { traits in
        traits.hasHeartRate = true
        traits.refused = isHeartRefused ? [0x2A37] : [.continuousMeasurement, .spotCheckMeasurement]
      }
      #expect(oximeter.links == 1)
      await hub.stop()
      try await judge(hub, "OximeterTests")
      let counts = try await counts(hub)
      #expect((counts["heart_rate"] ?? 0 > 400) != isHeartRefused && (counts["spo2"] ?? 0 > 200) == isHeartRefused)
    }
  }

  @Test(
    "one that refuses all by which it measures is no live wearable, and is tried again at the pace of one in trouble")
  func allRefused() throws {
    try VirtualLoop.run { loop in
      let (hub, oximeter) = try await serve(loop, seed: 943, for: .seconds(600)) { traits in
        traits.hasHeartRate = true
        traits.refused = [0x2A37, .continuousMeasurement, .spotCheckMeasurement]
      }
      let shown = try hub.hearth.wearable(named: "oximeter")
      #expect(shown.state != .live && !oximeter.isHeard && (2...100).contains(oximeter.links))
      await hub.stop()
      #expect(try await counts(hub)["spo2"] == nil)
    }
  }

  @Test("values that are cut are counted and dropped, bytes after the end are counted, and every good value is kept")
  func hostile() throws {
    try VirtualLoop.run { loop in
      let (hub, oximeter) = try await serve(loop, seed: 944, for: .seconds(900)) { traits in
        traits.isHostile = true
        traits.hasHeartRate = true
      }
      let counters = Dictionary(
        uniqueKeysWithValues: try hub.hearth.wearable(named: "oximeter").counters.map { ($0.name, $0.value) })
      #expect(oximeter.malformed > 800)
      #expect(counters["malformed_values"] == UInt64(oximeter.malformed) && (counters["anomalies"] ?? 0) > 800)
      #expect(oximeter.links == 1)
      await hub.stop()
      try await judge(hub, "OximeterTests")
    }
  }

  @Test("a spot-check that a disturbed link delivers seconds later has the time that it reports")
  func late() throws {
    try VirtualLoop.run { loop in
      let (hub, oximeter) = try await serve(loop, seed: 946, for: .seconds(60)) { $0.hasContinuous = false }
      // Shorter than the supervision timeout.
      for _ in 0..<300 {
        oximeter.leave()
        try await loop.sleep(for: .milliseconds(4500))
        oximeter.arrive()
        try await loop.sleep(for: .milliseconds(2600))
      }
      #expect(oximeter.links == 1)
      await hub.stop()
      try await judge(hub, "OximeterTests")
      let told = try #require(oximeter.liveTruth?.series.first { $0.kind == .spo2 })
      #expect(told.values.count { $0.delay > 0 } > 3)
    }
  }

  @Test("in a gym, beside straps, and with a hub that is killed: only what a kill costs is lost")
  func gym() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 945, faults: .gym)
      var enrolled: [(name: String, peripheral: VirtualPeripheral, driver: String, kind: String)] = []
      for number in 0..<3 {
        var traits = OximeterTraits()
        traits.name = "Oximeter \(number)"
        traits.hasHeartRate = number > 0
        let oximeter = world.add(.gym) { VirtualOximeter($0, address: $1, random: $2, traits: traits) }
        enrolled.append(("oximeter-\(number)", oximeter, "heart-rate", "oximeter"))
        enrolled.append(("strap-\(number)", world.addStrap(.gym), "heart-rate", "HR strap"))
      }
      let hub = SimulatedHub(world)
      try await hub.start(enrolling: enrolled)
      try await loop.sleep(for: .seconds(7200))
      await hub.kill()
      try await loop.sleep(for: .seconds(5))
      try await hub.start()
      try await loop.sleep(for: .seconds(3600))
      await hub.stop()
      try await judge(hub, "OximeterTests")
      let counts = try await counts(hub)
      #expect((counts["spo2"] ?? 0) > 500 && (counts["heart_rate"] ?? 0) > 500)
    }
  }
}
