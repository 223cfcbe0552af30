// Which measurements one session makes, one after the other: the one that it was ordered for, and further ones as long
// as it stays open.

import EventLoop

/// Pure: who is told what is the session's business.
struct MeasurementTurns {
  /// Of the measurement that runs, or ran last.
  private(set) var seconds: Int
  /// The session stays open, ready, when a measurement is over.
  let stays: Bool
  /// Nothing more is started.
  private(set) var isDone = false
  /// A measurement of this session has results that are durable.
  private(set) var hasResults = false
  private var next: Int?
  /// Ready, with nothing ordered, since then.
  private var idleSince: Instant?

  /// A session holds its wearable's link, slot and profile: one that nobody uses for so long is ended.
  static let idle: Duration = .seconds(600)

  init(_ order: VitalsOrder) {
    seconds = order.seconds
    next = order.seconds
    stays = order.stays
  }

  /// The sensor is ready: seconds of the measurement that begins now; nil where none is ordered.
  mutating func begin() -> Int? {
    guard let seconds = next else { return nil }
    (next, idleSince) = (nil, nil)
    self.seconds = seconds
    return seconds
  }

  /// A further one, of a session that stays.
  mutating func order(_ seconds: Int) { next = seconds }

  /// Asked each second in which the session is ready and nothing is ordered.
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
