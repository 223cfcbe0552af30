// When a live value was measured that has the wearable's own time: how that clock runs beside the hub's, learned from when values came.

/// The clock of one wearable's streams over one link.
///
/// A value comes some time after it was measured, never before: the next connection event, a repetition on a disturbed air, a queue. The least of these
/// delays tells the distance of the two clocks, and a value is put where its own time says. What is left of the error is that least delay, and how far the
/// clocks drift apart before the next value comes as fast.
struct LiveClock {
  /// The least distance is let grow by a five-thousandth of the time that passes, or a clock that falls behind would seem late for ever: crystals are within
  /// 50 ppm each.
  static let leak: Int64 = 5000
  /// The distance in effect follows by a two-hundredth of the time that passes: blocks of up to two hundred samples still lie one after the other.
  static let slew: Int64 = 200
  /// Nanoseconds. Further than that the clock was set, or the first values were late: then it is right at once.
  static let jump: Int64 = 50_000_000
  /// Nanoseconds. Where everything was late for so long, the clock was set back.
  static let window: Int64 = 30_000_000_000
  /// Nanoseconds of the wearable's clock by which values of its streams may come in another order.
  static let disorder: Int64 = 30_000_000_000

  private var isRunning = false
  /// Of arrival less stamp.
  private var least: Int64 = 0
  private var leastOfWindow: Int64 = .max
  private var windowEnd: Int64 = 0
  /// In effect.
  private var distance: Int64 = 0
  private var lastArrival: Int64 = 0
  private var newest: Int64 = 0

  /// - Parameters:
  ///   - stamp: ns on the wearable's clock.
  ///   - arrival: ns on the hub's, of the value that came; never decreases.
  ///   - most: ns by which the distance may follow at once what was learned: a block of a stream that moved by a sample would overlap the one before, or leave
  ///     a hole where nothing was lost.
  /// - Returns: ns on the hub's clock, at most `jump` after `arrival`.
  mutating func moment(of stamp: UInt64, arrival: Int64, most: Int64 = .max) -> Int64 {
    let stamp = Int64(truncatingIfNeeded: stamp)
    let difference = arrival &- stamp
    let passed = arrival &- lastArrival
    // After a silence, and where the wearable's clock was set back, nothing that was learned holds.
    guard isRunning, passed <= 2 * Self.window, newest &- stamp <= Self.disorder else {
      (isRunning, least, leastOfWindow, windowEnd) = (true, difference, .max, arrival &+ Self.window)
      (distance, lastArrival, newest) = (difference, arrival, stamp)
      return arrival
    }
    least = min(least &+ passed / Self.leak, difference)
    leastOfWindow = min(leastOfWindow, difference)
    if arrival >= windowEnd {
      if leastOfWindow &- least > Self.jump { least = leastOfWindow }
      (leastOfWindow, windowEnd) = (.max, arrival &+ Self.window)
    }
    let error = least &- distance
    if error.magnitude > UInt64(Self.jump) { distance = least } else {
      let step = min(passed / Self.slew, most)
      distance &+= min(max(error, -step), step)
    }
    (lastArrival, newest) = (arrival, max(newest, stamp))
    return min(max(stamp &+ distance, arrival &- 2 * Self.window), arrival &+ Self.jump)
  }
}
