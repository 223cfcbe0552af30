// The pace of attempts: limits storms, and pauses after the controller was full.

package import EventLoop
package import HubModel

/// Pace at which attempts may follow each other.
package struct AttemptPace {
  /// Time before which no visit begins, as the controller was full a moment ago.
  package var restsUntil = Instant(nanoseconds: .min)
  /// Limits storms of connect attempts: one bucket for proven wearables, and one for all others. So the others cannot
  /// use up the tokens of the proven ones.
  private var provenBucket = BackOff.hubBucket
  private var bucket = BackOff.hubBucket
  /// Source of the jitter of retries.
  private var random: any RandomNumberGenerator

  package init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// Pause after an attempt without an answer. While the kernel connects such a wearable, 3 s at most, it scans for no
  /// other. Successive attempts with thirty of those left it 0.2 s of each 3.2 s, and a new or returning wearable was
  /// not heard for minutes. After each attempt it scans for as long.
  private static let listening: Duration = .seconds(3)
  /// Time before which no attempt with an unresponsive wearable begins.
  private var listensUntil = Instant(nanoseconds: .min)

  /// Times of the next attempts, as they are at one moment.
  package struct NextAttempts {
    package var proven: Instant
    package var new: Instant
    package var doubtful: Instant
    /// Time before which no turn begins.
    package var restsUntil: Instant

    package subscript(reputation: Reputation.Grade) -> Instant {
      switch reputation {
      case .proven: proven
      case .new: new
      case .doubtful: doubtful
      }
    }
  }

  package func next(_ now: Instant) -> NextAttempts {
    let next = bucket.next(now)
    return NextAttempts(
      proven: provenBucket.next(now), new: next, doubtful: max(next, listensUntil), restsUntil: restsUntil)
  }

  package mutating func attemptBegan(_ now: Instant, _ reputation: Reputation.Grade) {
    if reputation == .proven { _ = provenBucket.take(now) } else { _ = bucket.take(now) }
  }

  /// Notes a failed try of a wearable.
  ///
  /// - Returns: the consequence.
  package mutating func failed(
    _ retry: inout BackOff, _ failure: TryFailure, _ now: Instant, isForeground: Bool, squatted: Int
  ) -> FailurePolicy {
    retry.failed(failure, at: now, isForeground: isForeground, squatted: squatted, random: &random)
  }

  /// Notes an attempt that kept the radio from scanning and made no link.
  package mutating func listens(from now: Instant) { listensUntil = now + Self.listening }

  /// Counts a failed try against the reputation of a wearable.
  package mutating func noteFailedTry(_ reputation: inout Reputation, _ now: Instant, isForeground: Bool) {
    reputation.tryFailed(at: now, isForeground: isForeground, random: &random)
  }
}
