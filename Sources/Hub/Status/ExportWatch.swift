// Whether stored samples are exported in time.

import EventLoop
import Reasons
import RingStore

/// Time since which samples wait for a reader's confirmation.
struct ExportWatch {
  private var waitingSince: WallTime?
  private var confirmedAt: WallTime?

  /// The trouble to show; nil if all is well, or if no limit is configured.
  ///
  /// The time counts from the last confirmation. After a time without waiting samples, it counts from the first look
  /// that finds some. So a hub without wearables for a week is not late with the first sample after it.
  mutating func trouble(within: Duration?, _ status: StoreStatus, _ now: WallTime) -> HearthError? {
    if status.unexported == 0 {
      waitingSince = nil
    } else if status.confirmedAt != confirmedAt || waitingSince == nil {
      waitingSince = status.confirmedAt == confirmedAt ? now : status.confirmedAt
    }
    confirmedAt = status.confirmedAt
    guard let within, let waitingSince, now - waitingSince > within else { return nil }
    let last = status.confirmedAt.map { "the last confirmation is of \($0.rfc3339)" } ?? "no reader has confirmed any"
    return HearthError(.storeUnread, "\(status.unexported) samples wait for a reader; \(last)")
  }
}
