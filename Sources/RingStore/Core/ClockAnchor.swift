// How the clocks stood when items came.

internal import EventLoop

/// How the wall clock stood to the monotonic clock when items came: what their times are worth, and what they were on
/// the clock that nobody sets.
struct ClockAnchor: Equatable, Sendable {
  /// Wall clock less monotonic clock, microseconds.
  var offset: Int64
  var boot: BootID
  /// A time source disciplined the wall clock.
  var trusted: Bool
  /// The times rest on another clock than the hub's, or on none.
  var isOwn = false
}
