// The guests of a gym with Polar's wearables: their wearables, and when they come.

import CivilTime
import EventLoop
import Health
import PolarTwin
import Simulation

/// A wearable of the population, and the lives of its wearers.
@LoopActor
struct PolarGuest {
  let name: String
  let driver: String
  let kind: String
  let twin: VirtualPolar
  /// Number of people that wear it in turn; 1: not assigned.
  let wearerCount: Int
}

/// A quarter each of straps, optical sensors, bands and watches.
@LoopActor
enum PolarPopulation {
  /// People stay for an hour or so, and return after half a day; every tenth wearable is at the hub all the time.
  private static func presence(_ number: Int) -> PresenceSchedule {
    number % 10 == 9
      ? .always
      : .comesAndGoes(
        near: .seconds(20 * 60)...(.seconds(90 * 60)), away: .seconds(4 * 3600)...(.seconds(16 * 3600)), startsNear: 0.3
      )
  }

  static func guests(
    _ count: Int, in world: VirtualWorld, _ random: SeededRandom, faults: HearthSim.FaultChoice,
    zone: TimeZoneRules = .utc, at wall: WallTime = VirtualLoop.morning
  ) -> [PolarGuest] {
    let offset = zone.offset(at: wall.microseconds) / 60
    return (0..<count).map { number in
      var draw = random.split(UInt64(number))
      let model = PolarTraits.inUse[number % PolarTraits.inUse.count]
      var traits = PolarTraits(model)
      traits.deviceID = deviceID(number)
      traits.rssi = draw.integer(in: -75 ... -45)
      traits.clockDrift = draw.integer(in: -20...20)
      traits.partSize = 32 * 1024
      traits.keepsPast = false
      if model != .h10 {
        // A third each has no zone, the hub's zone, and another one.
        if offset != 0 { traits.zoneOffset = [0, offset, [-300, 120, 330][number / 3 % 3]][number % 3] }
        traits.hasTestsAndScores = true
        traits.clockError = .milliseconds(Int64(draw.integer(in: -10_000...10_000)))
        if draw.chance(0.5) {
          traits.training = .init(
            length: .seconds(900)...(.seconds(4500)), pause: .seconds(6 * 3600)...(.seconds(40 * 3600)))
        }
        if faults == .all { traits.packetLoss = 0.000_05 }
        // Full within hours if a person records all the time. Not among the first four, as megabytes take long.
        if model == .veritySense, number % 8 == 5 {
          traits.memory = 1_500_000
          traits.memoryLimits = (400_000, 100_000)
        }
      }
      let twin = world.add(presence(number)) { VirtualPolar($0, address: $1, random: $2, traits: traits) }
      // Some are found recording at every visit.
      if offset != 0, model == .band360 { twin.beginRecording(number % 8 == 2 ? .heartRate : .skinTemperature) }
      let (driver, kind) =
        switch model {
        case .h10: ("polar-strap", "HR strap")
        case .oh1, .veritySense: ("polar", "optical sensor")
        case .band360: ("polar", "band")
        case .watch: ("polar", "watch")
        }
      return PolarGuest(
        name: "polar-\(number + 1)", driver: driver, kind: kind, twin: twin, wearerCount: number % 3 == 1 ? 3 : 1)
    }
  }

  /// Eight digits, the last of which is a checksum over the others.
  static func deviceID(_ number: Int) -> String {
    let body = 0x0A2_3450 + number
    var sum = 0
    // From the least significant of the seven digits on, every second one counts three times.
    for place in 0..<7 { sum += (body >> (4 * place) & 15) * (place.isMultiple(of: 2) ? 3 : 1) }
    let digits = String(body << 4 | sum % 16, radix: 16, uppercase: true)
    return String(repeating: "0", count: 8 - digits.utf8.count) + digits
  }

  /// Kinds that a model records by order, and which share of a day they may take.
  static func kinds(of model: PolarTraits.Model) -> [PolarKind] {
    switch model {
    case .h10, .oh1, .watch: []
    case .veritySense: [.heartRate, .ppi, .acc, .ppg, .gyro]
    case .band360: [.heartRate, .ppi, .acc, .skinTemperature]
    }
  }
}
