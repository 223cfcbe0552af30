// What a transfer says of the band's clock: records that no setting of this hub explains were made while another
// program had set it.

import Bluetooth
import Health

/// Looks for what cannot be, and works out how the clock stood then.
struct HistoryEvidence {
  private let bytes: RawBytes
  private let size: Int
  private let placing: HistoryPlacing
  /// The era that was in force until this hub set the clock in this visit.
  private let base: Int
  /// µs: when that was. What another program had set was over then.
  private let setAt: Int64
  /// A single time that is too far ahead: a defect, and no clock's.
  private var defect: Int64?

  /// 12 h: a single time that is further ahead is taken for a defect of the band's memory, and for no clock's.
  private static let farAhead: Int64 = 12 * 3_600_000_000
  /// Programs set a clock to the time of a zone, or to a round one: a quarter of an hour.
  private static let quarter: Int64 = 900_000_000
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
    guard let size = kind.itemSize, HistoryReading(kind).cursor(bytes) != nil else { return known }
    var eras = known
    for _ in 0..<findings {
      guard let base = eras.all.lastIndex(where: { $0.from < set.lowerBound }) else { break }
      let placing = HistoryPlacing(eras, kind, code: code, fetched: fetched, in: bytes)
      var evidence = HistoryEvidence(
        bytes: bytes, size: size, placing: placing, base: base, setAt: set.upperBound)
      evidence.defect = evidence.loneAhead()
      guard let found = evidence.find() else { break }
      eras.insert(found, at: base, setAt: set.upperBound)
    }
    return eras
  }

  private var start: HistoryCursor { HistoryCursor(itemSize: size, at: HistoryHead.size) }

  /// By the era that was in force.
  private func given(_ item: HistoryCursor.Item) -> Int64 { item.time.saturatingAdd(-placing.eras[base].ahead) }

  private func isFarAhead(_ given: Int64) -> Bool { given.saturatingAdd(-setAt) > Self.farAhead }

  private func loneAhead() -> Int64? {
    var (cursor, found) = (start, nil as Int64?)
    while let item = next(&cursor) {
      // By the time that it is to show now.
      if !isFarAhead(placing.given(item)) { continue }
      if found != nil { return nil }
      found = item.time
    }
    return found
  }

  /// The next item with a value that a clock may have dated.
  private func next(_ cursor: inout HistoryCursor) -> HistoryCursor.Item? {
    while let item = cursor.nextSound(bytes) { if item.value != 0, item.time != defect { return item } }
    return nil
  }

  private func find() -> ForeignClock? {
    var (placing, cursor) = (placing, start)
    while let item = next(&cursor) {
      let before = max(placing.last, placing.earliest)
      guard placing.place(item).era == nil else { continue }
      let (newest, isAlone) = run(from: item, cursor)
      if given(item) > placing.latest {
        if isAlone, isFarAhead(given(item)) { continue }
        return ahead(newest, before: cursor.offset)
      }
      return behind(item, newest, after: before)
    }
    return nil
  }

  /// The newest of the items that follow one by the same clock, and whether there is no other.
  private func run(from first: HistoryCursor.Item, _ place: HistoryCursor) -> (HistoryCursor.Item, isAlone: Bool) {
    var (cursor, newest) = (place, first)
    while let item = next(&cursor) {
      guard item.time >= newest.time, item.time - newest.time <= Self.farAhead else { break }
      newest = item
    }
    return (newest, newest.time == first.time)
  }

  /// By how much the clock was ahead of the era's, if its newest record was made right before this hub set it. At most
  /// one interval more: up to the next quarter of an hour, if that is so near, else to the minute.
  private func difference(_ newest: HistoryCursor.Item) -> Int64 {
    let least = given(newest).saturatingAdd(-setAt)
    func up(_ unit: Int64) -> Int64 {
      let over = least % unit
      return over == 0 ? least : least.saturatingAdd((over > 0 ? unit : 0) - over)
    }
    let allowed = Int64(max(1, newest.interval) + 1) * HistoryPlacing.minute
    return up(Self.quarter).saturatingAdd(-least) <= allowed ? up(Self.quarter) : up(HistoryPlacing.minute)
  }

  /// Records of a time that had not come. The clock went forward at the last gap that is as long; before it the era's
  /// own time may still have been in force.
  private func ahead(_ newest: HistoryCursor.Item, before end: Int) -> ForeignClock? {
    let by = difference(newest)
    let ahead = placing.eras[base].ahead.saturatingAdd(by)
    if placing.eras[base].isOfBefore { return first(by, ahead, newest) }
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

  /// The same of before the first setting. By how much it was ahead until the gap is a guess, so any gap may be it:
  /// the last that is as long as by the zone of this hub, else the longest. What is ahead of the gap keeps the time
  /// that the band told, in that zone, as long as it is not behind what came later.
  private func first(_ by: Int64, _ ahead: Int64, _ newest: HistoryCursor.Item) -> ForeignClock? {
    let own = placing.eras[base].ahead
    var cursor = start
    guard var last = next(&cursor)?.time else { return nil }
    var (longest, found) = (Self.quarter, nil as ForeignClock?)
    while last != newest.time, let item = next(&cursor) {
      let step = Int64(max(1, item.interval)) * HistoryPlacing.minute
      let gap = item.time - last - step
      if gap > min(longest, max(Self.quarter, by - HistoryPlacing.minute - step)) {
        longest = max(longest, gap)
        let from = item.time.saturatingAdd(-ahead)
        found = ForeignClock(
          from: from, ahead: ahead, doubtedFrom: from, lastBefore: from - step, aheadBefore: max(own, ahead - gap))
      }
      last = item.time
    }
    return found ?? ForeignClock(from: .min, ahead: ahead, doubtedFrom: .min, lastBefore: .min)
  }

  /// A time before the one ahead of it, or one that the clock never showed: it was set back, or lost.
  private func behind(_ item: HistoryCursor.Item, _ newest: HistoryCursor.Item, after last: Int64) -> ForeignClock? {
    let known = max(last, placing.eras[base].from)
    guard known != .min else { return nil }
    var by = difference(newest)
    let first = given(item).saturatingAdd(-by)
    // Something else followed by another clock: then right behind the last that is known.
    if first.saturatingAdd(HistoryPlacing.slack) < known || first > placing.latest {
      let step = Int64(max(1, item.interval)) * HistoryPlacing.minute
      by = given(item).saturatingAdd(-min(known.saturatingAdd(step), setAt))
    }
    let ahead = placing.eras[base].ahead.saturatingAdd(by)
    let from = item.time.saturatingAdd(-ahead)
    return ForeignClock(from: from, ahead: ahead, doubtedFrom: from, lastBefore: from)
  }
}
