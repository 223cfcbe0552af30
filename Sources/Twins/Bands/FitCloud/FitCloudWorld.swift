// How FitCloud bands come into a world, one or many.

import Bluetooth
public import Simulation

extension VirtualWorld {
  /// One band whose stream of chance comes from the seed and from how many wearables were added before. Its name has
  /// its number, so that no two are alike.
  @discardableResult
  public func addFitCloud(
    _ presence: PresenceSchedule = .always, _ traits: FitCloudTraits = FitCloudTraits(),
    adjust: (inout FitCloudTraits) -> Void = { _ in }
  ) -> VirtualFitCloud {
    var traits = traits
    traits.band.name += " \(peripherals.count)"
    adjust(&traits)
    return add(presence) { [traits] in VirtualFitCloud($0, address: $1, random: $2, traits: traits) }
  }

  /// So many bands of different models, each with every quirk with this probability.
  public func addFitClouds(
    _ count: Int, _ presence: PresenceSchedule = .always, quirks probability: Double = 0,
    adjust: (inout FitCloudTraits) -> Void = { _ in }
  ) -> [VirtualFitCloud] {
    (0..<count).map { index in
      // Apart from the streams of the wearables themselves.
      let own = SeededRandom(seed: seed).split(1 << 32 | UInt64(peripherals.count))
      var draw = own
      let drawn = draw.next()
      var quirks = SeededRandom(seed: drawn)
      let those = Set(BandQuirk.allCases.filter { _ in quirks.chance(probability) })
      return addFitCloud(presence, FitCloudTraits(seed: drawn, those), adjust: adjust)
    }
  }
}
