// Creation of bands of the new platform in a world, one or many.

import Bluetooth
public import Simulation

extension VirtualWorld {
  /// Adds a band with a random stream derived from the seed and its index among all wearables. The name contains a
  /// number, so that it is unique.
  @discardableResult
  public func addNextBand(
    _ presence: PresenceSchedule = .always, _ traits: TopStepTraits = TopStepTraits(),
    adjust: (inout TopStepTraits) -> Void = { _ in }
  ) -> VirtualTopStepBand {
    var traits = traits
    traits.band.name = "TPB \(peripherals.count)"
    adjust(&traits)
    return add(presence) { [traits] in VirtualTopStepBand($0, address: $1, random: $2, traits: traits) }
  }

  /// Adds bands of different models. Each accident occurs with this probability.
  public func addNextBands(
    _ count: Int, _ presence: PresenceSchedule = .always, quirks probability: Double = 0,
    adjust: (inout TopStepTraits) -> Void = { _ in }
  ) -> [VirtualTopStepBand] {
    (0..<count).map { _ in
      // Independent of the streams of the wearables themselves.
      var draw = SeededRandom(seed: seed).split(1 << 33 | UInt64(peripherals.count))
      let drawn = draw.next()
      var quirks = SeededRandom(seed: drawn)
      let those = Set(BandQuirk.allCases.filter { _ in quirks.chance(probability) })
      return addNextBand(presence, TopStepTraits(seed: drawn, those, each: probability), adjust: adjust)
    }
  }
}
