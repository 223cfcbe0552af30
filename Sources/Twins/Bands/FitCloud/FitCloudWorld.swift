// Creation of FitCloud bands in a world, one or many.

import Bluetooth
public import Simulation

extension VirtualWorld {
  /// Adds a band with a random stream derived from the seed and its index among all wearables. The name contains its
  /// number, so that it is unique.
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

  /// Adds bands of different models. Each quirk occurs with this probability.
  public func addFitClouds(
    _ count: Int, _ presence: PresenceSchedule = .always, quirks probability: Double = 0,
    adjust: (inout FitCloudTraits) -> Void = { _ in }
  ) -> [VirtualFitCloud] {
    (0..<count).map { index in
      // Independent of the streams of the wearables themselves.
      let own = SeededRandom(seed: seed).split(1 << 32 | UInt64(peripherals.count))
      var draw = own
      let drawn = draw.next()
      var quirks = SeededRandom(seed: drawn)
      let those = Set(BandQuirk.allCases.filter { _ in quirks.chance(probability) })
      return addFitCloud(presence, FitCloudTraits(seed: drawn, those), adjust: adjust)
    }
  }
}
