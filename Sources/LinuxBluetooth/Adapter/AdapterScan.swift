// The advertisement monitor: what makes the kernel scan, and the proof that the controller obeys.

import EventLoop
import Reasons

@LoopActor
final class AdapterScan {
  private let means: AdapterMeans
  private let commands: AdapterCommands
  /// The handle of our advertisement monitor, while it stands.
  private(set) var monitor: UInt16?

  init(_ means: AdapterMeans, commands: AdapterCommands) {
    self.means = means
    self.commands = commands
  }

  /// The adapter was lost, or is initialised anew.
  func forget() { monitor = nil }

  /// Leftovers of a hub that crashed outlive its sockets, so all monitors go before ours comes.
  func start(_ index: UInt16) async throws(HearthError) {
    monitor = nil
    try await commands.offer(.removeMonitor(0), index)
    guard
      let handle = ManagementReply.handle(
        try await commands.ask(.addMonitor([.wearableFlags]), index, timeout: ManagementChannel.queuedTimeout))
    else {
      throw HearthError.malformedReply(to: "Add Advertisement Patterns Monitor")
    }
    monitor = handle
  }

  /// The monitor anew, then a discovery begun and ended: the only command that makes the controller start and stop a
  /// scan and tells whether it did. Another program's discovery (busy) is proof enough.
  func restart(_ index: UInt16) async throws(HearthError) {
    try await start(index)
    try await commands.offer(.startDiscovery, index, timeout: ManagementChannel.queuedTimeout)
    try await commands.offer(.stopDiscovery, index, timeout: ManagementChannel.queuedTimeout)
  }

  /// Removes the monitor at the end of the daemon.
  func end(_ adapter: AdapterIdentity?) async {
    if let adapter, monitor != nil {
      _ = try? await means.channel.perform(.removeMonitor(0), index: adapter.index, timeout: means.timing.farewell)
    }
    monitor = nil
  }
}
