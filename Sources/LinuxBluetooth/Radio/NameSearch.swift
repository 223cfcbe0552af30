// Asking advertisers for their scan responses, for as long as somebody wants to know their names.

import Bluetooth
import EventLoop

@LoopActor
final class NameSearch {
  /// The kernel ends a discovery of its own accord after 10.24 s, and at every connect.
  private static let discoveryLength: Duration = .seconds(11)

  private let adapter: Adapter
  private let links: LinkMaker
  private var isAsking = false
  var isWanted = false { didSet { if isWanted, !oldValue { ask() } } }

  init(_ adapter: Adapter, _ links: LinkMaker) {
    self.adapter = adapter
    self.links = links
  }

  /// One discovery after the other while names are wanted. The monitor goes on beside them and stays when they are
  /// over.
  private func ask() {
    if isAsking { return }
    isAsking = true
    adapter.means.loop.spawn { [weak self] in
      while let self, isWanted {
        // Another program's discovery (busy) serves as well, and a controller that refuses is the watchdog's business.
        await discover(.startDiscovery)
        try? await adapter.means.loop.sleep(for: Self.discoveryLength)
      }
      await self?.discover(.stopDiscovery)
      self?.isAsking = false
    }
  }

  private func discover(_ command: ManagementCommand) async {
    guard adapter.usableState == .ready, !links.isAttempting, let identity = adapter.identity else { return }
    _ = try? await adapter.channel.perform(command, index: identity.index, timeout: ManagementChannel.queuedTimeout)
  }
}
