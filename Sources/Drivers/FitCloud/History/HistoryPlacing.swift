// When the items of one transfer were measured: in which era of the band's clock each lies.
//
// A band tells what it recorded in the order in which it recorded it. So each item lies in the first era that can have
// shown its time and is not before the item ahead of it. Whatever is appended later changes nothing of that: what comes
// twice has one time, and is stored once.

import Bluetooth
import Health

struct HistoryPlacing: Sendable {
  /// Oldest first; the last one is in force. Never empty.
  let eras: [ClockEra]
  /// µs of the hub's clock: the items that follow were recorded later, and by the clock of that era at the earliest.
  private var since = (time: Int64.min, era: 0)
  /// The same, but that something of before the first setting may come late.
  private var likely = (time: Int64.min, era: 0)
  /// µs after which something is recorded at the latest: the stages of a night come with its end.
  private let recordedAfter: Int64
  /// µs: when the transfer came; nil: the hub does not know the time.
  let fetched: Int64?
  let kind: HistoryKind
  /// Where the last item that was placed lies.
  var last: Int64 { newest.time }
  private var newest = (time: Int64.min, era: -1, shown: Int64.min)
  /// Items with a value so far.
  private var count = 0
  private var bounds: [Bound] = []
  private var nights: [Night] = []
  /// How far earlier transfers reached into this one.
  private var floors: [Floor] = []

  /// Items behind so many were recorded later than that, in this era or a later one.
  private struct Floor: Sendable {
    let count: Int
    let era: Int
    let time: Int64
    let isFirm: Bool
  }

  /// Items up to one of which only one era can have shown the time are not later than that.
  private struct Bound: Sendable {
    let count: Int
    let time: Int64
  }

  /// Stages without a gap, of which some can have been shown in one era only: all were, as a clock that is set back
  /// tells a time twice and one that is set forward leaves some out.
  private struct Night: Sendable {
    var counts: ClosedRange<Int>
    var era: Int?
  }

  struct Place: Sendable, Hashable {
    /// µs of the hub's clock.
    let time: Int64
    var isSure: Bool
    /// Which era can have shown it; nil: none. Then the time is by the era in force.
    let era: Int?
    /// Another era can have shown it as well.
    var isAmbiguous = false
  }

  static let minute: Int64 = 60_000_000
  /// A year, µs: a band keeps days or weeks, and a clock that lost its time counts from 2000.
  static let kept: Int64 = 366 * 86_400_000_000
  /// A day, µs: no night is longer.
  private static let night: Int64 = 86_400_000_000
  /// µs by which a clock may be off where nobody set it: what may be ahead without being refused, and a minute, in
  /// which records are told.
  static let slack: Int64 = 180_000_000
  /// µs by which a clock that was worked out from the records of one kind may be off: it is taken to show a round
  /// time, up to a quarter of an hour beyond what they say.
  static let guess: Int64 = 900_000_000 + slack
  /// µs after which a band has written down what it measured: half an hour, its longest slot.
  private static let writing: Int64 = 1_800_000_000
  /// µs by which a sample may be later than the moment at which it was fetched: two minutes.
  static let future: Int64 = 120_000_000

  /// - Parameters:
  ///   - fetched: µs; nil: the hub does not know the time.
  ///   - bytes: of the transfer, head and records, in which the ends of earlier ones are looked for; nil: it has none.
  init(_ eras: ClockEras, _ kind: HistoryKind, code: UInt8, fetched: Int64?, in bytes: RawBytes? = nil) {
    let unknown = ClockEra(from: .min, until: .max, ahead: 0, isSure: false)
    self.eras = eras.all.isEmpty ? [unknown] : eras.all
    self.fetched = fetched
    self.kind = kind
    recordedAfter = kind.content == .sleep ? Self.night : 0
    let reaches = eras.reaches(of: code)
    let tails = reaches.compactMap { reach in reach.reach.tail.map { (digest: $0, isFirst: reach.isFirst) } }
    var ends = bytes.map { HistoryTail.places(tails, in: $0, kind)[...] } ?? []
    floors = reaches.compactMap { era, reach, isFirm, isFirst in
      let count = reach.tail == nil ? 0 : ends.popFirst() ?? nil
      return count.map { Floor(count: $0, era: era, time: reach.at, isFirm: isFirm && isFirst) }
    }
    floors.sort { ($0.count, $0.era) < ($1.count, $1.era) }
    // What an earlier transfer had was recorded before that.
    known = floors.last?.count ?? 0
    bounds = floors.filter { $0.count > 0 }.map { Bound(count: $0.count, time: $0.time) }
    // One clock shows a minute once: the minute of what the band has forgotten is of another. A slot may be told anew.
    if !isOfSpans, let forgotten = eras.forgotten(code) { (newest.era, newest.shown) = forgotten }
    passFloors()
  }

