// Offset between wall clock and monotonic clock.

internal import Glibc

/// Wall clock minus monotonic clock. Constant until the wall clock is set, because slewing changes both clocks alike.
struct ClockDistance {
  /// The wall clock's reading, and the monotonic one's before and after it, ns.
  struct Reading {
    let before: Int64
    let wall: Int64
    let after: Int64

    var width: Int64 { after - before }
    /// Bounds of the offset, even if the thread was preempted between the readings.
    var bounds: ClosedRange<Int64> { (wall - after)...max(wall - after, wall - before) }
  }

  /// ns; nil before the first reading.
  private(set) var nanoseconds: Int64?

  /// Three clock readings take less than a microsecond, even on the smallest board; a longer time means that the thread
  /// was preempted. A smaller change of the offset is no setting of the clock. ns.
  static let width: Int64 = 100_000

  /// The first reading has no earlier one to compare with; its error would show at the first correction.
  private static let firstTries = 64
  private static let tries = 4

  /// Reads until the bounds are narrow.
  ///
  /// - Returns: the offset, ns.
  mutating func read(_ reading: () -> Reading = Self.reading) -> Int64 {
    var best = reading()
    for _ in 1..<(nanoseconds == nil ? Self.firstTries : Self.tries) where best.width >= Self.width {
      let next = reading()
      if next.width < best.width { best = next }
    }
    let (low, high) = (best.bounds.lowerBound, best.bounds.upperBound)
    if let known = nanoseconds, known >= low - Self.width, known <= high + Self.width { return known }
    let middle = low + (high - low) / 2
    nanoseconds = middle
    return middle
  }

  private static func reading() -> Reading {
    let before = ticks(of: CLOCK_MONOTONIC)
    let wall = ticks(of: CLOCK_REALTIME)
    return Reading(before: before, wall: wall, after: ticks(of: CLOCK_MONOTONIC))
  }
}

/// Reading of a clock of this machine, ns.
func ticks(of clock: clockid_t) -> Int64 {
  var time = timespec()
  clock_gettime(clock, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
