// Readings that a wearable stores until they are confirmed: their time, whether they came before, and when they may be
// confirmed.

import EventLoop
import Health
import Reasons
import RingStore
import Wearable

/// A decoded value of a source that deletes confirmed values from the wearable's memory.
struct KeptReading {
  /// True if such values come faster than makes sense.
  var isHasty = false
  var own: OwnTime?
  var mark: ReadingMark?
  var samples: [Sample] = []
  /// Identity by bytes, for a reading that the wearable deletes after confirmation.
  var identity: UnsettledReading?
  /// The decoder could read it.
  var isReadable = true

  /// Whether the reading has no mark, or may come again without the time from which its mark is made.
  var needsSettling: Bool { mark == nil || own?.isBorrowed ?? false }
}

/// The readings of one link.
///
/// A reading is confirmed when it is durable, in a store that survives a power cut (`mayLetForget`). If that fails the
/// link ends without a confirmation, and the wearable offers the reading again. A reading that was offered before is
/// recognised by its mark, and stored once.
///
/// A reading without a time stamp of its own has no lasting mark, and is *settled* when its wearable knows that the hub
/// has it. That is so if the wearable did one of these:
/// - indicated another one;
/// - answered a request that was sent after the confirmation;
/// - reported that it has no more readings;
/// - hung up soon after it.
///
/// If the link ends before that, the hub remembers the reading by its bytes. The first reading of its characteristic
/// over the next link is the same one if it has the same bytes. With other bytes the wearable had known, and the hub
/// forgets what it remembered.
@LoopActor
final class KeptReadings {
  private let wearable: WearableID
  private let loop: any Loop
  private let store: Store
  private let state: LiveState
  /// Budget of immediate commits. A memory of thirty readings is committed at once. A thermometer that measures all day
  /// gets one commit a minute, 29 MB of the card a day.
  private var commits = TokenBucket(capacity: 32, period: .seconds(60))

  /// Wait for a regular commit, before one is forced.
  static let patience: Duration = .seconds(20)
  /// A wearable waits 30 s for a confirmation; the hub ends the link before.
  static let limit: Duration = .seconds(28)
  /// A wearable that hangs up so soon after a confirmation has received it, as the end of a link follows what was sent
  /// before. The time covers some events of the link and a late kernel. A wearable that is still linked then, and does
  /// not answer, has not received it.
  static let farewell: Duration = .seconds(5)

  /// The last reading without a time stamp, until it is settled.
  private var unsettled: (identity: UnsettledReading, ticket: ReadingTicket, number: Int, confirmedAt: Instant?)?
  private var count = 0
  /// Characteristics with a readable value over this link.
  private var heard: Set<ReadingMark> = []

  init(_ wearable: WearableID, loop: any Loop, store: Store, state: LiveState) {
    self.wearable = wearable
    self.loop = loop
    self.store = store
    self.state = state
  }

  /// - Parameter confirm: nil if no confirmation is expected.
  func take(_ reading: KeptReading, _ intake: LiveIntake, confirm: (@LoopActor () -> Void)?) {
    // A new indication comes only after the confirmation of the one before, which is settled by that.
    if confirm != nil { unsettled = nil }
    let left = left(of: reading)
    // A reading without usable samples is confirmed: a repetition would have the same content.
    if reading.samples.isEmpty {
      confirm?()
      return
    }
    if let known = reading.mark.flatMap({ store.ticket(of: $0, wearable) }) {
      state.counters.offeredAgain += 1
      return confirmWhenDurable(known, isStream: false, intake, confirm)
    }
    if reading.needsSettling, let left, left.mark == reading.identity?.mark {
      state.counters.offeredAgain += 1
      begin(reading, left.ticket)
      return confirmWhenDurable(left.ticket, isStream: false, spends: true, intake, confirm)
    }
    let (now, wall) = (loop.now, loop.wall)
    // The reading stays on its wearable, which offers it again.
    if state.budget.fullUntil(now) != nil {
      state.counters.overShare += 1
      return intake.events.unstored()
    }
    let size = reading.samples.reduce(0) { sum, _ in sum + SampleBudget.size(1, 0) }
    if state.budget.note(size, now: now) { intake.events.shareReached() }
    var times = intake.events.readingTimes() ?? ReadingTimes(now: wall)
    times.unread = state.unread
    let told = times.told(reading.own)
    if let age = times.ageUnread(reading.own), let shown = reading.own?.shown, state.unread.note(shown, age: age) {
      intake.events.unreadClock(state.unread.kept)
    }
    let measured = now - (wall - told.time)
    let samples = told.isOwn ? reading.samples.map { $0.fetched } : reading.samples
    guard
      let ticket = store.append(
        wearable, reading: samples, mark: reading.mark, at: measured, isSure: told.isSure)
    else { return intake.events.unstored() }
    state.counters.samples += UInt64(samples.count)
    intake.tell(samples, at: measured, isSure: told.isSure, isKnown: told.isKnown)
    begin(reading, ticket)
    confirmWhenDurable(ticket, isStream: !told.isOwn && !reading.isHasty, intake, confirm)
  }

