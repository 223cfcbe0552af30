// The whole hub and an insole's clock: one that was never set, and a hub without a time server.

import Bluetooth
import BotzTwin
import EventLoop
import Export
import Health
import Hub
import RingStore
import Simulation
import Testing

@Suite("An insole's clock and the times that the hub stores", .serialized)
struct InsoleClockTests {
  /// 2025-10-01T00:00:00Z: when a telephone had set the insole's clock.
  private static let october: UInt32 = 1_759_276_800
  /// What an insole shows when it starts.
  private static let start: UInt32 = 1_749_574_850

  private func file(at epoch: UInt32, records: UInt32 = 20) -> [UInt8] {
    var bytes = InsoleFormat.header(start: epoch)
    for number in 0..<records { InsoleFormat.append(record: number, at: epoch + 1 + number, session: 7, to: &bytes) }
    return bytes + InsoleFormat.footer(end: epoch + records + 2, count: records)
  }

  @LoopActor
  private func house(_ loop: VirtualLoop, _ traits: InsoleTraits = InsoleTraits()) -> (
    hub: SimulatedHub, insole: VirtualInsole
  ) {
    let world = VirtualWorld(loop: loop, seed: 17)
    let insole = world.add { VirtualInsole($0, address: $1, random: $2, traits: traits) }
    var options = SimulatedHubOptions()
    options.hub.erase = .never
    return (SimulatedHub(world, options: options), insole)
  }

  @LoopActor
  private func cadence(_ hub: SimulatedHub) async throws -> [StoredSample] {
    try await hub.storedSamples().filter { $0.series == .cadence && $0.origin == .fetched }
  }

  @LoopActor
  private func wait(
    _ loop: VirtualLoop, _ limit: Duration = .seconds(3600), until isTrue: @LoopActor () async throws -> Bool
  ) async throws {
    let end = loop.now + limit
    while try await !isTrue() {
      guard loop.now < end else {
        Issue.record("it did not come true in \(limit)")
        return
      }
      try await loop.sleep(for: .seconds(5))
    }
  }

  @Test(
    """
    what no reading can explain has the wearable's own time, marked unsure, over whichever link it comes, and the \
    hub goes on believing its own clock
    """,
    arguments: [false, true])
  func firstContact(_ isLater: Bool) throws {
    try VirtualLoop.run { loop in
      let (hub, insole) = house(loop)
      if !isLater { insole.put(file: 1, file(at: Self.october)) }
      try await hub.start(enrolling: [("insole", insole, "botz", "insole")])
      try await loop.sleep(for: .seconds(120))
      if isLater {
        // The clock has been set by now, and the next link finds what was recorded before.
        insole.put(file: 1, file(at: Self.october))
        await hub.kill()
        try await hub.start()
      }
      try await wait(loop) { try await cadence(hub).count == 20 }
      let stored = try await cadence(hub)
      #expect(stored.map { $0.time.microseconds / 1_000_000 } == (1...20).map { Int64(Self.october) + $0 })
      #expect(stored.allSatisfy { !$0.clockTrusted })
      #expect(hub.store.sampleExport(.ndjson).line(stored[0]).hasSuffix(#""clock":"unsure"}"#))
      loop.wallIsTrusted = false
      #expect(hub.hearth.snapshot().clockIsPlausible)
      await hub.stop()
    }
  }

  @Test(
    """
    no time is behind now: one of an unset clock's other life is its own, one of a clock that was set into the future \
    is refused and counted, with its bytes kept
    """
  )
  func future() throws {
    try VirtualLoop.run { loop in
      let (hub, insole) = house(loop)
      insole.put(file: 1, file(at: Self.start + 3000))
      insole.put(file: 2, file(at: UInt32(loop.wall.microseconds / 1_000_000) + 40 * 86_400))
      try await hub.start(enrolling: [("insole", insole, "botz", "insole")])
      @LoopActor func refused() throws -> UInt64? {
        try hub.store.watermarks(of: hub.store.wearables[0].id).first { $0.series == Series.cadence.id }?.refused
      }
      try await wait(loop) {
        if try refused() != 20 { return false }
        return try await cadence(hub).count == 20
      }
      let stored = try await cadence(hub)
      let now = loop.wall
      #expect(try hub.store.custody(of: hub.store.wearables[0].id).count == 2)
      #expect(try await hub.storedSamples().count { $0.series == .raw } == 2)
      #expect(stored.allSatisfy { $0.time <= now && !$0.clockTrusted })
      #expect(stored.contains { $0.time.microseconds == (Int64(Self.start) + 3001) * 1_000_000 })
      #expect(hub.store.status.newest.map { $0 <= now } ?? false)
      await hub.stop()
    }
  }

