// What the choice of the next visit knows about one wearable, and what a visit that ended adds to it.

import Bluetooth
import EventLoop
import Wearable

/// How a wearable stands with the lane. Kept in memory: after a restart of the hub the log of visits tells the most of
/// it.
struct LaneState {
  /// It has the lane now.
  var isHolder = false
  /// Since when it waits for the lane; nil while it does not.
  var dueSince: Instant?
  /// When it may be tried again.
  var retry = Reconnection()
  /// As its driver says of its family, until a link shows that there is nothing; asked at every advertisement.
  var holdsData = false
  /// End of the last visit that came to its end; may lie before the start of the hub.
  var visitedAt: Instant?
  /// The last visit left something behind that goes on with the next.
  var resumes = false
  /// Seen again after an absence, and not visited since.
  var returned = false
  /// It said over its link that it holds something new; what was said before a visit began is that visit's to find.
  var announced = false
  /// When an operator asked for the visit that is still to be made.
  var askedAt: Instant?
  /// When the oldest began that it holds and the store does not; nil: nothing, or unknown.
  var oldestUnfetched: Instant?
  var memory = MemoryTrend()
  /// The last visit left its link open because it streams, or it needs it all the time: a lost link is made anew at
  /// once.
  var keepsLink = false
  /// A wearable that keeps data streams if a value came within this time.
  static let streaming: Duration = .seconds(60)
  /// When its last link ended.
  var linkEndedAt: Instant?
  /// Hearing it changes nothing about the lane before this.
  var quietUntil: Instant?

  /// Heard again after an absence.
  mutating func seenAgain() {
    retry.seenAgain()
    returned = true
    quietUntil = nil
    // It waits anew: nobody keeps a place in the line through an absence.
    dueSince = nil
  }

  /// An operator asks for a visit: whatever was waited for is over.
  mutating func asked(_ now: Instant) {
    if askedAt == nil { askedAt = now }
    quietUntil = nil
    retry.asked()
  }

  /// A visit ended, however. Its failure, if it was one, is told to `retry` apart from this.
  mutating func visitEnded(_ outcome: VisitOutcome, _ now: Instant) {
    dueSince = nil
    quietUntil = nil
    switch outcome {
    case .done:
      visitedAt = now
      resumes = false
      returned = false
      askedAt = nil
      retry.succeeded()
    case .sliceOver:
      resumes = true
      // An operator's request goes on, behind those that came meanwhile.
      if askedAt != nil { askedAt = now }
    case .interrupted, .broken, .silent:
      resumes = holdsData
      // A request is not given up for one lost link, but it ends with the tries.
      if retry.isCooling { askedAt = nil }
    case .busy, .refused, .noRoom, .needsAttention, .abandoned:
      askedAt = nil
    }
  }

  /// It is linked and only listened to: nothing more is wanted of it.
  mutating func wentLive() {
    dueSince = nil
    askedAt = nil
    returned = false
  }
}

extension WearableDriver {
  /// It keeps data that can be fetched. What does not is only listened to, and linked while it is present; so is, until
  /// its link shows more, what may be of either kind.
  var holdsData: Bool { !capabilities.recorded.isEmpty && !(self is any MixedDriver) }
}
