// Placing of the items of one transfer: the era of the band's clock in which each was measured.
//
// A band sends its records in the order of recording. Each item belongs to the first era that can have shown its time
// and is not before the preceding item. Later records do not change that, so an item that comes twice keeps its time
// and is stored once.

import Bluetooth
import Health

struct HistoryPlacing: Sendable {
  /// Eras, oldest first; the last one is in force. Never empty.
  let eras: [ClockEra]
  /// The following items were recorded later than this time (µs of the hub's clock), and in this era at the earliest.
  private var since = (time: Int64.min, era: 0)
  /// The same, except that records from before the first setting may come late.
  private var likely = (time: Int64.min, era: 0)
  /// Longest delay from an item to its recording, µs: the stages of a night come with its end.
  private let recordedAfter: Int64
  /// Time of the transfer, µs; nil: the hub does not know the time.
  let fetched: Int64?
  let kind: HistoryKind
  /// Time of the last placed item.
  var last: Int64 { newest.time }
  private var newest = (time: Int64.min, era: -1, shown: Int64.min)
  /// Items with a value so far.
  private var count = 0
  private var bounds: [Bound] = []
  private var nights: [Night] = []
  /// Ends of earlier transfers within this one.
  private var floors: [Floor] = []

  /// Items after this count were recorded later than this time, in this era or a later one.
  private struct Floor: Sendable {
    let count: Int
    let era: Int
    let time: Int64
    let isFirm: Bool
  }

  /// Items up to this count are not later than this time, since only one era can have shown the last of them.
  private struct Bound: Sendable {
    let count: Int
    let time: Int64
  }

  /// Stages without a gap. If some fit one era only, all belong to it. A clock that is set back shows a time twice; one
  /// that is set forward leaves a gap.
  private struct Night: Sendable {
    var counts: ClosedRange<Int>
    var era: Int?
  }

  struct Place: Sendable, Hashable {
    /// µs of the hub's clock.
    let time: Int64
    var isSure: Bool
    /// Era that can have shown the item; nil: unexplained. The time is then by the era in force.
    let era: Int?
    /// Another era can have shown the item, too.
    var isAmbiguous = false
  }

  static let minute: Int64 = 60_000_000
  /// A year, µs: a band keeps days or weeks, and a clock that lost its time counts from 2000.
  static let kept: Int64 = 366 * 86_400_000_000
  /// A day, µs: no night is longer.
  private static let night: Int64 = 86_400_000_000
  /// Possible error of a clock, µs: the time ahead that is accepted (`future`), and a minute of the transfer itself.
  static let slack: Int64 = 180_000_000
  /// Possible error of a clock derived from the records of one kind, µs. Such a clock is assumed to show a round time,
  /// up to a quarter of an hour more than they imply.
  static let guess: Int64 = 900_000_000 + slack
  /// Longest delay until a band has stored a measured value, µs: half an hour, its longest slot.
  private static let writing: Int64 = 1_800_000_000
  /// Time by which a sample may be later than its fetch, µs: two minutes.
  static let future: Int64 = 120_000_000

