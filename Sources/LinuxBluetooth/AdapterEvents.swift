// What the kernel says of the adapter while it serves, and whether it still does.

import Bluetooth
import Reasons

extension Adapter {
  func handle(_ index: UInt16, _ event: ManagementEvent) {
    switch event {
    case .indexAdded: alarm.raise(.added)
    case .indexRemoved where index == identity?.index:
      settings = []
      alarm.raise(.removed)
    case .newSettings(let new) where index == identity?.index:
      settings = new
      if !new.contains(.powered) {
        alarm.raise(.power)
      } else if !new.contains(.lowEnergy) || new.contains(.advertising) {
        interfered()
      }
    case .monitorRemoved(let handle) where index == identity?.index:
      if let monitor, handle == 0 || handle == monitor { interfered() }
    case .deviceRemoved where index == identity?.index: interfered()
    case .unpaired(let address) where index == identity?.index:
      // The list to be kept is ours: what was taken from the kernel it gets back before the next link.
      counters.interferences += 1
      logger.warning("another program took the keys of \(address) from the kernel; loading them again")
      reloadKeys()
    case .controllerError where index == identity?.index: alarm.raise(.silent)
    case .connected, .disconnected, .connectFailed, .newConnectionParameters, .newLongTermKey, .newIdentityKey,
      .confirmationRequest,
      .passkeyRequest, .passkeyNotification, .authenticationFailed:
      if index == identity?.index { onLinkEvent?(event) }
    default: break
    }
  }

  /// Whether the adapter still serves after what was raised.
  func judge(_ disturbance: Disturbance, _ adapter: AdapterIdentity) throws(HearthError) {
    if disturbance.contains(.channel) { throw HearthError(.managementRefused, "the management channel failed") }
    if disturbance.contains(.removed) {
      // Out and in again within one look: what came is still to be seen.
      if disturbance.contains(.added) { alarm.raise(.added) }
      throw HearthError(.adapterRemoved, "\(adapter.name) (\(adapter.bluetoothAddress), \(adapter.bus)) was removed")
    }
    if disturbance.contains(.block), let block = kernel.block(of: adapter.name) { throw blocked(adapter, block) }
    if disturbance.contains(.power), !settings.contains(.powered) {
      counters.powerLosses += 1
      noteTakeover()
      if let block = kernel.block(of: adapter.name) { throw blocked(adapter, block) }
      throw HearthError(.adapterPoweredOff, "\(adapter.name) was powered off by another program")
    }
    if disturbance.contains(.unanswered) {
      let seconds = (timing.pulseAnswer * timing.pulsesMissed).components.seconds
      throw HearthError(
        .controllerSilent, "\(adapter.name) left \(timing.pulsesMissed) commands in \(seconds) s unanswered")
    }
    if disturbance.contains(.silent) {
      throw HearthError(.controllerSilent, "\(adapter.name) reported a failure of its hardware")
    }
  }
}
