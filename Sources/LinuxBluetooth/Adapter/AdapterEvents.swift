// Events of the kernel about the adapter in service, and whether it can go on serving.

import Bluetooth
import EventLoop
import Reasons

@LoopActor
final class AdapterEvents {
  private let means: AdapterMeans
  private let served: ServedAdapter
  private let scan: AdapterScan
  private let keys: KernelKeys
  private let takeover: TakeoverWatch
  /// Called with link events of the adapter in service.
  var onLinkEvent: (@LoopActor (ManagementEvent) -> Void)?

  init(_ means: AdapterMeans, served: ServedAdapter, scan: AdapterScan, keys: KernelKeys, takeover: TakeoverWatch) {
    self.means = means
    self.served = served
    self.scan = scan
    self.keys = keys
    self.takeover = takeover
  }

  func handle(_ index: UInt16, _ event: ManagementEvent) {
    let isOurs = index == served.identity?.index
    switch event {
    case .indexAdded: means.alarm.raise(.added)
    case .indexRemoved where isOurs:
      served.note([])
      means.alarm.raise(.removed)
    case .indexRemoved: means.alarm.raise(.left)
    case .newSettings(let new) where isOurs:
      served.note(new)
      if !new.contains(.powered) {
        means.alarm.raise(.power)
      } else if !new.contains(.lowEnergy) || new.contains(.advertising) {
        interfered()
      }
    case .monitorRemoved(let handle) where isOurs:
      if let monitor = scan.monitor, handle == 0 || handle == monitor { interfered() }
    case .deviceRemoved where isOurs: interfered()
    case .unpaired(let address) where isOurs:
      // The hub owns the list of keys: removed keys are loaded again before the next link.
      means.counters.interferences += 1
      means.logger.warning("another program took the keys of \(address) from the kernel; loading them again")
      keys.reload()
    case .controllerError where isOurs: means.alarm.raise(.silent)
    case .connected, .disconnected, .connectFailed, .newConnectionParameters, .newLongTermKey, .newIdentityKey,
      .confirmationRequest,
      .passkeyRequest, .passkeyNotification, .authenticationFailed:
      if isOurs { onLinkEvent?(event) }
    default: break
    }
  }

  /// Notes that another program changed a setting the hub relies on.
  private func interfered() {
    takeover.note()
    means.alarm.raise(.interference)
  }

  /// Checks after a disturbance whether the adapter still serves.
  func judge(_ disturbance: Disturbance, _ adapter: AdapterIdentity) throws(HearthError) {
    if disturbance.contains(.channel) { throw HearthError(.managementRefused, "the management channel failed") }
    if disturbance.contains(.removed) {
      // The adapter was removed and added within one check: the addition is handled next.
      if disturbance.contains(.added) { means.alarm.raise(.added) }
      throw HearthError(.adapterRemoved, "\(adapter.name) (\(adapter.bluetoothAddress), \(adapter.bus)) was removed")
    }
    if disturbance.contains(.block), let block = means.kernel.block(of: adapter.name) {
      throw HearthError.blocked(adapter, block)
    }
    if disturbance.contains(.power), !served.settings.contains(.powered) {
      means.counters.powerLosses += 1
      takeover.note()
      if let block = means.kernel.block(of: adapter.name) { throw HearthError.blocked(adapter, block) }
      throw HearthError(.adapterPoweredOff, "\(adapter.name) was powered off by another program")
    }
    if disturbance.contains(.unanswered) {
      let timing = means.timing
      let seconds = (timing.pulseAnswer * timing.pulsesMissed).components.seconds
      throw HearthError(
        .controllerSilent, "\(adapter.name) left \(timing.pulsesMissed) commands in \(seconds) s unanswered")
    }
    if disturbance.contains(.refused) {
      throw HearthError(.controllerSilent, "\(adapter.name) refuses every link, though it has slots")
    }
    if disturbance.contains(.silent) {
      throw HearthError(.controllerSilent, "\(adapter.name) reported a failure of its hardware")
    }
  }
}
