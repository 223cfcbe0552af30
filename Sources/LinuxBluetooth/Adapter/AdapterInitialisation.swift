// Settings of an adapter before it serves. Every step may be repeated at any time, with the same result, whatever
// another program changed.

import Bluetooth
import EventLoop
import Reasons

@LoopActor
final class AdapterInitialisation {
  /// Units of 0.625 ms. While no connect waits, scanning half of the air time leaves room for links. Connects are found
  /// as quickly.
  private static let defaults: [DefaultSetting] = [
    .monitorScan(interval: 0xA0, window: 0x50),  // 100 ms, 50 ms
    .connectScan(interval: 0x60, window: 0x30),  // 60 ms, 30 ms
    // The kernel's own supervision timeout, 420 ms, loses links in a busy room.
    .connection(.foreground),
    // An unanswered LE Create Connection blocks the kernel's command queue, for 20 s by default. A wearable that was
    // just heard responds within three of its advertising intervals, seldom more than a second.
    .connectTimeout(3000),
  ]
  /// 2M transmit and receive in the mask of physical layers.
  private static let fastLayers: UInt32 = 1 << 11 | 1 << 12

  private let means: AdapterMeans
  private let commands: AdapterCommands
  private let served: ServedAdapter
  private let scan: AdapterScan
  private let pulse: ControllerPulse
  private let bonding: BondingMode
  private let keys: KernelKeys
  /// Gives the adapter its address.
  let address: AddressTaking
  /// Revision of the management interface; it shows the kernel's abilities.
  private(set) var managementRevision: UInt16 = 0

  init(
    _ means: AdapterMeans, commands: AdapterCommands, served: ServedAdapter, scan: AdapterScan, pulse: ControllerPulse,
    bonding: BondingMode, keys: KernelKeys
  ) {
    self.means = means
    self.commands = commands
    self.served = served
    self.scan = scan
    self.pulse = pulse
    self.bonding = bonding
    self.keys = keys
    address = AddressTaking(means, commands: commands, served: served)
  }

  /// Ends with the adapter powered, listening, and with a registered monitor. `proving` makes the controller prove that
  /// it responds. After a silence the kernel may believe that it is powered and accept every command without asking it.
  func run(_ adapter: AdapterIdentity, proving: Bool) async throws(HearthError) {
    let index = adapter.index
    scan.forget()
    managementRevision = ManagementReply.version((try? await means.channel.perform(.readVersion)) ?? [])?.revision ?? 0
    guard let info = AdapterInfo(try await commands.ask(.readInfo, index)) else {
      throw HearthError.malformedReply(to: "Read Info")
    }
    served.note(info.current)
    // Probing here takes a moment. Start Discovery takes ten seconds if the kernel still trusts a dead controller.
    if proving, info.current.contains(.powered), !(await pulse.answers(index)) {
      throw HearthError(.controllerSilent, "\(adapter.name) does not answer")
    }
    try await address.giveStatic(adapter)
    try await address.take(adapter, info)
    try await setModes(index, supported: info.supported)
    bonding.forget()
    try await bonding.settle(index)
    try await keys.load(index)
    try await commands.offer(.setDefaultConfiguration(Self.defaults), index)
    try await commands.offer(.removeAllDevices, index)
    try await powerOn(adapter)
    try await preferFastLayers(index)
    if proving { try await scan.restart(index) } else { try await scan.start(index) }
  }

  private func setModes(_ index: UInt16, supported: AdapterSettings) async throws(HearthError) {
    // Inquiry and page scans of BR/EDR take air time without use to our wearables. BR/EDR can only be switched off
    // while the adapter is powered off.
    if has(.classic), supported.contains(.classic) {
      if has(.powered) { try await commands.set(.setPowered(false), index) }
      if !has(.lowEnergy) { try await commands.set(.setLowEnergy(true), index) }
      try await commands.set(.setClassic(false), index)
    }
    if !has(.lowEnergy) { try await commands.set(.setLowEnergy(true), index) }
    if supported.contains(.secureConnections), !has(.secureConnections) {
      try await commands.set(.setSecureConnections(true), index)
    }
    if has(.connectable) { try await commands.set(.setConnectable(false), index) }
    // With advertising on, the kernel would connect as a peripheral.
    if has(.advertising) { try await commands.set(.setAdvertising(false), index) }
  }

  private func has(_ setting: AdapterSettings) -> Bool { served.settings.contains(setting) }

  private func powerOn(_ adapter: AdapterIdentity) async throws(HearthError) {
    if has(.powered) { return }
    do throws(HearthError) {
      try await commands.set(.setPowered(true), adapter.index)
    } catch {
      // Kernels do not say which switch made them refuse.
      if let block = means.kernel.block(of: adapter.name) {
        throw HearthError.blocked(adapter, block)
      }
      throw error
    }
    if !has(.powered) {
      throw HearthError(.managementRefused, "\(adapter.name) stays off though Set Powered 1 succeeded")
    }
  }

  private func preferFastLayers(_ index: UInt16) async throws(HearthError) {
    guard has(.physicalLayers),
      let layers = ManagementReply.physicalLayers(try await commands.ask(.getPhysicalLayers, index))
    else { return }
    let wanted = layers.selected | layers.configurable & Self.fastLayers
    if wanted != layers.selected { try await commands.offer(.setPhysicalLayers(wanted), index) }
  }
}
