// Times on the wire: what the band's clock shows, counted as if it hung on a wall eight hours east of Greenwich.

/// A band has one clock, without a zone. A time is the seconds since 1970 at which a clock in China would show the same
/// digits; the bands show what they were set to, wherever they are. So what it shows is the number plus eight hours,
/// read as if it were Greenwich's.
enum MoyoungTime {
  /// Seconds.
  static let east: Int64 = 8 * 3600
  static let day: Int64 = 86_400
  /// By how much two clocks that count whole seconds may differ, s.
  static let step: Int64 = 2

  /// - Parameter shown: seconds since 1970 as the clock shows them.
  /// - Returns: nil before 1970 and behind 2106.
  static func wire(_ shown: Int64) -> UInt32? { UInt32(exactly: shown.subtractingReportingOverflow(east).partialValue) }

  static func shown(_ wire: UInt32) -> Int64 { Int64(wire) + east }

  /// Days since 1970 of what a clock shows.
  static func dayNumber(_ shown: Int64) -> Int64 { shown >= 0 ? shown / day : (shown + 1) / day - 1 }

  static func secondOfDay(_ shown: Int64) -> Int64 { shown - dayNumber(shown) * day }

  /// How near to midnight no day is asked for, s: band and hub may be on different days then. A clock that was just set
  /// differs by a second, and an answer takes less than `MoyoungClient.patience`.
  private static let guardTime: Int64 = 60

  static func isNearMidnight(_ shown: Int64) -> Bool {
    !(guardTime..<day - guardTime).contains(secondOfDay(shown))
  }

  /// By how much what was measured may lie behind the moment at which it was read, s: as the hub has it, two minutes.
  static let tolerance: Int64 = 120
}

extension UInt32 {
  var bigEndianBytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: self >> (24 - 8 * UInt32($0))) } }
}
