// Whether what is stored leaves the hub as soon as it is wanted.

import EventLoop
import Reasons
import RingStore

/// Since when samples wait that no reader has confirmed.
struct ExportWatch {
  private var waitingSince: WallTime?
  private var confirmedAt: WallTime?

  /// What a person should know; nil where all is well, and where nobody wants to be told.
  ///
  /// The time counts from the last confirmation, or, after a time in which nothing waited, from the first look at which
  /// something did: a hub whose wearables were away for a week is not late with the first sample after it.
  mutating func trouble(within: Duration?, _ status: StoreStatus, _ now: WallTime) -> HearthError? {
    if status.unexported == 0 {
      waitingSince = nil
    } else if status.confirmedAt != confirmedAt || waitingSince == nil {
      waitingSince = status.confirmedAt == confirmedAt ? now : status.confirmedAt
    }
    confirmedAt = status.confirmedAt
    guard let within, let waitingSince, now - waitingSince > within else { return nil }
    let last = status.confirmedAt.map { "the last confirmation is of \($0.rfc3339)" } ?? "none has ever confirmed any"
    return HearthError(.storeUnread, "\(status.unexported) samples wait for a reader; \(last)")
  }
}
