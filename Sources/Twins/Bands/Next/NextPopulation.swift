// How bands of the new platform come into a world, one or many.

import Bluetooth
public import Simulation

extension VirtualWorld {
  /// One band whose stream of chance comes from the seed and from how many wearables were added before. Its name has a
  /// number, so that no two are alike.
  @discardableResult
  public func addNextBand(
    _ presence: PresenceSchedule = .always, _ traits: NextTraits = NextTraits(),
    adjust: (inout NextTraits) -> Void = { _ in }
  ) -> VirtualNextBand {
    var traits = traits
    traits.band.name = "TPB \(peripherals.count)"
    adjust(&traits)
    return add(presence) { [traits] in VirtualNextBand($0, address: $1, random: $2, traits: traits) }
  }

  /// So many bands of different models, each with every accident with this probability.
  public func addNextBands(
    _ count: Int, _ presence: PresenceSchedule = .always, quirks probability: Double = 0,
    adjust: (inout NextTraits) -> Void = { _ in }
  ) -> [VirtualNextBand] {
    (0..<count).map { _ in
      // Apart from the streams of the wearables themselves.
      var draw = SeededRandom(seed: seed).split(1 << 33 | UInt64(peripherals.count))
      let drawn = draw.next()
      var quirks = SeededRandom(seed: drawn)
      let those = Set(BandQuirk.allCases.filter { _ in quirks.chance(probability) })
      return addNextBand(presence, NextTraits(seed: drawn, those, each: probability), adjust: adjust)
    }
  }
}
