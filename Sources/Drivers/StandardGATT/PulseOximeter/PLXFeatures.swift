// PLX Features (2A60): what an oximeter can report. Each value announces its fields. The features are read once, for
// the capabilities, and to prove that a silent link works.

import Bluetooth
import Wearable

/// Pulse Oximeter Service 1.0.1, section 3.4.
///
///     0-1      features; bits 8 to 15 are reserved
///     then 2   bits of the measurement status that are in use (bit 0)
///     then 3   bits of the device and sensor status that are in use (bit 1)
struct PLXFeatures: Sendable, Hashable {
  struct Supported: OptionSet, Sendable, Hashable {
    let rawValue: UInt16

    static let measurementStatus = Self(rawValue: 1 << 0)
    static let sensorStatus = Self(rawValue: 1 << 1)
    static let measurementStorage = Self(rawValue: 1 << 2)
    static let timestamp = Self(rawValue: 1 << 3)
    static let fast = Self(rawValue: 1 << 4)
    static let slow = Self(rawValue: 1 << 5)
    static let amplitudeIndex = Self(rawValue: 1 << 6)
    static let multipleBonds = Self(rawValue: 1 << 7)
  }

  let supported: Supported
  private(set) var measurementStatus: PLXMeasurement.MeasurementStatus?
  private(set) var sensorStatus: PLXMeasurement.SensorStatus?
  let trailingBytes: Int

  /// - Throws: `empty` without bytes, `truncated` if an announced field is missing.
  init(_ bytes: RawBytes) throws(DecodeError) {
    var reader = ByteReader(bytes)
    if bytes.isEmpty { throw .empty }
    guard let features = reader.u16() else { throw .truncated }
    supported = Supported(rawValue: features)
    if supported.contains(.measurementStatus) { measurementStatus = try PLXMeasurement.MeasurementStatus(&reader) }
    if supported.contains(.sensorStatus) { sensorStatus = try PLXMeasurement.SensorStatus(&reader) }
    trailingBytes = reader.remaining
  }

  var hasReservedBits: Bool {
    supported.rawValue >> 8 != 0 || measurementStatus?.hasReservedBits ?? false
      || sensorStatus?.hasReservedBits ?? false
  }
}
