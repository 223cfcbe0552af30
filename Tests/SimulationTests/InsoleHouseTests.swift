import BotzTwin
import EventLoop
import Hub
import Reasons
import RingStore
import Simulation
import Testing

@testable import Health

/// A hub and one insole, enrolled as `insole-1`.
@LoopActor
func insoleHouse(
  _ loop: VirtualLoop, seed: UInt64, prepare: (inout SimulatedHubOptions) -> Void = { _ in },
  adjust: (inout InsoleTraits) -> Void = { _ in }
) async throws -> (hub: SimulatedHub, insole: VirtualInsole) {
  let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? seed)
  var traits = InsoleTraits()
  adjust(&traits)
  let insole = world.add { VirtualInsole($0, address: $1, random: $2, traits: traits) }
  var options = SimulatedHubOptions()
  options.hub.pairing = .always
  prepare(&options)
  let hub = SimulatedHub(world, options: options)
  try await hub.start(enrolling: [("insole-1", insole, "botz", "insole")])
  return (hub, insole)
}

@Suite("What is ordered of an insole, under the whole hub")
struct InsoleHouseTests {
  @LoopActor private func starts(_ insole: VirtualInsole) -> [String] {
    insole.commands.compactMap {
      $0.command == 0x84 ? "start \($0.value[0])" : $0.command == 0x85 ? "stop \($0.value[0])" : nil
    }
  }

  @LoopActor private func field(_ hub: SimulatedHub, _ row: String, _ name: String) async throws -> String? {
    try await hub.hearth.report("streams", of: "insole-1").first { $0.name == row }?.fields.first { $0.name == name }?
      .value
  }

  @Test(
    """
    streams run by order, outside of visits and sessions, until the order is taken back or the hub stops; no command \
    comes too closely
    """,
    arguments: [1, 2, 3] as [UInt64])
  func streams(_ seed: UInt64) throws {
    try VirtualLoop.run { loop in
      let (hub, insole) = try await insoleHouse(loop, seed: 7100 + seed, adjust: { $0.files = .sessions([60]) })
      try await loop.sleep(for: .seconds(60))
      _ = try await hub.hearth.orderStreams("insole-1", [.footPressure, .orientation])
      try await loop.sleep(for: .seconds(20))
      #expect(starts(insole) == ["start 5"] && insole.statusWord & 1 << 28 != 0)
      let state = try await field(hub, "foot_pressure", "state")
      #expect(state == "running")
      // A visit fetches without them.
      insole.train([90])
      try hub.hearth.visitNow("insole-1")
      try await loop.sleep(for: .seconds(60))
      #expect(starts(insole) == ["start 5", "stop 5", "start 5"] && insole.framesWhileStreaming == 0)
      // So does a wearer in a training; streams go on when the session is over.
      _ = try await hub.hearth.perform("start-activity", on: "insole-1")
      try await loop.sleep(for: .seconds(120))
      #expect(insole.isRecording && insole.statusWord & 1 << 25 != 0)
      _ = try await hub.hearth.perform("stop-activity", on: "insole-1")
      try await loop.sleep(for: .seconds(120))
      #expect(insole.statusWord & 1 << 28 != 0)
      _ = try await hub.hearth.orderStreams("insole-1", [.footPressure])
      try await loop.sleep(for: .seconds(20))
      #expect(insole.statusWord & 1 << 26 != 0)
      // A hub that is killed leaves it on. The next one goes on with it, and ends it when it is no longer ordered.
      await hub.kill()
      try await hub.start()
      try await loop.sleep(for: .seconds(120))
      #expect(insole.statusWord & 1 << 26 != 0)
      _ = try await hub.hearth.orderStreams("insole-1", [])
      try await loop.sleep(for: .seconds(20))
      #expect(insole.statusWord & 0x3E00_0000 == 0)
      _ = try await hub.hearth.orderStreams("insole-1", [.orientation])
      try await loop.sleep(for: .seconds(20))
      let left = insole.leftStreaming
      await hub.stop()
      #expect(insole.statusWord & 0x3E00_0000 == 0 && insole.leftStreaming == left && left == 1)
      #expect(insole.forbidden.isEmpty && insole.framesWhileStreaming == 0, "\(insole.forbidden)")
      let samples = try await hub.storedSamples()
      #expect(samples.count { $0.series == .footPressure } > 400 && samples.count { $0.series == .orientation } > 400)
    }
  }

