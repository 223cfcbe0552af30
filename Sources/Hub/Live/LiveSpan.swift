// How much of a link's time was filled with values.

import EventLoop

/// Counted with each value, and so kept in the module of the live path.
struct LiveSpan: Equatable {
  private(set) var heard: Duration = .zero
  private(set) var silent: Duration = .zero

  /// Values of a strap come once a second, those of a slow sensor each ten.
  private static let longestGap: Duration = .seconds(10)

  /// - Parameter gap: since the last value, or the beginning of the link.
  mutating func passed(_ gap: Duration) {
    if gap <= Self.longestGap { heard += gap } else { silent += gap }
  }
}

extension LiveLink {
  func span(_ now: Instant) -> LiveSpan {
    var span = intake.span
    span.passed(now - intake.lastNotification)
    return span
  }
}

extension Steadiness {
  mutating func add(_ span: LiveSpan) { add(heard: span.heard, silent: span.silent) }
}
