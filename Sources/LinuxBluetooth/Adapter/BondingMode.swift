// What the kernel is told of pairing. What changes while the adapter is not ready is told when it is.

import Bluetooth
import EventLoop
import Reasons

/// What the kernel was told of pairing, one change at a time.
@LoopActor
final class BondingMode {
  private let means: AdapterMeans
  private let commands: AdapterCommands
  private let served: ServedAdapter
  private let turn = Turn()
  /// Input and output as acknowledged; nil: not told since the adapter was initialised. Whether it bonds is in the
  /// adapter's settings.
  private var capability: UInt8?
  /// Pairing questions can be answered.
  var pairs: @LoopActor () -> Bool = { false }

  init(_ means: AdapterMeans, commands: AdapterCommands, served: ServedAdapter) {
    self.means = means
    self.commands = commands
    self.served = served
  }

  /// With people at the command line the hub is a keyboard and a display: whatever a wearable has, digits can be
  /// compared, shown or typed. One that has neither is paired without, as with a hub that has nothing.
  private var inputOutputCapability: UInt8 { pairs() ? 4 : 3 }

  /// The adapter is initialised anew: the kernel was told nothing.
  func forget() { capability = nil }

  /// Sets what `pairs` says now. Returns when the kernel has acknowledged it.
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

  /// Whether a pairing that begins now is a bond: a Pairing Request of a kernel that is not bondable has no bonding
  /// flag, and its keys end with the link.
  var isBondable: Bool { served.state == .ready && served.settings.contains(.bondable) }

  /// Waits until the kernel has acknowledged that it bonds; false: it does not.
  func becomeBondable() async -> Bool {
    guard let index = served.readyIndex, pairs() else { return false }
    await tryToSettle(index)
    return isBondable
  }

  /// Pairing questions are answered from now on, or no longer.
  func refresh() {
    guard let index = served.readyIndex else { return }
    means.loop.spawn { await self.tryToSettle(index) }
  }

  private func tryToSettle(_ index: UInt16) async {
    do throws(HearthError) { try await settle(index) } catch { means.logger.warning("\(error)") }
  }
}
