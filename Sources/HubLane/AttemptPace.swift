// The pace of attempts: storms are held off, and a controller that was full a moment ago is left alone.

package import EventLoop
package import HubModel

/// How fast attempts may follow each other.
package struct AttemptPace {
  /// No visit begins before this: the controller was full a moment ago.
  package var restsUntil = Instant(nanoseconds: .min)
  /// Holds off storms of connect attempts: of those who were of use, and of all others, who so cannot use up what those
  /// need.
  private var provenBucket = BackOff.hubBucket
  private var bucket = BackOff.hubBucket
  /// Of the jitter of retries.
  private var random: any RandomNumberGenerator

  package init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// While the kernel connects a wearable that does not answer, 3 s at most, it scans for no other. Attempts one after
  /// the other at thirty of those left it 0.2 s of each 3.2 s: what was new, or came back, was not heard for minutes.
  /// After each it scans for as long.
  private static let listening: Duration = .seconds(3)
  /// No attempt at a wearable that was mute begins before this.
  private var listensUntil = Instant(nanoseconds: .min)

  /// When the next attempt may begin, as it stands at one moment.
  package struct Next {
    package var proven: Instant
    package var new: Instant
    package var doubtful: Instant
    /// No turn begins before this.
    package var restsUntil: Instant

    package subscript(standing: Reputation.Standing) -> Instant {
      switch standing {
      case .proven: proven
      case .new: new
      case .doubtful: doubtful
      }
    }
  }

  package func next(_ now: Instant) -> Next {
    let next = bucket.next(now)
    return Next(
      proven: provenBucket.next(now), new: next, doubtful: max(next, listensUntil), restsUntil: restsUntil)
  }

  package mutating func attemptBegan(_ now: Instant, _ standing: Reputation.Standing) {
    if standing == .proven { _ = provenBucket.take(now) } else { _ = bucket.take(now) }
  }

  /// A try of a wearable was of no use.
  ///
  /// - Returns: what follows.
  package mutating func failed(
    _ retry: inout BackOff, _ failure: TryFailure, _ now: Instant, isForeground: Bool, squatted: Int
  ) -> FailurePolicy {
    retry.failed(failure, at: now, isForeground: isForeground, squatted: squatted, random: &random)
  }

  /// An attempt kept the radio from scanning and made no link.
  package mutating func listens(from now: Instant) { listensUntil = now + Self.listening }

  /// It speaks against it.
  package mutating func struck(_ trust: inout Reputation, _ now: Instant, isForeground: Bool) {
    trust.struck(at: now, isForeground: isForeground, random: &random)
  }
}
