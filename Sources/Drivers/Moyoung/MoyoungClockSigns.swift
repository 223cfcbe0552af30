// What the rates of a band say of its clock, which cannot be read: others set it ahead, or a move was heard.

import Bands
import EventLoop
import Wearable

extension MoyoungClockNote {
  /// Somebody else had set the clock: when it measured what it dates before a time cannot be told.
  @LoopActor
  static func noteDoubt(until seconds: Int64, _ link: any WearableLink) throws(VisitTrouble) {
    guard var note = link.remembered(Self.self), seconds > note.since else { return }
    // No zone is further from another than 26 hours: what lies beyond is never stored.
    note.since = min(seconds, BandClock.local(link) / 1_000_000 + 26 * 3600)
    try link.remember(note)
  }
}

extension MoyoungClock {
  // MARK: Set ahead

  /// Rates of a time to come say that somebody set the clock ahead. Once the hub has set it, that time comes within
  /// minutes, and a hub that ends before it has read the rates never sees that. So they are looked at first.
  func lookAhead() async throws(VisitTrouble) {
    let day = MoyoungTime.dayNumber(shown)
    let isSameDay = { [self] in !MoyoungTime.isNearMidnight(shown) && MoyoungTime.dayNumber(shown) == day }
    guard isSameDay() else { return }
    let quarter = UInt8(clamping: MoyoungTime.secondOfDay(shown) / MoyoungRates.quarter)
    let answers = try await client.rates(Array(quarter...3), while: isSameDay)
    _ = try noteAhead(ReadRates(answers, today: day))
  }

  /// - Returns: it was ahead by more than was known.
  func noteAhead(_ rates: ReadRates) throws(VisitTrouble) -> Bool {
    let (shown, overlap) = (shown, overlap)
    // The band may be at work on the place before that.
    let next = MoyoungOverlap.place(shown) + MoyoungRates.step
    let last = rates.last { second in
      if second <= shown + MoyoungTime.tolerance { return false }
      // What this hub put back is of before.
      return overlap.map { !($0.isKnown && $0.has(second)) } ?? true
    }
    guard let last else { return false }
    link.note("its clock was ahead: it has heart rates of a time that has not come")
    let until = last + MoyoungRates.step
    try MoyoungClockNote.noteDoubt(until: until + MoyoungTime.step, link)
    // They stay until the clock shows their times: what is there then is of then where it is another.
    // Of one that is over not all may have been looked at since: it goes on.
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

  // MARK: A move that was not seen through

  /// Looks whether the band heard a move during which the hub ended: what it measured since says so.
  ///
  /// - Returns: the rates that were read for it, by the clock as it is if the band did not hear it.
  func settleMove() async throws(VisitTrouble) -> ReadRates {
    guard var before = note, before.isMoving, let move = link.remembered(MoyoungMove.self) else { return ReadRates() }
    let shown = { [link] in before.shows(link.hubTime) / 1_000_000 }
    // Near midnight of either of the two clocks nobody knows which day an answer is of.
    let isCertain = { !MoyoungTime.isNearMidnight(shown()) && !MoyoungTime.isNearMidnight(shown() + move.by) }
    let answers = isCertain() ? try await client.rates(while: isCertain) : []
    guard let wasHeard = move.wasHeard(shown: shown(), answers) else {
      link.note("a hub ended as it moved its clock, and nothing tells whether the band heard that")
      return ReadRates(answers, today: MoyoungTime.dayNumber(shown()))
    }
    if wasHeard { before = before.heard(move) } else { before.isMoving = false }
    try link.remember(before)
    if wasHeard { forgetMove() } else { link.forget(MoyoungMove.self) }
    return ReadRates()
  }

  /// The clock may have shown a time until now, and goes on further back.
  ///
  /// - Parameter rates: as they are now, by the clock that shows that time.
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
