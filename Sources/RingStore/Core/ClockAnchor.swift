// The difference between the hub's clocks when items arrived.

internal import EventLoop

/// The difference between the wall clock and the monotonic clock when items arrived. States how reliable their times
/// are, and what they were on the clock that is never set.
struct ClockAnchor: Equatable, Sendable {
  /// Wall clock minus monotonic clock, microseconds.
  var offset: Int64
  var boot: BootID
  /// Whether a time source disciplined the wall clock.
  var trusted: Bool
  /// Whether the times come from another clock than the hub's, or from no clock at all.
  var isOwn = false
}
