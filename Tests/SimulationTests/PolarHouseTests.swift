import EventLoop
import Hub
import PolarTwin
import RingStore
import Simulation
import Testing

@Suite("Polar's wearables and the whole hub")
struct PolarHouseTests {
  @LoopActor
  static func house(
    _ loop: VirtualLoop, _ model: PolarTraits.Model, seed: UInt64, adjust: (inout PolarTraits) -> Void = { _ in }
  ) async throws -> (VirtualWorld, SimulatedHub, VirtualPolar) {
    let house = try await polarHouse(loop, seed: seed, [.of(model, adjust)], kind: "band")
    return (house.world, house.hub, house.wearables[0])
  }

  /// Every byte that was on the wearable when it was whole, and is not there any more, is in the store once.
  @LoopActor static func judge(_ hub: SimulatedHub) async throws {
    let check = StoreCheck(try await hub.storedSamples(), hub)
    let violations = hub.watch.violations + check.violations
    #expect(violations.isEmpty, "\(violations.joined(separator: "\n"))")
    #expect(check.matchedItems > 0)
  }

  /// Paths of days before the wearable's own.
  @LoopActor static func old(_ wearable: VirtualPolar) -> [String] {
    wearable.files.files.map(\.path).filter { $0.hasPrefix("/U/0/2") }
  }

  @Test(
    "a band with a week of days is emptied of what is over, and only stored files go",
    arguments: [71, 72] as [UInt64])
  func emptied(_ seed: UInt64) throws {
    try VirtualLoop.run { loop in
      let (_, hub, band) = try await Self.house(loop, .band360, seed: seed) { $0.daysBefore = 7 }
      let before = Self.old(band).count
      try await loop.sleep(for: .seconds(900))
      let left = Self.old(band)
      #expect(before > 10 && left.count < before / 2, "\(before) files, left: \(left)")
      #expect(band.files.lost.isEmpty && band.removalsOfRunning.isEmpty && band.leftSynchronising == 0)
      #expect(!band.files.removed.isEmpty)
      // And its heart is listened to as if it were a strap's.
      #expect(hub.hearth.snapshot().live == 1)
      await hub.stop()
      let beats = try await hub.storedSamples().filter {
        $0.series == .heartRate && loop.wall - $0.time < .seconds(300)
      }
      #expect(beats.count > 250)
      try await Self.judge(hub)
    }
  }

  @Test("a recording that goes on is ended and begun again, and its file is fetched and removed")
  func recordings() throws {
    try VirtualLoop.run { loop in
      let (_, hub, sensor) = try await Self.house(loop, .veritySense, seed: 73)
      try await loop.sleep(for: .seconds(60))
      sensor.beginRecording(.acc)
      try await loop.sleep(for: .seconds(5400))
      #expect(sensor.runningRecordings == [.acc])
      #expect(sensor.recordedRuns.count >= 2)
      #expect(sensor.files.removed.contains { $0.path.hasSuffix(".REC") })
      #expect(sensor.files.lost.isEmpty && sensor.removalsOfRunning.isEmpty)
      await hub.stop()
      try await Self.judge(hub)
    }
  }

  @Test(
    """
    a recording that a person begins while others are removed is not in the way, and the folders that were emptied go \
    when their day is over
    """
  )
  func begunMeanwhile() throws {
    try VirtualLoop.run { loop in
      let (_, hub, sensor) = try await Self.house(loop, .veritySense, seed: 75) { $0.partSize = 32 * 1024 }
      try await loop.sleep(for: .seconds(60))
      sensor.leave()
      sensor.beginRecording(.acc)
      try await loop.sleep(for: .seconds(900))
      sensor.endRecording(.acc)
      let folders = sensor.files.directories
      sensor.arrive()
      for _ in 0..<3000 where sensor.removals.isEmpty { try await loop.sleep(for: .milliseconds(20)) }
      // The sensor has no file for a while, and no folder either.
      sensor.beginRecording(.ppi)
      try await loop.sleep(for: .seconds(600))
      #expect(!sensor.removals.isEmpty && sensor.removalsOfRunning.isEmpty && sensor.files.lost.isEmpty)
      #expect(folders.count > 2 && folders.isSubset(of: sensor.files.directories))
      sensor.endRecording(.ppi)
      try await loop.sleep(for: .seconds(86_400))
      #expect(
        sensor.files.directories.isEmpty && sensor.removalsOfRunning.isEmpty, "\(sensor.files.directories.sorted())")
      await hub.stop()
      try await Self.judge(hub)
    }
  }

  @Test("links that drop in the middle of files cost only time")
  func droppedLinks() throws {
    try VirtualLoop.run { loop in
      let (world, hub, band) = try await Self.house(loop, .band360, seed: 74) { $0.daysBefore = 5 }
      for _ in 0..<6 {
        try await loop.sleep(for: .seconds(7))
        band.leave()
        try await loop.sleep(for: .seconds(40))
        band.arrive()
      }
      try await loop.sleep(for: .seconds(1800))
      #expect(band.files.lost.isEmpty && !band.files.removed.isEmpty)
      _ = world
      await hub.stop()
      try await Self.judge(hub)
    }
  }

  @Test("a watch that trains is visited when the training is over")
  func training() throws {
    try VirtualLoop.run { loop in
      let (_, hub, watch) = try await Self.house(loop, .watch, seed: 75) { $0.daysBefore = 3 }
      watch.startTraining()
      try await loop.sleep(for: .seconds(600))
      #expect(watch.files.removed.isEmpty && hub.hearth.snapshot().live == 1, "it is listened to meanwhile")
      watch.endTraining()
      try await loop.sleep(for: .seconds(1800))
      #expect(!watch.files.removed.isEmpty && watch.files.lost.isEmpty)
      await hub.stop()
      try await Self.judge(hub)
    }
  }

  @Test("a file that takes longer than a slice is fetched in one piece, though another wearable waits")
  func longerThanASlice() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 76)
      let sensors = (0..<2).map { _ in
        world.add { VirtualPolar($0, address: $1, random: $2, traits: PolarTraits(.veritySense)) }
      }
      for sensor in sensors { sensor.beginRecording(.acc) }
      try await loop.sleep(for: .seconds(7200))
      var options = SimulatedHubOptions()
      options.radio.slots = 1
      options.hub.slice = .seconds(1)
      let hub = SimulatedHub(world, options: options)
      try await hub.start(
        enrolling: sensors.enumerated().map { ("polar-\($0.offset)", $0.element, "polar", "optical sensor") })
      for turn in 0..<900 {
        try await loop.sleep(for: .seconds(2))
        // An operator requests the other one.
        _ = try? hub.hearth.visitNow("polar-\(turn % 2)")
      }
      for sensor in sensors {
        #expect(sensor.files.removed.contains { $0.path.hasSuffix(".REC") && $0.bytes.count > 100_000 })
        // Only to see with which settings it records.
        #expect(sensor.cancellations <= sensor.recordedRuns.count - 1, "\(sensor.cancellations)")
        #expect(sensor.files.lost.isEmpty && sensor.removalsOfRunning.isEmpty)
      }
      await hub.stop()
      let check = StoreCheck(try await hub.storedSamples(), hub)
      #expect(check.violations.isEmpty && check.matchedItems > 1, "\(check.violations)")
    }
  }
}