  // MARK: Readings without a time stamp

  private func begin(_ reading: KeptReading, _ ticket: ReadingTicket) {
    guard reading.needsSettling, let identity = reading.identity else { return }
    count += 1
    unsettled = (identity, ticket, count, nil)
  }

  /// The unsettled reading that an earlier link left for this characteristic, if this is the first one of this link.
  private func left(of reading: KeptReading) -> (mark: ReadingMark, ticket: ReadingTicket)? {
    guard reading.isReadable, let kind = reading.identity?.kind, heard.insert(kind).inserted else { return nil }
    return store.takeUnsettled(kind, of: wearable)
  }

  private func confirmed(_ intake: LiveIntake) {
    guard let number = unsettled?.number else { return }
    let isSent = intake.events.asksWhetherHeard { [self] in if unsettled?.number == number { unsettled = nil } }
    if isSent { unsettled?.confirmedAt = loop.now }
  }

  /// Notes that the wearable has no more readings, so it received all confirmations.
  func drained() { if unsettled?.confirmedAt != nil { unsettled = nil } }

  /// Handles the end of the link.
  ///
  /// - Parameter isHungUp: whether the wearable ended it.
  func close(isHungUp: Bool) {
    guard let left = unsettled else { return }
    unsettled = nil
    if isHungUp, let confirmed = left.confirmedAt, loop.now - confirmed <= Self.farewell { return }
    store.leaveUnsettled(left.identity, left.ticket, of: wearable)
    // If the write fails, the reading is remembered until the hub ends.
    loop.spawn { [store] in try? await store.keepReadings() }
  }

  // MARK: Confirming

  /// Confirms a reading when it is durable.
  ///
  /// - Parameters:
  ///   - isStream: the reading was measured just now. If such readings come faster than the card bears commits, they
  ///     are confirmed at once, like a strap's values. Otherwise the wearable could not send the next one.
  ///   - spends: first deletes from disk what was remembered of it, as that could swallow a later, equal reading.
  private func confirmWhenDurable(
    _ ticket: ReadingTicket, isStream: Bool, spends: Bool = false, _ intake: LiveIntake,
    _ confirm: (@LoopActor () -> Void)?
  ) {
    guard let confirm else { return }
    let confirmNow: @LoopActor () -> Void = { [self] in
      // The wearable would delete a reading that a power cut here may take.
      guard store.mayLetForget() else { return intake.events.unstored() }
      confirm()
      confirmed(intake)
    }
    if !spends, store.isDurable(ticket) { return confirmNow() }
    let isNow = spends || commits.take(loop.now)
    if !isNow, isStream { return confirmNow() }
    let unstored = intake.events.unstored
    let limit = loop.schedule(after: Self.limit) { unstored() }
    loop.spawn { [loop, store] in
      let hurry = isNow ? nil : loop.schedule(after: Self.patience) { Self.commit(store, loop) }
      defer { for timer in [limit, hurry].compactMap({ $0 }) { loop.cancel(timer) } }
      do throws(HearthError) {
        try await store.durable(ticket, atOnce: isNow)
        if spends { try await store.keepReadings() }
        confirmNow()
      } catch { unstored() }
    }
  }

  private static func commit(_ store: Store, _ loop: any Loop) { loop.spawn { try? await store.flush() } }
}

extension Sample {
  /// The same sample as recorded by the wearable, and dated by its clock.
  fileprivate var fetched: Sample {
    Sample(
      series, value,
      flags: SampleFlags(
        origin: .fetched, kind: flags.kind, isManual: flags.isManual, isLowQuality: flags.isLowQuality))
  }
}
