// Whether a value is current, and whether a link is live. The only such rule, for LEDs, documents and snapshots alike.

import EventLoop
import Wearable

enum Liveness {
  /// An older value is never shown as a current one.
  static let valueAge: Duration = .seconds(5)
  /// Number of periods, for a series of longer periods, for which a value is current. Some sensors send a rate every 5
  /// s, because of long pulse intervals.
  static let periods = 3
  /// Limit of a period, which is measured between two successive values: an older value would not count as "now".
  static let longestPeriod: Duration = .seconds(10)
  /// A link without values for this long is up, but not live.
  static let linkSilence: Duration = .seconds(30)
  /// Limit for slow waveforms. A waveform's block shows how long the next one takes, and that long the link stays live.
  static let longestPromise: Duration = .seconds(600)

  /// End of the time in which a link with a value at `time` is live; `span` is the length that such a value covers.
  static func promise(_ time: Instant, span: Duration = .zero) -> Instant {
    time + max(linkSilence, min(span, longestPromise) * periods)
  }
}

/// The newest value of a series, and the period of its values.
struct LatestValue {
  private(set) var value: Int
  private(set) var at: Instant
  /// The shorter of the last two periods, so that one late value does not make the next one seem current for longer.
  private var last: Duration?
  private var period: Duration = .zero

  init(_ value: Int, at: Instant) {
    self.value = value
    self.at = at
  }

  mutating func came(_ value: Int, at now: Instant) {
    // Further values of the same notification do not count.
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
