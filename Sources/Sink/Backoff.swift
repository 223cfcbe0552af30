// Exponential back-off with jitter.

struct Backoff: Sendable {
  let first: Duration
  let last: Duration
  private(set) var failures = 0

  init(first: Duration = .seconds(1), last: Duration = .seconds(30)) { (self.first, self.last) = (first, last) }

  mutating func succeeded() { failures = 0 }

  /// Draws a wait between half and all of the nominal wait, so that many sinks do not reconnect at once.
  mutating func next(_ random: Double = .random(in: 0..<1)) -> Duration {
    var wait = first
    for _ in 0..<min(failures, 16) where wait < last { wait += wait }
    failures += 1
    return min(wait, last) * (0.5 + random / 2)
  }
}
