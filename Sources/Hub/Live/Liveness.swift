// Whether a value is current, and whether a link is live: the one place that decides, for lights, documents and
// snapshots alike.

import EventLoop
import Wearable

enum Liveness {
  /// A value that is older is never shown as one of now.
  static let valueAge: Duration = .seconds(5)
  /// Of a series whose values lie further apart (pulse intervals make some sensors tell a rate every 5 s): so many of
  /// its periods.
  static let periods = 3
  /// A period is what two values that follow each other show; of one that is longer nobody would say "now".
  static let longestPeriod: Duration = .seconds(10)
  /// A link over which nothing came for so long is up, and not live.
  static let linkSilence: Duration = .seconds(30)
  /// A waveform says itself how long its next block takes to fill; slow ones make a link live for at most so long.
  static let longestPromise: Duration = .seconds(600)

  /// Until when a link is live over which something came at `time`; `span` is what one such value covers.
  static func promise(_ time: Instant, span: Duration = .zero) -> Instant {
    time + max(linkSilence, min(span, longestPromise) * periods)
  }
}

/// The newest value of a series, and how far apart its values come.
struct LatestValue {
  private(set) var value: Int
  private(set) var at: Instant
  /// Of the two times from value to value before this the shorter: one value that was late does not make the next one
  /// seem current for longer.
  private var last: Duration?
  private var period: Duration = .zero

  init(_ value: Int, at: Instant) {
    self.value = value
    self.at = at
  }

  mutating func came(_ value: Int, at now: Instant) {
    // Values of one notification.
    if now > at {
      let passed = now - at
      period = min(last ?? .zero, passed)
      last = passed
    }
    (self.value, at) = (value, now)
  }

  func isCurrent(_ now: Instant) -> Bool {
    now - at <= max(Liveness.valueAge, min(period, Liveness.longestPeriod) * Liveness.periods)
  }
}
