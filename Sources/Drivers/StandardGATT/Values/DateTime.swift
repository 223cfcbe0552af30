// Date Time, a date and a time of day without a zone, as clocks and values of medical devices carry it: whether there
// is such a moment, and how many microseconds it is from 1970.

import Bluetooth
import CivilTime
import Health
import Wearable

/// GATT Specification Supplement, Date Time: year (two bytes), month, day, hour, minute, second. 0 in any of the first
/// three stands for unknown.
struct DateTime: Sendable, Hashable {
  let year: UInt16
  let month, day, hour, minute, second: UInt8

  /// Years that Date Time can tell, but for 0.
  private static let years: ClosedRange<UInt16> = 1582...9999

  /// As it came, whether there is such a moment or not.
  init(year: UInt16, month: UInt8, day: UInt8, hour: UInt8, minute: UInt8, second: UInt8) {
    (self.year, self.month, self.day) = (year, month, day)
    (self.hour, self.minute, self.second) = (hour, minute, second)
  }

  /// As it came, whether there is such a moment or not. Throws `truncated` below seven bytes.
  init(_ reader: inout ByteReader) throws(DecodeError) {
    guard let year = reader.u16(), let month = reader.u8(), let day = reader.u8(), let hour = reader.u8(),
      let minute = reader.u8(), let second = reader.u8()
    else { throw .truncated }
    self.init(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
  }

  /// What a clock shows at a moment, µs since 1970 as if it stood in Greenwich.
  init(microseconds: Int64) {
    let seconds = floorDivide(microseconds, 1_000_000)
    let days = floorDivide(seconds, 86_400)
    let inDay = seconds - days * 86_400
    let date = LocalDate(dayNumber: days)
    self.init(
      year: UInt16(clamping: date.year), month: UInt8(clamping: date.month), day: UInt8(clamping: date.day),
      hour: UInt8(clamping: inDay / 3600), minute: UInt8(clamping: inDay / 60 % 60),
      second: UInt8(clamping: inDay % 60))
  }

  /// The calendar and the day have it, as far as it is told.
  var isPossible: Bool {
    guard hour < 24, minute < 60, second < 60, month <= 12, day <= 31 else { return false }
    return !isKnown || microseconds != nil
  }

  /// The day is told.
  var isKnown: Bool { year != 0 && month != 0 && day != 0 }

  var date: LocalDate? {
    guard isKnown, Self.years.contains(year) else { return nil }
    return LocalDate(year: Int(year), month: Int(month), day: Int(day))
  }

  /// µs since 00:00.
  var inDay: Int64 { (Int64(hour) * 3600 + Int64(minute) * 60 + Int64(second)) * 1_000_000 }

  /// Since 1970, as if it were Greenwich's; nil where the day is unknown, or there is no such moment.
  var microseconds: Int64? {
    guard hour < 24, minute < 60, second < 60 else { return nil }
    return date.map { $0.dayNumber * 86_400_000_000 + inDay }
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: year)
    return bytes + [month, day, hour, minute, second]
  }
}
