// Receivers of live values, and events of the live path besides samples.

import EventLoop
import Health
import RingStore
import Wearable

/// Receivers of live values besides the journal.
@LoopActor
final class LiveListeners {
  typealias Listener = (id: Int, wearable: WearableID?, handler: @LoopActor (LiveValue) -> Void)

  private(set) var all: [Listener] = []
  private var next = 1

  func add(_ wearable: WearableID?, _ handler: @escaping @LoopActor (LiveValue) -> Void) -> Int {
    defer { next += 1 }
    all.append((next, wearable, handler))
    return next
  }

  func remove(_ id: Int) { all.removeAll { $0.id == id } }
}

/// Callbacks of the live path for a link, besides the samples. Rare, so they may call the hub.
struct LiveEvents {
  /// A value that could not be decoded; it is counted already.
  var malformed: @LoopActor (LiveSource, DecodeError) -> Void = { _, _ in }
  /// A value was left out, or taken although it was odd, for a reason that is new for this wearable.
  var odd: @LoopActor (String) -> Void = { _ in }
  /// A source exceeded its rate for too long.
  var flood: @LoopActor () -> Void = {}
  /// The wearable's share of the store is used up for this day; called once a day.
  var shareReached: @LoopActor () -> Void = {}
  /// The wearable holds new data.
  var announced: @LoopActor () -> Void = {}
  /// The wearable has no more data for this link.
  var drained: @LoopActor () -> Void = {}
  /// Values come again over a link after a long silence.
  var returned: @LoopActor () -> Void = {}
  /// Percent.
  var battery: @LoopActor (Int) -> Void = { _ in }
  var learned: @LoopActor (WearableFact) -> Void = { _ in }
  var asked: @LoopActor (LiveWrite) -> Void = { _ in }
  /// Values stayed beyond a limit, or are within it again.
  var alerted: @LoopActor ([AlertSign]) -> Void = { _ in }
  /// A stored value; called only while there are listeners.
  var heard: @LoopActor (LiveItem) -> Void = { _ in }
  /// The rule that dates a reading with its own time.
  var readingTimes: @LoopActor () -> ReadingTimes? = { nil }
  /// State of a clock that cannot be read, to be stored; nil: delete it.
  var unreadClock: @LoopActor (AgreedClock?) -> Void = { _ in }
  /// Sends a request, and calls back when the wearable has answered: then it has received what was sent before. False:
  /// the link has ended, and no request was sent.
  var asksWhetherHeard: @LoopActor (_ isHeard: @escaping @LoopActor () -> Void) -> Bool = { _ in true }
  /// A reading that waits for its confirmation could not be made durable in time.
  var unstored: @LoopActor () -> Void = {}
}

/// A live item as stored in the journal: of any layout, with the time of its measurement.
struct LiveItem {
  let series: Series
  var flags = SampleFlags.live
  let values: [Int64]
  let bytes: [UInt8]
  let time: Instant
}
