// Temperature Measurement (2A1C) and Intermediate Temperature (2A1E): a value decoded in place, without allocation.

import Bluetooth
import Wearable

/// Health Thermometer Service 1.0, sections 3.1 and 3.3. The flags announce which fields are present, in this order;
/// all are little-endian.
///
///     byte 0   flags
///                bit 0     the unit is Fahrenheit
///                bit 1     a time follows
///                bit 2     a type follows
///                bits 3-7  reserved: counted, and otherwise ignored
///     1-4      temperature, FLOAT (`MedicalFloat`)
///     then 7   time: Date Time, without a zone
///     then 1   type: place of the measurement (`TemperaturePlace`)
struct TemperatureMeasurement: Sendable, Hashable {
  let isFahrenheit: Bool
  /// Temperature in the unit of the value.
  let temperature: MedicalFloat
  private(set) var time: DateTime?
  /// The type as sent, including reserved ones.
  private(set) var type: UInt8?
  /// Bytes after the last announced field.
  let trailingBytes: Int
  let hasReservedFlags: Bool

  /// - Throws: `empty` without bytes, `truncated` if an announced field is missing.
  init(_ bytes: RawBytes) throws(DecodeError) {
    var reader = ByteReader(bytes)
    guard let flags = reader.u8() else { throw .empty }
    isFahrenheit = flags & 0x01 != 0
    hasReservedFlags = flags & 0xF8 != 0
    temperature = try reader.float()
    if flags & 0x02 != 0 { time = try DateTime(&reader) }
    if flags & 0x04 != 0 {
      guard let code = reader.u8() else { throw .truncated }
      type = code
    }
    trailingBytes = reader.remaining
  }

  /// Degrees Celsius times `factor`, rounded once; nil for NaN and other special values.
  ///
  /// - Parameter factor: at most a million.
  func celsius(times factor: Int64) -> Int64? {
    isFahrenheit ? temperature.scaled(by: 5 * factor, over: 9, from: 32) : temperature.scaled(by: factor)
  }
}

/// Temperature Type (2A1D; Health Thermometer Service 1.0, section 3.2): 0 and 10 to 255 are reserved.
enum TemperaturePlace: UInt8, Sendable, Hashable, CaseIterable {
  case armpit = 1
  case body = 2
  case ear = 3
  case finger = 4
  case gastrointestinal = 5
  case mouth = 6
  case rectum = 7
  case toe = 8
  case eardrum = 9
}
