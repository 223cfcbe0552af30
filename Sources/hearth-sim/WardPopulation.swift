// The patients of the ward: their wearables, and when they are worn.

import CivilTime
import EventLoop
import Health
import Simulation
import StrapTwin

/// A wearable of the ward. All are of standard services.
@LoopActor
struct WardGuest {
  let name: String
  let kind: String
  let twin: VirtualPeripheral

  /// Sensor with this kind of truth; nil for straps and oximeters that only stream.
  var sensor: HealthTwin? { twin as? HealthTwin }
  /// A sensor that stores unconfirmed readings and deletes confirmed ones: what it deleted must be in the store.
  var keeper: SpotCheckTwin? { (twin as? SpotCheckTwin).flatMap { $0.keeping.isIntermittent ? $0 : nil } }
  var recorder: RecordingTwin? { twin as? RecordingTwin }
  var isCuff: Bool { twin is VirtualCuff }
}

/// Eight beds have one of each. First a strap, an oximeter that streams, a cuff, an oximeter that stores spot-checks,
/// and a thermometer that stays. Then a second cuff, a generic health sensor, and in turn a scale and a thermometer of
/// the round.
@LoopActor
struct WardPopulation {
  private let world: VirtualWorld
  private let random: SeededRandom
  private let faults: HearthSim.FaultChoice
  /// Quarters of an hour of the place's zone east of Greenwich.
  private let quarters: Int

  static func guests(
    _ count: Int, in world: VirtualWorld, _ random: SeededRandom, faults: HearthSim.FaultChoice,
    zone: TimeZoneRules = .utc, at wall: WallTime = VirtualLoop.morning
  ) -> [WardGuest] {
    let population = WardPopulation(
      world: world, random: random, faults: faults, quarters: zone.offset(at: wall.microseconds) / 900)
    return (0..<count).map { population.guest($0) }
  }

  private func guest(_ number: Int) -> WardGuest {
    var draw = random.split(UInt64(number))
    let round = number / 8
    func named(_ kind: String, _ twin: VirtualPeripheral) -> WardGuest {
      WardGuest(name: "bed-\(number + 1)", kind: kind, twin: twin)
    }
    switch number % 8 {
    case 0: return named("HR strap", world.addStrap(Self.worn))
    case 1: return named("oximeter", oximeter(round))
    case 2, 5: return named("cuff", cuff(number, &draw))
    case 3: return named("oximeter", spotOximeter(round, &draw))
    case 4: return named("thermometer", thermometer(number, staysOn: true, &draw))
    case 6: return named("health sensor", healthSensor(round, &draw))
    default:
      return round % 2 == 0
        ? named("scale", scale(round, &draw)) : named("thermometer", thermometer(number, staysOn: false, &draw))
    }
  }

  /// Worn for some hours, and off while its wearer washes, sleeps or is examined.
  private static let worn = PresenceSchedule.comesAndGoes(
    near: .seconds(1800)...(.seconds(3 * 3600)), away: .seconds(1200)...(.seconds(4 * 3600)), startsNear: 0.4)
  /// Carried by a person that is away for hours.
  private static let carried = PresenceSchedule.comesAndGoes(
    near: .seconds(1200)...(.seconds(2 * 3600)), away: .seconds(1800)...(.seconds(5 * 3600)), startsNear: 0.5)

  /// Faults of sensors that send each value once.
  private var conduct: SensorConduct {
    var conduct = SensorConduct()
    guard faults == .all else { return conduct }
    conduct.truncated = 0.02
    conduct.wrongFlags = 0.02
    conduct.trailing = 0.05
    conduct.lostConfirmations = 0.03
    return conduct
  }

  // MARK: Those that stream

  private func oximeter(_ round: Int) -> VirtualOximeter {
    var traits = OximeterTraits()
    traits.name = "Oximeter \(world.peripherals.count)"
    traits.hasHeartRate = round % 3 == 2
    traits.isDecimal = round % 2 == 0
    traits.quarterHours = quarters
    return world.add(Self.worn) { [traits] in VirtualOximeter($0, address: $1, random: $2, traits: traits) }
  }

  // MARK: Those that are there for seconds

