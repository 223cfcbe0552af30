import Bluetooth
import BotzTwin
import EventLoop
import Hub
import Simulation
import StrapTwin
import Testing

@testable import RingStore

@Suite("The checkers themselves")
struct CheckerTests {
  @Test("a store that lost, doubled or swapped one value does not pass")
  func tamperedStores() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 61)
      let strap = world.addStrap()
      let hub = SimulatedHub(world)
      try await hub.start(enrolling: [strap])
      try await loop.sleep(for: .seconds(60))
      await hub.stop()
      let samples = try await hub.storedSamples()
      #expect(StoreCheck(samples, hub).violations.isEmpty)
      #expect(samples.count > 50)
      let middle = samples.indices.filter { samples[$0].series == .heartRate }[20]

      var lost = samples
      lost.remove(at: middle)
      #expect(!StoreCheck(lost, hub).violations.isEmpty)
      var doubled = samples
      doubled.insert(samples[middle], at: middle)
      #expect(!StoreCheck(doubled, hub).violations.isEmpty)
      var swapped = samples
      swapped.swapAt(middle, samples.indices.filter { samples[$0].series == .heartRate }[21])
      #expect(!StoreCheck(swapped, hub).violations.isEmpty)
      #expect(!StoreCheck(samples.dropLast(20) + [], hub).violations.isEmpty)
      #expect(StoreCheck(lost, hub).contentHash != StoreCheck(samples, hub).contentHash)
    }
  }

  @Test(
    """
    values by a clock of a moment ago pass if the hub's clock was stepped there and back, are counted, and by no clock \
    that it never had
    """
  )
  func stepsThereAndBack() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 63)
      let strap = world.addStrap()
      let hub = SimulatedHub(world)
      try await hub.start(enrolling: [strap])
      try await loop.sleep(for: .seconds(3600))
      strap.leave()
      try await loop.sleep(for: .seconds(60))
      loop.stepWall(by: .seconds(50))
      try await loop.sleep(for: .seconds(60))
      let before = loop.now
      loop.stepWall(by: .milliseconds(-49_995))
      strap.arrive()
      try await loop.sleep(for: .seconds(3600))
      await hub.stop()
      let samples = try await hub.storedSamples()
      let check = StoreCheck(samples, hub)
      #expect(check.violations.isEmpty, "\(check.violations)")
      let areByTheSteps = check.slewed.allSatisfy { (4998...5002).contains(abs($0.microseconds)) }
      #expect(!check.slewed.isEmpty && areByTheSteps, "\(check.slewed)")
      // A value of the last minute that is off by what no two clocks of this hub differ by.
      let place = try #require(samples.firstIndex { $0.series == .heartRate && $0.monotonic > before })
      var moved = samples
      let value = samples[place]
      moved[place] = StoredSample(
        wearable: value.wearable, series: value.series, way: value.way, ordinal: value.ordinal,
        time: WallTime(microseconds: value.time.microseconds - 7000), flags: value.flags, value: value.value,
        values: value.values, bytes: value.bytes, monotonic: value.monotonic, bootID: value.bootID,
        clockTrusted: value.clockTrusted)
      #expect(!StoreCheck(moved, hub).violations.isEmpty)
    }
  }

  @Test("what a kill may cost is the tail of its window, and not a value more")
  func killsCostTheTail() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 62)
      let strap = world.addStrap()
      var options = SimulatedHubOptions()
      options.commitEvery = .seconds(10)
      let hub = SimulatedHub(world, options: options)
      try await hub.start(enrolling: [strap])
      try await loop.sleep(for: .seconds(65))
      await hub.kill()
      let samples = try await hub.storedSamples()
      #expect(StoreCheck(samples, hub).violations.isEmpty)
      #expect(StoreCheck(samples, hub).lostToKills > 0)
      // Everything of the last half minute gone is more than the window.
      #expect(!StoreCheck(samples.filter { loop.wall - $0.time > .seconds(30) }, hub).violations.isEmpty)
    }
  }

  @Test(
    "what is appended to a file after it was fetched is held once, in two parts; a part that is there twice is seen")
  func appendedParts() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 65)
      var traits = InsoleTraits()
      traits.files = .lastIDTaken
      let insole = world.add { VirtualInsole($0, address: $1, random: $2, traits: traits) }
      var options = SimulatedHubOptions()
      options.hub.erase = .never
      let hub = SimulatedHub(world, options: options)
      try await hub.start(enrolling: [("insole-1", insole, "botz", "insole")])
      try await loop.sleep(for: .seconds(120))
      // The number behind 255 is 1 again.
      insole.startSession()
      try await loop.sleep(for: .seconds(60))
      insole.stopSession()
      _ = try hub.hearth.visitNow("insole-1")
      try await loop.sleep(for: .seconds(60))
      await hub.stop()
      let samples = try await hub.storedSamples()
      let check = StoreCheck(samples, hub)
      #expect(check.violations.isEmpty && check.matchedItems == 3, "\(check.violations)")
      let last = try #require(samples.last { $0.series == .raw })
      #expect(StoreCheck(samples + [last], hub).violations.contains { $0.contains("are there twice") })
    }
  }

  @Test("live records of an insole are held against what arrived, one by one")
  func liveRecords() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 66)
      let insole = world.add { VirtualInsole($0, address: $1, random: $2, traits: InsoleTraits()) }
      let hub = SimulatedHub(world)
      try await hub.start(enrolling: [("insole-1", insole, "botz", "insole")])
      try await loop.sleep(for: .seconds(60))
      insole.startSession()
      try await loop.sleep(for: .seconds(120))
      insole.stopSession()
      try await loop.sleep(for: .seconds(60))
      await hub.stop()
      let samples = try await hub.storedSamples()
      #expect(StoreCheck(samples, hub).violations.isEmpty)
      let speeds = samples.indices.filter { samples[$0].series == .speed && samples[$0].way == .live }
      #expect(speeds.count > 50)
      var lost = samples
      lost.remove(at: speeds[20])
      #expect(StoreCheck(lost, hub).violations.contains { $0.contains("speed") })
      var swapped = samples
      swapped.swapAt(speeds[20], speeds[21])
      #expect(StoreCheck(swapped, hub).violations.contains { $0.contains("speed") })
    }
  }

  @Test("a hub that never finds a strap that is there is called to account")
  func starvationIsSeen() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 63)
      world.faults.failedToEstablish = 1
      let strap = world.addStrap()
      let hub = SimulatedHub(world)
      try await hub.start(enrolling: [strap])
      try await loop.sleep(for: .seconds(300))
      #expect(hub.watch.violations.contains { $0.contains("has not streamed") })
      await hub.stop()
    }
  }

  @Test("a link that the hub does not know of is seen")
  func strangeLinksAreSeen() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 64)
      let stranger = world.addStrap()
      let hub = SimulatedHub(world)
      try await hub.start()
      try await loop.sleep(for: .seconds(10))
      #expect(hub.watch.violations.isEmpty)
      _ = try await hub.radio.connect(to: stranger.address, deadline: loop.now + .seconds(5))
      try await loop.sleep(for: .seconds(10))
      #expect(hub.watch.violations.contains { $0.contains("never enrolled, and was connected") })
      #expect(hub.watch.violations.contains { $0.contains("the hub believes") })
      await hub.stop()
    }
  }

  @Test("a connect to a forgotten wearable is seen, and one to a wearable that is enrolled again is no fault")
  func forgottenAreLeftAlone() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 67)
      let strap = world.addStrap()
      var options = SimulatedHubOptions()
      options.hub.nearRSSI = -127
      let hub = SimulatedHub(world, options: options)
      try await hub.start(enrolling: [strap])
      try await loop.sleep(for: .seconds(30))
      try await hub.forget("strap-1")
      try await loop.sleep(for: .seconds(30))
      try hub.hearth.openEnrolment(for: .seconds(60))
      _ = try await hub.hearth.accept(strap.address.description, name: "strap-1")
      try await loop.sleep(for: .seconds(60))
      #expect(hub.watch.violations.isEmpty && strap.subscribedAt != nil)
      try await hub.forget("strap-1")
      try await loop.sleep(for: .seconds(30))
      _ = try await hub.radio.connect(to: strap.address, deadline: loop.now + .seconds(5))
      try await loop.sleep(for: .seconds(10))
      #expect(hub.watch.violations.contains { $0.contains("was forgotten") })
      await hub.stop()
    }
  }
}
