// What the radio tells of itself.

public import Bluetooth
import EventLoop
import Reasons

extension LinuxRadio {
  public var facts: RadioFacts {
    let identity = adapter.identity
    var facts = RadioFacts(
      adapter: identity?.name ?? "none", address: identity?.bluetoothAddress,
      bus: identity.map { "\($0.bus)" } ?? "none", links: ledger.count,
      slots: ledger.slots(at: loop.now), isScanning: state == .ready && adapter.monitor != nil,
      warnings: warnings,
      counters: counters.listed)
    facts.care = care
    return facts
  }

  /// Waits until the end of an adapter is told, a moment after the kernel told it. An attempt that failed for it ends
  /// after that: else the hub, which is told nothing yet, makes one after the other, and none is left to the wearable
  /// when the adapter is back.
  func untilJudged() async {
    for _ in 0..<20 where adapter.state == .ready && !adapter.settings.contains(.powered) {
      do { try await loop.sleep(for: .milliseconds(50)) } catch { return }
    }
  }

  /// Where the number of slots in `facts` comes from.
  var slotSource: RadioCare.SlotSource {
    if ledger.learnedLimit(at: loop.now) != nil { return .learned }
    if case .fixed = adapter.options.slots { return .configured }
    return .standard
  }

  private var warnings: [HearthError] {
    var found: [HearthError] = []
    if let trouble = adapter.trouble { found.append(trouble) }
    if let care = adapter.care, adapter.isRecovering { found.append(care) }
    if let identity = adapter.identity, identity.hasUnprogrammedAddress {
      found.append(
        HearthError(
          .adapterAddressUnprogrammed, "\(identity.name) has the factory default address \(identity.bluetoothAddress)"))
    }
    if let trouble = adapter.addressTaking.trouble { found.append(trouble) }
    if !adapter.bluetoothDaemons.isEmpty {
      let processes = adapter.bluetoothDaemons.map { "\($0)" }.joined(separator: ", ")
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
