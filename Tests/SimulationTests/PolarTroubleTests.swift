import EventLoop
import Hub
import PolarTwin
import Reasons
import RingStore
import Simulation
import Testing

@Suite("The file transfer of Polar's wearables in trouble, under the whole hub")
struct PolarTroubleTests {
  @LoopActor
  private static func house(
    _ loop: VirtualLoop, seed: UInt64, _ traits: [PolarTraits]
  ) async throws -> (hub: SimulatedHub, wearables: [VirtualPolar]) {
    let house = try await polarHouse(loop, seed: seed, traits)
    return (house.hub, house.wearables)
  }

  /// A sensor away from the hub with so many seconds of acceleration, in one file.
  @LoopActor
  private static func record(_ sensor: VirtualPolar, _ loop: VirtualLoop, seconds: Int64) async throws {
    sensor.leave()
    sensor.beginRecording(.acc)
    try await loop.sleep(for: .seconds(seconds))
    sensor.endRecording(.acc)
    sensor.arrive()
  }

  @LoopActor private static func size(_ sensor: VirtualPolar) -> Int {
    sensor.files.files.filter { $0.path.hasSuffix(".REC") }.reduce(0) { $0 + $1.bytes.count }
  }

  @Test("one that misbehaves costs the others no visit, and no hub harms it", arguments: PolarConduct.allCases)
  func misbehaves(_ conduct: PolarConduct) throws {
    try VirtualLoop.run { loop in
      var bad = PolarTraits(.band360)
      var good = PolarTraits(.band360)
      (bad.daysBefore, good.daysBefore) = (4, 4)
      bad.conduct = conduct
      good.deviceID = "1234568F"
      let (hub, wearables) = try await Self.house(loop, seed: 81, [bad, good])
      try await loop.sleep(for: .seconds(3600))
      #expect(!wearables[1].files.removed.isEmpty && wearables[1].files.lost.isEmpty)
      #expect(wearables[0].files.lost.isEmpty && wearables[0].removalsOfRunning.isEmpty)
      // The request is repeated, and not in a storm.
      #expect(
        (2..<120).contains(wearables[0].links + wearables[0].synchronisations),
        "\(wearables[0].links) links, \(wearables[0].synchronisations) syncs")
      await hub.stop()
      let check = StoreCheck(try await hub.storedSamples(), hub)
      let violations = (hub.watch.violations + check.violations).filter { !$0.contains("1234567C") }
      #expect(violations.isEmpty, "\(violations)")
    }
  }

  @Test(
    """
    one that acknowledges removals and keeps everything is asked eight times a day, also by a hub that was killed, and \
    people see why its memory fills
    """
  )
  func keepsEverything() throws {
    try VirtualLoop.run { loop in
      var traits = PolarTraits(.band360)
      (traits.daysBefore, traits.conduct) = (4, .keepsWhatIsRemoved)
      let (hub, wearables) = try await Self.house(loop, seed: 82, [traits])
      try await loop.sleep(for: .seconds(3600))
      let inTheHour = wearables[0].removals.count
      #expect((1...ErasingLimits.inARow).contains(inTheHour), "\(wearables[0].removals)")
      #expect(
        hub.hearth.snapshot().attention.contains { $0.wearable == "polar-1" && $0.trouble.reason == .eraseIneffective })
      await hub.kill()
      try await hub.start()
      try await loop.sleep(for: .seconds(3600))
      #expect(wearables[0].removals.count == inTheHour)
      try await loop.sleep(for: .seconds(86_400))
      let inTheDay = wearables[0].removals.count - inTheHour
      #expect((1...2 * ErasingLimits.inARow).contains(inTheDay), "\(wearables[0].removals)")
      #expect(wearables[0].files.lost.isEmpty && wearables[0].synchronisations > 24)
      await hub.stop()
    }
  }

  private enum ErasingLimits {
    /// After so many without effect, removing stops for a day.
    static let inARow = 8
  }

  @Test(
    "a file that a power cut interrupts is passed over as far as it was kept, and stored once",
    arguments: [91, 92, 93] as [UInt64])
  func powerCut(_ seed: UInt64) throws {
    try VirtualLoop.run { loop in
      let (hub, wearables) = try await Self.house(loop, seed: seed, [PolarTraits(.veritySense)])
      try await loop.sleep(for: .seconds(60))
      try await Self.record(wearables[0], loop, seconds: 5400)
      let size = Self.size(wearables[0])
      // Some seconds into it.
      try await loop.sleep(for: .seconds(4) + .milliseconds(Int64(seed % 10) * 300))
      #expect(wearables[0].files.lost.isEmpty && Self.size(wearables[0]) == size)
      await hub.kill()
      try await loop.sleep(for: .seconds(5))
      try await hub.start()
      try await loop.sleep(for: .seconds(600))
      #expect(size > 300_000 && Self.size(wearables[0]) == 0 && wearables[0].files.lost.isEmpty, "\(size)")
      await hub.stop()
      try await PolarHouseTests.judge(hub)
    }
  }

  @Test("a link that drops in a file goes on at the next one, and what came before is not stored again")
  func resumed() throws {
    try VirtualLoop.run { loop in
      let (hub, wearables) = try await Self.house(loop, seed: 94, [PolarTraits(.veritySense)])
      try await loop.sleep(for: .seconds(60))
      try await Self.record(wearables[0], loop, seconds: 5400)
      for _ in 0..<3 {
        try await loop.sleep(for: .seconds(5))
        wearables[0].hangUp()
      }
      try await loop.sleep(for: .seconds(600))
      #expect(Self.size(wearables[0]) == 0 && wearables[0].files.lost.isEmpty)
      #expect(wearables[0].links >= 4)
      await hub.stop()
      try await PolarHouseTests.judge(hub)
    }
  }

  @Test("packets that a wearable's own queue loses are asked for again", arguments: [95, 96] as [UInt64])
  func lossy(_ seed: UInt64) throws {
    try VirtualLoop.run { loop in
      var traits = PolarTraits(.veritySense)
      traits.packetLoss = 0.000_5
      traits.partSize = 60_000
      let (hub, wearables) = try await Self.house(loop, seed: seed, [traits])
      try await loop.sleep(for: .seconds(60))
      try await Self.record(wearables[0], loop, seconds: 5400)
      try await loop.sleep(for: .seconds(1800))
      #expect(Self.size(wearables[0]) == 0 && wearables[0].files.lost.isEmpty)
      #expect(wearables[0].cancellations > 0, "nothing was lost")
      await hub.stop()
      try await PolarHouseTests.judge(hub)
    }
  }

  @Test("one that falls silent in a file is cancelled and hung up within two minutes, and visited again")
  func silent() throws {
    try VirtualLoop.run { loop in
      let (hub, wearables) = try await Self.house(loop, seed: 97, [PolarTraits(.veritySense)])
      try await loop.sleep(for: .seconds(60))
      try await Self.record(wearables[0], loop, seconds: 5400)
      try await loop.sleep(for: .seconds(5))
      let links = wearables[0].links
      wearables[0].fallSilent()
      try await loop.sleep(for: .seconds(150))
      #expect(wearables[0].cancellations > 0 || wearables[0].links > links)
      try await loop.sleep(for: .seconds(1200))
      #expect(Self.size(wearables[0]) == 0 && wearables[0].files.lost.isEmpty)
      await hub.stop()
      try await PolarHouseTests.judge(hub)
    }
  }

  @Test("a long training is asked after ever later, and its end is heard at once")
  func longTraining() throws {
    try VirtualLoop.run { loop in
      var traits = PolarTraits(.watch)
      traits.daysBefore = 2
      let (hub, wearables) = try await Self.house(loop, seed: 98, [traits])
      wearables[0].startTraining()
      try await loop.sleep(for: .seconds(3600))
      let asked = wearables[0].requestLog.count { $0 == "query 13" }
      // After 0, 1, 3, 8, 18, 28, 38, 48 and 58 minutes.
      #expect((7...10).contains(asked), "\(asked)")
      let shown = try #require(hub.hearth.wearables().first?.lastVisit)
      #expect(shown.outcome == .busy)
      #expect(wearables[0].files.removed.isEmpty)
      wearables[0].endTraining()
      try await loop.sleep(for: .seconds(90))
      #expect(wearables[0].requestLog.count { $0 == "query 13" } == asked + 1)
      #expect(!wearables[0].files.removed.isEmpty && wearables[0].files.lost.isEmpty)
      await hub.stop()
      try await PolarHouseTests.judge(hub)
    }
  }
}
