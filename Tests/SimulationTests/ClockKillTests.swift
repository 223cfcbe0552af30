// A hub that is killed at each step of a visit that sets a clock. Earlier values have correct times, or are marked as
// unsure.

import BandTwin
import Bluetooth
import EventLoop
import Hub
import RingStore
import Simulation
import StrapTwin
import Testing

@testable import CivilTime
@testable import Health

@Suite("A hub that is killed while it sets a clock", .serialized)
struct ClockKillTests {
  // MARK: Standard services

  @Test(
    "an oximeter's and a sensor's records, by a clock that was slow or fast",
    arguments: [RecordKeeper.Kind.oximeter, .sensor], [-5_000_000_000, 5_000_000_000] as [Int64])
  func records(_ kind: RecordKeeper.Kind, ahead: Int64) throws {
    try VirtualLoop.run { loop in
      try await ClockKill.sweep(loop, every: 3, least: 25) { loop, seed in
        let world = VirtualWorld(loop: loop, seed: seed)
        let keeper = world.add { RecordKeeper($0, address: $1, random: $2, kind: kind, ahead: ahead) }
        let now = loop.wall.microseconds
        for number in 0..<30 { keeper.measure(at: now - Int64(30 - number) * 60_000_000) }
        return ClockKillCase(
          hub: SimulatedHub(world), peripheral: keeper, driver: "heart-rate", series: .spo2,
          truth: { keeper.ever.map { ClockTruth(at: $0.at, value: Int64($0.saturation)) } })
      }
    }
  }

  @Test("a clock that was set back an hour before shows times twice: those are not sure, and no other is wrong")
  func shownTwice() throws {
    try VirtualLoop.run { loop in
      try await ClockKill.sweep(loop, every: 5, least: 15) { loop, seed in
        let world = VirtualWorld(loop: loop, seed: seed)
        let keeper = world.add { RecordKeeper($0, address: $1, random: $2, kind: .oximeter, ahead: 5_000_000_000) }
        let now = loop.wall.microseconds
        // Their times lie in what the clock shows again after it was set.
        for number in 0..<30 { keeper.measure(at: now - 5_000_000_000 + Int64(number) * 100_000_000) }
        var one = ClockKillCase(
          hub: SimulatedHub(world), peripheral: keeper, driver: "heart-rate", series: .spo2,
          truth: { keeper.ever.map { ClockTruth(at: $0.at, value: Int64($0.saturation)) } })
        one.downFor = .seconds(3600)
        one.isCertain = false
        return one
      }
    }
  }

  enum Sensor: CaseIterable { case cuff, scale, thermometer }

  @Test(
    "readings that a cuff, a scale and a thermometer kept, by a clock that was slow or fast",
    arguments: Sensor.allCases, [-7200, 7200] as [Int64])
  func readings(_ sensor: Sensor, by seconds: Int64) throws {
    try VirtualLoop.run { loop in
      try await ClockKill.sweep(loop, least: 20) { loop, seed in
        let world = VirtualWorld(loop: loop, seed: seed)
        func adjust(_ traits: inout SensorTraits, _ keeping: inout SpotCheckTraits) {
          (traits.clock.isServed, traits.clock.canBeSet) = (true, true)
          traits.clock.state = .wrong(by: .seconds(seconds))
          keeping.measurements = 0
        }
        let twin: SpotCheckTwin
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
        case .thermometer:
          twin = world.addThermometer {
            adjust(&$0.sensor, &$0.keeping)
            ($0.hasTime, $0.special, $0.keeping.isIntermittent) = (true, 0, true)
          }
          series = .bodyTemperature
        }
        var one = ClockKillCase(
          hub: SimulatedHub(world), peripheral: twin, driver: "heart-rate", series: series,
          truth: {
            let (now, wall) = (loop.now, loop.wall)
            return twin.ledger.deliveries.map { ClockTruth(at: (wall + ($0.takenAt - now)).microseconds) }
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
  ) -> ClockKillCase {
    let begin = WallTime(microseconds: (season.rawValue - 2700) * 1_000_000)
    loop.stepWall(by: begin - loop.wall)
    let world = VirtualWorld(loop: loop, seed: seed)
    let twin = make(world)
    var options = SimulatedHubOptions()
    options.hub.pairing = .always
    options.hub.timeZone = Self.berlin
    let (now, wall) = (loop.now, loop.wall)
    var one = ClockKillCase(
      hub: SimulatedHub(world, options: options), peripheral: twin, driver: driver, series: .heartRate,
      truth: {
        twin.catchUp()
        return twin.recorder.items.filter { $0.series == .heartRate }.map {
          ClockTruth(at: (wall + ($0.at - now)).microseconds, value: $0.value)
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
      try await ClockKill.sweep(loop, every: 4, least: 10) { loop, seed in
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
      try await ClockKill.sweep(loop, every: 4, least: 10) { loop, seed in
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
      try await ClockKill.sweep(loop, every: 6, least: 10) { loop, seed in
        band(loop, seed, season, "topstep-next") { world in
          world.addNextBand { (traits: inout TopStepTraits) in
            (traits.band.zone, traits.band.clockError) = (season == .autumn ? 120 : 60, .zero)
          }
        }
      }
    }
  }
}
