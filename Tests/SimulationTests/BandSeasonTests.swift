// Bands of the new platform while the clocks of their hub change: another zone loses no stored data.

import BandTwin
import EventLoop
import Hub
import RingStore
import Simulation
import Testing

@testable import CivilTime
@testable import Health

@Suite("Bands of the new platform while clocks change", .serialized)
struct BandSeasonTests {
  private static let berlin = TimeZoneRules(
    name: "Europe/Berlin", changes: [], offsets: [], firstOffset: 3600,
    rule: YearlyRule(Array("CET-1CEST,M3.5.0,M10.5.0/3".utf8)))

  /// µs since 1970: 03:00 of the summer's time, on 2026-10-25.
  private static let autumn: Int64 = 1_792_890_000_000_000

  /// A hub that is switched off from the evening before the change to the morning after it, and what it lacks then.
  @LoopActor
  private static func lacking(_ loop: VirtualLoop, _ seed: UInt64) async throws -> [String] {
    loop.stepWall(by: .microseconds(autumn - 2 * 86_400_000_000 - loop.wall.microseconds))
    let world = VirtualWorld(loop: loop, seed: seed)
    let band = world.addNextBand { (traits: inout TopStepTraits) in
      (traits.band.zone, traits.band.clockError) = (120, .zero)
      // An answer with a day tells all of it, or no more than was asked for.
      traits.days.cutTo = seed.isMultiple(of: 2) ? .days : .range
    }
    var options = SimulatedHubOptions()
    options.hub.pairing = .always
    options.hub.timeZone = berlin
    options.watchEvery = .seconds(300)
    let hub = SimulatedHub(world, options: options)
    try await hub.start(enrolling: [("one", band, "topstep-next", "wearable")])
    let first = loop.now
    // 23:30 of the summer's time: shortly after, the extremes of the day are written down.
    try await loop.sleep(for: .seconds(2 * 86_400 - 12_600))
    await hub.stop()
    try await loop.sleep(for: .seconds(12_600 + 3600))
    try await hub.start()
    try await loop.sleep(for: .seconds(86_400))
    #expect(band.log.times.last?.zone == 3600, "it has the zone of the winter")
    await hub.stop()
    let stored = try await hub.storedSamples().filter { $0.origin == .fetched }
    band.catchUp()
    let (now, wall) = (loop.now, loop.wall)
    let owed = band.recorder.items.filter { item in
      [.heartRate, .spo2, .stress].contains(item.series) && item.at > first && now - item.recordedAt > .seconds(7200)
        && item.goneAt == nil
    }
    #expect(owed.count > 500)
    struct Told: Hashable { let series: Series, value: Int64, kind: SampleKind }
    let times = Dictionary(grouping: stored) { Told(series: $0.series, value: $0.value, kind: $0.flags.kind) }
      .mapValues { $0.map(\.time.microseconds) }
    return owed.filter { item in
      let at = (wall + (item.at - now)).microseconds
      let told = times[Told(series: item.series, value: item.value, kind: item.kind)] ?? []
      return !told.contains { abs($0 - at) < 90_000_000 }
    }.map { "\($0.series.name) \($0.value) \($0.kind.name), \(($0.at - first).inSeconds) s after the begin" }
  }

  /// Bands that cut their answers in either way; a single one, drawn at random, in a quick run.
  private static let seeds: [UInt64] = isAtLength ? [7, 8] : [.random(in: 7...8)]

  @Test("what was measured around the change of autumn is all there", arguments: seeds)
  func autumn(_ seed: UInt64) throws {
    try VirtualLoop.run { loop in
      let lacking = try await Self.lacking(loop, seed)
      #expect(lacking.isEmpty, "\(lacking)")
    }
  }
}
