// Which rungs of the radio's ladder are told one by one and which are counted. Pure.

import Bluetooth
import EventLoop

/// What was done to revive the radio.
///
/// The first of a kind after an hour without is told at once. Those that follow are counted, and told all together by
/// the hour: as many pieces of news in the first hour as there are kinds, and one in each hour after it.
///
/// A scan that is begun anew is told with the rung that follows it, if one does: it ends no link, and each room that
/// falls quiet sees one.
struct RungLog {
  struct Counted: Equatable {
    /// In the order in which each came first.
    var rungs: [(name: String, count: Int)]
    var from: Instant
    var to: Instant

    static func == (a: Counted, b: Counted) -> Bool {
      a.from == b.from && a.to == b.to && a.rungs.elementsEqual(b.rungs, by: ==)
    }
  }

  private var last: [String: Instant] = [:]
  /// When an earlier run told one last, whichever it was.
  private var before: Instant?
  private var counted: Counted?
  private var scan: Instant?

  init() {}

  mutating func remember(at instant: Instant) { before = max(before ?? instant, instant) }

  /// - Returns: what is to be told now; nil: nothing, or it is counted.
  mutating func note(_ rung: RadioRung, _ now: Instant) -> String? {
    guard rung.endsLinks else {
      scan = now
      return nil
    }
    let afterScan = scan.map { now - $0 < OutageLog.quiet } ?? false
    scan = nil
    let recent = [last[rung.name], before].compactMap { $0 }.max().map { now - $0 < OutageLog.quiet } ?? false
    last[rung.name] = now
    if !recent { return afterScan ? "\(rung.name), after its scan was begun anew" : rung.name }
    var all = counted ?? Counted(rungs: [], from: now, to: now)
    if let place = all.rungs.firstIndex(where: { $0.name == rung.name }) {
      all.rungs[place].count += 1
    } else {
      all.rungs.append((rung.name, 1))
    }
    all.to = now
    counted = all
    return nil
  }

  /// What was counted.
  mutating func hourly(_ now: Instant) -> Counted? {
    defer { counted = nil }
    last = last.filter { now - $0.value < OutageLog.quiet }
    return counted
  }
}
