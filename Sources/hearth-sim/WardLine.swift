// A series of one sensor: values that the store must contain, and stored ones that are still to be compared.

import EventLoop
import Health

/// A value that was delivered live.
struct WardExpected {
  let at: Instant
  let time: WallTime
  let value: Int64
  /// Possible times of a value with its own time, in UTC: by the hub's clock at its arrival, and by its sensor's own
  /// clock. A hub may use either for a stored reading. µs.
  var own: [Int64] = []
  /// nil: unknown.
  var isLow: Bool?
  var isOptional = false
  /// Number of its measurement, the same each time that it is sent; 0: it is sent once.
  var reading: UInt64 = 0
  /// The sensor has deleted it: not even a kill may have cost it.
  var isForgotten = false
  /// The sensor sends it again.
  var comesAgain = false
  /// Sent as a record.
  var isRecord = false
}

struct WardKept {
  let at: Instant
  let time: WallTime
  let value: Int64
  let isLow: Bool
}

/// A series of one sensor.
struct WardLine {
  let series: Series
  var owed: [WardExpected] = []
  var stored: [WardKept] = []
  /// Ordinals in its rings of the next ones to read, live and fetched.
  private var next: (live: UInt64, kept: UInt64) = (0, 0)
  /// Number of values of `stored`, from the first on, that have been compared.
  private(set) var taken = 0
  /// Measurements that are stored, and when they were sent.
  var settled: [UInt64: Instant] = [:]
  var isBroken = false

  init(series: Series) { self.series = series }

  /// Whether it was not read before.
  mutating func isNew(_ ordinal: UInt64, isLive: Bool) -> Bool {
    if ordinal < (isLive ? next.live : next.kept) { return false }
    if isLive { next.live = ordinal + 1 } else { next.kept = ordinal + 1 }
    return true
  }

  /// The next stored value, if it is the expected one.
  ///
  /// - Parameter anywhere: values of two rings have no common order.
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
