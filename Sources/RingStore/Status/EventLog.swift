// Events that wait for the disk, and their writing.

internal import EventLoop
internal import Reasons
internal import StateCodec

/// Records that are written together with events.
@LoopActor
protocol EventCompanion: AnyObject {
  /// Whether marks of readings have changed.
  var hasChangedReadings: Bool { get }
  /// Takes the marks that may be written now.
  func takeChangedReadings() -> [StateRecord<HubStates>]
  /// The taken marks did not reach the disk.
  func putBackReadings(of wearables: [WearableID])
}

@LoopActor
final class EventLog {
  /// Time that an event waits for a commit of samples before it is written alone. On a busy hub that does not happen;
  /// on a quiet one such a write costs 25 KB of flash.
  private static let patience: Duration = .seconds(60)

  private let disk: StoreDisk
  /// Held while the registry is changed or events are written.
  let turn: Turn
  private var queue: EventQueue
  private var timer: LoopTimer?
  /// Number of events since start, by reason.
  private(set) var counts: [UInt16: UInt64] = [:]
  weak var companion: (any EventCompanion)?

  init(_ disk: StoreDisk, _ queue: EventQueue, turn: Turn) {
    self.disk = disk
    self.queue = queue
    self.turn = turn
  }

  /// Events that wait for a commit, the oldest first.
  var waiting: [StoreEvent] { queue.waiting }
  /// Events since start that were dropped because the disk refused writes.
  var dropped: UInt64 { queue.dropped }
  /// Whether no record waits.
  var isEmpty: Bool { queue.isEmpty }
  /// The mark of this run, while it waits.
  var run: RunMark? { queue.run }

  /// See `Store.noteEvent`.
  func note(
    _ reason: Reason, at time: WallTime? = nil, wearable: WearableID? = nil, text: String, span: EventSpan = EventSpan()
  ) {
    counts[reason.rawValue, default: 0] += 1
    queue.add(time: time ?? disk.loop.wall, reason: reason.rawValue, wearable: wearable, text: text, span: span)
    arm()
  }

  /// Queues the mark of this run for the next commit.
  func note(_ run: RunMark) { queue.run = run }

  /// Queues the record of a clock for the next commit.
  func note(_ clock: BootClock) {
    queue.clock = clock
    arm()
  }

  /// Takes all that waits, for the commit about to begin. After a failure the commit puts it back.
  func take() -> EventBatch { queue.take() }

  func putBack(_ batch: EventBatch) {
    queue.putBack(batch)
    companion?.putBackReadings(of: batch.readings.map(\.wearable))
  }

  /// Schedules a write of the waiting records within a minute.
  func arm() {
    if timer != nil || disk.isClosing { return }
    timer = disk.loop.schedule(after: Self.patience) { [weak self] in
      guard let self else { return }
      self.timer = nil
      if self.queue.isEmpty, !self.hasChangedReadings { return }
      self.disk.loop.spawn {
        // Commits of samples report failures; here a failure only means another minute.
        do { try await self.write() } catch { self.arm() }
      }
    }
  }

  func end() { if let timer { disk.loop.cancel(timer) } }

  private var hasChangedReadings: Bool { companion?.hasChangedReadings ?? false }

  /// Makes waiting events durable that no commit of samples has taken.
  func write() async throws(HearthError) {
    await turn.take()
    defer { turn.give() }
    // `Store.close` writes them itself.
    if !disk.isClosing { try await put() }
  }

  /// Writes the waiting events. The caller has the turn.
  func put() async throws(HearthError) {
    if queue.isEmpty, !hasChangedReadings { return }
    let limit = disk.limits.events
    var batch = EventBatch()
    do {
      let writer = try await disk.openWriter()
      // Taken here, immediately before the disk gets it: a commit that is begun later comes behind it.
      batch = take()
      batch.readings = companion?.takeChangedReadings() ?? []
      if hasChangedReadings { arm() }
      if batch.isEmpty { return }
      let ready = batch
      let outcome = try await disk.perform {
        try writer.change(pages: ready.pages) { transaction throws(DatabaseFailure) in
          try Events.put(transaction, ready, limit: limit)
        }.outcome
      }
      disk.note(outcome)
    } catch {
      putBack(batch)
      throw await disk.explain(error)
    }
  }
}
