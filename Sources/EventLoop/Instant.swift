// Two clocks that never mix: Instant orders and measures, WallTime names a moment for people and for the store.

/// Reading of the monotonic clock (CLOCK_MONOTONIC on the hub, the virtual clock in simulation), in nanoseconds since
/// an arbitrary start. Never goes back while the hub is up; meaningless after a reboot.
public struct Instant: Hashable, Comparable, Sendable {
  /// Nanoseconds since an arbitrary start.
  public var nanoseconds: Int64

  /// An instant by its nanoseconds.
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  public static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }
  /// Returns a later instant; overflow wraps.
  public static func + (a: Instant, b: Duration) -> Instant {
    Instant(nanoseconds: a.nanoseconds &+ b.wholeNanoseconds)
  }
  /// Returns an earlier instant; overflow wraps.
  public static func - (a: Instant, b: Duration) -> Instant {
    Instant(nanoseconds: a.nanoseconds &- b.wholeNanoseconds)
  }
  /// Time between two instants; negative if `a` is earlier.
  public static func - (a: Instant, b: Instant) -> Duration { .nanoseconds(a.nanoseconds &- b.nanoseconds) }
}

/// Civil time as the hub believes it: microseconds since 1970-01-01T00:00:00Z, leap seconds ignored (POSIX). May jump
/// either way.
public struct WallTime: Hashable, Comparable, Sendable {
  /// Microseconds since 1970-01-01T00:00:00Z.
  public var microseconds: Int64

  /// A time by its microseconds.
  public init(microseconds: Int64) { self.microseconds = microseconds }

  public static func < (a: WallTime, b: WallTime) -> Bool { a.microseconds < b.microseconds }
  /// Returns a later time, in whole microseconds; overflow wraps.
  public static func + (a: WallTime, b: Duration) -> WallTime {
    WallTime(microseconds: a.microseconds &+ b.wholeNanoseconds / 1000)
  }
  /// Time between two moments; negative if `a` is earlier.
  public static func - (a: WallTime, b: WallTime) -> Duration { .microseconds(a.microseconds &- b.microseconds) }
}

extension Duration {
  /// Exponential back-off: this duration doubled `times` times, at most `longest`.
  public func doubled(_ times: Int, atMost longest: Duration) -> Duration {
    // 30 doublings turn a second into 34 years.
    min(self * (1 << min(max(times, 0), 30)), longest)
  }

  /// Nanoseconds, saturated to 64 bits (292 years).
  public var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return seconds < 0 ? .min : .max }
    let (sum, overflowed) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflowed ? (seconds < 0 ? .min : .max) : sum
  }

  /// A duration of whole nanoseconds.
  public static func nanoseconds(_ value: Int64) -> Duration {
    Duration(secondsComponent: value / 1_000_000_000, attosecondsComponent: value % 1_000_000_000 * 1_000_000_000)
  }

  /// Seconds as a floating-point number, for people and statistics.
  public var inSeconds: Double { Double(wholeNanoseconds) / 1e9 }
}
