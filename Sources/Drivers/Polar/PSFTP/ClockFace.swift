// Times of Polar wearables: civil time without a zone, in messages or as nanoseconds since 2000.

import CivilTime
import EventLoop
import Health
import PolarMessages

/// A civil date and time without a zone, with millisecond resolution.
struct ClockFace: Sendable, Hashable {
  let date: LocalDate
  /// 0 to 23.
  let hour: Int
  /// 0 to 59.
  let minute: Int
  /// 0 to 59.
  let second: Int
  /// 0 to 999.
  let millisecond: Int

  /// nil if the date is not in the calendar, or if a field of the time is out of range.
  init?(_ date: PbDate, _ time: PbTime) {
    guard let day = Self.date(date), time.hour < 24, time.minute < 60, time.seconds < 60, time.millis < 1000 else {
      return nil
    }
    self.date = day
    (hour, minute, second, millisecond) = (Int(time.hour), Int(time.minute), Int(time.seconds), Int(time.millis))
  }

  /// - Parameter microseconds: civil time counted from 1970 as if it were UTC; rounded down to the millisecond.
  init(microseconds: Int64) {
    let milliseconds = floorDivide(microseconds, 1000)
    let day = floorDivide(milliseconds, 86_400_000)
    let rest = Int(milliseconds - day * 86_400_000)
    date = LocalDate(dayNumber: day)
    (hour, minute, second, millisecond) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60, rest % 1000)
  }

  static func date(_ date: PbDate) -> LocalDate? {
    LocalDate(year: Int(date.year), month: Int(date.month), day: Int(date.day))
  }

  /// µs since 1970, counting the civil time as UTC. nil on overflow, which happens only in the last year of
  /// `LocalDate`.
  var microseconds: Int64? {
    let seconds = date.dayNumber * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    let (sum, overflowed) = product.addingReportingOverflow(Int64(millisecond) * 1000)
    return overflow || overflowed ? nil : sum
  }

  var wireDate: PbDate {
    var wire = PbDate()
    (wire.year, wire.month, wire.day) = (
      UInt32(clamping: date.year), UInt32(clamping: date.month), UInt32(clamping: date.day)
    )
    return wire
  }

  /// Time that always has the milliseconds field, even for 0, like the time that Polar's own application sends.
  var wireTime: PbTime {
    var wire = PbTime()
    (wire.hour, wire.minute, wire.seconds) = (
      UInt32(clamping: hour), UInt32(clamping: minute), UInt32(clamping: second)
    )
    wire.millis = UInt32(clamping: millisecond)
    return wire
  }

  private static func padded(_ value: Int, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }

  /// `2026-11-21T10:00:00.000`.
  var text: String {
    """
    \(date.text)T\(Self.padded(hour, 2)):\(Self.padded(minute, 2)):\
    \(Self.padded(second, 2)).\(Self.padded(millisecond, 3))
    """
  }
}

extension PSFTP {
  /// The hub's time in UTC, as parameters of the query that sets the system time.
  static func systemTime(_ wall: WallTime) -> PbPFtpSetSystemTimeParams {
    let time = ClockFace(microseconds: wall.microseconds)
    var message = PbPFtpSetSystemTimeParams()
    (message.date, message.time, message.trusted) = (time.wireDate, time.wireTime, true)
    return message
  }

  /// The hub's time in a zone, as parameters of the query that sets the local time.
  ///
  /// - Parameter offset: minutes east of Greenwich.
  static func localTime(_ wall: WallTime, offset: Int) -> PbPFtpSetLocalTimeParams {
    let time = ClockFace(microseconds: wall.microseconds &+ Int64(offset) &* 60_000_000)
    var message = PbPFtpSetLocalTimeParams()
    (message.date, message.time, message.tzOffset) = (time.wireDate, time.wireTime, Int32(clamping: offset))
    return message
  }
}
