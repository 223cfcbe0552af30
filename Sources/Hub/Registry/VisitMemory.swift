// The hub's memory of visits to one wearable, for the choice of the next one and for people.

import Bluetooth
import EventLoop
import Health
import Reasons
import RingStore
import Wearable

/// State of visits to one enrolled wearable. Lives as long as it is enrolled; the visit log and custody outlive the
/// process.
@LoopActor
final class VisitMemory {
  let book: CustodyBook
  var clock = ClockKeeper()
  /// The wearable did not take the time that it was given last.
  var isClockStuck = false
  /// The visit that is running now.
  var running: (any RunningVisit)?
  /// Sets its time over a link without a visit.
  weak var linkTime: (any ClockBringer)?
  /// Whether the last visit was for everything; nil: it was in an earlier run.
  var wasOfAll: Bool?
  /// The last visit that ended.
  var last: VisitRecord?
  /// End of the time in which an operator looks at the wearable.
  var watchedUntil: Instant?
  /// Time of the last request: a fetch, an action, a live value that an operator sees.
  var lastAsked: Instant?

  /// Time when the wearable was started, as far as its uptime shows.
  var booted: WallTime?
  /// Time of the last log entry for a visit without data.
  var loggedAt: Instant?
  /// The last visit that read the clock, if the log does not have it.
  var unlogged: VisitRecord?

  init(_ wearable: WearableID, _ store: Store) { book = CustodyBook(wearable, store) }

  /// Start of the oldest item that it holds and the store does not; never after now.
  ///
  /// - Parameter leftOut: phases that visits leave out by order, which do not count.
  func oldestUnfetched(now: WallTime, leftOut: [String]) -> WallTime? {
    guard let begins = book.oldestMissing(but: leftOut) else { return nil }
    return min(
      WallTime(microseconds: clock.readings.last.flatMap { ClockCorrection($0.last).hubTime(of: begins) } ?? begins),
      now)
  }
}

extension WallTime {
  static func - (a: WallTime, b: Duration) -> WallTime {
    WallTime(microseconds: a.microseconds &- b.wholeNanoseconds / 1000)
  }
}
