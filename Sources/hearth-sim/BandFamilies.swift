// Families of bands in a simulated gym, and what each of their twins sends. A family takes part if the hub has its
// driver.

import BandTwin
import Bluetooth
import Drivers
import EventLoop
import Health
import Simulation
import Wearable

/// A family: how a band of it is made, and which of its measurements the store must contain.
@LoopActor
struct BandFamily {
  /// Answer of the band for an item.
  struct Told {
    /// Values in the stored scale.
    var values: [Int64]
    /// Seconds since 1970; nil: its own wall clock, which the hub reads as local time.
    var time: Int64?
    /// Whether the store must have it: its layout is published, and it is a measurement.
    var mustBeStored = true
  }

  let driver: String
  /// Makes a band by number, so that several of one family are of different makes; with a name and a zone of its own.
  let make: (VirtualWorld, PresenceSchedule, Int, BandSeed) -> VirtualBand
  /// Items that the band ever measured.
  let truth: (VirtualBand) -> [BandItem]
  /// nil: it must not be stored.
  let told: (VirtualBand, BandItem) -> Told?
  /// Whether it sends steps, distance and calories as one sum for a day, not by slots.
  let sumsDays: Bool
  /// Time since which no message can contain an item, because a later one took its place, or because it is one of two
  /// extremes.
  var hiddenSince: (VirtualBand, BandItem) -> Instant? = { _, _ in nil }
  /// Whether it begins to send an item when a link begins, once over each: minutes of a training.
  var isToldOnNewLinks: (BandItem) -> Bool = { _ in false }
  /// Whether it stores values at places of its days, which later values overwrite. While its clock shows a time again,
  /// an old value cannot be distinguished from a new measurement.
  var hasPlaces = false

  /// Families with a driver in this hub, in turn.
  static var present: [BandFamily] {
    all.filter { family in registry.contains { $0.id == family.driver } }
  }

  private static let all = [fitCloud, next, moyoung]

  private static let moyoung = BandFamily(
    driver: "moyoung",
    make: { world, presence, number, seed in
      var traits = BandTraits(seed: seed.number, each: seed.share)
      seed.adjust(&traits)
      // The rate at which frames of the other families are damaged.
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
      // Derived from light, so not a measurement.
      if item.series == .systolicPressure, !band.make.hasAirPump { return nil }
      // The layout of a resting rate in a record is not published: it is stored as raw bytes.
      return Told(values: item.values, mustBeStored: band.make.mustBeStored(item) && item.kind == .normal)
    },
    sumsDays: false)

  private static let next = BandFamily(
    driver: "topstep-next",
    make: { world, presence, _, seed in
      let quirks = BandTraits(seed: seed.number, each: seed.share).quirks
      var traits = TopStepTraits(seed: seed.number, quirks, each: seed.share)
      seed.adjust(&traits.band)
      traits.habits = seed.habits
      return world.add(presence) { [traits] in VirtualTopStepBand($0, address: $1, random: $2, traits: traits) }
    },
    truth: { $0.recorder.items },
    told: { band, item in
      // Derived from light, so not a measurement.
      guard item.series != .systolicPressure, let band = band as? VirtualTopStepBand else { return nil }
      // In a list of half-hours 0 means no value.
      let mustBeStored = item.value != 0 || ![.steps, .distance, .calories].contains(item.series)
      return Told(values: item.values, time: band.told(item) + 946_684_800, mustBeStored: mustBeStored)
    },
    sumsDays: false, hiddenSince: { band, item in (band as? VirtualTopStepBand)?.hiddenSince(item) })
}

/// Random choices for one band.
struct BandSeed {
  var number: UInt64
  /// Probability of each quirk.
  var share: Double
  var name: String
  var rssi: Int
  /// Minutes east of Greenwich, for bands that are not from elsewhere.
  var zone: Int
  /// Parts per million, for clocks with an ordinary drift.
  var drift: Int
  var habits: BandHabits

  func adjust(_ traits: inout BandTraits) {
    traits.name = name
    traits.rssi = rssi
    if !traits.quirks.contains(.isFromElsewhere) { traits.zone = zone }
    if traits.clockDrift == 0 { traits.clockDrift = drift }
  }
}
