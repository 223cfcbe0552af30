// Evidence about the band's clock in a transfer: records that no setting of this hub explains were made while another
// program had set the clock.

import Bluetooth
import Health

/// Searches for impossible times, and computes the clock's offset at that time.
struct HistoryEvidence {
  let bytes: RawBytes
  let size: Int
  let placing: HistoryPlacing
  /// Index of the era that was in force until this hub set the clock in this visit.
  let base: Int
  /// Time of that setting, µs, which ended any setting of another program.
  private let setAt: Int64
  /// A single time that is too far ahead: a memory defect, not evidence of a clock.
  private var defect: Int64?

  /// 12 h: a single time further ahead counts as a defect of the band's memory.
  private static let farAhead: Int64 = 12 * 3_600_000_000
  /// 14 h: no zone is further ahead of UTC.
  private static let furthestZone: Int64 = 14 * 3_600_000_000
  /// Programs set a clock to the time of a zone, or to another round offset: a multiple of a quarter of an hour.
  static let quarter: Int64 = 900_000_000
  /// µs.
  private static let hour: Int64 = 3_600_000_000
  /// Maximum number of foreign clocks per transfer: a person has one or two phones.
  private static let findings = 3

  /// The eras, corrected by a transfer; the same eras if it does not contradict them.
  ///
  /// - Parameters:
  ///   - bytes: head and records.
  ///   - fetched: µs of the hub's clock, which is trusted.
  ///   - set: period in which this hub set the clock in this visit, µs.
  static func eras(
    _ known: ClockEras, in bytes: RawBytes, _ kind: HistoryKind, code: UInt8, fetched: Int64, set: ClosedRange<Int64>
  ) -> ClockEras {
    // A night is sent at its end: its stages say little of the clock at that moment.
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

  /// The eras, narrowed by items that only one era can have dated; nil if that changes no era.
  ///
  /// Items with a length are skipped: they may begin in one era and end in the next.
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

  /// Time of this hub's first setting, µs, for the first transfer of its kind; nil for later transfers. Also nil if the
  /// clocks before the first setting are already known.
  private func firstSetting(_ eras: ClockEras, _ code: UInt8) -> Int64? {
    guard let first = eras.all.first, first.isOfBefore, eras.all.dropFirst().allSatisfy(\.isSure) else { return nil }
    return eras.reaches(of: code).isEmpty ? min(first.until, setAt) : nil
  }

  var start: HistoryCursor { HistoryCursor(itemSize: size, at: HistoryHead.size) }

  /// Time of an item by the era that was in force.
  private func given(_ item: HistoryCursor.Item) -> Int64 { item.time.saturatingAdd(-placing.eras[base].ahead) }

  private func isFarAhead(_ given: Int64) -> Bool { given.saturatingAdd(-setAt) > Self.farAhead }

  /// Finds a single item that is too far ahead for a clock, after a gap or among items of other clocks. If a step back
  /// follows, the item was recorded before it, and is a defect only if no zone's clock could have dated it.
  private func loneAhead() -> Int64? {
    var (placing, cursor) = (placing, start)
    var (last, lone): (HistoryCursor.Item?, HistoryCursor.Item?) = (nil, nil)
    var found: Int64?
    while let item = next(&cursor) {
      // A following item of the same clock shows that the item is not alone.
      if let single = lone, !goesOn(from: single, to: item), isOfNoZone(single) { found = single.time }
      lone = nil
      // Time by the current setting, if no era explains the item.
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

  /// Whether an item is ahead of the clocks of all zones.
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
      // Items of an earlier transfer were judged then.
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

  /// Newest of the items that continue one by the same clock, and the least time (µs) for which other clocks ran after
  /// that. Each step back begins another clock.
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

  /// Whether an item was recorded since this hub's setting, according to that setting.
  private func isSinceSetting(_ item: HistoryCursor.Item) -> Bool {
    placing.given(item) >= setAt.saturatingAdd(-HistoryPlacing.slack) && !placing.isAhead(item)
  }

  /// Whether an item fits the new setting only by chance. Its time is about now, but the items that continue it are in
  /// the future: another clock dated all of them.
  private func isOnlyAsNow(_ item: HistoryCursor.Item, _ era: Int?, _ place: HistoryCursor) -> Bool {
    let inForce = placing.eras.count - 1
    return era == inForce && base != inForce && isSinceSetting(item) && reachesAhead(item, place)
  }

  /// Whether the items that continue this one are in the future: another clock dated all of them.
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

  /// Offset of the foreign clock against the era's, if its newest record was made right before it was set again. The
  /// record may be up to one interval older. The result is therefore rounded up: to a quarter of an hour if that is
  /// near enough, else to a minute.
  func difference(_ newest: HistoryCursor.Item, ahead: Int64, until end: Int64) -> Int64 {
    let least = newest.time.saturatingAdd(-ahead).saturatingAdd(-end)
    func up(_ unit: Int64) -> Int64 {
      let over = least % unit
      return over == 0 ? least : least.saturatingAdd((over > 0 ? unit : 0) - over)
    }
    let allowed = newest.length + HistoryPlacing.minute
    let round = up(Self.quarter)
    // Zones differ by an hour or more; a smaller difference is a clock that was simply wrong.
    let isZone = round.magnitude >= Self.hour && round.saturatingAdd(-least) <= allowed
    return isZone ? round : up(HistoryPlacing.minute)
  }

  /// Foreign clock that was ahead, from records in the future. The clock went forward in the last gap of that length.
  /// Before that gap, the era's own time may still have been in force.
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
      // No gap is long enough, so only items ahead of the present are by another clock.
      if found == nil, place.era == nil {
        found = ForeignClock(from: max(from, before), ahead: ahead, doubtedFrom: since, lastBefore: before)
      }
    }
    return found
  }

  /// Foreign clock that was set back or lost its time. The evidence is an item earlier than its predecessor, or one
  /// with a time that the clock never showed.
  private func behind(
    _ item: HistoryCursor.Item, _ newest: HistoryCursor.Item, after last: Int64, until end: Int64
  ) -> ForeignClock? {
    let known = max(last, placing.eras[base].from)
    var by = difference(newest, ahead: placing.eras[base].ahead, until: end)
    let first = given(item).saturatingAdd(-by)
    // Something else followed under another clock, so this one began right after the last known moment.
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
