// What the kernel is told of pairing and keys. What changes while the adapter is not ready is told when it is.

import Bluetooth
import EventLoop
import Reasons

/// What the kernel was told of pairing, one change at a time.
@LoopActor
final class BondingMode {
  let turn = Turn()
  /// Input and output as acknowledged; nil: not told since the adapter was initialised. Whether it bonds is in the
  /// adapter's settings.
  var capability: UInt8?

  nonisolated init() {}
}

extension Adapter {
  // MARK: Pairing

  /// With people at the command line the hub is a keyboard and a display: whatever a wearable has, digits can be
  /// compared, shown or typed. One that has neither is paired without, as with a hub that has nothing.
  private var inputOutputCapability: UInt8 { pairs() ? 4 : 3 }

  /// Sets what `pairs` says now. Returns when the kernel has acknowledged it.
  func settleBonding(_ index: UInt16) async throws(HearthError) {
    await bondingMode.turn.take()
    defer { bondingMode.turn.give() }
    let (bonds, capability) = (pairs(), inputOutputCapability)
    if bondingMode.capability != capability {
      try await offer(.setInputOutputCapability(capability), index)
      bondingMode.capability = capability
    }
    if settings.contains(.bondable) != bonds { try await set(.setBondable(bonds), index) }
  }

  /// Whether a pairing that begins now is a bond: a Pairing Request of a kernel that is not bondable has no bonding
  /// flag, and its keys end with the link.
  var isBondable: Bool { state == .ready && settings.contains(.bondable) }

  /// Waits until the kernel has acknowledged that it bonds; false: it does not.
  func becomeBondable() async -> Bool {
    guard state == .ready, pairs(), let index = identity?.index else { return false }
    await tryToSettle(index)
    return isBondable
  }

  /// Pairing questions are answered from now on, or no longer.
  func refreshPairing() {
    guard state == .ready, let index = identity?.index else { return }
    loop.spawn { await self.tryToSettle(index) }
  }

  private func tryToSettle(_ index: UInt16) async {
    do throws(HearthError) { try await settleBonding(index) } catch { logger.warning("\(error)") }
  }

  // MARK: Keys

  /// Both lists, whole, identities first: a list replaces the one before, and an empty one is one.
  ///
  /// - Parameter onlyIfStale: nothing is loaded if another load took the change along meanwhile.
  func loadKeys(_ index: UInt16, onlyIfStale: Bool = false) async throws(HearthError) {
    await keyTurn.take()
    defer { keyTurn.give() }
    if onlyIfStale, !keysAreStale { return }
    keysAreStale = false
    counters.keyLoads += 1
    let (identity, longTerm) = keys()
    try await offer(.loadIdentityKeys(identity), index)
    try await offer(.loadLongTermKeys(longTerm), index)
  }

  /// The hub's keys changed: the kernel is told, once for all changes that come meanwhile.
  func reloadKeys() {
    keysAreStale = true
    bringKeys()
  }

  private func bringKeys() {
    guard state == .ready, let index = identity?.index else { return }
    loop.spawn {
      guard self.state == .ready else { return }
      do throws(HearthError) { try await self.loadKeys(index, onlyIfStale: true) } catch {
        self.logger.warning("\(error)")
      }
    }
  }

  /// The adapter serves: what changed while it was being initialised is told now.
  func settleSecurity() {
    if keysAreStale { bringKeys() }
    refreshPairing()
  }
}
