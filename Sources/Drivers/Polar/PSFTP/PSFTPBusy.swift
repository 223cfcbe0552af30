// The back-off after a wearable has answered that it is busy.

import EventLoop

/// Pauses between visits to a wearable that answers `SYSTEM_BUSY` (202): it trains, swims, or is in a mode without file
/// transfer.
///
/// Trainings last from minutes to hours, and the hub cannot know how long. The pauses grow from one minute to ten. A
/// training of an hour therefore costs eight visits, and its files are at most ten minutes late. A wearable that
/// reports the end of its training is visited at once.
struct PSFTPBusy: Sendable, Hashable {
  static let pauses: [Duration] = [.seconds(60), .seconds(120), .seconds(300), .seconds(600)]

  /// Consecutive visits in which the wearable was busy.
  private(set) var visits = 0
  private var isCounted = false

  /// Starts a visit. A visit counts once, however many of its requests were answered with 202.
  mutating func visitBegins() { isCounted = false }

  /// Counts this visit as busy.
  ///
  /// - Returns: the pause until the next visit.
  mutating func met() -> Duration {
    if !isCounted { visits += 1 }
    isCounted = true
    return Self.pauses[min(visits, Self.pauses.count) - 1]
  }

  /// Ends a visit. If no request was answered with 202, the back-off starts from the beginning.
  mutating func visitEnds() {
    if !isCounted { visits = 0 }
  }

  /// Resets the back-off: the wearable reported that it is free again.
  mutating func isOver() { visits = 0 }
}
