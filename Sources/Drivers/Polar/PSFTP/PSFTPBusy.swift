// How long a wearable that is busy is left alone.

import EventLoop

/// The pauses between visits to a wearable that answers `SYSTEM_BUSY` (202): it trains, swims, or is not in the mode in
/// which it serves files.
///
/// Trainings last from minutes to hours, and nobody knows which: the first look comes after a minute, the later ones
/// ever later, so that one of an hour costs eight visits and its files are at most ten minutes late. One that says when
/// its training ended is visited then.
struct PSFTPBusy: Sendable, Hashable {
  static let pauses: [Duration] = [.seconds(60), .seconds(120), .seconds(300), .seconds(600)]

  /// Visits in a row that met it busy.
  private(set) var visits = 0
  private var isCounted = false

  /// A visit counts once, however often it is answered so.
  mutating func visitBegins() { isCounted = false }

  /// It was busy in this visit.
  ///
  /// - Returns: when to come again.
  mutating func met() -> Duration {
    if !isCounted { visits += 1 }
    isCounted = true
    return Self.pauses[min(visits, Self.pauses.count) - 1]
  }

  /// One that was busy in no request is not busy any more.
  mutating func visitEnds() {
    if !isCounted { visits = 0 }
  }

  /// It said so itself.
  mutating func isOver() { visits = 0 }
}
