// Clock of the insole: format of reading and setting, and the effect of its falls.

public import Bluetooth
import CivilTime
import Health
public import Wearable

extension Botz {
  /// Information 0x2A2B, 12 bytes: the SIG's Current Time and two more bytes, all in UTC.
  ///
  ///     0      u16  year
  ///     2, 3   u8   month, day
  ///     4-6    u8   hour, minute, second
  ///     7      u8   weekday, 1 is Monday
  ///     8, 9   u8   1/256 s, reason of adjustment: always 0
  ///     10     u8   daylight saving, 0
  ///     11     i8   time zone, 0
  ///
  /// Ten bytes, as in the SIG's own characteristic, are accepted as well.
  public struct CurrentTime: Sendable, Hashable {
    /// Year of the calendar, 1970 to 2105.
    public let year: UInt16
    /// Month and day from 1 on, hour, minute, second, and weekday.
    public let month, day, hour, minute, second, weekday: UInt8
    /// Fraction of the second, in 1/256 s.
    public let fraction: UInt8
    /// Adjust reason of the SIG's characteristic.
    public let adjustReason: UInt8
    /// Offset of daylight saving time; always UTC.
    public let daylightSaving: UInt8
    /// Offset from UTC: always 0.
    public let timeZone: Int8
    /// Seconds since 1970.
    public let seconds: Int64

    /// - Throws: `empty`, `truncated` below ten bytes, `outOfRange` for an invalid date or time of day.
    public init(_ bytes: RawBytes) throws(DecodeError) {
      if bytes.isEmpty { throw .empty }
      var reader = ByteReader(bytes)
      guard let year = reader.u16(), let month = reader.u8(), let day = reader.u8(), let hour = reader.u8(),
        let minute = reader.u8(),
        let second = reader.u8(), let weekday = reader.u8(), let fraction = reader.u8(), let reason = reader.u8()
      else { throw .truncated }
      guard (1970...2105).contains(year), hour < 24, minute < 60, second < 60,
        let date = LocalDate(year: Int(year), month: Int(month), day: Int(day))
      else { throw .outOfRange }
      (self.year, self.month, self.day, self.hour, self.minute, self.second, self.weekday) = (
        year, month, day, hour, minute, second, weekday
      )
      self.fraction = fraction
      adjustReason = reason
      daylightSaving = reader.u8() ?? 0
      timeZone = reader.i8() ?? 0
      seconds = date.dayNumber * 86_400 + Int64(hour) * 3600 + Int64(minute) * 60 + Int64(second)
    }

    /// Value that the insole reports at that moment.
    public init(seconds: UInt32) {
      self.seconds = Int64(seconds)
      let days = Int64(seconds) / 86_400
      let date = LocalDate(dayNumber: days)
      year = UInt16(clamping: date.year)
      month = UInt8(clamping: date.month)
      day = UInt8(clamping: date.day)
      let rest = seconds % 86_400
      hour = UInt8(clamping: rest / 3600)
      minute = UInt8(clamping: rest / 60 % 60)
      second = UInt8(clamping: rest % 60)
      // 1970-01-01 was a Thursday.
      weekday = UInt8(clamping: (days + 3) % 7 + 1)
      (fraction, adjustReason, daylightSaving, timeZone) = (0, 0, 0, 0)
    }

    public func encode() -> [UInt8] {
      var bytes: [UInt8] = []
      bytes.append(littleEndian: year)
      return bytes + [
        month, day, hour, minute, second, weekday, fraction, adjustReason, daylightSaving, UInt8(bitPattern: timeZone),
      ]
    }
  }

  /// Control `..81`: seconds since 1970, UTC, four bytes, big-endian, unlike all other integers of this interface. The
  /// insole does not check the length, so another one must never be sent.
  public struct SetTime: Sendable, Hashable {
    /// Seconds since 1970, UTC.
    public let seconds: UInt32

    /// A time in seconds since 1970, UTC.
    public init(seconds: UInt32) { self.seconds = seconds }

    /// nil unless there are four bytes.
    public init?(_ bytes: some Collection<UInt8>) {
      guard bytes.count == 4 else { return nil }
      seconds = bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }

    public func encode() -> [UInt8] {
      var bytes: [UInt8] = []
      bytes.append(littleEndian: seconds.byteSwapped)
      return bytes
    }
  }
}
