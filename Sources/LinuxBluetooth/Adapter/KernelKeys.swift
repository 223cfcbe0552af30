// Which keys the kernel was given. What changes while the adapter is not ready is told when it is.

import Bluetooth
import EventLoop
import Reasons

@LoopActor
final class KernelKeys {
  private let means: AdapterMeans
  private let commands: AdapterCommands
  private let served: ServedAdapter
  /// One load of keys at a time.
  private let turn = Turn()
  /// The keys changed since the kernel was told.
  private var areStale = false
  /// All keys, whole.
  var all: @LoopActor () -> (identity: [IdentityKey], longTerm: [LongTermKey]) = { ([], []) }

  init(_ means: AdapterMeans, commands: AdapterCommands, served: ServedAdapter) {
    self.means = means
    self.commands = commands
    self.served = served
  }

  /// Both lists, whole, identities first: a list replaces the one before, and an empty one is one.
  ///
  /// - Parameter onlyIfStale: nothing is loaded if another load took the change along meanwhile.
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

  /// The hub's keys changed: the kernel is told, once for all changes that come meanwhile.
  func reload() {
    areStale = true
    bring()
  }

  /// The adapter serves: what changed while it was being initialised is told now.
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
