// A limit on how often something may be done: so many at once, so many in the long run.

package import EventLoop

/// `capacity` at once, then one in each `period`. Kept as the one moment at which the bucket is full again (the generic
/// cell rate algorithm
/// of ATM), so that nothing has to be topped up.
package struct TokenBucket: Equatable {
  package let capacity: Int
  package let period: Duration
  /// When the bucket is full again; in the past: it is full.
  private var fullAt = Instant(nanoseconds: .min)

  /// - Parameter capacity: 1 or more.
  package init(capacity: Int, period: Duration) {
    self.capacity = max(1, capacity)
    self.period = period
  }

  /// Takes one; false: there is none before `next(now)`, and nothing was taken.
  package mutating func take(_ now: Instant) -> Bool {
    if next(now) > now { return false }
    fullAt = max(fullAt, now) + period
    return true
  }

  /// What was taken last was no misuse.
  package mutating func giveBack() { if fullAt > Instant(nanoseconds: .min) + period { fullAt = fullAt - period } }

  /// When there is one to be taken: `now`, or later.
  package func next(_ now: Instant) -> Instant {
    if fullAt <= now { return now }
    return max(now, fullAt - period * (capacity - 1))
  }
}
