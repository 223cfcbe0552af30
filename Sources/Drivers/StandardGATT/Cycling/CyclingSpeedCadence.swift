// CSC Measurement (2A5B): about one notification a second while riding, decoded in place without allocation; and the
// difference between two of them.

import Bluetooth
import Wearable

/// Cycling Speed and Cadence Service 1.0, section 3.1.
///
///     byte 0   flags
///                bit 0     wheel revolutions are present
///                bit 1     crank revolutions are present
///                bits 2-7  reserved: counted, and otherwise ignored
///     then 4   wheel revolutions so far (flag 0)
///     then 2   time of the last one, 1/1024 s
///     then 2   crank revolutions so far (flag 1)
///     then 2   time of the last one, 1/1024 s
///
/// Counters and times wrap.
struct CyclingSpeedCadence: Sendable, Hashable {
  private(set) var wheel: Turns<UInt32>?
  private(set) var crank: Turns<UInt16>?
  /// Bytes after the last announced field.
  let trailingBytes: Int
  let hasReservedFlags: Bool

  /// - Throws: `empty` without bytes, `truncated` if an announced field is missing.
  init(_ bytes: RawBytes) throws(DecodeError) {
    var reader = ByteReader(bytes)
    guard let flags = reader.u8() else { throw .empty }
    hasReservedFlags = flags & 0xFC != 0
    if flags & 1 != 0 {
      guard let count = reader.u32(), let time = reader.u16() else { throw .truncated }
      wheel = Turns(count: count, time: time)
    }
    if flags & 2 != 0 {
      guard let count = reader.u16(), let time = reader.u16() else { throw .truncated }
      crank = Turns(count: count, time: time)
    }
    trailingBytes = reader.remaining
  }
}

/// A counter of revolutions, and the time of the last revolution.
struct Turns<Count: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable, Hashable {
  let count: Count
  /// 1/1024 s.
  let time: UInt16

  /// Revolutions since an earlier value, and their duration in 1/1024 s, both modulo the range of their fields.
  func since(_ earlier: Turns) -> (count: Count, ticks: UInt16) {
    (count &- earlier.count, time &- earlier.time)
  }

  /// Tenths of revolutions a minute since an earlier value, rounded; nil without a revolution or a duration.
  func rate(since earlier: Turns) -> Int64? {
    let (count, ticks) = since(earlier)
    guard count > 0, ticks > 0, let turns = Int64(exactly: count) else { return nil }
    let ticksPerMinute: Int64 = 60 * 1024
    return (turns * 10 * ticksPerMinute + Int64(ticks) / 2) / Int64(ticks)
  }
}

/// CSC Feature (2A5C; section 3.2): what a sensor can report. Each value announces its fields. A sensor has at least
/// one of the two counters.
struct CyclingFeatures: OptionSet, Sendable, Hashable {
  let rawValue: UInt16

  static let wheelRevolutions = Self(rawValue: 1 << 0)
  static let crankRevolutions = Self(rawValue: 1 << 1)
  static let multipleLocations = Self(rawValue: 1 << 2)
  static let counters: Self = [.wheelRevolutions, .crankRevolutions]

  var hasReservedBits: Bool { rawValue >> 3 != 0 }

  init(rawValue: UInt16) { self.rawValue = rawValue }

  /// - Throws: `empty` without bytes, `truncated` below two.
  init(_ bytes: RawBytes) throws(DecodeError) {
    var reader = ByteReader(bytes)
    if bytes.isEmpty { throw .empty }
    guard let bits = reader.u16() else { throw .truncated }
    rawValue = bits
  }
}
