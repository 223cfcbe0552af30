// The warning for a wearable that has used up its share of the store for a day.

import EventLoop
import Reasons

extension EnrolledWearable {
  /// Lasts until the share is whole again; nil while there is some left.
  func shareTrouble(_ context: HubContext) -> HearthError? {
    guard let share = live.budget.share, let end = live.budget.fullUntil(context.loop.now) else { return nil }
    let size = share >= 10_000_000 ? "\(share / 1_000_000) MB" : "\(share / 1000) kB"
    return HearthError(
      .shareReached, "\(name) brought \(size) in a day, its share of the store; until \(context.wall(of: end).rfc3339)")
  }

  /// Reports it once a day at most: in the log, as an event, and with the wearable for as long as it lasts.
  func noteShareReached(_ context: HubContext) {
    guard let trouble = shareTrouble(context) else { return }
    context.logger.warning("\(trouble)", metadata: ["CODE": "\(trouble.reason.code)", "DEVICE": "\(name)"])
    context.changes.happened(.shareReached(self, trouble))
    context.changes.raise(.shown)
  }
}
