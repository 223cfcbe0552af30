// The hub's time in documents.

import CivilTime
public import EventLoop

extension WallTime {
  /// `2026-11-21T10:00:00.123Z`: UTC, milliseconds, rounded down.
  public var rfc3339: String { momentText(microseconds, .milliseconds) }

  /// Parses a time as `rfc3339` writes it, with any offset. nil for anything else.
  public init?(rfc3339 text: String) {
    guard let time = moment(rfc3339: text) else { return nil }
    self.init(microseconds: time)
  }
}