  /// Behind the items that were placed so far.
  private mutating func passFloors() {
    while let floor = floors.first, floor.count <= count {
      floors.removeFirst()
      likely = (max(likely.time, floor.time), max(likely.era, floor.era))
      if floor.isFirm { since = (max(since.time, floor.time), max(since.era, floor.era)) }
    }
  }

  /// The item that was placed last was in an earlier transfer.
  var isKnown: Bool { count <= known }
  private var known = 0

  /// µs of the hub's clock: what follows was recorded later.
  var earliest: Int64 { max(since.time, likely.time) }

  /// µs: nothing was measured later.
  var latest: Int64 { fetched?.saturatingAdd(Self.future) ?? .max }

  var inForce: ClockEra { eras[eras.count - 1] }

  /// Items have a length, from one to the next; else each is of one minute.
  var isOfSpans: Bool { kind.content == .steps || kind.content == .sleep }

  func width(_ item: HistoryCursor.Item) -> Int64 {
    isOfSpans ? item.length : Self.minute
  }

  /// By the era in force.
  func given(_ item: HistoryCursor.Item) -> Int64 { item.time.saturatingAdd(-inForce.ahead) }

  /// It says that it is yet to come.
  func isAhead(_ item: HistoryCursor.Item) -> Bool { given(item) > latest }

  /// It is of a moment that is about to come.
  func isEarly(_ place: Place) -> Bool {
    guard let fetched, place.era != nil else { return false }
    return place.time > fetched
  }

  mutating func place(_ item: HistoryCursor.Item) -> Place {
    count += 1
    defer { passFloors() }
    while let first = bounds.first, first.count < count { bounds.removeFirst() }
    let bound = bounds.first?.time.saturatingAdd(Self.slack) ?? .max
    if let first = nights.first, first.counts.upperBound < count { nights.removeFirst() }
    let night = nights.first.flatMap { $0.counts.contains(count) ? $0.era : nil }
    let place = best(item, before: bound, night, mayRepeat: false) ?? best(item, before: bound, night, mayRepeat: true)
    guard let place, let era = place.era else {
      let time = unexplained(item)
      if !isAhead(item) { newest.time = max(last, time) }
      return Place(time: time, isSure: false, era: nil)
    }
    newest = (max(last, place.time), era, item.time)
    return place
  }

  /// What no era explains was recorded behind what is ahead of it all the same: a millisecond, so that no two have one
  /// time.
  private func unexplained(_ item: HistoryCursor.Item) -> Int64 {
    isAhead(item) ? given(item) : min(latest, max(given(item), last.saturatingAdd(1000), earliest))
  }

  /// The first era that can have shown it.
  ///
  /// - Parameter mayRepeat: the clock of the item ahead of it may have shown the same minute once more. It does so
  ///   where it was set back a little, and no other explains it.
  private func best(_ item: HistoryCursor.Item, before bound: Int64, _ night: Int?, mayRepeat: Bool) -> Place? {
    var best: Place?
    var (bestRank, isAmbiguous, isDoubtful) = (Int.max, false, false)
    for (number, era) in eras.enumerated() {
      let time = item.time.saturatingAdd(-era.ahead)
      // What a clock that lost its time dated is not of before the first setting.
      if era.isOfBefore, era.until != .max, time < era.until.saturatingAdd(-Self.kept) { continue }
      // A night is recorded at its end: it may begin before its clock was set so.
      let end = time.saturatingAdd(width(item)).saturatingAdd(Self.slack)
        .saturatingAdd(number == night ? recordedAfter : 0)
      let isPlain = fits(time, end, in: era, Self.slack, behind: Self.slack)
      guard isPlain || fits(time, end, in: era, era.isGuess ? Self.guess : Self.slack, behind: leeway(number)),
        mayRepeat || !isClockOfNewest(era) || item.time > newest.shown,
        end.saturatingAdd(recordedAfter) > since.time,
        number >= since.era || wentOn(item, time, in: era, since: since.time)
      else { continue }
      let isLate =
        end.saturatingAdd(recordedAfter) <= likely.time
        || number < likely.era && !wentOn(item, time, in: era, since: likely.time)
      // Late comes what was recorded before this hub set the clock first. What it dated does by minutes, in one record.
      if era.isSure, number != night, end.saturatingAdd(recordedAfter).saturatingAdd(Self.writing) <= likely.time {
        continue
      }
      // What went on while the clock was set is rarer than what began behind that, and what comes late is rarer still.
      // The same clock, but for what it was worked out by, explains what no other does.
      let rank = !isPlain ? 3 : number == night ? -1 : isLate ? 2 : number < likely.era ? 1 : 0
      if rank < 3, bestRank >= 3 { (isAmbiguous, isDoubtful) = (false, false) }
      if let best, best.time != time, rank == bestRank || rank < 3 && bestRank < 3 {
        if (rank == 2) != (bestRank == 2) {
          isDoubtful = true
        } else if max(best.time, time) <= bound {
          isAmbiguous = true
        }
      }
      if best.map({ (rank, time) < (bestRank, $0.time) }) ?? true {
        let told = era.isGuess ? min(time, era.until) : time
        best = Place(time: told, isSure: isSure(number, time), era: number)
        bestRank = rank
      }
    }
    // Two eras can have shown it: nobody can say which one did.
    best?.isAmbiguous = isAmbiguous
    if isAmbiguous || isDoubtful { best?.isSure = false }
    return best
  }

