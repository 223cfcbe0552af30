import Drivers
import Simulation

extension SimulatedHub {
  /// A hub that knows the families of the programs.
  convenience init(_ world: VirtualWorld, options: SimulatedHubOptions = SimulatedHubOptions()) {
    self.init(world, drivers: Drivers.registry, options: options)
  }
}
