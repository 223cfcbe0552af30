// Advertisement monitor: makes the kernel scan and proves that the controller responds.

import EventLoop
import Reasons

@LoopActor
final class AdapterScan {
  private let means: AdapterMeans
  private let commands: AdapterCommands
  /// Handle of our advertisement monitor while it is registered.
  private(set) var monitor: UInt16?

  init(_ means: AdapterMeans, commands: AdapterCommands) {
    self.means = means
    self.commands = commands
  }

  /// Called when the adapter was lost or is initialised again.
  func forget() { monitor = nil }

  /// Monitors of a crashed hub outlive its sockets, so all monitors are removed first.
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

  /// Registers the monitor again, then starts and ends a discovery. Only this command makes the controller start and
  /// stop a scan and reports whether it did. Another program's discovery (busy) is proof enough.
  func restart(_ index: UInt16) async throws(HearthError) {
    try await start(index)
    try await commands.offer(.startDiscovery, index, timeout: ManagementChannel.queuedTimeout)
    try await commands.offer(.stopDiscovery, index, timeout: ManagementChannel.queuedTimeout)
  }

  /// Removes the monitor when the daemon ends.
  func end(_ adapter: AdapterIdentity?) async {
    if let adapter, monitor != nil {
      _ = try? await means.channel.perform(.removeMonitor(0), index: adapter.index, timeout: means.timing.farewell)
    }
    monitor = nil
  }
}
