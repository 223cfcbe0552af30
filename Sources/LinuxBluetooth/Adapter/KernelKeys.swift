// Keys loaded into the kernel. Changes made while the adapter is down are loaded when it is ready.

import Bluetooth
import EventLoop
import Reasons

@LoopActor
final class KernelKeys {
  private let means: AdapterMeans
  private let commands: AdapterCommands
  private let served: ServedAdapter
  /// Mutex: keys are loaded one list at a time.
  private let turn = Turn()
  /// Whether the keys changed since the last load.
  private var areStale = false
  /// The complete lists of keys.
  var all: @LoopActor () -> (identity: [IdentityKey], longTerm: [LongTermKey]) = { ([], []) }

  init(_ means: AdapterMeans, commands: AdapterCommands, served: ServedAdapter) {
    self.means = means
    self.commands = commands
    self.served = served
  }

  /// Loads both lists completely, identities first. Each list replaces the previous one, even if it is empty.
  ///
  /// - Parameter onlyIfStale: skips the load if another one included the change meanwhile.
  func load(_ index: UInt16, onlyIfStale: Bool = false) async throws(HearthError) {
    await turn.take()
    defer { turn.give() }
    if onlyIfStale, !areStale { return }
    areStale = false
    means.counters.keyLoads += 1
    let (identity, longTerm) = all()
    try await commands.offer(.loadIdentityKeys(identity), index)
    try await commands.offer(.loadLongTermKeys(longTerm), index)
  }

  /// Loads the changed keys, once for all changes that come meanwhile.
  func reload() {
    areStale = true
    bring()
  }

  /// Called when the adapter serves: loads changes made during its initialisation.
  func settle() { if areStale { bring() } }

  private func bring() {
    guard let index = served.readyIndex else { return }
    means.loop.spawn {
      guard self.served.state == .ready else { return }
      do throws(HearthError) { try await self.load(index, onlyIfStale: true) } catch {
        self.means.logger.warning("\(error)")
      }
    }
  }
}
