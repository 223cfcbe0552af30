// Reputation: wearables that delivered data go first, unresponsive ones back off.

package import EventLoop

/// Reputation of a wearable: whether it delivered data lately, counted in tries.
///
/// A wearable has two. That of its link counts values and completed visits; that of its visits counts completed ones
/// and durable items. A wearable that streams and stalls every visit has a good one and a bad one.
package struct Reputation: Equatable {
  /// Grades of reputation, in the order in which they go.
  package enum Grade: Int, Comparable {
    /// Delivered data, with at most `forgiven` failed tries since.
    case proven
    /// Reputation without a history.
    case new
    /// Unresponsive in the last tries.
    case doubtful

    package static func < (a: Grade, b: Grade) -> Bool { a.rawValue < b.rawValue }
  }

  /// Failed tries in a row that a proven wearable is forgiven. On a link that fails once in ten, three in a row are
  /// the air's fault only once in a thousand.
  package static let forgiven = 2
  /// The longest wait. An unresponsive wearable then costs the radio 4 s in an hour, and forty of them 5 % of its time.
  package static let longestWait: Duration = .seconds(3600)
  /// A wearable that was away for this long may have changed (a new battery, a new firmware). The hub tries it at once
  /// when it returns, but its failed tries stay. No shorter absence ends a wait, as otherwise a wearable that switches
  /// its advertising off and on would never wait.
  package static let renewal: Duration = .seconds(300)
  /// Failed tries in a row after which it is not proven after a restart of the hub: two minutes of tries.
  package static let forgotten = 6

  /// Whether it delivered data, in this life of the hub or an earlier one.
  package private(set) var hasProven = false
  /// Tries in a row in which it was present and delivered no data.
  package private(set) var failedTries = 0
  private var restsUntil: Instant?

  package init() {}

  package var grade: Grade {
    if hasProven, failedTries <= Self.forgiven { return .proven }
    return failedTries == 0 ? .new : .doubtful
  }

  /// Notes a value, or a completed visit.
  package mutating func proved() {
    hasProven = true
    failedTries = 0
    restsUntil = nil
  }

  /// Notes that it delivered data in an earlier life of the hub.
  package mutating func remembered() { hasProven = true }

  /// Counts a failed try. The wait doubles from two seconds to an hour.
  ///
  /// - Parameter isForeground: a person waits for it: the failed try counts, but there is no wait.
  package mutating func tryFailed(at now: Instant, isForeground: Bool = false, random: inout any RandomNumberGenerator)
  {
    failedTries = min(failedTries + 1, 12)
    restsUntil = nil
    if grade != .doubtful || isForeground { return }
    let wait = min(.seconds(1 << failedTries), Self.longestWait)
    restsUntil = now + wait + wait * Double.random(in: 0..<BackOff.jitter, using: &random)
  }

  /// Sets a minimal wait, whatever the reputation.
  package mutating func rests(until instant: Instant) { restsUntil = max(restsUntil ?? instant, instant) }

  /// Returns when it may be tried; nil: at once.
  package func notBefore(_ now: Instant) -> Instant? { restsUntil.flatMap { $0 > now ? $0 : nil } }

  /// Ends the wait, as a person asks for it; the reputation stays.
  package mutating func asked() { restsUntil = nil }

  /// Notes that it is heard again after an absence.
  package mutating func seenAgain(after absence: Duration?) {
    if absence.map({ $0 >= Self.renewal }) ?? true { restsUntil = nil }
  }

  // MARK: Patience

  /// Share of a time limit: all of it for a good wearable, else half, a third, and so on.
  package func share(of limit: Duration, atLeast least: Duration) -> Duration {
    failedTries == 0 ? limit : min(limit, max(least, limit / (failedTries + 1)))
  }
}

extension TryFailure {
  /// Whether this failed try lowers the reputation of the wearable.
  ///
  /// - Parameter before: failed tries in a row before. Connection events are missed, and people walk out of range: only
  ///   the third failure in a row counts.
  package func countsAgainst(after before: Int) -> Bool {
    switch self {
    case .link(let error):
      switch error {
      case .timedOut, .peerClosed, .authenticationFailed, .keyNotGiven, .identityClaimed, .flooded: true
      case .linkLost, .failedToEstablish: before >= 2
      case .notHeard, .slotsFull, .aborted, .adapterGone, .keyMissing, .taken, .attemptsFull, .bondedSlotsFull,
        .bondedElsewhere, .system:
        false
      }
    case .refused, .broken, .silent, .needsAttention: true
    case .busy, .noRoom, .ended, .disbelieved: false
    }
  }
}
