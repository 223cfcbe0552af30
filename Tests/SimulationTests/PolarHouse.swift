import EventLoop
import PolarTwin
import Simulation

/// A hub and Polar's wearables around it, enrolled as `polar-1` and so on.
@LoopActor
func polarHouse(
  _ loop: VirtualLoop, seed: UInt64, _ traits: [PolarTraits], driver: String = "polar", kind: String = "wearable"
) async throws -> (world: VirtualWorld, hub: SimulatedHub, wearables: [VirtualPolar]) {
  let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? seed)
  let wearables = traits.map { traits in world.add { VirtualPolar($0, address: $1, random: $2, traits: traits) } }
  var options = SimulatedHubOptions()
  options.hub.pairing = .always
  // Days are played, in which a look at everything each five seconds takes a third of the time.
  options.watchEvery = .seconds(30)
  let hub = SimulatedHub(world, options: options)
  try await hub.start(enrolling: wearables.enumerated().map { ("polar-\($0.offset + 1)", $0.element, driver, kind) })
  return (world, hub, wearables)
}

extension PolarTraits {
  /// Of a model, but for what is adjusted.
  static func of(_ model: Model, _ adjust: (inout PolarTraits) -> Void) -> PolarTraits {
    var traits = PolarTraits(model)
    adjust(&traits)
    return traits
  }
}