  /// - Parameters:
  ///   - fetched: µs; nil: the hub does not know the time.
  ///   - bytes: head and records of the transfer, searched for the ends of earlier ones; nil: not available.
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
    // Records of an earlier transfer were made before it.
    known = floors.last?.count ?? 0
    bounds = floors.filter { $0.count > 0 }.map { Bound(count: $0.count, time: $0.time) }
    // A clock shows each minute once, so an item in the minute of the newest erased item is of another era. Slots may
    // repeat.
    if !isOfSpans, let forgotten = eras.forgotten(code) { (newest.era, newest.shown) = forgotten }
    passFloors()
  }

  /// Passes the ends of earlier transfers before the next item.
  private mutating func passFloors() {
    while let floor = floors.first, floor.count <= count {
      floors.removeFirst()
      likely = (max(likely.time, floor.time), max(likely.era, floor.era))
      if floor.isFirm { since = (max(since.time, floor.time), max(since.era, floor.era)) }
    }
  }

  /// Whether the item that was placed last was in an earlier transfer.
  var isKnown: Bool { count <= known }
  private var known = 0

  /// The following items were recorded later than this, µs of the hub's clock.
  var earliest: Int64 { max(since.time, likely.time) }

  /// The latest possible time of a measurement, µs.
  var latest: Int64 { fetched?.saturatingAdd(Self.future) ?? .max }

  var inForce: ClockEra { eras[eras.count - 1] }

  /// Whether items have a length, from one to the next. Otherwise each has one minute.
  var isOfSpans: Bool { kind.content == .steps || kind.content == .sleep }

  func width(_ item: HistoryCursor.Item) -> Int64 {
    isOfSpans ? item.length : Self.minute
  }

  /// Time of an item by the era in force.
  func given(_ item: HistoryCursor.Item) -> Int64 { item.time.saturatingAdd(-inForce.ahead) }

  /// Whether that time is in the future.
  func isAhead(_ item: HistoryCursor.Item) -> Bool { given(item) > latest }

  /// Whether an item is of the next moments, after the fetch.
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

  /// Time of an item that no era explains: a millisecond after its predecessor, so that no two have the same time.
  private func unexplained(_ item: HistoryCursor.Item) -> Int64 {
    isAhead(item) ? given(item) : min(latest, max(given(item), last.saturatingAdd(1000), earliest))
  }

  /// First era that can have shown an item.
  ///
  /// - Parameter mayRepeat: the predecessor's clock may have shown this minute again, because it was set back a little.
  ///   This is the last resort.
  private func best(_ item: HistoryCursor.Item, before bound: Int64, _ night: Int?, mayRepeat: Bool) -> Place? {
    var best: Place?
    var (bestRank, isAmbiguous, isDoubtful) = (Int.max, false, false)
    for (number, era) in eras.enumerated() {
      let time = item.time.saturatingAdd(-era.ahead)
      // A clock that had lost its time is not part of the era before the first setting.
      if era.isOfBefore, era.until != .max, time < era.until.saturatingAdd(-Self.kept) { continue }
      // A night is recorded at its end, so it may begin before the clock was set.
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
      // Only records from before the first setting come late. Those of the hub's own settings are late by minutes at
      // most.
      if era.isSure, number != night, end.saturatingAdd(recordedAfter).saturatingAdd(Self.writing) <= likely.time {
        continue
      }
      // Ranks: records that span a setting are rarer than records that begin after it, and late records are rarer
      // still. The wider tolerance of an estimated clock comes last.
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
    // If two eras can have shown the item, the choice is not sure.
    best?.isAmbiguous = isAmbiguous
    if isAmbiguous || isDoubtful { best?.isSure = false }
    return best
  }

  /// Whether an era can have shown a time (µs of the hub's clock), with tolerances at its ends and against the last
  /// item.
  private func fits(_ time: Int64, _ end: Int64, in era: ClockEra, _ slack: Int64, behind leeway: Int64) -> Bool {
    let more = slack - Self.slack
    return time < era.until.saturatingAdd(slack) && end.saturatingAdd(more) > era.from
      && time <= latest.saturatingAdd(more) && time.saturatingAdd(leeway) >= last
  }

  /// Whether an era has the same offset as that of the preceding item.
  private func isClockOfNewest(_ era: ClockEra) -> Bool { newest.era >= 0 && eras[newest.era].ahead == era.ahead }

  /// Time by which an item of an era may precede its predecessor in the transfer, µs: the uncertainty of the two
  /// clocks, if they differ.
  private func leeway(_ number: Int) -> Int64 {
    guard newest.era >= 0, newest.era != number else { return Self.slack }
    return eras[number].isGuess || eras[newest.era].isGuess ? Self.guess : Self.slack
  }

  /// Whether an item with a length, new in this transfer, may have begun under an earlier clock.
  private func wentOn(_ item: HistoryCursor.Item, _ time: Int64, in era: ClockEra, since earliest: Int64) -> Bool {
    let recorded = time.saturatingAdd(width(item)).saturatingAdd(recordedAfter)
    return isOfSpans && time < era.until && recorded.saturatingAdd(Self.minute) > earliest
  }

  /// Last item of a transfer with a value and a sure time: the time on the band's clock, and by the hub's, µs.
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

  /// Adds the limits that later items set for earlier ones: a record is not later than its successors.
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

  /// Maximum number of runs of items that two eras can have shown: each setting of the clock makes one.
  private static let mostBounds = 64

  /// Right after an era with an unknown clock, an item may still be of that era.
  private func isSure(_ number: Int, _ time: Int64) -> Bool {
    guard eras[number].isSure else { return false }
    return number == 0 || eras[number - 1].isSure || time >= eras[number].from.saturatingAdd(Self.slack)
  }
}
