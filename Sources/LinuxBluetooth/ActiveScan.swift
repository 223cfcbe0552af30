// Asking advertisers for their scan responses, for as long as somebody wants to know their names.

import Bluetooth
import EventLoop

extension LinuxRadio {
  /// The kernel ends a discovery of its own accord after 10.24 s, and at every connect.
  private static var discoveryLength: Duration { .seconds(11) }

  /// One discovery after the other while `asksForNames`. The monitor goes on beside them and stays when they are over.
  func askForNames() {
    if isAskingForNames { return }
    isAskingForNames = true
    loop.spawn { [weak self] in
      while let self, asksForNames {
        // Somebody else's discovery (busy) serves as well, and a controller that refuses is the watchdog's business.
        await discover(.startDiscovery)
        try? await loop.sleep(for: Self.discoveryLength)
      }
      await self?.discover(.stopDiscovery)
      self?.isAskingForNames = false
    }
  }

  private func discover(_ command: ManagementCommand) async {
    guard state == .ready, !isAttempting, let identity = adapter.identity else { return }
    _ = try? await adapter.channel.perform(command, index: identity.index, timeout: ManagementChannel.queuedTimeout)
  }
}
