// One series of one sensor: what is owed of it, and what the store has that is still to be compared.

import EventLoop
import Health

/// A value that was delivered live.
struct WardOwed {
  let at: Instant
  let time: WallTime
  let value: Int64
  /// When it was measured, by the hub's clock as it stood when it came, and what its sensor's own clock told then, in
  /// UTC: of values that say so. A hub may give one that was kept either time. µs.
  var own: [Int64] = []
  /// nil: the truth does not say.
  var isLow: Bool?
  var isOptional = false
  /// Number of its measurement, the same each time that it is sent; 0: it is sent once.
  var reading: UInt64 = 0
  /// The sensor has forgotten it: not even a kill may have cost it.
  var isForgotten = false
  /// The sensor sends it again.
  var comesAgain = false
  /// It was sent as a record.
  var isRecord = false
}

struct WardKept {
  let at: Instant
  let time: WallTime
  let value: Int64
  let isLow: Bool
}

/// One series of one sensor.
struct WardLine {
  let series: Series
  var owed: [WardOwed] = []
  var stored: [WardKept] = []
  /// Place in its ring of the next one to be read, of what came live and of what was kept.
  private var next: (live: UInt64, kept: UInt64) = (0, 0)
  /// So many of `stored`, from the first one on, have been compared.
  private(set) var taken = 0
  /// Measurements that are there, and when they were told.
  var settled: [UInt64: Instant] = [:]
  var isBroken = false

  init(series: Series) { self.series = series }

  /// It was not read before.
  mutating func isNew(_ ordinal: UInt64, isLive: Bool) -> Bool {
    if ordinal < (isLive ? next.live : next.kept) { return false }
    if isLive { next.live = ordinal + 1 } else { next.kept = ordinal + 1 }
    return true
  }

  /// The next one in the store, if it is what is looked for.
  ///
  /// - Parameter anywhere: values of two rings are in the order of neither.
  mutating func take(anywhere: Bool, _ isIt: (WardKept) -> Bool) -> WardKept? {
    if anywhere { return stored.firstIndex(where: isIt).map { stored.remove(at: $0) } }
    guard taken < stored.count, isIt(stored[taken]) else { return nil }
    taken += 1
    return stored[taken - 1]
  }

  mutating func forgetTaken() {
    stored.removeFirst(taken)
    taken = 0
  }
}
