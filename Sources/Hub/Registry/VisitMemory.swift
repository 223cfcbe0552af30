// What the hub remembers of its visits to one wearable, for the choice of the next one and for people.

import Bluetooth
import EventLoop
import Health
import Reasons
import RingStore
import Wearable

/// The visiting side of one enrolled wearable. Lives as long as it is enrolled; what outlives the process is in the
/// visit log and in custody.
@LoopActor
final class VisitMemory {
  let book: CustodyBook
  var clock = ClockKeeper()
  /// It did not take the time that it was given last.
  var isClockStuck = false
  /// The visit that is running now.
  var running: (any RunningVisit)?
  /// What brings it the time over a link without a visit.
  weak var linkTime: (any ClockBringer)?
  /// Whether the last one was of everything; nil: it was of an earlier run.
  var wasOfAll: Bool?
  /// The last one that ended.
  var last: VisitRecord?
  /// When the wearable was last told to be looked at by a person, and until when.
  var watchedUntil: Instant?
  /// Something was asked of it: a fetch, an action, a live value that an operator sees.
  var lastAsked: Instant?

  /// When the wearable was started, as far as its uptime tells.
  var booted: WallTime?
  /// When the log was last written for a visit that brought nothing.
  var loggedAt: Instant?
  /// The last one that read the clock, where the log does not have it.
  var unlogged: VisitRecord?

  init(_ wearable: WearableID, _ store: Store) { book = CustodyBook(wearable, store) }

  /// When the oldest began that it holds and the store does not; never behind now.
  ///
  /// - Parameter leftOut: phases that visits leave out by order: what they would bring is not waited for.
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
