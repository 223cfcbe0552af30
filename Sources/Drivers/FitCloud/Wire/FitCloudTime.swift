// Local time of the band in four bytes, and a day in two.

import Bluetooth
import CivilTime
import Health

/// Local time, big-endian, most significant bit first.
///
///     bits 31-26   year - 2000
///     25-22        month, 1-12
///     21-17        day, 1-31
///     16-12        hour
///     11-6         minute
///     5-0          second
enum FitCloudTime {
  /// 2000-01-01 to 2063-12-31: six bits for the year.
  static let years = 2000...2063

  /// µs since 1970, with local time counted as if it were UTC; nil for an invalid date or time.
  static func microseconds(_ word: UInt32) -> Int64? {
    let (hour, minute, second) = (Int64(word >> 12 & 31), Int64(word >> 6 & 63), Int64(word & 63))
    guard hour < 24, minute < 60, second < 60,
      let date = LocalDate(year: Int(word >> 26) + 2000, month: Int(word >> 22 & 15), day: Int(word >> 17 & 31))
    else { return nil }
    return (date.dayNumber * 86_400 + hour * 3600 + minute * 60 + second) * 1_000_000
  }

  /// nil outside of `years`. Fractions of a second are dropped.
  static func word(_ microseconds: Int64) -> UInt32? {
    let day = floorDivide(microseconds, 86_400_000_000)
    let date = LocalDate(dayNumber: day)
    guard years.contains(date.year) else { return nil }
    let second = UInt32((microseconds - day * 86_400_000_000) / 1_000_000)
    let (hour, minute) = (second / 3600, second / 60 % 60)
    return UInt32(date.year - 2000) << 26 | UInt32(date.month) << 22 | UInt32(date.day) << 17
      | hour << 12 | minute << 6 | (second % 60)
  }

  static func bytes(_ microseconds: Int64) -> [UInt8]? {
    word(microseconds).map { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
  }

  /// Day of a history record: 1 spare bit, year - 2000 in 6 bits, month in 4, day in 5.
  ///
  /// - Returns: µs since 1970 of its 00:00, counted as if it were UTC.
  static func day(_ word: UInt16) -> Int64? {
    let date = LocalDate(year: Int(word >> 9 & 63) + 2000, month: Int(word >> 5 & 15), day: Int(word & 31))
    return date.map { $0.dayNumber * 86_400_000_000 }
  }
}

/// Reader of big-endian numbers, the band's byte order, which `ByteReader` lacks.
struct FitCloudReader {
  private var reader: ByteReader

  init(_ bytes: RawBytes) { reader = ByteReader(bytes) }

  var remaining: Int { reader.remaining }
  mutating func u8() -> UInt8? { reader.u8() }
  mutating func u16() -> UInt16? { reader.u16().map(\.byteSwapped) }
  mutating func u32() -> UInt32? { reader.u32().map(\.byteSwapped) }
  mutating func bytes(_ count: Int) -> [UInt8]? { reader.take(count).map(Array.init) }
}
