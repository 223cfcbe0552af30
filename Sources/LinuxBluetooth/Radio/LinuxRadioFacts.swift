// Facts that the radio reports about itself.

public import Bluetooth
import EventLoop
import Reasons

extension LinuxRadio {
  /// Facts at this moment.
  public var facts: RadioFacts {
    let identity = adapter.identity
    var facts = RadioFacts(
      adapter: identity?.name ?? "none", address: identity?.bluetoothAddress,
      bus: identity.map { "\($0.bus)" } ?? "none", links: slots.count,
      slots: slots.slots, isScanning: state == .ready && adapter.isMonitoring,
      warnings: warnings,
      counters: means.counters.listed)
    facts.care = care
    facts.isClimbing = state == .ready && slots.isClimbing
    return facts
  }

  private var warnings: [HearthError] {
    var found: [HearthError] = []
    if let trouble = adapter.trouble { found.append(trouble) }
    if let care = adapter.recovery.care, adapter.recovery.isRecovering { found.append(care) }
    if let identity = adapter.identity, identity.hasUnprogrammedAddress {
      found.append(
        HearthError(
          .adapterAddressUnprogrammed, "\(identity.name) has the factory default address \(identity.bluetoothAddress)"))
    }
    if let identity = adapter.identity, means.claims?.doubled.contains(identity.address) == true {
      found.append(
        HearthError(
          .adapterAddressUnprogrammed,
          "several adapters have the address \(identity.bluetoothAddress) of \(identity.name); one of them serves"
        ))
    }
    if let trouble = adapter.addressTrouble { found.append(trouble) }
    if !adapter.takeover.daemons.isEmpty {
      let processes = adapter.takeover.daemons.map { "\($0)" }.joined(separator: ", ")
      found.append(
        HearthError(
          .bluetoothdClash,
          """
          bluetoothd is running (process \(processes)): its start removes our scan, its stop powers the adapter off, \
          its discovery takes the scan, it answers pairing before us
          """
        ))
    }
    return found
  }
}
