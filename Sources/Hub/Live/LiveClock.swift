// Time of live values that carry the wearable's own time: the relation of its clock to the hub's, learned from
// arrivals.

import Health

/// The clock of one wearable's streams.
///
/// A value comes some time after it was measured, never before: at the next connection event, after repetitions on a
/// disturbed air, after a queue. The least of these delays gives the distance of the two clocks, and a value is placed
/// by its own time. The remaining error is that least delay, and the drift of the clocks until the next value comes as
/// fast.
///
/// No block of a stream begins before the end of the one before it, whatever is learned:
///
/// - Values of the first second are kept back (`isLearning`) and placed by the least delay of all of them.
/// - If all values of that second were late by L, they are placed L late at first. Each later block then lies up to a
///   quarter of a sample closer to its predecessor. So the error is gone after 4 L / period blocks (200 ms of ECG at
///   130 Hz: 104 blocks, a minute). Lost samples end it at once.
/// - A clock that was set forward causes a gap, which the next block closes. A clock that was set back is learned
///   again.
struct LiveClock {
  /// The least distance grows by a five-thousandth of the time that passes, as a clock that falls behind would
  /// otherwise seem late for ever. Crystals are within 50 ppm each.
  static let leak: Int64 = 5000
  /// The distance in effect follows by at most a two-hundredth of the time between two blocks. So blocks of up to two
  /// hundred samples do not overlap.
  static let slew: Int64 = 200
  /// Nanoseconds. A stream with a time that goes back further than that has another clock. Beyond it, the distance for
  /// values without a period changes at once.
  static let jump: Int64 = 50_000_000
  /// Nanoseconds of the hub's clock for which values are held back after the first one. That is two blocks of a fast
  /// stream, and the delay of the first link events.
  static let hold: Int64 = 1_000_000_000
  /// Nanoseconds by which a value may be placed after its arrival to follow its predecessor. That is more than the
  /// supervision timeouts that the hub requests let a link be late. A value that needs more claims more time than has
  /// passed.
  static let ahead: Int64 = 10_000_000_000
  /// Nanoseconds. If all values were late for this long, the clock was set back.
  static let window: Int64 = 30_000_000_000
  /// Nanoseconds of the wearable's clock by which values of its streams may come in another order.
  static let disorder: Int64 = 30_000_000_000

  private struct Stream {
    let series: Series
    /// Stamp of the last value that came, on the wearable's clock; nil before the first one of a link.
    var heard: UInt64?
    /// Stamp of the last value that was placed, on the wearable's clock; nil before the first one of a link.
    var placed: UInt64?
    /// The distance for the last value that was placed.
    var distance: Int64 = 0
    /// End of the last value that was placed, on the hub's clock.
    var end: Int64 = .min
  }

  private var isRunning = false
  /// Minimum distance: arrival minus stamp.
  private var least: Int64 = 0
  private var leastOfWindow: Int64 = .max
  private var windowEnd: Int64 = 0
  private var lastArrival: Int64 = 0
  private var newest: Int64 = 0
  private var learnedSince: Int64 = 0
  /// Streams, at most as many as a wearable has series with stamps.
  private var streams: [Stream] = []

  /// Forgets what was learned over an earlier link, except the ends of its streams.
  mutating func beginLink() {
    isRunning = false
    for place in streams.indices { (streams[place].heard, streams[place].placed) = (nil, nil) }
  }

  /// Whether values should be held back now, until more is known of the clock.
  func isLearning(_ now: Int64) -> Bool { isRunning && now &- learnedSince < Self.hold }

  /// Learns from a value that came.
  /// - Parameters:
  ///   - stamp: ns on the wearable's clock.
  ///   - arrival: ns on the hub's, of the value that came; never decreases.
  mutating func learn(_ series: Series, _ stamp: UInt64, arrival: Int64) {
    let place = place(of: series)
    let wentBack = streams[place].heard.map { Int64(truncatingIfNeeded: $0 &- stamp) > Self.jump } ?? false
    streams[place].heard = stamp
    let stamp = Int64(truncatingIfNeeded: stamp)
    let difference = arrival &- stamp
    let passed = arrival &- lastArrival
    // After a silence, or when the wearable's clock was set back, the learned distance is invalid.
    guard isRunning, !wentBack, passed <= 2 * Self.window, newest &- stamp <= Self.disorder else {
      (isRunning, least, leastOfWindow, windowEnd) = (true, difference, .max, arrival &+ Self.window)
      (lastArrival, newest, learnedSince) = (arrival, stamp, arrival)
      return
    }
    least = min(least &+ passed / Self.leak, difference)
    leastOfWindow = min(leastOfWindow, difference)
    if arrival >= windowEnd {
      if leastOfWindow &- least > Self.jump { least = leastOfWindow }
      (leastOfWindow, windowEnd) = (.max, arrival &+ Self.window)
    }
    (lastArrival, newest) = (arrival, max(newest, stamp))
  }

  /// Places a value that was learned from. Values of one stream come in order.
  ///
  /// - Parameters:
  ///   - span: ns from its first sample to its last.
  ///   - period: ns between its samples; 0 if they are not evenly spaced.
  /// - Returns: ns on the hub's clock of its last sample; nil if any place would begin before its predecessor's end.
  mutating func end(of series: Series, _ stamp: UInt64, arrival: Int64, span: Int64, period: Int64) -> Int64? {
    let place = place(of: series)
    var stream = streams[place]
    // Further values of the same frame.
    if stream.placed == stamp { return stream.end }
    let own = Int64(truncatingIfNeeded: stamp)
    let quarter = period / 4
    // Intervals between beats reach back by their sum, whatever the frame says.
    let span = period > 0 ? span : 0
    // The distance at which the block begins right behind its predecessor.
    let floor = stream.end == .min ? Int64.min : stream.end &+ (period - quarter) &- (own &- span)
    var distance = least
    if let placed = stream.placed {
      let advance = max(0, Int64(truncatingIfNeeded: stamp &- placed))
      let step = min(advance / Self.slew, period > 0 ? max(quarter, 100_000) : .max)
      let error = least &- stream.distance
      distance = stream.distance &+ min(max(error, -step), step)
      // Up: the wearable's clock was set back. Down: samples were lost, or its clock was set forward.
      if error > Self.jump { distance = least }
      if error < -step, period > 0 || error < -Self.jump { distance = min(distance, max(least, floor)) }
    }
    let latest = arrival &+ Self.jump
    var end = min(max(own &+ distance, arrival &- 2 * Self.window), latest)
    if stream.end != .min { end = max(end, stream.end &+ (period - quarter) &+ span) }
    guard end <= arrival &+ Self.ahead else { return nil }
    (stream.placed, stream.distance, stream.end) = (stamp, end &- own, end)
    streams[place] = stream
    return end
  }

  private mutating func place(of series: Series) -> Int {
    if let place = streams.firstIndex(where: { $0.series == series }) { return place }
    streams.append(Stream(series: series))
    return streams.count - 1
  }
}
