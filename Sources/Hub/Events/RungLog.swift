// Rungs of the radio's ladder of repairs: which are reported one by one, and which are counted. Pure.

import Bluetooth
import EventLoop

/// The rungs that were taken to revive the radio.
///
/// The first of a kind in an hour is reported at once. Those that follow are counted, and reported together by the
/// hour. So the first hour has as many reports as there are kinds, and each later hour has one.
///
/// A restart of the scan is reported only with the next rung, if one follows. It ends no link, and happens in every
/// room that falls quiet.
struct RungLog {
  struct Counted: Equatable {
    /// Rungs in the order of their first occurrence.
    var rungs: [(name: String, count: Int)]
    var from: Instant
    var to: Instant

    static func == (a: Counted, b: Counted) -> Bool {
      a.from == b.from && a.to == b.to && a.rungs.elementsEqual(b.rungs, by: ==)
    }
  }

  private var last: [String: Instant] = [:]
  /// The last report of an earlier run, of any rung.
  private var before: Instant?
  private var counted: Counted?
  private var scan: Instant?

  init() {}

  mutating func remember(at instant: Instant) { before = max(before ?? instant, instant) }

  /// - Returns: the text to report now; nil if the rung is not reported, or counted.
  mutating func note(_ rung: RadioRung, _ now: Instant) -> String? {
    guard rung.endsLinks else {
      scan = now
      return nil
    }
    let afterScan = scan.map { now - $0 < OutageLog.quiet } ?? false
    scan = nil
    let recent = [last[rung.name], before].compactMap { $0 }.max().map { now - $0 < OutageLog.quiet } ?? false
    last[rung.name] = now
    if !recent { return afterScan ? "\(rung.name), after its scan was restarted" : rung.name }
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

  /// The counted rungs.
  mutating func hourly(_ now: Instant) -> Counted? {
    defer { counted = nil }
    last = last.filter { now - $0.value < OutageLog.quiet }
    return counted
  }
}
