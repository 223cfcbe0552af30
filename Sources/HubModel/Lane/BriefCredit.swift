// How often a wearable that is there for seconds goes before all others without giving a reading.

/// The priority of brief presence is earned by readings and lost without them.
///
/// A cuff is on for seconds after a measurement, so it is linked before all others and may take the slot of a stream.
/// One that only says that it is a cuff would so keep the radio for itself, and hold a strap off for as long as it
/// likes.
package struct BriefCredit: Equatable {
  /// Of one that never gave a reading: one try, and one more, as a link in ten fails by the air's fault.
  private static let first = 2
  /// Of one that gave one: four tries in a row fail so once in ten thousand.
  private static let earned = 4

  private var left = Self.first
  /// It gave a reading: before that it is at work for nobody, and gives way to who streams.
  package private(set) var isEarned = false
  /// A try is under way, and keeps what it began with.
  private var isTrying = false

  package init() {}

  /// It goes before others now.
  package var isGood: Bool { left > 0 || isTrying }

  /// An attempt of it begins.
  package mutating func began() {
    isTrying = true
    left = max(left - 1, 0)
  }

  /// The attempt came to no link, or its link ended.
  package mutating func ended(withReading hasReading: Bool) {
    isTrying = false
    if hasReading { gaveReading() }
  }

  /// A reading of it was fetched, or is known from an earlier life of the hub.
  package mutating func gaveReading() { (left, isEarned) = (Self.earned, true) }

  /// Its failed tries no longer speak against it: the radio was away, or it was, for minutes. One more try.
  package mutating func renew() { left = max(left, 1) }
}
