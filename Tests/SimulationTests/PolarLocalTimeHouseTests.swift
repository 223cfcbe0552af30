import EventLoop
import Hub
import PolarTwin
import Simulation
import Testing

@testable import CivilTime
@testable import Health

@Suite("Local time of Polar's wearables, under the whole hub")
struct PolarLocalTimeHouseTests {
  private static let berlin = TimeZoneRules(
    name: "Europe/Berlin", changes: [], offsets: [], firstOffset: 3600,
    rule: YearlyRule(Array("CET-1CEST,M3.5.0,M10.5.0/3".utf8)))

  @LoopActor
  private static func house(_ loop: VirtualLoop, _ traits: PolarTraits, seed: UInt64, driver: String = "polar")
    async throws -> (VirtualWorld, SimulatedHub, VirtualPolar)
  {
    let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? seed)
    let wearable = world.add { VirtualPolar($0, address: $1, random: $2, traits: traits) }
    var options = SimulatedHubOptions()
    options.hub.pairing = .always
    options.hub.timeZone = berlin
    return (world, SimulatedHub(world, options: options), wearable)
  }

  @Test(
    """
    a band that records all the time, and never heard of a zone, shows the hub's after its first visit; what it \
    recorded under either clock has its times
    """
  )
  func alwaysRecording() throws {
    try VirtualLoop.run { loop in
      let (_, hub, band) = try await Self.house(loop, .of(.band360) { $0.clockError = .seconds(95) }, seed: 131)
      band.beginRecording(.heartRate)
      band.beginRecording(.skinTemperature)
      // Young, with files: only a wrong clock is a reason to end them.
      try await loop.sleep(for: .seconds(600))
      try await hub.start(enrolling: [("polar-1", band, "polar", "band")])
      try await loop.sleep(for: .seconds(120))
      #expect(
        band.timesSet.count == 1 && band.clock.offset == 60
          && Set(band.runningRecordings) == [.heartRate, .skinTemperature])
      #expect(band.recordedRuns.count == 4 && band.removalsOfRunning.isEmpty && band.files.lost.isEmpty)
      let clock = try #require(try hub.hearth.clocks().first)
      let offBy = try #require(clock.offset)
      #expect(abs(offBy) < 2_000_000 && clock.shownZone == 60 && clock.zone == 60)
      // Both are ended, then it is set, then both begin, and then the sync.
      let log = band.requestLog
      let (set, sync) = (
        try #require(log.firstIndex(of: "query 3")), try #require(log.firstIndex(of: "notification 0"))
      )
      let asked = try #require(log.firstIndex(of: "query 13"))
      #expect(asked < set && set < sync)
      let commands = band.commandLog.map(\.operation).filter { $0 == 2 || $0 == 3 }
      #expect(commands == [3, 3, 2, 2])
      try await loop.sleep(for: .seconds(6 * 3600))
      #expect(
        band.timesSet.count == 1 && Set(band.runningRecordings) == [.heartRate, .skinTemperature]
          && band.removalsOfRunning.isEmpty)
      await hub.kill()
      try await hub.start()
      let again = try #require(try hub.hearth.clocks().first)
      let offByThen = try #require(again.offset)
      #expect(again.shownZone == 60 && abs(offByThen) < 2_000_000, "also in the hub's next life")
      await hub.stop()
      // A value a second of the hub's clock, from the first recording's start on. Earlier ones belong to the band's own
      // day.
      let rates = try await hub.storedSamples().filter {
        $0.series == .skinTemperature && $0.origin == .fetched && $0.time >= VirtualLoop.morning
      }
      let first = try #require(rates.map(\.time.microseconds).min())
      let last = try #require(rates.map(\.time.microseconds).max())
      let began = VirtualLoop.morning.microseconds
      let late = first - began
      let length = last - began
      #expect((0..<5_000_000).contains(late) && last < loop.wall.microseconds && length > 18_000_000_000)
      try await PolarHouseTests.judge(hub)
    }
  }

  @Test(
    """
    a band from further east is put back by hours while it records all the time: no file is fetched that is still \
    written, and all has its times
    """,
    arguments: [false, true])
  func putBack(_ losesLink: Bool) throws {
    try VirtualLoop.run { loop in
      let (_, hub, band) = try await Self.house(
        loop,
        .of(.band360) {
          $0.zoneOffset = 330
          $0.partSize = 16 * 1024
        }, seed: 134)
      band.beginRecording(.skinTemperature)
      try await loop.sleep(for: .seconds(3 * 3600))
      // Between the end and the new beginning.
      if losesLink { band.cutsLink = (2, false) }
      try await hub.start(enrolling: [("polar-1", band, "polar", "band")])
      try await loop.sleep(for: .seconds(300))
      #expect(band.timesSet.count == 1 && band.clock.offset == 60 && band.runningRecordings == [.skinTemperature])
      for _ in 0..<16 {
        try await loop.sleep(for: .seconds(1800))
        _ = try? hub.hearth.visitNow("polar-1")
      }
      #expect(band.runningRecordings == [.skinTemperature] && band.removalsOfRunning.isEmpty && band.files.lost.isEmpty)
      await hub.stop()
      let times = try await hub.storedSamples().filter { $0.series == .skinTemperature && $0.origin == .fetched }.map(
        \.time.microseconds
      )
      // What lies before is the band's own day.
      .filter { $0 > VirtualLoop.morning.microseconds - 100_000 }.sorted()
      let began = VirtualLoop.morning.microseconds
      let gaps = zip(times, times.dropFirst()).map { $1 - $0 }
      // What the band's own day tells every five minutes may be fetched later than the newest second of the recording.
      let newest = try #require(gaps.lastIndex { $0 < 60_000_000 }) + 1
      let first = try #require(times.first)
      let last = times[newest]
      let widest = try #require(gaps[..<newest].max())
      #expect((-100_000..<5_000_000).contains(first - began))
      #expect(last < loop.wall.microseconds && last > loop.wall.microseconds - 7_200_000_000)
      #expect(widest < 60_000_000, "no hours between what was recorded before and after")
      try await PolarHouseTests.judge(hub)
    }
  }

  @Test("what cannot be ended keeps a wrong clock from being set, which is said, for a day and no longer")
  func waits() throws {
    try VirtualLoop.run { loop in
      // No file, no settings: it could not be started again.
      let (_, hub, band) = try await Self.house(
        loop, .of(.band360) { $0.recordingDelay = .seconds(10 * 86_400) }, seed: 132)
      band.beginRecording(.skinTemperature)
      try await hub.start(enrolling: [("polar-1", band, "polar", "band")])
      try await loop.sleep(for: .seconds(6 * 3600))
      #expect(band.timesSet.isEmpty && band.runningRecordings == [.skinTemperature])
      let row = try await hub.hearth.report("settings", of: "polar-1").first { $0.name == "clock" }
      let fields = row?.fields ?? []
      #expect(fields.contains { $0.name == "waits_since" })
      #expect(fields.first { $0.name == "off_by_s" }?.value == "-3600.0")
      try await loop.sleep(for: .seconds(20 * 3600))
      #expect(
        band.timesSet.count == 1 && band.clock.offset == 60 && band.runningRecordings == [.skinTemperature]
          && band.recordedRuns.count == 1)
      await hub.stop()
    }
  }

  @Test("a strap gets the local time blindly, and never while it records or streams")
  func strap() throws {
    try VirtualLoop.run { loop in
      let (_, hub, strap) = try await Self.house(loop, .of(.h10) { $0.clockError = nil }, seed: 133)
      try await hub.start(enrolling: [("polar-1", strap, "polar-strap", "HR strap")])
      try await loop.sleep(for: .seconds(60))
      #expect(strap.timesSet.count == 1 && strap.clock.offset == 60)
      let shown = strap.clock.now(at: loop.now) / 1000 + 946_684_800_000_000
      let local = loop.wall.microseconds + 3_600_000_000
      #expect(abs(shown - local) < 1_000_000)
      _ = try await hub.hearth.orderStreams("polar-1", [.ecg])
      try await loop.sleep(for: .seconds(60))
      let told = strap.timesSet.count
      #expect(!strap.streams.isEmpty)
      try await loop.sleep(for: .seconds(4 * 3600))
      #expect(strap.timesSet.count == told, "no stamp jumps")
      _ = try await hub.hearth.orderStreams("polar-1", [])
      try await loop.sleep(for: .seconds(60))
      _ = try await hub.hearth.perform("recording-start", ["rr", "RUN"], on: "polar-1")
      let before = strap.timesSet.count
      try await loop.sleep(for: .seconds(4 * 3600))
      #expect(strap.timesSet.count == before && strap.isRecording)
      await hub.stop()
    }
  }
}
