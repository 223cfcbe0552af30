// What a transfer says of the band's clock: records that no setting of this hub explains were made while another
// program had set it.

import Bluetooth
import Health

/// Looks for what cannot be, and works out how the clock stood then.
struct HistoryEvidence {
  let bytes: RawBytes
  let size: Int
  let placing: HistoryPlacing
  /// The era that was in force until this hub set the clock in this visit.
  let base: Int
  /// µs: when that was. What another program had set was over then.
  private let setAt: Int64
  /// A single time that is too far ahead: a defect, and no clock's.
  private var defect: Int64?

  /// 12 h: a single time that is further ahead is taken for a defect of the band's memory, and for no clock's.
  private static let farAhead: Int64 = 12 * 3_600_000_000
  /// 14 h: no zone is further ahead of Greenwich.
  private static let furthestZone: Int64 = 14 * 3_600_000_000
  /// Programs set a clock to the time of a zone, or to a round one: a quarter of an hour.
  static let quarter: Int64 = 900_000_000
  /// µs.
  private static let hour: Int64 = 3_600_000_000
  /// Findings of one transfer: a person has one telephone or two.
  private static let findings = 3

  /// The eras of the clock with what a transfer shows of them; the same where it contradicts nothing.
  ///
  /// - Parameters:
  ///   - bytes: head and records.
  ///   - fetched: µs of the hub's clock, which is trusted.
  ///   - set: from when to when this hub set the clock in this visit, µs.
  static func eras(
    _ known: ClockEras, in bytes: RawBytes, _ kind: HistoryKind, code: UInt8, fetched: Int64, set: ClosedRange<Int64>
  ) -> ClockEras {
    // A night is told at its end: its stages say little of the clock of that moment.
    guard let size = kind.itemSize, kind.content != .sleep, HistoryReading(kind).cursor(bytes) != nil else {
      return known
    }
    var eras = known
    for _ in 0..<findings {
      guard let base = eras.all.lastIndex(where: { $0.from < set.lowerBound }) else { break }
      let placing = HistoryPlacing(eras, kind, code: code, fetched: fetched, in: bytes)
      var evidence = HistoryEvidence(
        bytes: bytes, size: size, placing: placing, base: base, setAt: set.upperBound)
      evidence.defect = evidence.loneAhead()
      if let limit = evidence.firstSetting(eras, code), let found = evidence.ofBefore(eras, until: limit) {
        return found
      }
      guard let found = evidence.find() else { break }
      eras.insert(found, at: base, setAt: set.upperBound)
    }
    return eras
  }

  /// The eras with what the items that one of them alone can have dated say of the others; nil: nothing.
  ///
  /// What has a length is passed over: it may begin in one era and end in the next.
  static func narrowed(
    _ known: ClockEras, by bytes: RawBytes, _ kind: HistoryKind, code: UInt8, fetched: Int64
  ) -> ClockEras? {
    guard kind.content != .sleep, kind.content != .steps, var cursor = HistoryReading(kind).cursor(bytes) else {
      return nil
    }
    var placing = HistoryPlacing(known, kind, code: code, fetched: fetched, in: bytes).resolved(bytes, kind)
    var eras = known
    while let item = cursor.nextSound(bytes) {
      if kind.isNone(item) { continue }
      let place = placing.place(item)
      if let era = place.era, place.isSure { eras.narrow(era, at: place.time) }
    }
    return eras == known ? nil : eras
  }

  /// When this hub set the clock first, µs, if nothing was worked out of what it showed before, and this is the first
  /// transfer of its kind; else nil.
  private func firstSetting(_ eras: ClockEras, _ code: UInt8) -> Int64? {
    guard let first = eras.all.first, first.isOfBefore, eras.all.dropFirst().allSatisfy(\.isSure) else { return nil }
    return eras.reaches(of: code).isEmpty ? min(first.until, setAt) : nil
  }

  var start: HistoryCursor { HistoryCursor(itemSize: size, at: HistoryHead.size) }

  /// By the era that was in force.
  private func given(_ item: HistoryCursor.Item) -> Int64 { item.time.saturatingAdd(-placing.eras[base].ahead) }

