// What an adapter is told before it serves. Every step may be repeated at any time: whoever changed something, the
// result is the same.

import Bluetooth
import EventLoop
import Reasons

extension Adapter {
  /// Units of 0.625 ms: half of the air time while nothing is urgent leaves room for links, connects are found as
  /// quickly.
  static let defaults: [DefaultSetting] = [
    .monitorScan(interval: 0xA0, window: 0x50),  // 100 ms, 50 ms
    .connectScan(interval: 0x60, window: 0x30),  // 60 ms, 30 ms
    // The kernel's own supervision timeout, 420 ms, loses links in a busy room.
    .connection(.foreground),
    // An unanswered LE Create Connection blocks the kernel's command queue; its own limit is 20 s. A wearable that was
    // just heard answers within three of its advertising intervals, seldom more than a second.
    .connectTimeout(3000),
  ]
  /// 2M transmit and receive in the mask of physical layers.
  private static let fastLayers: UInt32 = 1 << 11 | 1 << 12

  /// Ends with the adapter powered, listening, and `monitor` set. `proving` makes the controller show that it obeys:
  /// where it was silent before, the kernel may believe it powered and take every command without asking it.
  func initialise(_ adapter: AdapterIdentity, proving: Bool) async throws(HearthError) {
    let index = adapter.index
    monitor = nil
    managementRevision = ManagementReply.version((try? await channel.perform(.readVersion)) ?? [])?.revision ?? 0
    guard let info = AdapterInfo(try await ask(.readInfo, index)) else { throw malformed("Read Info") }
    settings = info.current
    // Asked here it is known at once; Start Discovery of a kernel that believes in the controller takes ten seconds.
    if proving, settings.contains(.powered), !(await pulse.answers(index)) {
      throw HearthError(.controllerSilent, "\(adapter.name) does not answer")
    }
    try await takeAddress(adapter, info)
    try await setModes(index, supported: info.supported)
    bondingMode.capability = nil
    try await settleBonding(index)
    try await loadKeys(index)
    try await offer(.setDefaultConfiguration(Self.defaults), index)
    try await offer(.removeAllDevices, index)
    try await powerOn(adapter)
    try await preferFastLayers(index)
    if proving { try await restartScan(index) } else { try await startScan(index) }
  }

  private func setModes(_ index: UInt16, supported: AdapterSettings) async throws(HearthError) {
    // Inquiry and page scans of BR/EDR take air time that nobody here uses. It can only be switched off while powered
    // off.
    if settings.contains(.classic), supported.contains(.classic) {
      if settings.contains(.powered) { try await set(.setPowered(false), index) }
      if !settings.contains(.lowEnergy) { try await set(.setLowEnergy(true), index) }
      try await set(.setClassic(false), index)
    }
    if !settings.contains(.lowEnergy) { try await set(.setLowEnergy(true), index) }
    if supported.contains(.secureConnections), !settings.contains(.secureConnections) {
      try await set(.setSecureConnections(true), index)
    }
    if settings.contains(.connectable) { try await set(.setConnectable(false), index) }
    // With advertising on, the kernel would connect as a peripheral.
    if settings.contains(.advertising) { try await set(.setAdvertising(false), index) }
  }

  private func powerOn(_ adapter: AdapterIdentity) async throws(HearthError) {
    if settings.contains(.powered) { return }
    do throws(HearthError) {
      try await set(.setPowered(true), adapter.index)
    } catch {
      // Kernels do not name the switch that made them refuse.
      if let block = kernel.block(of: adapter.name) {
        throw blocked(adapter, block)
      }
      throw error
    }
    if !settings.contains(.powered) {
      throw HearthError(.managementRefused, "\(adapter.name) stays off though Set Powered 1 succeeded")
    }
  }

  private func preferFastLayers(_ index: UInt16) async throws(HearthError) {
    guard settings.contains(.physicalLayers),
      let layers = ManagementReply.physicalLayers(try await ask(.getPhysicalLayers, index))
    else { return }
    let wanted = layers.selected | layers.configurable & Self.fastLayers
    if wanted != layers.selected { try await offer(.setPhysicalLayers(wanted), index) }
  }

  /// Leftovers of a hub that crashed outlive its sockets, so all monitors go before ours comes.
  func startScan(_ index: UInt16) async throws(HearthError) {
    monitor = nil
    try await offer(.removeMonitor(0), index)
    guard
      let handle = ManagementReply.handle(
        try await ask(.addMonitor([.wearableFlags]), index, timeout: ManagementChannel.queuedTimeout))
    else {
      throw malformed("Add Advertisement Patterns Monitor")
    }
    monitor = handle
  }

  /// The monitor anew, then a discovery begun and ended: the only command that makes the controller start and stop a
  /// scan and tells whether it did. Somebody else's discovery (busy) is proof enough.
  func restartScan(_ index: UInt16) async throws(HearthError) {
    try await startScan(index)
    try await offer(.startDiscovery, index, timeout: ManagementChannel.queuedTimeout)
    try await offer(.stopDiscovery, index, timeout: ManagementChannel.queuedTimeout)
  }

  func set(_ command: ManagementCommand, _ index: UInt16) async throws(HearthError) {
    guard let new = ManagementReply.settings(try await ask(command, index, timeout: ManagementChannel.queuedTimeout))
    else {
      throw malformed(command.name)
    }
    settings = new
  }

  /// Something the hub can do without: kernels and controllers that do not know it are no worse for it.
  func offer(
    _ command: ManagementCommand, _ index: UInt16, timeout: Duration = ManagementChannel.ordinaryTimeout
  ) async throws(HearthError) {
    do throws(HearthError) {
      try await ask(command, index, timeout: timeout)
    } catch {
      if error.reason != .managementRefused { throw error }
      logger.info("\(error)")
    }
  }
}
