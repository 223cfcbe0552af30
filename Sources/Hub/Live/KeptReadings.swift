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
}

/// Those of one link.
///
/// A reading is confirmed when it is durable. Where that fails the link ends without a confirmation, and the wearable
/// offers it again; one that was offered before is known by its mark, and stored once.
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

  init(_ wearable: WearableID, loop: any Loop, store: Store, state: LiveState) {
    self.wearable = wearable
    self.loop = loop
    self.store = store
    self.state = state
  }

  /// - Parameter confirm: nil where nothing waits for it.
  func take(_ reading: KeptReading, _ intake: LiveIntake, confirm: (@LoopActor () -> Void)?) {
    // It said nothing, or nothing that can be kept: offered again it would say the same.
    if reading.samples.isEmpty {
      confirm?()
      return
    }
    if let known = reading.mark.flatMap({ store.ticket(of: $0, wearable) }) {
      state.counters.offeredAgain += 1
      return settle(known, isStream: false, intake, confirm)
    }
    let (now, wall) = (loop.now, loop.wall)
    let times = intake.events.readingTimes() ?? ReadingTimes(now: wall)
    let told = times.told(reading.own)
    let measured = now - (wall - told.time)
    let samples = told.isOwn ? reading.samples.map { $0.fetched } : reading.samples
    guard
      let ticket = store.append(
        wearable, reading: samples, mark: reading.mark, at: measured, isSure: told.isSure)
    else { return intake.events.unstored() }
    state.counters.samples += UInt64(samples.count)
    intake.tell(samples, at: measured)
    settle(ticket, isStream: !told.isOwn && !reading.isHasty, intake, confirm)
  }

  /// Confirms when it is durable.
  ///
  /// - Parameter isStream: it was measured just now. Where such come faster than the card bears commits they are
  ///   confirmed at once, as a strap's values are: the wearable could not send the next one otherwise.
  private func settle(
    _ ticket: ReadingTicket, isStream: Bool, _ intake: LiveIntake, _ confirm: (@LoopActor () -> Void)?
  ) {
    guard let confirm else { return }
    if store.isDurable(ticket) { return confirm() }
    let isNow = commits.take(loop.now)
    if !isNow, isStream { return confirm() }
    let unstored = intake.events.unstored
    let limit = loop.schedule(after: Self.limit) { unstored() }
    loop.spawn { [loop, store] in
      let hurry = isNow ? nil : loop.schedule(after: Self.patience) { Self.commit(store, loop) }
      defer { for timer in [limit, hurry].compactMap({ $0 }) { loop.cancel(timer) } }
      do throws(HearthError) {
        try await store.durable(ticket, atOnce: isNow)
        confirm()
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
