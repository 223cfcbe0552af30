// The time stamp of newer services: a counter since 2000, and what it counts. Device Time (2BF2) has one, and so does
// each observation of a generic health sensor.

import Bluetooth
import Wearable

/// Nine bytes.
///
///     0      flags
///              bit 0     a tick counter, unrelated to the time of day
///              bit 1     UTC, else local time
///              bits 2-3  unit: 1 s, 0.1 s, 1 ms, 0.1 ms
///              bit 4     the offset is used
///              bit 5     on the clock's current timeline: it was not set since
///              others reserved, ignored
///     1-6    counter since 2000-01-01
///     7      source
///     8      offset of local time from UTC, quarters of an hour
struct ElapsedTime: Sendable, Hashable {
  struct Flags: OptionSet, Sendable, Hashable {
    let rawValue: UInt8

    static let ticks = Self(rawValue: 1 << 0)
    static let utc = Self(rawValue: 1 << 1)
    static let usesOffset = Self(rawValue: 1 << 4)
    static let currentTimeline = Self(rawValue: 1 << 5)
    static let unit = Self(rawValue: 3 << 2)
  }

  static let size = 9
  static let sourcePlace = 7
  /// µs from 1970 to 2000.
  static let epoch: Int64 = 946_684_800_000_000

  let flags: Flags
  /// 48 bits.
  let counter: UInt64
  let sourceCode: UInt8
  let quarters: Int8

  /// - Throws: `truncated` below nine bytes.
  init(_ reader: inout ByteReader) throws(DecodeError) {
    guard let flags = reader.u8(), let low = reader.u32(), let high = reader.u16(), let source = reader.u8(),
      let quarters = reader.i8()
    else { throw .truncated }
    self.flags = Flags(rawValue: flags)
    counter = UInt64(low) | UInt64(high) << 32
    sourceCode = source
    self.quarters = quarters
  }

  /// A moment, as a clock with these flags shows it; nil for a tick counter, and before 2000.
  ///
  /// - Parameters:
  ///   - utc: µs since 1970.
  ///   - offset: minutes east of Greenwich.
  init?(utc: Int64, offset: Int, like flags: Flags, _ source: TimeSource) {
    if flags.contains(.ticks) { return nil }
    let shown = utc - Self.epoch + (flags.contains(.utc) ? 0 : Int64(offset) * 60_000_000)
    guard shown >= 0, offset % 15 == 0, let quarters = Int8(exactly: offset / 15) else { return nil }
    self.flags = flags.union(.currentTimeline)
    counter = UInt64(shown / self.flags.microsecondsPerUnit)
    sourceCode = source.rawValue
    self.quarters = flags.contains(.usesOffset) ? quarters : 0
  }

  /// nil for a reserved code.
  var source: TimeSource? { TimeSource(rawValue: sourceCode) }

  /// Minutes east of Greenwich; nil if the time stamp has no offset.
  var offset: Int? { flags.contains(.usesOffset) && !flags.contains(.ticks) ? Int(quarters) * 15 : nil }

  /// µs that the counter stands for; nil beyond 64 bits.
  var counted: Int64? {
    let (product, overflow) = Int64(counter).multipliedReportingOverflow(by: flags.microsecondsPerUnit)
    return overflow ? nil : product
  }

  /// µs since 1970, on the timeline on which the hub reads the wearable's clock too. UTC if it is known, else local
  /// time, else ticks. On overflow of 64 bits it is nil.
  var timeline: Int64? {
    guard let counted else { return nil }
    if flags.contains(.ticks) { return counted }
    let (shown, overflow) = counted.addingReportingOverflow(Self.epoch)
    if overflow { return nil }
    if flags.contains(.utc) { return shown }
    return shown - Int64(offset ?? 0) * 60_000_000
  }

  /// Whether `timeline` is UTC.
  var isUTC: Bool { !flags.contains(.ticks) && (flags.contains(.utc) || offset != nil) }

  var bytes: [UInt8] {
    let digits = (0..<6).map { UInt8(truncatingIfNeeded: counter >> (8 * UInt64($0))) }
    return [flags.rawValue] + digits + [sourceCode, UInt8(bitPattern: quarters)]
  }
}

extension ElapsedTime.Flags {
  /// µs of one step of the counter.
  var microsecondsPerUnit: Int64 {
    switch intersection(.unit).rawValue >> 2 {
    case 0: 1_000_000
    case 1: 100_000
    case 2: 1000
    default: 100
    }
  }
}

/// Device Time (2BF2): a time stamp, followed by the clock's status. The last two bytes are optional.
///
///     0-8    time stamp
///     9      status: bit 0 it needs to be set
///     10     abilities: bit 0 daylight saving, 1 zone
struct DeviceTime: Sendable, Hashable {
  let time: ElapsedTime
  let status: UInt8?
  let abilities: UInt8?
  let trailingBytes: Int

  /// - Throws: `empty` without bytes, `truncated` below nine.
  init(_ bytes: RawBytes) throws(DecodeError) {
    if bytes.isEmpty { throw .empty }
    var reader = ByteReader(bytes)
    time = try ElapsedTime(&reader)
    status = reader.u8()
    abilities = reader.u8()
    trailingBytes = reader.remaining
  }

  var needsSetting: Bool { (status ?? 0) & 1 != 0 }
}
