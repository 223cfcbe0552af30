// Clocks of a band before this hub first set it, derived from its records, newest first.
//
// Each clock that a transfer shows is assumed to follow the hub's zone, unless its records would then be later than
// records made after them. In that case its newest record is assumed to be from right before the next clock began.

import Health

extension HistoryEvidence {
  /// Run of items with ascending times: as far as they show, of one clock.
  private struct Stretch {
    /// Cursor before its first item.
    let start: HistoryCursor
    let first: HistoryCursor.Item
    var last: HistoryCursor.Item
    /// The next clock began in the gap that follows this run.
    var isAheadOfGap = false
  }

  /// Clock from before the first setting; times in µs.
  private struct Clock {
    let ahead: Int64
    let from: Int64
    /// Longest distance to the preceding item.
    let step: Int64
  }

  /// Maximum clocks of one transfer. A band may be set several times before its first visit, and each takes an era.
  private static let most = 6

  /// Eras with the clocks before the first setting; nil if the hub's zone explains all records.
  ///
  /// - Parameter limit: time by which all of it was recorded, µs of the hub's clock.
  func ofBefore(_ known: ClockEras, until limit: Int64) -> ClockEras? {
    guard let own = known.all.first?.ahead, let count = countOfBefore() else { return nil }
    var (left, clocks, limit) = (stretches(count), [] as [Clock], limit)
    while let stretch = left.popLast(), clocks.count < Self.most {
      var first = stretch
      let ahead: Int64
      // Times that go back show several clocks. A band measures all day, so each clock ends when the next begins.
      if isPossible(own, stretch, until: limit),
        left.isEmpty || stretch.isAheadOfGap || goesOn(own, stretch, until: limit)
      {
        ahead = own
      } else if let next = clocks.last, !stretch.isAheadOfGap, isPossible(next.ahead, stretch, until: limit) {
        ahead = next.ahead
      } else {
        let by = difference(stretch.last, ahead: own, until: limit)
        ahead = own.saturatingAdd(by)
        if let (before, behind) = parts(stretch, by) {
          left.append(before)
          first = behind
        }
      }
      let step = first.first.length
      clocks.append(Clock(ahead: ahead, from: first.first.time.saturatingAdd(-ahead), step: step))
      limit = first.first.time.saturatingAdd(-ahead - step)
    }
    var eras = known
    eras.replaceFirst(clocks.reversed().map { ($0.ahead, $0.from, $0.step, $0.ahead != own) })
    return eras
  }

  /// Number of items with a value from before the first setting; nil if the hub's zone explains all of them.
  private func countOfBefore() -> Int? {
    var (placing, cursor) = (placing, start)
    var (count, last, isExplained, hasOwn) = (0, 0, true, false)
    var isOwnSoFar = false
    while let item = next(&cursor) {
      count += 1
      let era = placing.place(item).era
      if let era, placing.eras[era].isSure {
        isOwnSoFar = true
        continue
      }
      (last, hasOwn) = (count, isOwnSoFar)
      if era == nil { isExplained = false }
    }
    // Records that a phone's clock dated after the first setting follow some that the hub's own setting dated.
    return isExplained || hasOwn && !placing.eras[base].isOfBefore ? nil : last
  }

  private func stretches(_ count: Int) -> [Stretch] {
    var (cursor, all) = (start, [] as [Stretch])
    var before = cursor
    for _ in 0..<count {
      guard let item = next(&cursor) else { break }
      if let last = all.last?.last.time, item.time > last, item.time - last < HistoryPlacing.kept {
        all[all.count - 1].last = item
      } else {
        // Items older than these get the time of the oldest.
        if all.count == Self.most { all.removeFirst() }
        all.append(Stretch(start: before, first: item, last: item))
      }
      before = cursor
    }
    return all
  }

  private func isPossible(_ ahead: Int64, _ stretch: Stretch, until limit: Int64) -> Bool {
    let (first, last) = (stretch.first.time.saturatingAdd(-ahead), stretch.last.time.saturatingAdd(-ahead))
    return last <= limit.saturatingAdd(HistoryPlacing.slack) && first > limit.saturatingAdd(-HistoryPlacing.kept)
  }

  /// Whether its newest record was made at most one interval before the limit.
  private func goesOn(_ ahead: Int64, _ stretch: Stretch, until limit: Int64) -> Bool {
    let step = stretch.last.length + HistoryPlacing.minute
    return stretch.last.time.saturatingAdd(step - ahead) >= limit
  }

  /// Splits a run at the gap in which its clock went forward; nil without such a gap. The offset before the gap is an
  /// estimate, so any gap is possible. Preferred is the last gap that is as long as the hub's zone implies, else the
  /// longest one above a quarter of an hour.
  private func parts(_ stretch: Stretch, _ by: Int64) -> (Stretch, Stretch)? {
    var cursor = stretch.start
    guard by > 0, var last = next(&cursor) else { return nil }
    var (longest, found) = (Self.quarter, nil as (Stretch, Stretch)?)
    var before = cursor
    while last.time != stretch.last.time, let item = next(&cursor) {
      let step = item.length
      let gap = item.time - last.time - step
      if gap > min(longest, max(Self.quarter, by - HistoryPlacing.minute - step)) {
        longest = max(longest, gap)
        found = (
          Stretch(start: stretch.start, first: stretch.first, last: last, isAheadOfGap: true),
          Stretch(start: before, first: item, last: stretch.last)
        )
      }
      (last, before) = (item, cursor)
    }
    return found
  }
}
