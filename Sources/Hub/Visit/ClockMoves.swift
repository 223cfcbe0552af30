// What a wearable's clock showed is durable before the hub moves it: a hub that is killed after the write knows by it
// what was recorded before.

import Health
import Reasons
import RingStore
import Wearable

extension EnrolledWearable {
  /// Makes durable what its clock shows, and what its driver remembers of it.
  func keepClock(_ shown: ClockEvidence, _ store: Store) async throws(HearthError) {
    await recordTurn.take()
    defer { recordTurn.give() }
    try await store.update(record)
    if let running = visits.running {
      try await running.keepClock(shown)
    } else if let linkTime = visits.linkTime {
      try await linkTime.keep(shown)
    } else {
      try await visits.keepClock(shown, store)
    }
  }
}

extension EnrolledWearable {
  /// What a check found out of a clock that cannot be read, or is none.
  ///
  /// - Parameter visit: number of the visit.
  /// - Returns: the record has changed.
  func noteUnreadClock(_ session: any WearableSession, _ visit: UInt64) -> Bool {
    guard let clocked = session.clocked else { return false }
    if let given = clocked.timeGiven { live.unread.wasSet(given) }
    let verdict = clocked.clockVerdict
    // A visit that did not read it decides nothing.
    if verdict == .isClock, visits.clock.of(visit) != nil { visits.clock.takeBack() }
    guard verdict != .isClock, visits.clock.hasReadings else { return false }
    // No time rests on readings of unknown meaning. The log keeps them as long as they may yet be a clock's, and the
    // next hub has them again until its own look.
    visits.clock.disown(isForGood: verdict == .isNone)
    guard verdict == .isNone else { return false }
    visits.unlogged = nil
    remember(DisownedClock(upTo: visit))
    return true
  }
}

extension VisitRunner {
  func noteUnread() {
    if wearable.noteUnreadClock(session, record.number) {
      // Its number is named, and is not given again.
      isEventful = true
      hub.registry.persistIfEnrolled(wearable)
    }
  }

  /// What a check found out, and set.
  func note(_ clock: DeviceClock) {
    // A check that failed before it came to the clock: the session tells what an earlier visit over its link saw.
    let earlier = wearable.visits.clock.readings.filter { $0.visit != record.number }
    if earlier.contains(where: { $0.opened == clock.evidence }) { return }
    let wasKept = record.opened != nil
    record.opened = clock.evidence
    record.closed = clock.afterwards
    wearable.visits.clock.opened(record.number, clock.evidence, afterSetting: clock.afterwards, wasSet: clock.wasSet)
    wearable.visits.isClockStuck = wasKept && !clock.wasSet
  }

  /// Writes the visit as it stands: one that reads its wearable's clock first, or once more before that is moved again.
  func keepClock(_ shown: ClockEvidence) async throws(HearthError) {
    if record.opened == nil {
      record.opened = shown
      wearable.visits.clock.opened(record.number, shown, afterSetting: nil, wasSet: false)
      // The log has a reading of this clock, and a write for each visit would be a page of the card each time.
      if wearable.visits.isClockStuck, !wearable.visits.clock.beganEra(at: record.number) { return }
    } else {
      record.closed = shown
      wearable.visits.clock.closed(record.number, shown)
    }
    // The log has it: it needs its end, too.
    isEventful = true
    try await store.putVisit(record)
  }
}

extension VisitMemory {
  /// Between two visits: the last one has one more reading.
  fileprivate func keepClock(_ shown: ClockEvidence, _ store: Store) async throws(HearthError) {
    guard var visit = last, visit.opened != nil else { return }
    visit.closed = shown
    clock.closed(visit.number, shown)
    last = visit
    if unlogged?.number == visit.number { unlogged = nil }
    try await store.putVisit(visit)
  }
}
