// Readings that a wearable keeps until they are confirmed: when each was measured, whether it came before, and when it
// may be confirmed.

import EventLoop
import Health
import Reasons
import RingStore
import Wearable

/// One value of a source whose wearable forgets what is confirmed, as its decoder told it.
struct KeptReading {
  /// More of them come than make sense.
  var isHasty = false
  var own: OwnTime?
  var mark: ReadingMark?
  var samples: [Sample] = []
  /// Its bytes, of one that its wearable waits for the confirmation of.
  var identity: UnsettledReading?
  /// Something could be made of it.
  var isReadable = true

  /// It has no mark, or may come again without the time that makes its mark.
  var needsSettling: Bool { mark == nil || own?.isBorrowed ?? false }
}

/// Those of one link.
///
/// A reading is confirmed when it is durable, in a store that outlives the power (`mayLetForget`). Where that fails the
/// link ends without a confirmation, and the wearable offers it again; one that was offered before is known by its
/// mark, and stored once.
///
/// One without a time stamp of its own has no mark that holds. It is *settled* once its wearable knows that it is here:
/// it indicated another one, answered something that was asked behind the confirmation, said that it keeps nothing
/// more, or hung up soon after it. One that is not settled when the link ends is remembered by its bytes. What comes
/// first of its characteristic over the next link is that one again if it has the same bytes; where it has others, the
/// wearable knew, and what was remembered is forgotten.
@LoopActor
final class KeptReadings {
  private let wearable: WearableID
  private let loop: any Loop
  private let store: Store
  private let state: LiveState
  /// Commits of now. A memory of thirty readings is given away at once; a thermometer that measures all day gets one a
  /// minute, 29 MB of the card a day.
  private var commits = TokenBucket(capacity: 32, period: .seconds(60))

  /// A commit that does not come by itself is made after so long.
  static let patience: Duration = .seconds(20)
  /// A wearable waits 30 s for a confirmation; the link is ended before.
  static let limit: Duration = .seconds(28)
  /// Who hangs up so soon behind a confirmation has heard it: the end of a link comes behind what was sent before. Some
  /// events of the link, and what a kernel is late. One that is still there then, and does not answer, hears nothing.
  static let farewell: Duration = .seconds(5)

  /// The reading without a time stamp that came last, until it is settled.
  private var unsettled: (identity: UnsettledReading, ticket: ReadingTicket, number: Int, confirmedAt: Instant?)?
  private var count = 0
  /// Characteristics of which something readable came over this link.
  private var heard: Set<ReadingMark> = []

  init(_ wearable: WearableID, loop: any Loop, store: Store, state: LiveState) {
    self.wearable = wearable
    self.loop = loop
    self.store = store
    self.state = state
  }

  /// - Parameter confirm: nil where nothing waits for it.
  func take(_ reading: KeptReading, _ intake: LiveIntake, confirm: (@LoopActor () -> Void)?) {
    // Nobody indicates anything before what was indicated last is confirmed.
    if confirm != nil { unsettled = nil }
    let left = left(of: reading)
    // It said nothing, or nothing that can be kept: offered again it would say the same.
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
    // It stays on its wearable, which offers it again.
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

  // MARK: Without a time stamp of its own

  private func begin(_ reading: KeptReading, _ ticket: ReadingTicket) {
    guard reading.needsSettling, let identity = reading.identity else { return }
    count += 1
    unsettled = (identity, ticket, count, nil)
  }

  /// What an earlier link left of the characteristic of this reading, if it is the first one of this link.
  private func left(of reading: KeptReading) -> (mark: ReadingMark, ticket: ReadingTicket)? {
    guard reading.isReadable, let kind = reading.identity?.kind, heard.insert(kind).inserted else { return nil }
    return store.takeUnsettled(kind, of: wearable)
  }

  private func confirmed(_ intake: LiveIntake) {
    guard let number = unsettled?.number else { return }
    let isSent = intake.events.asksWhetherHeard { [self] in if unsettled?.number == number { unsettled = nil } }
    if isSent { unsettled?.confirmedAt = loop.now }
  }

  /// It says that it keeps nothing more: what was confirmed was heard.
  func drained() { if unsettled?.confirmedAt != nil { unsettled = nil } }

  /// The link has ended.
  ///
  /// - Parameter isHungUp: by the wearable itself.
  func close(isHungUp: Bool) {
    guard let left = unsettled else { return }
    unsettled = nil
    if isHungUp, let confirmed = left.confirmedAt, loop.now - confirmed <= Self.farewell { return }
    store.leaveUnsettled(left.identity, left.ticket, of: wearable)
    // Where the disk refuses, it is known until the hub ends.
    loop.spawn { [store] in try? await store.keepReadings() }
  }

  // MARK: Confirming

  /// Confirms when it is durable.
  ///
  /// - Parameters:
  ///   - isStream: it was measured just now. Where such come faster than the card bears commits they are confirmed at
  ///     once, as a strap's values are: the wearable could not send the next one otherwise.
  ///   - spends: what was remembered of it is forgotten on disk before, or it might swallow the next one that is alike.
  private func confirmWhenDurable(
    _ ticket: ReadingTicket, isStream: Bool, spends: Bool = false, _ intake: LiveIntake,
    _ confirm: (@LoopActor () -> Void)?
  ) {
    guard let confirm else { return }
    let confirmNow: @LoopActor () -> Void = { [self] in
      // It would forget what may be gone with the power here.
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
  /// Recorded by the wearable, and dated by its clock.
  fileprivate var fetched: Sample {
    Sample(
      series, value,
      flags: SampleFlags(
        origin: .fetched, kind: flags.kind, isManual: flags.isManual, isLowQuality: flags.isLowQuality))
  }
}
