// What holds the lane back as a whole: storms of attempts, and a controller that was full a moment ago.

import EventLoop

/// How fast the lane may go on.
struct LanePace {
  /// No visit begins before this: the controller was full a moment ago.
  var restsUntil = Instant(nanoseconds: .min)
  /// Holds off storms of connect attempts: of those who were of use, and of all others, who so cannot use up what those
  /// need.
  private var provenBucket = Reconnection.hubBucket
  private var bucket = Reconnection.hubBucket
  /// Of the jitter of retries.
  private var random: any RandomNumberGenerator

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// While the kernel connects a wearable that does not answer, 3 s at most, it scans for no other. Attempts one after
  /// the other at thirty of those left it 0.2 s of each 3.2 s: what was new, or came back, was not heard for minutes.
  /// After each it scans for as long.
  private static let listening: Duration = .seconds(3)
  /// No attempt at a wearable that was mute begins before this.
  private var listensUntil = Instant(nanoseconds: .min)

  /// When the next attempt may be.
  func nextAttempt(_ now: Instant, _ standing: Trust.Standing) -> Instant {
    if standing == .proven { return provenBucket.next(now) }
    return standing == .doubtful ? max(bucket.next(now), listensUntil) : bucket.next(now)
  }

  mutating func attemptBegan(_ now: Instant, _ standing: Trust.Standing) {
    if standing == .proven { _ = provenBucket.take(now) } else { _ = bucket.take(now) }
  }

  /// A try of a wearable was of no use.
  ///
  /// - Returns: what follows.
  mutating func failed(
    _ retry: inout Reconnection, _ failure: TryFailure, _ now: Instant, isForeground: Bool, squatted: Int
  ) -> FailurePolicy {
    retry.failed(failure, at: now, isForeground: isForeground, squatted: squatted, random: &random)
  }

  /// An attempt kept the radio from scanning and made no link.
  mutating func listens(from now: Instant) { listensUntil = now + Self.listening }

  /// It speaks against it.
  mutating func struck(_ trust: inout Trust, _ now: Instant, isForeground: Bool) {
    trust.struck(at: now, isForeground: isForeground, random: &random)
  }
}
