// Pairing settings of the kernel. Changes made while the adapter is down are sent when it is ready.

import Bluetooth
import EventLoop
import Reasons

/// Pairing settings as sent to the kernel, one change at a time.
@LoopActor
final class BondingMode {
  private let means: AdapterMeans
  private let commands: AdapterCommands
  private let served: ServedAdapter
  private let turn = Turn()
  /// IO capability as acknowledged; nil: not sent since the adapter was initialised. Whether the adapter bonds is in
  /// its settings.
  private var capability: UInt8?
  /// Whether pairing questions can be answered.
  var pairs: @LoopActor () -> Bool = { false }

  init(_ means: AdapterMeans, commands: AdapterCommands, served: ServedAdapter) {
    self.means = means
    self.commands = commands
    self.served = served
  }

  /// Capability of the hub. With an operator at the command line the hub is a keyboard and a display. Digits can then
  /// be compared, shown or typed, whatever the wearable has. A wearable without either is paired without digits, as
  /// with a hub without them.
  private var inputOutputCapability: UInt8 { pairs() ? 4 : 3 }

  /// Called when the adapter is initialised again, which loses the kernel's settings.
  func forget() { capability = nil }

  /// Sends the present value of `pairs`. Returns when the kernel has acknowledged it.
  func settle(_ index: UInt16) async throws(HearthError) {
    await turn.take()
    defer { turn.give() }
    let (bonds, capability) = (pairs(), inputOutputCapability)
    if self.capability != capability {
      try await commands.offer(.setInputOutputCapability(capability), index)
      self.capability = capability
    }
    if served.settings.contains(.bondable) != bonds { try await commands.set(.setBondable(bonds), index) }
  }

  /// Whether a pairing that starts now makes a bond. If the kernel is not bondable, its Pairing Request lacks the
  /// bonding flag and the keys end with the link.
  var isBondable: Bool { served.state == .ready && served.settings.contains(.bondable) }

  /// Waits until the kernel has acknowledged that it bonds; false if it does not.
  func becomeBondable() async -> Bool {
    guard let index = served.readyIndex, pairs() else { return false }
    await tryToSettle(index)
    return isBondable
  }

  /// Called when pairing questions can be answered from now on, or no longer.
  func refresh() {
    guard let index = served.readyIndex else { return }
    means.loop.spawn { await self.tryToSettle(index) }
  }

  private func tryToSettle(_ index: UInt16) async {
    do throws(HearthError) { try await settle(index) } catch { means.logger.warning("\(error)") }
  }
}
