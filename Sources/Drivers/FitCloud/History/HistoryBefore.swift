// What a band's clock showed before this hub set it first: worked out from the newest record back.
//
// Each clock that a transfer shows is taken to be that of the hub's zone, unless what it dated would lie behind what
// was recorded later. Then its newest record was made right before the next clock began.

import Health

extension HistoryEvidence {
  /// Items whose times ascend: of one clock, for all that they say.
  private struct Stretch {
    /// Before its first item.
    let start: HistoryCursor
    let first: HistoryCursor.Item
    var last: HistoryCursor.Item
    /// The clock of what follows began behind a gap of this one.
    var isAheadOfGap = false
  }

  /// A clock of before the first setting, and when the first of its items was recorded; µs.
  private struct Clock {
    let ahead: Int64
    let from: Int64
    /// To the item ahead of it at most.
    let step: Int64
  }

  /// Clocks of one transfer: a band is set some times before its first visit, and each of them takes an era.
  private static let most = 6

  /// nil: the hub's zone explains all of them.
  ///
  /// - Parameter limit: µs of the hub's clock: all of it was recorded before.
  func ofBefore(_ known: ClockEras, until limit: Int64) -> ClockEras? {
    guard let own = known.all.first?.ahead, let count = countOfBefore() else { return nil }
    var (left, clocks, limit) = (stretches(count), [] as [Clock], limit)
    while let stretch = left.popLast(), clocks.count < Self.most {
      var first = stretch
      let ahead: Int64
      // Records that go back were dated by several clocks. As a band measures all day, each ends where the next begins.
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

  /// How many items with a value are of before the first setting; nil: the hub's zone explains all of them.
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
    // What a telephone's clock dated since is behind some that the hub's own did.
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
        // What is older than these has the time of the oldest.
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

  /// Its newest record was made at most one interval before.
  private func goesOn(_ ahead: Int64, _ stretch: Stretch, until limit: Int64) -> Bool {
    let step = stretch.last.length + HistoryPlacing.minute
    return stretch.last.time.saturatingAdd(step - ahead) >= limit
  }

  /// By how much a clock was ahead until a gap is a guess, so any gap may be it: the last that is as long as by the
  /// zone of this hub, else the longest of more than a quarter of an hour. nil: there is none.
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
