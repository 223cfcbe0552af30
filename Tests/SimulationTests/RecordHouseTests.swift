// The whole hub and wearables that keep what they measure while they are away.

import Bluetooth
import EventLoop
import Health
import Hub
import RingStore
import Simulation
import Testing

@Suite("Stored records in the whole hub", .serialized)
struct RecordHouseTests {
  @LoopActor
  private func house(
    _ loop: VirtualLoop, _ kind: RecordKeeper.Kind, ahead: Int64, _ faults: FaultPlan = FaultPlan(),
    _ presence: PresenceSchedule = .always, before count: Int, every spacing: Int64
  ) -> (hub: SimulatedHub, keeper: RecordKeeper) {
    let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 1840, faults: faults)
    let keeper = world.add(presence) { RecordKeeper($0, address: $1, random: $2, kind: kind, ahead: ahead) }
    let now = loop.wall.microseconds
    for number in 0..<count { keeper.measure(at: now - Int64(count - number) * spacing) }
    return (SimulatedHub(world), keeper)
  }

  @LoopActor
  private func start(_ hub: SimulatedHub, _ keeper: RecordKeeper) async throws {
    try await hub.start(enrolling: [("keeper", keeper, "heart-rate", "oximeter")])
  }

  /// Each record once, with its value, at its time: whole seconds at both ends.
  @LoopActor
  private func expectAll(_ hub: SimulatedHub, _ keeper: RecordKeeper, source: SourceLocation = #_sourceLocation)
    async throws
  {
    let stored = try await hub.storedSamples().filter { $0.series == .spo2 && $0.origin == .fetched }
    let found = stored.sorted { $0.time < $1.time }
    #expect(found.count == keeper.ever.count, sourceLocation: source)
    for (sample, record) in zip(found, keeper.ever) {
      #expect(sample.value == Int64(record.saturation), sourceLocation: source)
      #expect(abs(sample.time.microseconds - record.at) <= 2_000_000, sourceLocation: source)
      #expect(sample.clockTrusted, sourceLocation: source)
    }
  }

  @Test(
    "what was measured while away comes home at its own times, put right by the clock, and stays on the wearable",
    arguments: [RecordKeeper.Kind.oximeter, .sensor])
  func comesHome(_ kind: RecordKeeper.Kind) throws {
    try VirtualLoop.run { loop in
      let (hub, keeper) = house(loop, kind, ahead: -420_000_000, before: 60, every: 600_000_000)
      try await start(hub, keeper)
      try await loop.sleep(for: .seconds(300))
      try await expectAll(hub, keeper)
      #expect(keeper.clockWrites == 1 && abs(keeper.ahead) < 1_000_000)
      // The sensor goes on measuring, by the clock that was set; and the hub is killed at any step.
      for round in 0..<12 {
        try await loop.sleep(for: .seconds(331))
        keeper.measure(at: loop.wall.microseconds)
        if round % 4 == 3 {
          await hub.kill()
          try await hub.start()
        }
      }
      try await loop.sleep(for: .seconds(3600))
      try await expectAll(hub, keeper)
      #expect(keeper.kept.count == 72 && keeper.deleted == 0 && keeper.clockWrites == 1)
      await hub.stop()
      try await expectAll(hub, keeper)
    }
  }

  @Test(
    "they are deleted by a person's order alone, when each of them is in the store",
    arguments: [RecordKeeper.Kind.oximeter, .sensor])
  func removed(_ kind: RecordKeeper.Kind) throws {
    try VirtualLoop.run { loop in
      let (hub, keeper) = house(loop, kind, ahead: 0, before: 40, every: 60_000_000)
      try await start(hub, keeper)
      try await loop.sleep(for: .seconds(1200))
      #expect(keeper.deleted == 0)
      keeper.measure(at: loop.wall.microseconds)
      let answer = try await hub.hearth.perform("records-remove", on: "keeper")
      #expect(answer == "ordered: 41 stored records go with the visit that has all of them durable here")
      _ = try hub.hearth.visitNow("keeper")
      try await loop.sleep(for: .seconds(120))
      #expect(keeper.kept.isEmpty && keeper.deleted == 41)
      try await expectAll(hub, keeper)
      // What comes later is not what was meant.
      keeper.measure(at: loop.wall.microseconds)
      _ = try hub.hearth.visitNow("keeper")
      try await loop.sleep(for: .seconds(1200))
      #expect(keeper.kept.count == 1 && keeper.deleted == 41)
      try await expectAll(hub, keeper)
      await hub.stop()
    }
  }

  @Test("a memory of more than a thousand, links that end and a hub that is killed: asked for by number, each once")
  func resumed() throws {
    try VirtualLoop.run { loop in
      let near: ClosedRange<Duration> = .seconds(20)...(.seconds(90))
      let away: ClosedRange<Duration> = .seconds(60)...(.seconds(300))
      let presence = PresenceSchedule.comesAndGoes(near: near, away: away, startsNear: 1)
      let (hub, keeper) = house(loop, .sensor, ahead: 90_000_000, .gym, presence, before: 1300, every: 30_000_000)
      try await start(hub, keeper)
      for round in 0..<8 {
        try await loop.sleep(for: .seconds(Int64(97 + round * 61)))
        await hub.kill()
        try await hub.start()
      }
      keeper.stayForGood()
      try await loop.sleep(for: .seconds(7200))
      try await expectAll(hub, keeper)
      #expect(keeper.requests.contains { $0.count == 7 && $0[1] == 3 } && keeper.deleted == 0)
      await hub.stop()
    }
  }

  @Test("a spot-check that is indicated and stored too is in the store once, through links that end and kills")
  func indicatedAndStored() throws {
    try VirtualLoop.run { loop in
      let presence = PresenceSchedule.comesAndGoes(
        near: .seconds(200)...(.seconds(900)), away: .seconds(100)...(.seconds(600)), startsNear: 1)
      let (hub, keeper) = house(
        loop, .oximeter, ahead: 45_000_000, FaultPlan(), presence, before: 10, every: 60_000_000)
      try await start(hub, keeper)
      for round in 0..<60 {
        try await loop.sleep(for: .seconds(Int64(31 + round * 7 % 50)))
        keeper.measure(at: loop.wall.microseconds)
        keeper.indicate()
        if round % 9 == 8 {
          try await loop.sleep(for: .milliseconds(Int64(round)))
          await hub.kill()
          try await hub.start()
        }
      }
      keeper.stayForGood()
      try await loop.sleep(for: .seconds(7200))
      await hub.stop()
      let stored = try await hub.storedSamples().filter { $0.series == .spo2 }.sorted { $0.time < $1.time }
      #expect(stored.count == keeper.ever.count)
      #expect(stored.contains { $0.origin == .live } && stored.contains { $0.origin == .fetched })
      for (sample, record) in zip(stored, keeper.ever) {
        #expect(sample.value == Int64(record.saturation))
        #expect(abs(sample.time.microseconds - record.at) <= 6_000_000)
      }
      #expect(keeper.deleted == 0)
    }
  }

  @Test(
    "a spot-check that is made while the memory is read is in the store once, also after a kill in the middle of it")
  func indicatedMeanwhile() throws {
    try VirtualLoop.run { loop in
      let (hub, keeper) = house(loop, .oximeter, ahead: 0, before: 150, every: 60_000_000)
      try await start(hub, keeper)
      var made = 0
      for round in 0..<6 {
        if round > 0 { _ = try hub.hearth.visitNow("keeper") }
        let deadline = loop.now + .seconds(120)
        while !keeper.isReporting, loop.now < deadline { try await loop.sleep(for: .milliseconds(10)) }
        try await loop.sleep(for: .milliseconds(300))
        made += keeper.isReporting ? 1 : 0
        keeper.measure(at: loop.wall.microseconds)
        keeper.indicate()
        if round == 3 {
          try await loop.sleep(for: .milliseconds(500))
          await hub.kill()
          try await hub.start()
        }
        try await loop.sleep(for: .seconds(200))
      }
      try await loop.sleep(for: .seconds(7200))
      #expect(made == 6)
      await hub.stop()
      let stored = try await hub.storedSamples().filter { $0.series == .spo2 }.sorted { $0.time < $1.time }
      #expect(stored.count == keeper.ever.count)
      for (sample, record) in zip(stored, keeper.ever) {
        #expect(sample.value == Int64(record.saturation))
        #expect(abs(sample.time.microseconds - record.at) <= 6_000_000)
      }
    }
  }
}
