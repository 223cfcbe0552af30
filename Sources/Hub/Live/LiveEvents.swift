// Who is told of live values, and what of them is told besides the samples.

import EventLoop
import Health
import RingStore
import Wearable

/// Who wants to see live values besides the journal.
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

/// What a link wants to hear of its values, beside the samples. Rare, and therefore free to ask the hub.
struct LiveEvents {
  /// A value that could not be decoded; it is counted already.
  var malformed: @LoopActor (LiveSource, DecodeError) -> Void = { _, _ in }
  /// Something was left out, or taken although it was odd, for a reason that this wearable did not give before.
  var odd: @LoopActor (String) -> Void = { _ in }
  /// One source has brought more than makes sense for too long.
  var flood: @LoopActor () -> Void = {}
  /// Its share of the store is used up for this day; told once a day.
  var shareReached: @LoopActor () -> Void = {}
  /// The wearable holds something new.
  var announced: @LoopActor () -> Void = {}
  /// It has nothing more to tell over this link.
  var drained: @LoopActor () -> Void = {}
  /// Something comes again over a link over which nothing came for long.
  var returned: @LoopActor () -> Void = {}
  /// Percent.
  var battery: @LoopActor (Int) -> Void = { _ in }
  var learned: @LoopActor (WearableFact) -> Void = { _ in }
  var asked: @LoopActor (LiveWrite) -> Void = { _ in }
  /// Values stayed beyond a limit, or are back inside.
  var alerted: @LoopActor ([AlertSign]) -> Void = { _ in }
  /// What was kept, while somebody listens.
  var heard: @LoopActor (LiveItem) -> Void = { _ in }
  /// By what a reading that tells its own time is dated.
  var readingTimes: @LoopActor () -> ReadingTimes? = { nil }
  /// What is to be remembered of a clock that cannot be read; nil: nothing any more.
  var unreadClock: @LoopActor (AgreedClock?) -> Void = { _ in }
  /// Calls back when the wearable has answered a question that is asked now: it has heard what was sent before. False:
  /// the link has ended, and nothing was sent.
  var asksWhetherHeard: @LoopActor (_ isHeard: @escaping @LoopActor () -> Void) -> Bool = { _ in true }
  /// A reading that its wearable waits for the confirmation of could not be made durable in time.
  var unstored: @LoopActor () -> Void = {}
}

/// One live item as the journal has it: of any layout, with the time at which it was measured.
struct LiveItem {
  let series: Series
  var flags = SampleFlags.live
  let values: [Int64]
  let bytes: [UInt8]
  let time: Instant
}
