// A hub that is killed at each step of a visit that sets a clock: what was recorded before has its times, or says that
// they are not sure.

import BandTwin
import Bluetooth
import EventLoop
import Hub
import RingStore
import Simulation
import StrapTwin
import Testing

@testable import Health

@Suite("A hub that is killed while it sets a clock", .serialized)
struct ClockKillTests {
  /// Ends a hub behind the PDU of a number, of either side.
  private final class Killer: PeerTap {
    private var left: Int
    private let hub: SimulatedHub
    private(set) var hasKilled = false

    init(_ hub: SimulatedHub, after count: Int) {
      (self.hub, left) = (hub, count)
      super.init(isHostile: false)
    }

    private func step() {
      left -= 1
      guard left == 0 else { return }
      hasKilled = true
      let loop = hub.world.loop
      loop.schedule(after: .nanoseconds(1)) { [hub] in loop.spawn { await hub.kill() } }
    }

    override func hears(_ pdu: RawBytes, on link: VirtualLink) -> Bool {
      step()
      return true
    }

    override func fate(of pdu: [UInt8], on link: VirtualLink) -> Fate {
      step()
      return .passes
    }
  }

  /// A value that a wearable recorded: µs since 1970 by a clock that is right, and what it is, where that is compared.
  private struct Truth {
    let at: Int64
    var value: Int64?
  }

  /// How one family is tried.
  private struct Case {
    let hub: SimulatedHub
    let peripheral: VirtualPeripheral
    let driver: String
    /// Before the hub's life that is ended; it starts with the wearable enrolled.
    var before: @LoopActor () async throws -> Void = {}
    /// When that runs, and when the next one does: so that the wearable is there.
    var nudge: @LoopActor () -> Void = {}
    /// nil: all but bytes.
    let series: Series?
    let truth: @LoopActor () -> [Truth]
    /// µs by which a time may be off.
    var bound: Int64 = 2_500_000
    var downFor: Duration = .seconds(5)
    /// All times must be sure.
    var isCertain = true
  }

