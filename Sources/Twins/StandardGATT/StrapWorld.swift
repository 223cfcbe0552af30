// How straps come into a world.

public import EventLoop
public import Simulation

extension VirtualWorld {
  /// The wearables that are straps, in the order in which they were added.
  public var straps: [VirtualStrap] { peripherals.compactMap { $0 as? VirtualStrap } }

  /// Adds a strap whose make, heart and movements come from the seed and from how many wearables were added before.
  ///
  /// - Parameter adjust: changes what was drawn, for scenarios that need a certain make.
  @discardableResult
  public func addStrap(
    _ presence: PresenceSchedule = .always, conduct: HostileConduct? = nil, adjust: (inout StrapTraits) -> Void = { _ in }
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

/// A radio with `straps` simulated straps near it, for `hearthd --simulate`: real-time behaviour, everybody there nearly always.
@LoopActor
public func makeSimulatedRadio(loop: any Loop, straps: Int, seed: UInt64) -> VirtualRadio {
  var options = WorldOptions()
  options.keepsGroundTruth = false
  let world = VirtualWorld(loop: loop, seed: seed, options: options)
  // Near enough to be enrolled in a window with the default bound, each at a strength of its own.
  for number in 0..<straps { world.addStrap(.demonstration) { traits in traits.rssi = -38 - number % 8 } }
  var radio = VirtualRadioOptions()
  radio.slots = max(16, straps + 2)
  return VirtualRadio(world, options: radio)
}
