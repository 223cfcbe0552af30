// The reading of a wearable's clock is durable before the hub moves the clock. A hub that is killed after the write can
// still date what was recorded before.

import Health
import Reasons
import RingStore
import Wearable

extension EnrolledWearable {
  /// Makes durable what its clock shows, and the states of its driver.
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
  /// Notes the result of a check for a clock that cannot be read, or proved not to be a clock.
  ///
  /// - Parameter visit: number of the visit.
  /// - Returns: whether the record has changed.
  func noteUnreadClock(_ session: any WearableSession, _ visit: UInt64) -> Bool {
    guard let clocked = session.clocked else { return false }
    if let given = clocked.timeGiven { live.unread.wasSet(given) }
    let verdict = clocked.clockVerdict
    // A visit that did not read the clock changes no verdict.
    if verdict == .isClock, visits.clock.of(visit) != nil { visits.clock.takeBack() }
    guard verdict != .isClock, visits.clock.hasReadings else { return false }
    // Readings of unknown meaning date no samples. The log keeps them as long as they may still be a clock's, and the
    // next hub has them again until its own check.
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
      // The record names the visit's number, which must not be reused.
      isEventful = true
      hub.registry.persistIfEnrolled(wearable)
    }
  }

  /// Notes the clock as a check found and set it.
  func note(_ clock: DeviceClock) {
    // After a check that failed before it read the clock, the session reports what an earlier visit over its link saw.
    let earlier = wearable.visits.clock.readings.filter { $0.visit != record.number }
    if earlier.contains(where: { $0.opened == clock.evidence }) { return }
    let wasKept = record.opened != nil
    record.opened = clock.evidence
    record.closed = clock.afterwards
    wearable.visits.clock.opened(record.number, clock.evidence, afterSetting: clock.afterwards, wasSet: clock.wasSet)
    wearable.visits.isClockStuck = wasKept && !clock.wasSet
  }

  /// Writes the visit as it is, with the first reading of the clock, or with a further one before the clock is moved
  /// again.
  func keepClock(_ shown: ClockEvidence) async throws(HearthError) {
    if record.opened == nil {
      record.opened = shown
      wearable.visits.clock.opened(record.number, shown, afterSetting: nil, wasSet: false)
      // The log has a reading of this clock, and a write for each visit would cost a page of the card each time.
      if wearable.visits.isClockStuck, !wearable.visits.clock.beganEra(at: record.number) { return }
    } else {
      record.closed = shown
      wearable.visits.clock.closed(record.number, shown)
    }
    // The log has the start of this visit, so it needs the end, too.
    isEventful = true
    try await store.putVisit(record)
  }
}

extension VisitMemory {
  /// Adds a reading to the last visit, between two visits.
  fileprivate func keepClock(_ shown: ClockEvidence, _ store: Store) async throws(HearthError) {
    guard var visit = last, visit.opened != nil else { return }
    visit.closed = shown
    clock.closed(visit.number, shown)
    last = visit
    if unlogged?.number == visit.number { unlogged = nil }
    try await store.putVisit(visit)
  }
}