  /// An era can have shown a time (µs of the hub's clock), so many µs beyond its ends and ahead of the last item.
  private func fits(_ time: Int64, _ end: Int64, in era: ClockEra, _ slack: Int64, behind leeway: Int64) -> Bool {
    let more = slack - Self.slack
    return time < era.until.saturatingAdd(slack) && end.saturatingAdd(more) > era.from
      && time <= latest.saturatingAdd(more) && time.saturatingAdd(leeway) >= last
  }

  /// It showed what the clock of the item ahead did.
  private func isClockOfNewest(_ era: ClockEra) -> Bool { newest.era >= 0 && eras[newest.era].ahead == era.ahead }

  /// µs by which an item of an era may be ahead of the one before it in the transfer: as much as either clock is
  /// uncertain, if they are two.
  private func leeway(_ number: Int) -> Int64 {
    guard newest.era >= 0, newest.era != number else { return Self.slack }
    return eras[number].isGuess || eras[newest.era].isGuess ? Self.guess : Self.slack
  }

  /// What an earlier transfer did not have was recorded by a later clock, but what has a length may have begun before.
  private func wentOn(_ item: HistoryCursor.Item, _ time: Int64, in era: ClockEra, since earliest: Int64) -> Bool {
    let recorded = time.saturatingAdd(width(item)).saturatingAdd(recordedAfter)
    return isOfSpans && time < era.until && recorded.saturatingAdd(Self.minute) > earliest
  }

  /// The last item of a transfer that has a value and a sure time: what it showed, and that time, µs.
  func newestSure(_ bytes: RawBytes) -> (shown: Int64, time: Int64)? {
    guard var cursor = HistoryReading(kind).cursor(bytes) else { return nil }
    var (placing, newest) = (self, nil as (shown: Int64, time: Int64)?)
    while let item = cursor.nextSound(bytes) {
      if kind.isNone(item) { continue }
      let place = placing.place(item)
      if place.isSure { newest = (item.time, place.time) }
    }
    return newest
  }

  /// With what the items of a transfer say of those ahead: what was recorded before something else is not later.
  /// Once more, and what that says of those ahead is known as well.
  func resolved(_ bytes: RawBytes, _ kind: HistoryKind) -> HistoryPlacing {
    guard eras.count > 1, var cursor = HistoryReading(kind).cursor(bytes) else { return self }
    var (all, placing, isOpen) = (self, self, false)
    all.nights = []
    var (night, next): (Night?, Int64) = (nil, .min)
    while let item = cursor.nextSound(bytes), all.bounds.count < Self.mostBounds {
      if kind.isNone(item) { continue }
      let place = placing.place(item)
      if place.era != nil, !place.isAmbiguous {
        if isOpen { all.bounds.append(Bound(count: placing.count, time: place.time)) }
        isOpen = false
      } else if place.isAmbiguous {
        isOpen = true
      }
      guard kind.content == .sleep else { continue }
      if let known = night, item.time == next {
        night?.counts = known.counts.lowerBound...placing.count
      } else {
        all.note(night)
        night = Night(counts: placing.count...placing.count)
      }
      if let era = place.era, !place.isAmbiguous, night?.era.map({ !eras[$0].isSure && eras[era].isSure }) ?? true {
        night?.era = era
      }
      next = item.time.saturatingAdd(width(item))
    }
    all.note(night)
    all.bounds.sort { $0.count < $1.count }
    return all
  }

  private mutating func note(_ night: Night?) {
    if let night, night.era != nil, nights.count < Self.mostBounds { nights.append(night) }
  }

  /// Stretches of times that two eras can have shown: each setting of the clock makes one.
  private static let mostBounds = 64

  /// Right after an era of which nobody knows the clock something may still be by that.
  private func isSure(_ number: Int, _ time: Int64) -> Bool {
    guard eras[number].isSure else { return false }
    return number == 0 || eras[number - 1].isSure || time >= eras[number].from.saturatingAdd(Self.slack)
  }
}
