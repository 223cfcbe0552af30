// Temperature Measurement (2A1C).

public import Bluetooth
public import Wearable

/// Health Thermometer Service 1.0, section 3.1; the number is a FLOAT of IEEE 11073-20601.
///
///     byte 0   flags
///                bit 0     the unit is Fahrenheit
///                bit 1     a time stamp follows
///                bit 2     a type follows
///                bits 3-7  reserved, ignored
///     1-3      mantissa, signed
///     4        exponent of ten, signed
///     then     time stamp and type, not read here
public struct TemperatureMeasurement: Sendable, Hashable {
  /// To a hundredth of the unit in which it came.
  public let celsius: Double
  public let isFahrenheit: Bool

  /// Throws `empty` without bytes, `truncated` below five, and `outOfRange` for the mantissas that stand for no number.
  public init(_ bytes: RawBytes) throws(DecodeError) {
    var reader = ByteReader(bytes)
    guard let flags = reader.u8() else { throw .empty }
    guard let digits = reader.take(3), let mantissa = Int32(littleEndianBytes: digits), let exponent = reader.i8()
    else { throw .truncated }
    // NaN 7FFFFF, NRes 800000, +inf 7FFFFE, -inf 800002, reserved 800001.
    guard (-0x7F_FFFD...0x7F_FFFD).contains(mantissa) else { throw .outOfRange }
    var value = Double(mantissa)
    // Division by a power of ten rounds once; a product of tenths would round at every step.
    var scale = 1.0
    for _ in 0..<exponent.magnitude { scale *= 10 }
    value = exponent < 0 ? value / scale : value * scale
    let rounded = (value * 100).rounded() / 100
    isFahrenheit = flags & 1 != 0
    celsius = isFahrenheit ? (rounded - 32) * 5 / 9 : rounded
  }
}