  private func isFarAhead(_ given: Int64) -> Bool { given.saturatingAdd(-setAt) > Self.farAhead }

  /// A single item that is further ahead than a clock would be, behind a gap or what other clocks explain. If something
  /// that goes back follows, it was recorded before that, and is a defect only if no zone's clock could have dated it.
  private func loneAhead() -> Int64? {
    var (placing, cursor) = (placing, start)
    var (last, lone): (HistoryCursor.Item?, HistoryCursor.Item?) = (nil, nil)
    var found: Int64?
    while let item = next(&cursor) {
      // What goes on from it shows that it is not alone.
      if let single = lone, !goesOn(from: single, to: item), isOfNoZone(single) { found = single.time }
      lone = nil
      // By the time that it is to show now, and by no other that it has shown.
      guard placing.place(item).era == nil else {
        last = nil
        continue
      }
      let step = item.length
      let isApart = last.map { item.time < $0.time || item.time - $0.time > step + Self.hour } ?? true
      if isApart, isFarAhead(placing.given(item)) { lone = item }
      last = item
    }
    return lone?.time ?? found
  }

  /// Ahead of the clocks of all zones.
  private func isOfNoZone(_ item: HistoryCursor.Item) -> Bool {
    item.time.saturatingAdd(-setAt) > Self.furthestZone
  }

  /// The next item with a value that a clock may have dated.
  func next(_ cursor: inout HistoryCursor) -> HistoryCursor.Item? {
    while let item = cursor.nextSound(bytes) { if !placing.kind.isNone(item), item.time != defect { return item } }
    return nil
  }

  private func find() -> ForeignClock? {
    var (placing, cursor) = (placing, start)
    while let item = next(&cursor) {
      let before = max(placing.last, placing.earliest)
      let era = placing.place(item).era
      // What an earlier transfer had was judged then.
      guard era == nil || isOnlyAsNow(item, era, cursor), !placing.isKnown else { continue }
      let (newest, later) = run(from: item, cursor)
      let isAhead = given(item) > placing.latest
      let isLast = later == 0
      let end = isLast ? setAt : setAt.saturatingAdd(-later)
      var found =
        isAhead ? ahead(newest, before: cursor.offset, until: end) : behind(item, newest, after: before, until: end)
      if !isLast { found?.until = end }
      return found
    }
    return nil
  }

  /// The newest of the items that follow one by the same clock, and how long (µs) further clocks ran behind that at
  /// least: each that goes back is one.
  private func run(from first: HistoryCursor.Item, _ place: HistoryCursor) -> (HistoryCursor.Item, later: Int64) {
    var (cursor, newest, later) = (place, first, 0 as Int64)
    var other: HistoryCursor.Item?
    var reachesAhead: Bool?
    while let item = next(&cursor) {
      let isOn = goesOn(from: other ?? newest, to: item)
      if !isOn { reachesAhead = nil }
      if isSinceSetting(item) {
        let isOther = reachesAhead ?? self.reachesAhead(item, cursor)
        if !isOther { break }
        reachesAhead = true
      }
      if other == nil, isOn {
        newest = item
      } else {
        if let other, isOn { later += item.time - other.time } else { later += placing.width(item) }
        other = item
      }
    }
    return (newest, later)
  }

  /// As this hub has set the clock, it was recorded since.
  private func isSinceSetting(_ item: HistoryCursor.Item) -> Bool {
    placing.given(item) >= setAt.saturatingAdd(-HistoryPlacing.slack) && !placing.isAhead(item)
  }

  /// It shows about now by the clock as this hub has just set it, and what goes on from it a time that is yet to come:
  /// another clock dated all of it, and that it agrees here is chance.
  private func isOnlyAsNow(_ item: HistoryCursor.Item, _ era: Int?, _ place: HistoryCursor) -> Bool {
    let inForce = placing.eras.count - 1
    return era == inForce && base != inForce && isSinceSetting(item) && reachesAhead(item, place)
  }

