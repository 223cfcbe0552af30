// How a simulated Polar wearable notifies hosts that subscribed.

import Bluetooth
import Simulation

extension VirtualPolar {
  /// Sends an indication; its confirmation is ignored.
  func indicate(_ characteristic: BluetoothUUID, _ value: [UInt8]) {
    guard let link, link.isOpen, let handle = server.valueHandle(of: characteristic),
      server.subscription(at: handle) & 2 != 0
    else { return }
    link.carry(server.indication(at: handle, value: value), .protocolData)
  }

  func notify(_ characteristic: BluetoothUUID, _ value: [UInt8]) {
    guard let link, link.isOpen, let handle = server.valueHandle(of: characteristic),
      server.subscription(at: handle) & 1 != 0
    else { return }
    link.carry(server.notification(at: handle, value: value), .protocolData)
  }
}
