// When a live value was measured that has the wearable's own time: how that clock runs beside the hub's, learned from
// when values came.

import Health

/// The clock of one wearable's streams.
///
/// A value comes some time after it was measured, never before: the next connection event, a repetition on a disturbed
/// air, a queue. The least of these
/// delays tells the distance of the two clocks, and a value is put where its own time says. What is left of the error
/// is that least delay, and how far the
/// clocks drift apart before the next value comes as fast.
///
/// No block of a stream begins before the end of the one before it, whatever is learned:
///
/// - Values of the first second are kept back (`isLearning`) and placed by the least delay of all of them.
/// - Values that were all late by L in that second are L late at first. Each block then lies up to a quarter of a
///   sample closer to its predecessor, so the error is gone after 4 L / period blocks (200 ms of ECG at 130 Hz:
///   104 blocks, a minute). It falls at once where samples were lost.
/// - A clock that was set forward shows as a gap, which the next block closes. One that was set back is learned anew.
struct LiveClock {
  /// The least distance is let grow by a five-thousandth of the time that passes, or a clock that falls behind would
  /// seem late for ever: crystals are within
  /// 50 ppm each.
  static let leak: Int64 = 5000
  /// The distance in effect follows by a two-hundredth of the time between two blocks: blocks of up to two hundred
  /// samples still lie one after the other.
  static let slew: Int64 = 200
  /// Nanoseconds. A stream whose time goes back further than that has another clock; values without a period move at
  /// once beyond it.
  static let jump: Int64 = 50_000_000
  /// Nanoseconds of the hub's clock during which values are kept back after the first one: two blocks of a fast stream,
  /// and what the first link events delayed.
  static let hold: Int64 = 1_000_000_000
  /// Nanoseconds that a value may lie behind its arrival to keep clear of its predecessor: more than the supervision
  /// timeouts that the hub asks for let a link be late. What wants more claims more time than passed.
  static let ahead: Int64 = 10_000_000_000
  /// Nanoseconds. Where everything was late for so long, the clock was set back.
  static let window: Int64 = 30_000_000_000
  /// Nanoseconds of the wearable's clock by which values of its streams may come in another order.
  static let disorder: Int64 = 30_000_000_000

  private struct Stream {
    let series: Series
    /// Of the value that came last, on the wearable's clock; nil before the first one of a link.
    var heard: UInt64?
    /// Of the value that was placed last, on the wearable's clock; nil before the first one of a link.
    var placed: UInt64?
    /// In effect for the value that was placed last.
    var distance: Int64 = 0
    /// Where the value that was placed last ended, on the hub's clock.
    var end: Int64 = .min
  }

  private var isRunning = false
  /// Of arrival less stamp.
  private var least: Int64 = 0
  private var leastOfWindow: Int64 = .max
  private var windowEnd: Int64 = 0
  private var lastArrival: Int64 = 0
  private var newest: Int64 = 0
  private var learnedSince: Int64 = 0
  /// As many as a wearable has series with stamps.
  private var streams: [Stream] = []

  /// Forgets what was learned over an earlier link, but not where its streams ended.
  mutating func beginLink() {
    isRunning = false
    for place in streams.indices { (streams[place].heard, streams[place].placed) = (nil, nil) }
  }

  /// Whether values that come now are better kept back until more is known.
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
    // After a silence, and where the wearable's clock was set back, nothing that was learned holds.
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

  /// Places a value that was learned from. Values of one stream come in their order.
  ///
  /// - Parameters:
  ///   - span: ns from its first sample to its last.
  ///   - period: ns between its samples; 0 where they are not evenly spaced.
  /// - Returns: ns on the hub's clock of its last sample; nil where it would begin before its predecessor's end
  ///   wherever
  ///   it is put.
  mutating func end(of series: Series, _ stamp: UInt64, arrival: Int64, span: Int64, period: Int64) -> Int64? {
    let place = place(of: series)
    var stream = streams[place]
    // Several values of one frame.
    if stream.placed == stamp { return stream.end }
    let own = Int64(truncatingIfNeeded: stamp)
    let quarter = period / 4
    // Intervals between beats reach back as far as they add up to, not as far as frames say.
    let span = period > 0 ? span : 0
    // The distance with which it begins right behind its predecessor.
    let floor = stream.end == .min ? Int64.min : stream.end &+ (period - quarter) &- (own &- span)
    var distance = least
    if let placed = stream.placed {
      let advance = max(0, Int64(truncatingIfNeeded: stamp &- placed))
      let step = min(advance / Self.slew, period > 0 ? max(quarter, 100_000) : .max)
      let error = least &- stream.distance
      distance = stream.distance &+ min(max(error, -step), step)
      // Up: its clock was set back. Down: samples were lost, or its clock was set forward.
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