  /// Kills the hub behind each PDU of the first visits, one after the other.
  ///
  /// - Returns: of how many lives that were ended the next one fetched something.
  @LoopActor
  private func sweep(
    _ loop: VirtualLoop, every stride: Int = 1, least: Int, source: SourceLocation = #_sourceLocation,
    _ make: (VirtualLoop, UInt64) async throws -> Case
  ) async throws {
    var kills = 0
    for count in Swift.stride(from: 1, to: 4000, by: stride) {
      let one = try await make(loop, seedFromEnvironment ?? 4200)
      let hub = one.hub
      if hub.isRunning == false {
        try await hub.start(enrolling: [("one", one.peripheral, one.driver, "wearable")])
      }
      try await one.before()
      let killer = Killer(hub, after: count)
      killer.attach(to: one.peripheral)
      if hub.isRunning == false { try await hub.start() }
      one.nudge()
      try await loop.sleep(for: .seconds(60))
      if !killer.hasKilled {
        await hub.stop()
        break
      }
      kills += 1
      try await loop.sleep(for: one.downFor)
      try await hub.start()
      one.nudge()
      try await loop.sleep(for: .seconds(240))
      await hub.stop()
      let truth = one.truth()
      let stored = try await hub.storedSamples().filter {
        $0.origin == .fetched && (one.series == nil ? $0.series != .raw : $0.series == one.series)
      }
      var wrong: [String] = []
      for sample in stored where sample.clockTrusted {
        let time = sample.time.microseconds
        if !truth.contains(where: { abs($0.at - time) <= one.bound && ($0.value ?? sample.value) == sample.value }) {
          let nearest = truth.map { time - $0.at }.min { abs($0) < abs($1) }
          wrong.append("\(sample.value), \((nearest ?? 0) / 1_000_000) s off")
        }
      }
      #expect(
        wrong.isEmpty,
        "killed behind PDU \(count): \(wrong.count) of \(stored.count) sure and wrong: \(wrong.prefix(3))",
        sourceLocation: source)
      #expect(!stored.isEmpty, "killed behind PDU \(count): nothing was fetched", sourceLocation: source)
      if one.isCertain {
        let unsure = stored.count { !$0.clockTrusted }
        #expect(unsure == 0, "killed behind PDU \(count): unsure", sourceLocation: source)
      }
    }
    #expect(kills >= least, sourceLocation: source)
  }

  // MARK: Standard services

  @Test(
    "an oximeter's and a sensor's records, by a clock that was slow or fast",
    arguments: [RecordKeeper.Kind.oximeter, .sensor], [-5_000_000_000, 5_000_000_000] as [Int64])
  func records(_ kind: RecordKeeper.Kind, ahead: Int64) throws {
    try VirtualLoop.run { loop in
      try await sweep(loop, every: 3, least: 25) { loop, seed in
        let world = VirtualWorld(loop: loop, seed: seed)
        let keeper = world.add { RecordKeeper($0, address: $1, random: $2, kind: kind, ahead: ahead) }
        let now = loop.wall.microseconds
        for number in 0..<30 { keeper.measure(at: now - Int64(30 - number) * 60_000_000) }
        return Case(
          hub: SimulatedHub(world), peripheral: keeper, driver: "heart-rate", series: .spo2,
          truth: { keeper.ever.map { Truth(at: $0.at, value: Int64($0.saturation)) } })
      }
    }
  }

  @Test("a clock that was set back an hour before shows times twice: those are not sure, and no other is wrong")
  func shownTwice() throws {
    try VirtualLoop.run { loop in
      try await sweep(loop, every: 5, least: 15) { loop, seed in
        let world = VirtualWorld(loop: loop, seed: seed)
        let keeper = world.add { RecordKeeper($0, address: $1, random: $2, kind: .oximeter, ahead: 5_000_000_000) }
        let now = loop.wall.microseconds
        // Their times lie in what the clock shows again after it was set.
        for number in 0..<30 { keeper.measure(at: now - 5_000_000_000 + Int64(number) * 100_000_000) }
        var one = Case(
          hub: SimulatedHub(world), peripheral: keeper, driver: "heart-rate", series: .spo2,
          truth: { keeper.ever.map { Truth(at: $0.at, value: Int64($0.saturation)) } })
        one.downFor = .seconds(3600)
        one.isCertain = false
        return one
      }
    }
  }

  enum Sensor: CaseIterable { case cuff, scale }

  @Test(
    "readings that a cuff and a scale kept, by a clock that was slow or fast",
    arguments: Sensor.allCases, [-7200, 7200] as [Int64])
  func readings(_ sensor: Sensor, by seconds: Int64) throws {
    try VirtualLoop.run { loop in
      try await sweep(loop, least: 20) { loop, seed in
        let world = VirtualWorld(loop: loop, seed: seed)
        func adjust(_ traits: inout SensorTraits, _ keeping: inout KeepingTraits) {
          (traits.clock.isServed, traits.clock.canBeSet) = (true, true)
          traits.clock.state = .wrong(by: .seconds(seconds))
          keeping.measurements = 0
        }
        let twin: KeepingTwin
        let series: Series
        switch sensor {
        case .cuff:
          twin = world.addCuff {
            adjust(&$0.sensor, &$0.keeping)
            $0.failed = 0
          }
          series = .systolicPressure
        case .scale:
          twin = world.addScale { adjust(&$0.sensor, &$0.keeping) }
          series = .weight
        }
        var one = Case(
          hub: SimulatedHub(world), peripheral: twin, driver: "heart-rate", series: series,
          truth: {
            let (now, wall) = (loop.now, loop.wall)
            return twin.ledger.deliveries.map { Truth(at: (wall + ($0.takenAt - now)).microseconds) }
          })
        one.before = { [hub = one.hub] in
          await hub.stop()
          for _ in 0..<3 {
            twin.measureNow()
            try await loop.sleep(for: .seconds(90))
          }
        }
        one.nudge = { twin.measureNow() }
        one.bound = 6_000_000
        return one
      }
    }
  }

  // MARK: Bands

  /// Autumn shows an hour twice, spring leaves one out: s since 1970.
  enum Season: Int64, CaseIterable {
    case autumn = 1_792_890_000
    case spring = 1_806_195_600
  }

  private static let berlin = TimeZoneRules(
    name: "Europe/Berlin", changes: [], offsets: [], firstOffset: 3600,
    rule: YearlyRule(Array("CET-1CEST,M3.5.0,M10.5.0/3".utf8)))

  /// A band that was set before clocks changed, and is visited after that.
  @LoopActor
  private func band(
    _ loop: VirtualLoop, _ seed: UInt64, _ season: Season, _ driver: String, _ make: (VirtualWorld) -> VirtualBand
  ) -> Case {
    let begin = WallTime(microseconds: (season.rawValue - 2700) * 1_000_000)
    loop.stepWall(by: begin - loop.wall)
    let world = VirtualWorld(loop: loop, seed: seed)
    let twin = make(world)
    var options = SimulatedHubOptions()
    options.hub.pairing = .always
    options.hub.timeZone = Self.berlin
    let (now, wall) = (loop.now, loop.wall)
    var one = Case(
      hub: SimulatedHub(world, options: options), peripheral: twin, driver: driver, series: .heartRate,
      truth: {
        twin.catchUp()
        return twin.recorder.items.filter { $0.series == .heartRate }.map {
          Truth(at: (wall + ($0.at - now)).microseconds, value: $0.value)
        }
      })
    one.before = { [hub = one.hub] in
      try await loop.sleep(for: .seconds(600))
      await hub.stop()
      try await loop.sleep(for: .seconds(4800))
    }
    // A minute of the band's own clock, and what that is wrong by.
    one.bound = 90_000_000
    // What it measured before the hub knew it is not.
    one.isCertain = false
    return one
  }

  private static var traits: BandTraits {
    var traits = BandTraits()
    traits.zone = 120
    traits.clockError = .zero
    return traits
  }

  @Test("what FitCloud's bands measured before and after the hub's clocks changed", arguments: Season.allCases)
  func fitCloud(_ season: Season) throws {
    try VirtualLoop.run { loop in
      try await sweep(loop, every: 4, least: 10) { loop, seed in
        band(loop, seed, season, "fitcloud") { world in
          world.addFitCloud { (traits: inout FitCloudTraits) in
            (traits.band.zone, traits.band.clockError) = (season == .autumn ? 120 : 60, .zero)
          }
        }
      }
    }
  }

  @Test("what Moyoung's bands measured before and after the hub's clocks changed", arguments: Season.allCases)
  func moyoung(_ season: Season) throws {
    try VirtualLoop.run { loop in
      try await sweep(loop, every: 4, least: 10) { loop, seed in
        band(loop, seed, season, "moyoung") { world in
          var traits = Self.traits
          traits.zone = season == .autumn ? 120 : 60
          return world.add { [traits] in VirtualMoyoungBand($0, address: $1, random: $2, traits: traits) }
        }
      }
    }
  }

  @Test("what bands of the new platform measured before and after the hub's clocks changed", arguments: Season.allCases)
  func next(_ season: Season) throws {
    try VirtualLoop.run { loop in
      try await sweep(loop, every: 6, least: 10) { loop, seed in
        band(loop, seed, season, "topstep-next") { world in
          world.addNextBand { (traits: inout NextTraits) in
            (traits.band.zone, traits.band.clockError) = (season == .autumn ? 120 : 60, .zero)
          }
        }
      }
    }
  }
}
