// Events that wait for the disk, and their way there.

internal import EventLoop
internal import Reasons
internal import StateCodec

/// What travels to the disk with events, besides them.
@LoopActor
protocol EventCompanion: AnyObject {
  /// What is known of readings has changed.
  var hasChangedReadings: Bool { get }
  /// What may be written of them now.
  func takeChangedReadings() -> [StateRecord<HubStates>]
  /// What was taken did not reach the disk.
  func putBackReadings(of wearables: [WearableID])
}

@LoopActor
final class EventLog {
  /// How long an event waits for a commit of samples to take it along before it is written alone: on a busy hub none
  /// ever is, on a quiet one a write of its own costs 25 KB of flash.
  private static let patience: Duration = .seconds(60)

  private let disk: StoreDisk
  /// Whoever changes the registry, or writes events, has it.
  let turn: Turn
  private var queue: EventQueue
  private var timer: LoopTimer?
  /// Since start, by reason.
  private(set) var counts: [UInt16: UInt64] = [:]
  weak var companion: (any EventCompanion)?

  init(_ disk: StoreDisk, _ queue: EventQueue, turn: Turn) {
    self.disk = disk
    self.queue = queue
    self.turn = turn
  }

  /// Those that wait for a commit, the oldest first.
  var waiting: [StoreEvent] { queue.waiting }
  /// Since start: events that were dropped because the disk did not take them.
  var dropped: UInt64 { queue.dropped }
  /// Nothing waits.
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

  /// The mark waits for the next commit.
  func note(_ run: RunMark) { queue.run = run }

  /// So does what is known of a clock.
  func note(_ clock: BootClock) {
    queue.clock = clock
    arm()
  }

  /// All that waits, for the commit that is about to begin. It puts it back if it fails.
  func take() -> EventBatch { queue.take() }

  func putBack(_ batch: EventBatch) {
    queue.putBack(batch)
    companion?.putBackReadings(of: batch.readings.map(\.wearable))
  }

  /// Sees to it that what waits is written in a minute.
  func arm() {
    if timer != nil || disk.isClosing { return }
    timer = disk.loop.schedule(after: Self.patience) { [weak self] in
      guard let self else { return }
      self.timer = nil
      if self.queue.isEmpty, !self.hasChangedReadings { return }
      self.disk.loop.spawn {
        // Trouble is the commits' to report; here it only means another minute.
        do { try await self.write() } catch { self.arm() }
      }
    }
  }

  func end() { if let timer { disk.loop.cancel(timer) } }

  private var hasChangedReadings: Bool { companion?.hasChangedReadings ?? false }

  /// Makes the events that wait durable, if no commit of samples took them along.
  func write() async throws(HearthError) {
    await turn.take()
    defer { turn.give() }
    // `Store.close` writes them itself.
    if !disk.isClosing { try await put() }
  }

  /// The caller has the turn.
  func put() async throws(HearthError) {
    if queue.isEmpty, !hasChangedReadings { return }
    let limit = disk.limits.events
    var batch = EventBatch()
    do {
      let writer = try await disk.openWriter()
      // Here, where the next thing is to give it to the disk: a commit that is begun later comes behind it.
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
