// Limit of tries in which a wearable that is on for seconds goes before all others without a reading.

/// The priority of short presence is earned by readings and lost without them.
///
/// A cuff is on for seconds after a measurement, so it is linked before all others and may take the slot of a stream. A
/// device that only claims to be a cuff could keep the radio for itself, and hold a strap off for any time.
package struct ShortPresenceCredit: Equatable {
  /// Tries before the first reading: one, and one more, as a link in ten fails because of the air.
  private static let first = 2
  /// Tries after a reading: four in a row fail once in ten thousand.
  private static let earned = 4

  private var left = Self.first
  /// The wearable gave a reading. Before that it yields to wearables that stream.
  package private(set) var isEarned = false
  /// A try is under way, and keeps the priority of its start.
  private var isTrying = false

  package init() {}

  /// Whether it goes before others now.
  package var isGood: Bool { left > 0 || isTrying }

  /// Counts the start of an attempt.
  package mutating func began() {
    isTrying = true
    left = max(left - 1, 0)
  }

  /// Notes an attempt without a link, or the end of its link.
  package mutating func ended(withReading hasReading: Bool) {
    isTrying = false
    if hasReading { gaveReading() }
  }

  /// Notes that a reading was fetched, or is known from an earlier run of the hub.
  package mutating func gaveReading() { (left, isEarned) = (Self.earned, true) }

  /// Gives one more try, as the radio or the wearable was away for minutes, and earlier failures no longer count.
  package mutating func renew() { left = max(left, 1) }
}