  /// - Parameter every: from one use to the next.
  private func keep(_ keeping: inout SpotCheckTraits, every: ClosedRange<Duration>) {
    keeping.isIntermittent = true
    keeping.measuresEvery = every
    keeping.advertisesFor = .seconds(10)
    // A reading that was not fetched by the next use is lost, if there are no other faults.
    keeping.capacity = faults == .none ? 1 : 25
  }

  private func cuff(_ number: Int, _ draw: inout SeededRandom) -> VirtualCuff {
    let off = draw.duration(in: .seconds(60)...(.seconds(86_400)))
    return world.addCuff { traits in
      keep(&traits.keeping, every: .seconds(1200)...(.seconds(3 * 3600)))
      traits.sensor.conduct = conduct
      traits.isKilopascal = number % 16 == 5
      traits.hasTime = number % 3 != 2
      traits.user = number % 4 == 1 ? UInt8(number % 3) : nil
      traits.hasIntermediate = number % 16 == 2
      // Some report when the hub may hang up, and for some that report is meaningless.
      traits.sensor.tellsDrained = number % 4 == 3 ? nil : number % 4 != 2
      traits.sensor.clock.quarterHours = quarters
      traits.sensor.clock.state = number % 5 == 4 ? .unset : number % 5 == 3 ? .wrong(by: off) : .right
    }
  }

  private func scale(_ round: Int, _ draw: inout SeededRandom) -> VirtualScale {
    let isImperial = draw.chance(0.5)
    return world.addScale { traits in
      keep(&traits.keeping, every: .seconds(2 * 3600)...(.seconds(8 * 3600)))
      traits.sensor.conduct = conduct
      traits.sensor.clock.quarterHours = quarters
      traits.isImperial = isImperial
      traits.hasComposition = round % 4 == 0
    }
  }

  /// - Parameter staysOn: a patch that measures once a minute; else one that the round carries from bed to bed.
  private func thermometer(_ number: Int, staysOn: Bool, _ draw: inout SeededRandom) -> VirtualThermometer {
    let isFahrenheit = draw.chance(0.3)
    return world.addThermometer(staysOn ? Self.worn : .always) { traits in
      if !staysOn { keep(&traits.keeping, every: .seconds(3600)...(.seconds(6 * 3600))) }
      traits.sensor.conduct = conduct
      traits.sensor.clock.quarterHours = quarters
      traits.isFahrenheit = isFahrenheit
      traits.hasTime = number % 2 == 0
      traits.place = number % 3 == 0 ? .untold : number % 3 == 1 ? .fixed(9) : .inValue(UInt8(number % 9 + 1))
      traits.interval = staysOn ? 60 : nil
    }
  }

  // MARK: Those that keep records

  private func spotOximeter(_ round: Int, _ draw: inout SeededRandom) -> VirtualSpotOximeter {
    let drift = draw.integer(in: -20...20)
    return world.addSpotOximeter(Self.carried) { traits in
      traits.recording.firstRecords = round * 4
      traits.sensor.clock.drift = drift
      traits.sensor.clock.quarterHours = quarters
      traits.sensor.clock.state = round % 4 == 3 ? .unset : round % 4 == 2 ? .wrong(by: .seconds(86_400)) : .right
      traits.isDecimal = round % 2 == 0
    }
  }

  private func healthSensor(_ round: Int, _ draw: inout SeededRandom) -> VirtualHealthSensor {
    let drift = draw.integer(in: -20...20)
    return world.addHealthSensor(Self.carried) { traits in
      traits.sensor.hasBatteryStatus = true
      traits.sensor.clock.drift = drift
      traits.sensor.clock.quarterHours = quarters
      traits.sensor.clock.state = round % 4 == 1 ? .wrong(by: .seconds(-4000)) : .right
      traits.segmentSize = [512, 16, 60][round % 3]
      traits.time = [.utcWithOffset, .utc, .localWithOffset, .ticks][round % 4]
      traits.liveEvery = 30
      traits.indicatesLive = round % 2 == 1
      traits.kinds = round % 2 == 0 ? traits.kinds : HealthSensorTraits.Kind.allCases
    }
  }
}
