// The measurements of one session, one after the other: the first one ordered, and further ones as long as the session
// stays open.

import EventLoop

/// Pure: the session notifies its callers.
struct MeasurementTurns {
  /// Length of the measurement that runs, or ran last.
  private(set) var seconds: Int
  /// The session stays open, ready, after a measurement.
  let stays: Bool
  /// True if no further measurement starts.
  private(set) var isDone = false
  /// A measurement of this session has durable results.
  private(set) var hasResults = false
  private var next: Int?
  /// Time since which the session has been ready without an order.
  private var idleSince: Instant?

  /// Limit of being unused. A session holds its wearable's link, slot and profile, so it ends after this time.
  static let idle: Duration = .seconds(600)

  init(_ order: VitalsOrder) {
    seconds = order.seconds
    next = order.seconds
    stays = order.stays
  }

  /// Begins a measurement when the sensor is ready. Returns its length in seconds; nil if no measurement is ordered.
  mutating func begin() -> Int? {
    guard let seconds = next else { return nil }
    (next, idleSince) = (nil, nil)
    self.seconds = seconds
    return seconds
  }

  /// Orders a further measurement, in a session that stays.
  mutating func order(_ seconds: Int) { next = seconds }

  /// Whether the session was unused for too long; called each second while it is ready without an order.
  mutating func isForgotten(at now: Instant) -> Bool {
    let since = idleSince ?? now
    idleSince = since
    return now - since >= Self.idle
  }

  mutating func ended(withResults: Bool) {
    if withResults { hasResults = true }
    if !stays { isDone = true }
  }
}
