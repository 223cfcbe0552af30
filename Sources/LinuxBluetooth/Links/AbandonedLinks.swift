// Which links does the kernel still have of attempts that the hub gave up, and of a process of before?

import Bluetooth
import EventLoop
import Logging

/// Looks whether the kernel has made the link of an attempt all the same, and ends it: an attempt may be given up in
/// the moment in which its wearable answers. Nobody has a channel on such a link, so nobody ends it, and its wearable,
/// linked, advertises no more.
@LoopActor
final class AbandonedLinks {
  /// The kernel ends a link two seconds after its last channel; what is there after this stays.
  private static let patience: Duration = .seconds(4)
  /// As many looks, each after another `patience`: a disconnection may fail.
  private static let looks = 3
  /// More attempts than a lane makes in that time.
  private static let limit = 64

  private let loop: any Loop
  private let channel: ManagementChannel
  private let counters: RadioCounters
  private let logger: Logger
  /// The adapter that serves; nil: none does.
  var index: @LoopActor () -> UInt16? = { nil }
  /// Attempts that ended without a channel, and how often they are still looked for.
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

  /// There is another attempt.
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
