// Values of the Current Time Service: the time, its zone, and the source that set it.

import Bluetooth
import Wearable

/// Current Time (2A2B), Current Time Service 1.1, section 3.1; the same bytes are written to set it.
///
///     0-6    Date Time: local time, without a zone
///     7      weekday: 1 Monday to 7 Sunday, 0 unknown
///     8      1/256 s
///     9      reason of the last adjustment: bit 0 by hand, 1 by a reference, 2 another zone, 3 daylight saving
struct CurrentTime: Sendable, Hashable {
  struct Adjustment: OptionSet, Sendable, Hashable {
    let rawValue: UInt8

    static let manual = Self(rawValue: 1 << 0)
    static let reference = Self(rawValue: 1 << 1)
    static let zone = Self(rawValue: 1 << 2)
    static let daylight = Self(rawValue: 1 << 3)
  }

  let moment: DateTime
  let weekday: UInt8
  let fraction: UInt8
  let adjustment: Adjustment
  private(set) var trailingBytes = 0

  /// - Throws: `empty`, `truncated` below ten bytes, `outOfRange` for an invalid date or time of day.
  init(_ bytes: RawBytes) throws(DecodeError) {
    if bytes.isEmpty { throw .empty }
    guard bytes.count >= 10 else { throw .truncated }
    var reader = ByteReader(bytes)
    moment = try DateTime(&reader)
    guard moment.isPossible else { throw .outOfRange }
    guard let weekday = reader.u8(), let fraction = reader.u8(), let adjustment = reader.u8() else { throw .truncated }
    // A reserved weekday counts as unknown.
    (self.weekday, self.fraction) = (weekday <= 7 ? weekday : 0, fraction)
    self.adjustment = Adjustment(rawValue: adjustment)
    trailingBytes = reader.remaining
  }

  /// The value that a clock shows, for a local time in µs since 1970, counted as UTC.
  init(microseconds: Int64, _ adjustment: Adjustment) {
    moment = DateTime(microseconds: microseconds)
    let inSecond = microseconds % 1_000_000 + (microseconds % 1_000_000 < 0 ? 1_000_000 : 0)
    fraction = UInt8(clamping: inSecond * 256 / 1_000_000)
    // 1970-01-01 was a Thursday.
    weekday = UInt8(clamping: moment.date.map { ((($0.dayNumber + 3) % 7) + 7) % 7 + 1 } ?? 0)
    self.adjustment = adjustment
  }

  /// µs since 1970, counting the local time as UTC; nil if the day is unknown.
  var microseconds: Int64? { moment.microseconds.map { $0 + Int64(fraction) * 1_000_000 / 256 } }

  var bytes: [UInt8] { moment.bytes + [weekday, fraction, adjustment.rawValue] }
}

/// Local Time Information (2A0F), section 3.2.
///
///     0      zone without daylight saving, quarters of an hour east of Greenwich; -128 unknown
///     1      daylight saving: 0 none, 2 half an hour, 4 one hour, 8 two hours, 255 unknown
struct LocalTimeInformation: Sendable, Hashable {
  /// Minutes; nil if unknown.
  let zone: Int?
  /// Minutes; nil if unknown.
  let daylight: Int?
  private(set) var trailingBytes = 0

  private static let quarters: ClosedRange<Int8> = -48...56

  static let unknown = LocalTimeInformation()

  /// - Throws: `empty`, `truncated` below two bytes, `outOfRange` for reserved codes.
  init(_ bytes: RawBytes) throws(DecodeError) {
    if bytes.isEmpty { throw .empty }
    var reader = ByteReader(bytes)
    guard let zone = reader.i8(), let daylight = reader.u8() else { throw .truncated }
    guard zone == .min || Self.quarters.contains(zone) else { throw .outOfRange }
    self.zone = zone == .min ? nil : Int(zone) * 15
    switch daylight {
    case 0, 2, 4, 8: self.daylight = Int(daylight) * 15
    case 255: self.daylight = nil
    default: throw .outOfRange
    }
    trailingBytes = reader.remaining
  }

  private init() { (zone, daylight) = (nil, nil) }

  /// nil if the service cannot express it: not in quarters of an hour, or an unlisted daylight saving.
  init?(zone: Int, daylight: Int) {
    guard zone % 15 == 0, let quarters = Int8(exactly: zone / 15), Self.quarters.contains(quarters),
      [0, 30, 60, 120].contains(daylight)
    else { return nil }
    (self.zone, self.daylight) = (zone, daylight)
  }

  /// Minutes east of Greenwich, including daylight saving; nil if either is unknown.
  var offset: Int? { zone.flatMap { zone in daylight.map { zone + $0 } } }

  var bytes: [UInt8] {
    let quarters = zone.map { Int8(clamping: $0 / 15) } ?? .min
    return [UInt8(bitPattern: quarters), daylight.map { UInt8(clamping: $0 / 15) } ?? 255]
  }
}

/// Reference Time Information (2A14), section 3.3.
///
///     0      source
///     1      accuracy, 1/8 s; 254 out of range, 255 unknown
///     2      days since the last update; 255: 255 or more
///     3      hours beside the days; 255: as the days
struct ReferenceTimeInformation: Sendable, Hashable {
  let sourceCode: UInt8
  /// 1/8 s; nil if unknown or out of range.
  let accuracy: UInt8?
  /// nil if unknown or too long ago.
  let hoursSinceUpdate: Int?
  let trailingBytes: Int

  /// nil for a reserved code.
  var source: TimeSource? { TimeSource(rawValue: sourceCode) }

  /// - Throws: `empty`, `truncated` below four bytes, `outOfRange` for more than 23 hours beside the days.
  init(_ bytes: RawBytes) throws(DecodeError) {
    if bytes.isEmpty { throw .empty }
    var reader = ByteReader(bytes)
    guard let source = reader.u8(), let accuracy = reader.u8(), let days = reader.u8(), let hours = reader.u8() else {
      throw .truncated
    }
    sourceCode = source
    self.accuracy = accuracy < 254 ? accuracy : nil
    if days == 255 || hours == 255 {
      hoursSinceUpdate = nil
    } else {
      guard hours < 24 else { throw .outOfRange }
      hoursSinceUpdate = Int(days) * 24 + Int(hours)
    }
    trailingBytes = reader.remaining
  }
}
