// Many bands of the new platform from one seed.

public import Simulation

extension VirtualWorld {
  /// Bands that come and go, each with its own wearer and its own accidents.
  ///
  /// - Parameters:
  ///   - count: how many.
  ///   - probability: of each accident, for each band.
  ///   - adjust: what a test wants otherwise.
  @discardableResult
  public func addNextBands(
    _ count: Int, each probability: Double, presence: PresenceSchedule = .always,
    adjust: (Int, inout NextTraits) -> Void = { _, _ in }
  ) -> [VirtualNextBand] {
    (0..<count).map { number in
      add(presence) { world, address, stream in
        var draw = stream.split(8)
        var traits = NextTraits(seed: draw.next(), each: probability)
        traits.band.name = "TPB \(number + 1)"
        adjust(number, &traits)
        return VirtualNextBand(world, address: address, random: stream, traits: traits)
      }
    }
  }
}
