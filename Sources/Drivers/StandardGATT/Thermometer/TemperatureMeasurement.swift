// Temperature Measurement (2A1C) and Intermediate Temperature (2A1E): one value read in place, without allocation.

import Bluetooth
import Wearable

/// Health Thermometer Service 1.0, sections 3.1 and 3.3. Every field is there that its flag announces, in this order;
/// all are little-endian.
///
///     byte 0   flags
///                bit 0     the unit is Fahrenheit
///                bit 1     a time follows
///                bit 2     a type follows
///                bits 3-7  reserved: counted, and not looked at
///     1-4      temperature, FLOAT (`MedicalFloat`)
///     then 7   time: Date Time, without a zone
///     then 1   type: where it was measured (`TemperaturePlace`)
struct TemperatureMeasurement: Sendable, Hashable {
  let isFahrenheit: Bool
  /// In the unit in which it came.
  let temperature: MedicalFloat
  private(set) var time: DateTime?
  /// As it came, reserved ones too.
  private(set) var type: UInt8?
  /// Bytes after the last field that the flags announce.
  let trailingBytes: Int
  let hasReservedFlags: Bool

  /// Throws `empty` without bytes and `truncated` where an announced field is missing.
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

  /// Degrees Celsius times `factor`, rounded once; nil for what is no number.
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
