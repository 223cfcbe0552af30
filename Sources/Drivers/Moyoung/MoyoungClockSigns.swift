// Evidence of the clock in the rates of a band: it was set ahead by another program, or received a move.

import Bands
import EventLoop
import Wearable

extension MoyoungClockNote {
  /// Marks times as unsure until a moment, because another program had set the clock.
  @LoopActor
  static func noteDoubt(until seconds: Int64, _ link: any WearableLink) throws(VisitTrouble) {
    guard var note = link.remembered(Self.self), seconds > note.since else { return }
    // Zones differ by 26 hours at most; times beyond that are never stored.
    note.since = min(seconds, BandClock.local(link) / 1_000_000 + 26 * 3600)
    try link.remember(note)
  }
}

extension MoyoungClock {
  // MARK: Set ahead

  /// Reads the rates before the clock is set: rates of the future show that another program set it ahead. Once the hub
  /// has set the clock, those times come within minutes. A hub that ends before reading the rates would never see it.
  func lookAhead() async throws(VisitTrouble) {
    let day = MoyoungTime.dayNumber(shown)
    let isSameDay = { [self] in !MoyoungTime.isNearMidnight(shown) && MoyoungTime.dayNumber(shown) == day }
    guard isSameDay() else { return }
    let quarter = UInt8(clamping: MoyoungTime.secondOfDay(shown) / MoyoungRates.quarter)
    let answers = try await client.rates(Array(quarter...3), while: isSameDay)
    _ = try noteAhead(ReadRates(answers, today: day))
  }

  /// - Returns: whether the clock was ahead by more than was known.
  func noteAhead(_ rates: ReadRates) throws(VisitTrouble) -> Bool {
    let (shown, overlap) = (shown, overlap)
    // The band may still be measuring at the place before that.
    let next = MoyoungOverlap.place(shown) + MoyoungRates.step
    let last = rates.last { second in
      if second <= shown + MoyoungTime.tolerance { return false }
      // Rates that this hub's own move set back are old ones.
      return overlap.map { !($0.isKnown && $0.has(second)) } ?? true
    }
    guard let last else { return false }
    link.note("its clock was ahead: it has heart rates of a time that has not come")
    let until = last + MoyoungRates.step
    try MoyoungClockNote.noteDoubt(until: until + MoyoungTime.step, link)
    // Rates stay until the clock shows their times: a rate that differs then is a new one. An overlap that is over may
    // not be fully read, so it continues.
    let before = overlap.flatMap { $0.until > shown - MoyoungTime.day && $0.from <= next ? $0 : nil }
    if let before, before.until >= until { return false }
    let isSeen = before.map { $0.until > shown && $0.seen != nil } ?? false
    let further =
      if let before {
        before.reaching(until, next: next, isKnown: false, seen: isSeen ? nil : shown) {
          $0 >= next ? rates[$0] : nil
        }
      } else {
        MoyoungOverlap(from: next, until: until, isKnown: false, seen: shown, after: overlap) { rates[$0] }
      }
    guard let further else { return false }
    try link.remember(further)
    return true
  }

  // MARK: Incomplete moves

  /// Determines from newer measurements whether the band received a move that the hub did not complete.
  ///
  /// - Returns: the rates that were read for that, by the clock without the move.
  func settleMove() async throws(VisitTrouble) -> ReadRates {
    guard var before = note, before.isMoving, let move = link.remembered(MoyoungMove.self) else { return ReadRates() }
    let shown = { [link] in before.shows(link.hubTime) / 1_000_000 }
    // Near midnight of either clock the day of an answer is unknown.
    let isCertain = { !MoyoungTime.isNearMidnight(shown()) && !MoyoungTime.isNearMidnight(shown() + move.by) }
    let answers = isCertain() ? try await client.rates(while: isCertain) : []
    guard let wasHeard = move.wasHeard(shown: shown(), answers) else {
      link.note("a hub ended as it moved its clock, and it is unknown whether the band heard that")
      return ReadRates(answers, today: MoyoungTime.dayNumber(shown()))
    }
    if wasHeard { before = before.heard(move) } else { before.isMoving = false }
    try link.remember(before)
    if wasHeard { forgetMove() } else { link.forget(MoyoungMove.self) }
    return ReadRates()
  }

  /// Stores an overlap: the clock may have shown a time until now, and continues from an earlier one.
  ///
  /// - Parameter rates: current rates, by the clock that shows that time.
  func keepOverlap(until: Int64, _ rates: ReadRates) throws(VisitTrouble) {
    let from = BandClock.local(link) / 1_000_000
    guard from < until else { return }
    let (end, last) = (until + Self.hearing, overlap)
    let further =
      if let last, last.from <= from, last.until > from {
        last.reaching(end, isKnown: last.isKnown) { rates[$0] }
      } else { MoyoungOverlap(from: from, until: end, isKnown: true, after: last) { rates[$0] } }
    if let further { try link.remember(further) }
  }
}
