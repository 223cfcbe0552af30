// RSC Measurement (2A53): about one notification a second while running, decoded in place, without allocation.

import Bluetooth
import Wearable

/// Running Speed and Cadence Service 1.0, section 3.1.
///
///     byte 0   flags
///                bit 0     stride length is present
///                bit 1     total distance is present
///                bit 2     running, else walking
///                bits 3-7  reserved: counted, and otherwise ignored
///     1-2      speed, 1/256 m/s
///     3        cadence, steps a minute
///     then 2   stride length, cm (flag 0)
///     then 4   total distance, 0.1 m (flag 1)
struct RunningSpeedCadence: Sendable, Hashable {
  let isRunning: Bool
  let speed: UInt16
  let cadence: UInt8
  private(set) var strideLength: UInt16?
  private(set) var totalDistance: UInt32?
  /// Bytes after the last announced field.
  let trailingBytes: Int
  let hasReservedFlags: Bool

  /// - Throws: `empty` without bytes, `truncated` if an announced field is missing.
  init(_ bytes: RawBytes) throws(DecodeError) {
    var reader = ByteReader(bytes)
    guard let flags = reader.u8() else { throw .empty }
    hasReservedFlags = flags & 0xF8 != 0
    guard let speed = reader.u16(), let cadence = reader.u8() else { throw .truncated }
    isRunning = flags & 4 != 0
    self.speed = speed
    self.cadence = cadence
    if flags & 1 != 0 {
      guard let value = reader.u16() else { throw .truncated }
      strideLength = value
    }
    if flags & 2 != 0 {
      guard let value = reader.u32() else { throw .truncated }
      totalDistance = value
    }
    trailingBytes = reader.remaining
  }

  /// Tenths of km/h, rounded once: 1/256 m/s is 9/64 of one.
  var tenthsOfKilometersPerHour: Int64 { (Int64(speed) * 9 + 32) / 64 }
}

/// RSC Feature (2A54; section 3.2): what a sensor can report. Each value announces its fields.
struct RunningFeatures: OptionSet, Sendable, Hashable {
  let rawValue: UInt16

  static let strideLength = Self(rawValue: 1 << 0)
  static let totalDistance = Self(rawValue: 1 << 1)
  static let walkingOrRunning = Self(rawValue: 1 << 2)
  static let calibration = Self(rawValue: 1 << 3)
  static let multipleLocations = Self(rawValue: 1 << 4)

  var hasReservedBits: Bool { rawValue >> 5 != 0 }

  init(rawValue: UInt16) { self.rawValue = rawValue }

  /// - Throws: `empty` without bytes, `truncated` below two.
  init(_ bytes: RawBytes) throws(DecodeError) {
    var reader = ByteReader(bytes)
    if bytes.isEmpty { throw .empty }
    guard let bits = reader.u16() else { throw .truncated }
    rawValue = bits
  }
}
