// Active scanning for names, during enrolment.

import Bluetooth
import EventLoop

@LoopActor
final class NameSearch {
  /// The kernel ends a discovery by itself after 10.24 s, and at every connect.
  private static let discoveryLength: Duration = .seconds(11)

  private let adapter: Adapter
  private let links: LinkMaker
  private var isAsking = false
  var isWanted = false { didSet { if isWanted, !oldValue { ask() } } }

  init(_ adapter: Adapter, _ links: LinkMaker) {
    self.adapter = adapter
    self.links = links
  }

  /// Runs one discovery after the other while names are wanted. The monitor continues beside them and stays afterwards.
  private func ask() {
    if isAsking { return }
    isAsking = true
    adapter.means.loop.spawn { [weak self] in
      while let self, isWanted {
        // Another program's discovery (busy) serves as well; `ControllerPulse` detects a controller that refuses.
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
