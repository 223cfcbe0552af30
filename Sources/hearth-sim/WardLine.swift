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
  /// Place in its ring of the next one to be read.
  var next: UInt64 = 0
  /// Measurements that are there, and when they were told.
  var settled: [UInt64: Instant] = [:]
  var isBroken = false
}
