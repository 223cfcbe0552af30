// The families of bands that a simulated gym may have, and what each of their twins says of itself. A family takes part
// as soon as the hub has its driver.

import BandTwin
import Bluetooth
import Drivers
import EventLoop
import Health
import Simulation
import Wearable

/// One family: how a band of it is made, and what a store owes of what it measured.
@LoopActor
struct BandFamily {
  /// What the band tells of an item.
  struct Told {
    /// In the stored scale.
    var values: [Int64]
    /// Seconds since 1970; nil: its own wall clock, which the hub reads as its own.
    var time: Int64?
    /// Its layout is public and it is a measurement: a store owes it.
    var isOwed = true
  }

  let driver: String
  /// Of a number, so that several of one family are of several makes; with a name and a zone of its own.
  let make: (VirtualWorld, PresenceSchedule, Int, BandSeed) -> VirtualBand
  /// Everything that it ever measured.
  let truth: (VirtualBand) -> [BandItem]
  /// nil: nothing may be kept of it.
  let told: (VirtualBand, BandItem) -> Told?
  /// It tells steps, distance and calories as one sum for a day, not by their slots.
  let sumsDays: Bool
  /// Since when no message can tell an item, because a later one took its place, or which of two extremes it is.
  var hiddenSince: (VirtualBand, BandItem) -> Instant? = { _, _ in nil }
  /// It begins to tell an item as a link begins, once over each: minutes of a training.
  var isToldOnNewLinks: (BandItem) -> Bool = { _ in false }
  /// It keeps a value at a place of its days, where a later one takes the place of one of before: while a clock shows a
  /// time once more, nobody can tell a value that is as it was from one that was not measured.
  var hasPlaces = false

  /// Those whose drivers this hub has, in turn.
  static var present: [BandFamily] {
    all.filter { family in registry.contains { $0.id == family.driver } }
  }

  private static let all = [fitCloud, next, moyoung]

  private static let moyoung = BandFamily(
    driver: "moyoung",
    make: { world, presence, number, seed in
      var traits = BandTraits(seed: seed.number, each: seed.share)
      seed.adjust(&traits)
      // As often as frames of the other families are damaged.
      let make = MoyoungMake.number(number).withTroubles(
        traits.wrongChecksums + traits.lostAcknowledgements)
      return world.add(presence) { [traits] in
        VirtualMoyoungBand(
          $0, address: $1, random: $2, traits: traits, make: make, habits: seed.habits)
      }
    },
    truth: { ($0 as? VirtualMoyoungBand)?.groundTruth ?? [] },
    told: { band, item in (band as? VirtualMoyoungBand).map { Told(values: $0.told(item)) } },
    sumsDays: true, isToldOnNewLinks: { $0.number >= VirtualMoyoungBand.ownNumbers }, hasPlaces: true)

  private static let fitCloud = BandFamily(
    driver: "fitcloud",
    make: { world, presence, _, seed in
      let quirks = BandTraits(seed: seed.number, each: seed.share).quirks
      var traits = FitCloudTraits(seed: seed.number, quirks)
      seed.adjust(&traits.band)
      traits.habits = seed.habits
      return world.add(presence) { [traits] in VirtualFitCloud($0, address: $1, random: $2, traits: traits) }
    },
    truth: { $0.recorder.items },
    told: { band, item in
      guard let band = band as? VirtualFitCloud else { return nil }
      // Made up of light: no measurement.
      if item.series == .systolicPressure, !band.make.hasAirPump { return nil }
      // How a rate at rest lies in a record is not public: it is kept as it came.
      return Told(values: item.values, isOwed: band.make.isOwed(item) && item.kind == .normal)
    },
    sumsDays: false)

  private static let next = BandFamily(
    driver: "topstep-next",
    make: { world, presence, _, seed in
      let quirks = BandTraits(seed: seed.number, each: seed.share).quirks
      var traits = NextTraits(seed: seed.number, quirks, each: seed.share)
      seed.adjust(&traits.band)
      traits.habits = seed.habits
      return world.add(presence) { [traits] in VirtualNextBand($0, address: $1, random: $2, traits: traits) }
    },
    truth: { $0.recorder.items },
    told: { band, item in
      // Made up of light: no measurement.
      guard item.series != .systolicPressure, let band = band as? VirtualNextBand else { return nil }
      // In a list of half-hours 0 is none.
      let isOwed = item.value != 0 || ![.steps, .distance, .calories].contains(item.series)
      return Told(values: item.values, time: band.told(item) + 946_684_800, isOwed: isOwed)
    },
    sumsDays: false, hiddenSince: { band, item in (band as? VirtualNextBand)?.hiddenSince(item) })
}

/// What decides one band.
struct BandSeed {
  var number: UInt64
  /// How likely each quirk is.
  var share: Double
  var name: String
  var rssi: Int
  /// Minutes east of Greenwich, of those that are not from elsewhere.
  var zone: Int
  /// Parts per million, of those whose clock runs as clocks do.
  var drift: Int
  var habits: BandHabits

  func adjust(_ traits: inout BandTraits) {
    traits.name = name
    traits.rssi = rssi
    if !traits.quirks.contains(.isFromElsewhere) { traits.zone = zone }
    if traits.clockDrift == 0 { traits.clockDrift = drift }
  }
}
