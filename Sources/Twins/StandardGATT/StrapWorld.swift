// Creation of straps in a world.

public import Simulation

extension VirtualWorld {
  /// The wearables that are straps, in the order in which they were added.
  public var straps: [VirtualStrap] { peripherals.compactMap { $0 as? VirtualStrap } }

  /// Adds a strap. Traits, heart and movements are derived from the seed and the number of wearables added before.
  ///
  /// - Parameter adjust: changes the drawn traits, for scenarios that need certain ones.
  @discardableResult
  public func addStrap(
    _ presence: PresenceSchedule = .always, conduct: HostileConduct? = nil,
    adjust: (inout StrapTraits) -> Void = { _ in }
  ) -> VirtualStrap {
    let number = peripherals.count
    return add(presence) { world, _, stream in
      var draw = stream.split(0)
      var traits = StrapTraits(number: number, random: &draw)
      adjust(&traits)
      let address = VirtualWorld.address(number, random: &draw)
      guard let conduct else { return VirtualStrap(world, address: address, traits: traits, random: stream) }
      return HostileStrap(world, address: address, traits: traits, random: stream, conduct: conduct)
    }
  }
}
