// How much of a link's time had values.

import EventLoop

/// Counted with each value, so it is in the module of the live path.
struct LiveSpan: Equatable {
  private(set) var heard: Duration = .zero
  private(set) var silent: Duration = .zero

  /// Values of a strap come once a second, those of a slow sensor every ten.
  private static let longestGap: Duration = .seconds(10)

  /// - Parameter gap: time since the last value, or since the start of the link.
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

extension LinkStability {
  mutating func add(_ span: LiveSpan) { add(heard: span.heard, silent: span.silent) }
}
