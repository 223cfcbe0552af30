// Links that the kernel still has from aborted attempts and from an earlier process.

import Bluetooth
import EventLoop
import Logging

/// Ends links that the kernel made after their attempt was aborted: an attempt may be aborted in the moment in which
/// its wearable responds. Such a link has no channel, so it would stay for ever, and its wearable, being connected,
/// would not advertise.
@LoopActor
final class AbandonedLinks {
  /// The kernel ends a link two seconds after its last channel; a link older than this stays.
  private static let patience: Duration = .seconds(4)
  /// Number of checks, each after another `patience`, because a disconnection may fail.
  private static let looks = 3
  /// Limit: more attempts than the hub makes in that time.
  private static let limit = 64

  private let loop: any Loop
  private let channel: ManagementChannel
  private let counters: RadioCounters
  private let logger: Logger
  /// Index of the adapter in service; nil without one.
  var index: @LoopActor () -> UInt16? = { nil }
  /// Attempts that ended without a channel, with the number of checks left.
  private var left: [BluetoothAddress: Int] = [:]
  private var isLooking = false

  init(loop: any Loop, channel: ManagementChannel, counters: RadioCounters, logger: Logger) {
    (self.loop, self.channel, self.counters, self.logger) = (loop, channel, counters, logger)
  }

  func gaveUp(_ address: BluetoothAddress) {
    if left.count < Self.limit || left[address] != nil { left[address] = Self.looks }
    if isLooking { return }
    isLooking = true
    loop.spawn { [weak self] in
      while let self, !left.isEmpty {
        guard (try? await loop.sleep(for: Self.patience)) != nil else { break }
        await look()
      }
      self?.isLooking = false
    }
  }

  /// Forgets a wearable that is being connected again.
  func wanted(_ address: BluetoothAddress) { left[address] = nil }

  private func look() async {
    guard let index = index(), let reply = try? await channel.perform(.getConnections, index: index),
      let links = ManagementReply.connections(reply)
    else { return }
    for address in Set(links) where left[address] != nil {
      counters.linksAbandoned += 1
      logger.notice("the kernel has a link to \(address) that was given up: it is ended")
      channel.send(.disconnect(address), index: index, timeout: ManagementChannel.queuedTimeout)
    }
    left = left.compactMapValues { $0 > 1 ? $0 - 1 : nil }
  }
}