  @Test(
    """
    an insole that is forgotten while it streams is stopped before the hub hangs up, and no value that comes meanwhile \
    is kept
    """,
    arguments: [1, 2, 3] as [UInt64])
  func forgottenStreaming(_ seed: UInt64) throws {
    try VirtualLoop.run { loop in
      let (hub, insole) = try await insoleHouse(loop, seed: 7105 + seed, adjust: { $0.files = .sessions([60]) })
      try await loop.sleep(for: .seconds(60))
      _ = try await hub.hearth.orderStreams("insole-1", [.footPressure, .orientation])
      // Written just before: what comes later would be in the journal's newest chunk, behind what a purge leaves of it.
      try await loop.sleep(for: .seconds(20))
      try await hub.store.flush()
      try await hub.forget("insole-1", purging: true)
      let end = loop.now
      try await loop.sleep(for: .seconds(30))
      #expect(
        insole.statusWord & 0x3E00_0000 == 0 && insole.leftStreaming == 0
          && !hub.radio.openChannels.contains(insole.address))
      await hub.stop()
      let samples = try await hub.storedSamples()
      let late = samples.count { $0.monotonic > end }
      let violations = hub.watch.violations + StoreCheck(samples, hub).violations
      #expect(samples.contains { $0.way == .live } && late == 0 && violations.isEmpty, "\(late) late, \(violations)")
    }
  }

  @Test("what comes by itself, or not at all, is refused when it is ordered")
  func refused() throws {
    try VirtualLoop.run { loop in
      let (hub, _) = try await insoleHouse(loop, seed: 7110)
      for series in Series.all where series != .footPressure && series != .orientation {
        do throws(HearthError) {
          _ = try await hub.hearth.orderStreams("insole-1", [series])
          Issue.record("\(series.name) was taken")
        } catch { #expect(error.reason == .requestUnsupported) }
      }
      await hub.stop()
    }
  }

  @Test(
    """
    a session that ends is known by its file and fetched at once, also if its number comes again or its announcement \
    is lost
    """,
    arguments: [InsoleTraits.Files.sessions([60]), .lastIDTaken], [true, false])
  func ended(_ files: InsoleTraits.Files, _ losesAnnouncements: Bool) throws {
    try VirtualLoop.run { loop in
      let isAppended = files == .lastIDTaken
      let (hub, insole) = try await insoleHouse(
        loop, seed: 7120, prepare: { if isAppended { $0.hub.erase = .never } },
        adjust: {
          ($0.files, $0.losesAnnouncements) = (files, losesAnnouncements)
        })
      // Fetched, and erased unless numbers shall come to their end.
      try await loop.sleep(for: .seconds(120))
      #expect(insole.erasures == (isAppended ? 0 : 1))
      // Twice: the second time the file of the same number grows.
      for round in 1...2 {
        _ = try await hub.hearth.perform("start-activity", on: "insole-1")
        try await loop.sleep(for: .seconds(100))
        let answer = try await hub.hearth.perform("stop-activity", on: "insole-1")
        #expect(answer == (isAppended || round == 1 ? "stopped: activity_001.dat" : "stopped: activity_002.dat"))
        // What was fetched lately is looked at again at once, because something is new.
        try await loop.sleep(for: .seconds(100))
        let unserved = insole.files.filter { !$0.isServedWhole }.count
        #expect(unserved == 0, "round \(round)")
      }
      await hub.stop()
      #expect(insole.forbidden.isEmpty, "\(insole.forbidden)")
    }
  }

  @Test(
    """
    idle is written once over each link, and no command within half a second of another, however often an operator \
    asks
    """,
    arguments: [1, 2, 3, 4] as [UInt64])
  func pace(_ seed: UInt64) throws {
    try VirtualLoop.run { loop in
      let (hub, insole) = try await insoleHouse(
        loop, seed: 7130 + seed,
        adjust: {
          $0.files = .sessions([60, 30])
          if seed == 4 { $0.controlLatency = .zero ... .seconds(3) }
        })
      for _ in 0..<6 {
        _ = try await hub.hearth.setLink("insole-1", profile: .idle)
        try await loop.sleep(for: .seconds(40))
        try hub.hearth.visitNow("insole-1")
        try await loop.sleep(for: .seconds(40))
        _ = try await hub.hearth.setLink("insole-1", profile: .foreground)
        try await loop.sleep(for: .seconds(2))
      }
      let link = try hub.hearth.link(of: "insole-1")
      #expect(link.effectiveProfile != nil)
      await hub.stop()
      #expect(insole.forbidden.isEmpty, "\(insole.forbidden)")
      #expect(insole.commands.count { $0.command == 0x8B && $0.value == [2] } <= insole.links)
    }
  }
}