  /// What goes on from an item says that it is yet to come: another clock dated all of it.
  private func reachesAhead(_ first: HistoryCursor.Item, _ place: HistoryCursor) -> Bool {
    var (cursor, last) = (place, first)
    while let item = next(&cursor), goesOn(from: last, to: item) {
      if placing.isAhead(item) { return true }
      last = item
    }
    return false
  }

  private func goesOn(from last: HistoryCursor.Item, to item: HistoryCursor.Item) -> Bool {
    item.time >= last.time && item.time - last.time <= Self.farAhead
  }

  /// By how much the clock was ahead of the era's, if its newest record was made right before it was set again. At most
  /// one interval more: up to the next quarter of an hour, if that is so near, else to the minute.
  func difference(_ newest: HistoryCursor.Item, ahead: Int64, until end: Int64) -> Int64 {
    let least = newest.time.saturatingAdd(-ahead).saturatingAdd(-end)
    func up(_ unit: Int64) -> Int64 {
      let over = least % unit
      return over == 0 ? least : least.saturatingAdd((over > 0 ? unit : 0) - over)
    }
    let allowed = newest.length + HistoryPlacing.minute
    let round = up(Self.quarter)
    // Zones are an hour apart and more: by less a clock was simply wrong.
    let isZone = round.magnitude >= Self.hour && round.saturatingAdd(-least) <= allowed
    return isZone ? round : up(HistoryPlacing.minute)
  }

  /// Records of a time that had not come. The clock went forward at the last gap that is as long; before it the era's
  /// own time may still have been in force.
  private func ahead(_ newest: HistoryCursor.Item, before end: Int, until over: Int64) -> ForeignClock? {
    let by = difference(newest, ahead: placing.eras[base].ahead, until: over)
    let ahead = placing.eras[base].ahead.saturatingAdd(by)
    var (placing, cursor) = (placing, start)
    var last: (shown: Int64, time: Int64)?
    var (doubtedFrom, found): (Int64?, ForeignClock?) = (nil, nil)
    while let item = next(&cursor), cursor.offset <= end {
      let before = placing.last
      let place = placing.place(item)
      if let era = place.era, era != base { continue }
      let from = item.time.saturatingAdd(-ahead)
      let since = doubtedFrom ?? min(given(item), from)
      doubtedFrom = since
      if let last {
        if item.time - last.shown >= by - HistoryPlacing.minute {
          found = ForeignClock(from: from, ahead: ahead, doubtedFrom: since, lastBefore: last.time + 1)
        }
      } else if from.saturatingAdd(HistoryPlacing.slack) >= max(placing.eras[base].from, placing.earliest) {
        found = ForeignClock(from: from, ahead: ahead, doubtedFrom: since, lastBefore: since)
      }
      last = (item.time, given(item))
      // No gap is long enough: what is ahead of now alone is by another clock.
      if found == nil, place.era == nil {
        found = ForeignClock(from: max(from, before), ahead: ahead, doubtedFrom: since, lastBefore: before)
      }
    }
    return found
  }

  /// A time before the one ahead of it, or one that the clock never showed: it was set back, or lost.
  private func behind(
    _ item: HistoryCursor.Item, _ newest: HistoryCursor.Item, after last: Int64, until end: Int64
  ) -> ForeignClock? {
    let known = max(last, placing.eras[base].from)
    var by = difference(newest, ahead: placing.eras[base].ahead, until: end)
    let first = given(item).saturatingAdd(-by)
    // Something else followed by another clock: then right behind the last that is known.
    if known != .min, first.saturatingAdd(HistoryPlacing.slack) < known || first > placing.latest {
      let step = item.length
      by = given(item).saturatingAdd(-min(known.saturatingAdd(step), setAt))
    }
    let ahead = placing.eras[base].ahead.saturatingAdd(by)
    let from = item.time.saturatingAdd(-ahead)
    if known == .min { return ForeignClock(from: from, ahead: ahead, doubtedFrom: from, lastBefore: .min) }
    return ForeignClock(from: from, ahead: ahead, doubtedFrom: known + 1, lastBefore: known + 1)
  }
}
