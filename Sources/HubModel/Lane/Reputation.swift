// The reputation of a wearable: those that delivered something go first, unresponsive ones back off.

package import EventLoop

/// Whether a wearable has been of use lately, counted in tries and not in patience.
///
/// Two are kept for each: of its link (it brought a value, or a visit) and of its visits (one was finished, or an item
/// became durable). A wearable that streams and stalls every visit is good for the one and not for the other.
package struct Reputation: Equatable {
  /// In the order in which they go.
  package enum Standing: Int, Comparable {
    /// It was of use, and nothing since speaks against it.
    case proven
    /// Nothing is known of it.
    case new
    /// It was mute when it was tried last.
    case doubtful

    package static func < (a: Standing, b: Standing) -> Bool { a.rawValue < b.rawValue }
  }

  /// Strikes that one that was of use is forgiven: of three tries in a row that come to nothing on a link that fails
  /// once in ten, all three are the air's fault once in a thousand.
  package static let forgiven = 2
  /// The longest wait. A mute wearable then costs the radio 4 s in an hour, and forty of them 5 % of its time.
  package static let longestWait: Duration = .seconds(3600)
  /// One that was away for so long may be another one for all we know (a new battery, a new firmware): it is tried at
  /// once when it comes, with the strikes it has. No shorter absence ends a wait, or whoever switches its advertising
  /// off and on would have no waits.
  package static let renewal: Duration = .seconds(300)
  /// Strikes after which a restart of the hub finds it unproven: two minutes of tries.
  package static let forgotten = 6

  /// It was of use, in this life of the hub or an earlier one.
  package private(set) var hasProven = false
  /// Tries in a row that showed that it is there and brought nothing.
  package private(set) var strikes = 0
  private var restsUntil: Instant?

  package init() {}

  package var standing: Standing {
    if hasProven, strikes <= Self.forgiven { return .proven }
    return strikes == 0 ? .new : .doubtful
  }

  /// It brought a value, or finished a visit.
  package mutating func proved() {
    hasProven = true
    strikes = 0
    restsUntil = nil
  }

  /// It was of use in an earlier life of the hub.
  package mutating func remembered() { hasProven = true }

  /// A try showed that it is there and brought nothing. The wait doubles from two seconds to an hour.
  ///
  /// - Parameter isForeground: somebody waits for it: it does not wait, and stays what it is.
  package mutating func struck(at now: Instant, isForeground: Bool = false, random: inout any RandomNumberGenerator) {
    strikes = min(strikes + 1, 12)
    restsUntil = nil
    if standing != .doubtful || isForeground { return }
    let wait = min(.seconds(1 << strikes), Self.longestWait)
    restsUntil = now + wait + wait * Double.random(in: 0..<BackOff.jitter, using: &random)
  }

  /// It waits at least so long, whatever it is worth.
  package mutating func rests(until instant: Instant) { restsUntil = max(restsUntil ?? instant, instant) }

  /// When it may be tried; nil: at once.
  package func notBefore(_ now: Instant) -> Instant? { restsUntil.flatMap { $0 > now ? $0 : nil } }

  /// A person asks for it: the wait is over, what it is worth is as it was.
  package mutating func asked() { restsUntil = nil }

  /// Heard again after an absence.
  package mutating func seenAgain(after absence: Duration?) {
    if absence.map({ $0 >= Self.renewal }) ?? true { restsUntil = nil }
  }

  // MARK: Patience

  /// How much of the time that a good one has it gets: all, half, a third … of it.
  package func share(of limit: Duration, atLeast least: Duration) -> Duration {
    strikes == 0 ? limit : min(limit, max(least, limit / (strikes + 1)))
  }
}

extension TryFailure {
  /// Whether it speaks against the wearable that this try came to nothing.
  ///
  /// - Parameter before: tries in a row that came to nothing before. Connection events are missed, and people walk out
  ///   of range: the third time in a row is the wearable's.
  package func strikes(after before: Int) -> Bool {
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
