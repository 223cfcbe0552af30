// Times on the wire: local time of the band's clock, encoded as if its zone were UTC+8.

/// Conversion of times. A band has one clock, without a zone. A time is the seconds since 1970 at which a clock in
/// China would show the same digits. Bands show the time that they were set to, wherever they are. The time shown is
/// therefore the number plus eight hours, read as if it were UTC.
enum MoyoungTime {
  /// Seconds.
  static let east: Int64 = 8 * 3600
  static let day: Int64 = 86_400
  /// Possible difference of two clocks that count whole seconds, s.
  static let step: Int64 = 2

  /// - Parameter shown: seconds since 1970 on the band's clock.
  /// - Returns: nil before 1970 and after 2106.
  static func wire(_ shown: Int64) -> UInt32? { UInt32(exactly: shown.subtractingReportingOverflow(east).partialValue) }

  static func shown(_ wire: UInt32) -> Int64 { Int64(wire) + east }

  /// Days since 1970 on the band's clock.
  static func dayNumber(_ shown: Int64) -> Int64 { shown >= 0 ? shown / day : (shown + 1) / day - 1 }

  static func secondOfDay(_ shown: Int64) -> Int64 { shown - dayNumber(shown) * day }

  /// Seconds around midnight in which no day is requested, since band and hub may be on different days. A clock that
  /// was just set differs by a second, and an answer takes less than `MoyoungClient.patience`.
  private static let guardTime: Int64 = 60

  static func isNearMidnight(_ shown: Int64) -> Bool {
    !(guardTime..<day - guardTime).contains(secondOfDay(shown))
  }

  /// Seconds by which a value may be later than the moment of its reading: two minutes, as in the hub.
  static let tolerance: Int64 = 120
}

extension UInt32 {
  var bigEndianBytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: self >> (24 - 8 * UInt32($0))) } }
}
