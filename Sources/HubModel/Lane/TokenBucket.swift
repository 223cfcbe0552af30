// A limit of rate: so many at once, and so many in the long run.

package import EventLoop

/// A token bucket: `capacity` at once, then one in each `period`. Stored as the one moment at which the bucket is full
/// again (the generic cell rate algorithm of ATM), so no timer refills it.
package struct TokenBucket: Equatable {
  package let capacity: Int
  package let period: Duration
  /// Time when the bucket is full again; in the past: it is full.
  private var fullAt = Instant(nanoseconds: .min)

  /// - Parameter capacity: 1 or more.
  package init(capacity: Int, period: Duration) {
    self.capacity = max(1, capacity)
    self.period = period
  }

  /// Takes a token; false: there is no token before `next(now)`, and the bucket is unchanged.
  package mutating func take(_ now: Instant) -> Bool {
    if next(now) > now { return false }
    fullAt = max(fullAt, now) + period
    return true
  }

  /// Gives the last token back, as its use was no misuse.
  package mutating func giveBack() { if fullAt > Instant(nanoseconds: .min) + period { fullAt = fullAt - period } }

  /// Time of the next token: `now`, or later.
  package func next(_ now: Instant) -> Instant {
    if fullAt <= now { return now }
    return max(now, fullAt - period * (capacity - 1))
  }
}
