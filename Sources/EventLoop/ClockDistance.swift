// How far the wall clock is from the monotonic one.

internal import Glibc

/// Wall clock less monotonic clock, kept until somebody sets the wall clock: what slews the one slews the other.
struct ClockDistance {
  /// The wall clock's reading, and the monotonic one's before and after it, ns.
  struct Reading {
    let before: Int64
    let wall: Int64
    let after: Int64

    var width: Int64 { after - before }
    /// The distance is in here, whatever took the processor in between.
    var bounds: ClosedRange<Int64> { (wall - after)...max(wall - after, wall - before) }
  }

  /// ns; nil before the first reading.
  private(set) var nanoseconds: Int64?

  /// Three readings of a clock take less than a microsecond, on the smallest board as well; more than this in between
  /// was somebody else's. Less than this is no clock that was set. ns.
  static let width: Int64 = 100_000

  /// The first has nothing to be compared with, and what it is wrong by shows when it is put right.
  private static let firstTries = 64
  private static let tries = 4

  /// Takes readings until one is narrow.
  ///
  /// - Returns: the distance, ns.
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

/// ns, what a clock of this machine shows.
func ticks(of clock: clockid_t) -> Int64 {
  var time = timespec()
  clock_gettime(clock, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
