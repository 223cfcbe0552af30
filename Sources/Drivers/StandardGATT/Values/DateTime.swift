// Date Time: date and time of day without a zone, used by clocks and values of medical devices. Includes validation and
// conversion to µs since 1970.

import Bluetooth
import CivilTime
import Health
import Wearable

/// GATT Specification Supplement, Date Time: year (two bytes), month, day, hour, minute, second. 0 in any of the first
/// three stands for unknown.
struct DateTime: Sendable, Hashable {
  let year: UInt16
  let month, day, hour, minute, second: UInt8

  /// Years that Date Time can express, except for 0.
  private static let years: ClosedRange<UInt16> = 1582...9999

  /// The fields as sent, valid or not.
  init(year: UInt16, month: UInt8, day: UInt8, hour: UInt8, minute: UInt8, second: UInt8) {
    (self.year, self.month, self.day) = (year, month, day)
    (self.hour, self.minute, self.second) = (hour, minute, second)
  }

  /// The fields as sent, valid or not.
  ///
  /// - Throws: `truncated` below seven bytes.
  init(_ reader: inout ByteReader) throws(DecodeError) {
    guard let year = reader.u16(), let month = reader.u8(), let day = reader.u8(), let hour = reader.u8(),
      let minute = reader.u8(), let second = reader.u8()
    else { throw .truncated }
    self.init(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
  }

  /// A local time in µs since 1970, counted as UTC.
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

  /// Whether all known fields are valid.
  var isPossible: Bool {
    guard hour < 24, minute < 60, second < 60, month <= 12, day <= 31 else { return false }
    return !isKnown || microseconds != nil
  }

  /// Whether the day is known.
  var isKnown: Bool { year != 0 && month != 0 && day != 0 }

  var date: LocalDate? {
    guard isKnown, Self.years.contains(year) else { return nil }
    return LocalDate(year: Int(year), month: Int(month), day: Int(day))
  }

  /// µs since 00:00.
  var inDay: Int64 { (Int64(hour) * 3600 + Int64(minute) * 60 + Int64(second)) * 1_000_000 }

  /// µs since 1970, counting the local time as UTC; nil if the day is unknown, or the time is invalid.
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
