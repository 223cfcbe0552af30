import BotzTwin
import EventLoop
import RingStore
import Simulation
import StrapTwin
import Testing

@testable import Health
@testable import Hub

@Suite("The clocks of cuffs that are there for seconds", .serialized)
struct LinkTimeTests {
  @Test(
    """
    a cuff that hangs up without the time gets it also while another wearable is visited, and what it showed before is \
    durable
    """)
  func besideAVisit() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 4318)
      var traits = InsoleTraits()
      traits.files = .sessions([Int](repeating: 36_000, count: 5))
      let insole = world.add { VirtualInsole($0, address: $1, random: $2, traits: traits) }
      let cuff = world.addCuff(.manual) {
        ($0.sensor.name, $0.sensor.clock.isDateTime, $0.failed) = ("A&D_UA-651BLE_75E8D1", true, 0)
        ($0.sensor.clock.wantsTimeWithin, $0.sensor.clock.state) = (.seconds(5), .wrong(by: .seconds(-3700)))
        $0.keeping.measuresEvery = .seconds(86_400)...(.seconds(90_000))
      }
      var options = SimulatedHubOptions()
      options.hub.pairing = .always
      let hub = SimulatedHub(world, options: options)
      try await hub.start(enrolling: [
        ("insole", insole, "botz", "insole"), ("cuff", cuff, "heart-rate", "cuff"),
      ])
      while try hub.hearth.wearable(named: "insole").state != .visiting {
        try await loop.sleep(for: .milliseconds(100))
      }
      cuff.measureNow()
      cuff.arrive()
      cuff.isAdvertising = true
      try await loop.sleep(for: .seconds(20))
      #expect(try hub.hearth.wearable(named: "insole").state == .visiting)
      #expect(cuff.untimedLinks == 0 && cuff.clockSettings.count == 1, "\(cuff.untimedLinks) links without the time")
      await hub.kill()
      try await hub.start()
      let wearable = try hub.hearth.registry.require("cuff")
      let readings = wearable.visits.clock.readings
      #expect(readings.count == 1 && readings[0].wasSet)
      let shown = try #require(readings.first)
      #expect(abs(shown.opened.device - shown.opened.wall + 3_700_000_000) <= 2_000_000)
      #expect(shown.closed.map { abs($0.device - $0.wall) <= 2_000_000 } == true)
      #expect(wearable.visits.last?.laneOutcome == VisitOutcome.sliceOver.rawValue)
      let found = try await hub.storedSamples().filter { $0.series == .systolicPressure }
      #expect(found.count == 1 && found.allSatisfy(\.clockTrusted), "it was read before it was set")
      await hub.stop()
    }
  }

  @Test("what a Date Time said that is no clock with its new firmware dates no reading, also after a restart")
  func noClockAnyMore() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 4319)
      let cuff = world.addCuff {
        ($0.sensor.clock.isDateTime, $0.sensor.clock.canBeSet, $0.failed) = (true, false, 0)
        $0.sensor.clock.state = .wrong(by: .seconds(-3700))
        $0.keeping.measuresEvery = .seconds(86_400)...(.seconds(90_000))
      }
      let hub = SimulatedHub(world)
      try await hub.start(enrolling: [("cuff", cuff, "heart-rate", "cuff")])
      try await loop.sleep(for: .seconds(30))
      cuff.measureNow()
      try await loop.sleep(for: .seconds(300))
      #expect(try await hub.storedSamples().filter { $0.series == .systolicPressure }.map(\.clockTrusted) == [true])
      cuff.update(firmware: "2.0.0")
      for restarts in [false, true] {
        if restarts {
          await hub.stop()
          try await hub.start()
          #expect(try hub.hearth.registry.require("cuff").visits.clock.readings.isEmpty)
        }
        cuff.measureNow()
        try await loop.sleep(for: .seconds(300))
      }
      await hub.stop()
      let found = try await hub.storedSamples().filter { $0.series == .systolicPressure }
      #expect(found.map(\.clockTrusted) == [true, false, false])
    }
  }

  @Test(
    "a Date Time that stood still once, as one that waits to be set does, is disowned for good at the second look alone"
  )
  func mayBeNone() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 4321)
      let cuff = world.addCuff {
        ($0.sensor.clock.isDateTime, $0.failed) = (true, 0)
        $0.keeping.measuresEvery = .seconds(86_400)...(.seconds(90_000))
      }
      let hub = SimulatedHub(world)
      try await hub.start(enrolling: [("cuff", cuff, "heart-rate", "cuff")])
      try await loop.sleep(for: .seconds(30))
      @LoopActor func readings() throws -> Int { try hub.hearth.registry.require("cuff").visits.clock.readings.count }
      @LoopActor func restart() async throws {
        await hub.stop()
        try await hub.start()
      }
      cuff.measureNow()
      try await loop.sleep(for: .seconds(300))
      #expect(try readings() > 0)
      cuff.update(firmware: "2.0.0")
      cuff.measureNow()
      try await loop.sleep(for: .seconds(300))
      #expect(try readings() == 0, "it stood still, and was set")
      try await restart()
      #expect(try readings() > 0, "that may have been a clock that waited to be set")
      // Both looks in the life of one hub, and the second is what lasts.
      cuff.update(firmware: "3.0.0")
      for _ in 0..<2 {
        cuff.measureNow()
        try await loop.sleep(for: .seconds(300))
        #expect(try readings() == 0)
      }
      try await restart()
      #expect(try readings() == 0)
      await hub.stop()
    }
  }

  @Test(
    "a clock that cannot be read is believed from the reading after it was set on, also by the next hub",
    arguments: [ClockTraits.State.right, .wrong(by: .seconds(-3700))])
  func written(_ state: ClockTraits.State) throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 4320)
      let cuff = world.addCuff {
        ($0.sensor.clock.isDateTime, $0.sensor.clock.isReadable, $0.failed) = (true, false, 0)
        $0.sensor.clock.state = state
        $0.keeping.measuresEvery = .seconds(86_400)...(.seconds(90_000))
      }
      let hub = SimulatedHub(world)
      try await hub.start(enrolling: [("cuff", cuff, "heart-rate", "cuff")])
      try await loop.sleep(for: .seconds(30))
      for number in 0..<3 {
        if number == 2 {
          await hub.kill()
          try await hub.start()
        }
        cuff.measureNow()
        try await loop.sleep(for: .seconds(300))
      }
      await hub.stop()
      let found = try await hub.storedSamples().filter { $0.series == .systolicPressure }.sorted {
        $0.monotonic < $1.monotonic
      }
      #expect(found.map(\.clockTrusted) == [false, true, true])
    }
  }
}