  @Test(
    """
    what was listed before a clock was put back by hours has the same times whether the hub restarts before it is \
    fetched or not
    """,
    arguments: [false, true])
  func restarted(_ isRestarted: Bool) throws {
    try VirtualLoop.run { loop in
      let (hub, insole) = house(loop)
      let wall = UInt32(loop.wall.microseconds / 1_000_000)
      // Three hours ahead: what it calls an hour ago was four.
      insole.setClock(wall + 10_800)
      insole.put(file: 1, file(at: wall - 90_000, records: 4000))
      insole.put(file: 2, file(at: wall - 3600))
      try await hub.start(enrolling: [("insole", insole, "botz", "insole")])
      for _ in 0..<4000
      where !insole.files.contains(where: { $0.id == 1 && $0.served.reduce(0) { $0 + $1.count } > 20_000 }) {
        try await loop.sleep(for: .milliseconds(100))
      }
      #expect(!insole.timesSet.isEmpty)
      #expect(
        try await cadence(hub).count { $0.time.microseconds / 1_000_000 > Int64(wall) - 20_000 } == 0,
        "the second one is not fetched yet")
      if isRestarted {
        await hub.kill()
        try await hub.start()
      }
      let owed = (1...20).map { Int64(wall) - 14_400 + $0 }
      try await wait(loop) { try await cadence(hub).count >= 4020 }
      let stored = try await cadence(hub).filter { $0.time.microseconds / 1_000_000 > Int64(wall) - 20_000 }
      #expect(
        stored.count == 20 && zip(stored, owed).allSatisfy { abs($0.time.microseconds / 1_000_000 - $1) <= 2 },
        "\(stored.first?.time.rfc3339 ?? "none")")
      await hub.stop()
    }
  }

  @Test(
    """
    a hub without a time server goes on setting the clock that it has set, after a restart too; what is recorded \
    then is not 512 s early, and marked unsure
    """
  )
  func carriesOn() throws {
    try VirtualLoop.run { loop in
      loop.wallIsTrusted = false
      let (hub, insole) = house(loop)
      try await hub.start(enrolling: [("insole", insole, "botz", "insole")])
      try await loop.sleep(for: .seconds(300))
      @LoopActor func error() -> Int64 { Int64(insole.deviceEpoch) - loop.wall.microseconds / 1_000_000 }
      #expect(abs(error()) <= 2)
      await hub.kill()
      // The clock is not set for longer than it remembers.
      try await loop.sleep(for: .seconds(900))
      #expect(error() <= -512)
      try await hub.start()
      let restarted = loop.now
      try await wait(loop, .seconds(300)) { insole.timesSet.contains { $0.at > restarted } }
      for _ in 0..<40 {
        try await loop.sleep(for: .seconds(30))
        #expect(abs(error()) <= 3)
      }
      let shown = try #require(try hub.hearth.clocks().first?.offset)
      #expect(abs(shown) <= 3_000_000)
      let began = loop.wall.microseconds / 1_000_000
      insole.startSession()
      try await loop.sleep(for: .seconds(60))
      insole.stopSession()
      try await wait(loop) { try await !cadence(hub).isEmpty }
      let first = try await cadence(hub)[0]
      #expect(abs(first.time.microseconds / 1_000_000 - began) <= 5)
      #expect(!first.clockTrusted, "nobody vouches for the hub's clock")
      await hub.stop()
    }
  }

  @Test(
    "a hub without a time server leaves a clock alone that others have set, and says how far it is off as it falls back"
  )
  func leavesOthers() throws {
    try VirtualLoop.run { loop in
      let (hub, insole) = house(loop)
      try await hub.start(enrolling: [("insole", insole, "botz", "insole")])
      try await loop.sleep(for: .seconds(60))
      await hub.stop()
      // Another hub on another machine, without any memory of it.
      loop.wallIsTrusted = false
      let (stranger, same) = (SimulatedHub(hub.world), insole)
      let sets = same.timesSet.count
      try await loop.sleep(for: .seconds(700))
      try await stranger.start(enrolling: [("insole", same, "botz", "insole")])
      try await loop.sleep(for: .seconds(300))
      #expect(same.timesSet.count == sets)
      let shown = try #require(try stranger.hearth.clocks().first?.offset)
      #expect((-1_026_000_000 ... -510_000_000).contains(shown))
      await stranger.stop()
    }
  }
}
