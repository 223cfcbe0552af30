// The guests of a gym of bands: their wearables, and when they come.

import BandTwin
import BotzTwin
import CivilTime
import EventLoop
import Health
import PolarTwin
import Simulation
import StrapTwin

/// A wearable of the gym of bands.
@LoopActor
struct BandGuest {
  let name: String
  let driver: String
  let kind: String
  let twin: VirtualPeripheral
  /// nil: not a band.
  let family: BandFamily?

  var band: VirtualBand? { twin as? VirtualBand }
}

/// Six of eight are bands, of the families in turn; the others are a strap, an insole or a wearable of Polar.
@LoopActor
enum BandPopulation {
  /// People stay for an hour or more and return after some; every seventh wearable is at the hub all the time.
  private static func presence(_ number: Int) -> PresenceSchedule {
    number % 7 == 6
      ? .always
      : .comesAndGoes(
        near: .seconds(2400)...(.seconds(4 * 3600)), away: .seconds(3600)...(.seconds(14 * 3600)),
        startsNear: 0.4)
  }

  static func guests(
    _ count: Int, in world: VirtualWorld, _ random: SeededRandom, faults: HearthSim.FaultChoice,
    zone: TimeZoneRules, only: [HearthSim.Family] = [],
    at wall: WallTime
  ) -> [BandGuest] {
    let families = BandFamily.present.filter { family in
      only.isEmpty || only.contains { $0.rawValue == family.driver }
    }
    var bands = 0
    return (0..<count).map { number in
      var draw = random.split(UInt64(number))
      guard number % 8 < 6 || !only.isEmpty, !families.isEmpty else { return other(number, in: world, &draw) }
      let family = families[bands % families.count]
      bands += 1
      let seed = BandSeed(
        number: draw.next(), share: faults == .all ? 0.15 : 0, name: "Band \(number + 1)",
        rssi: draw.integer(in: -78 ... -45), zone: zone.offset(at: wall.microseconds) / 60,
        drift: draw.integer(in: -15...15), habits: habits(&draw))
      return BandGuest(
        name: "\(family.driver)-\(number + 1)", driver: family.driver, kind: "band",
        twin: family.make(world, presence(number), bands / families.count, seed), family: family)
    }
  }

  private static func habits(_ draw: inout SeededRandom) -> BandHabits {
    var habits = BandHabits()
    // Bands that send whole minutes measure only at those.
    habits.manualStep = 60
    habits.trainsOn = draw.chance(0.5) ? 0.8 : 0.2
    return habits
  }

  private static func other(_ number: Int, in world: VirtualWorld, _ draw: inout SeededRandom)
    -> BandGuest
  {
    switch number % 3 {
    case 0:
      return BandGuest(
        name: "strap-\(number + 1)", driver: "heart-rate", kind: "HR strap",
        twin: world.addStrap(presence(number)),
        family: nil)
    case 1:
      var traits = InsoleTraits()
      traits.label = "insole-\(number + 1)"
      traits.training = .init(
        length: .seconds(600)...(.seconds(2400)), pause: .seconds(7200)...(.seconds(20_000)))
      let twin = world.add(presence(number)) {
        VirtualInsole($0, address: $1, random: $2, traits: traits)
      }
      return BandGuest(name: traits.label, driver: "botz", kind: "insole", twin: twin, family: nil)
    default:
      var traits = PolarTraits(.veritySense)
      traits.deviceID = PolarPopulation.deviceID(900 + number)
      traits.rssi = draw.integer(in: -75 ... -45)
      traits.keepsPast = false
      let twin = world.add(presence(number)) {
        VirtualPolar($0, address: $1, random: $2, traits: traits)
      }
      return BandGuest(
        name: "polar-\(number + 1)", driver: "polar", kind: "Polar", twin: twin, family: nil)
    }
  }
}
