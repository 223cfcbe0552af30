// SFLOAT and FLOAT, the number formats of medical devices.

import Bluetooth
import Wearable

/// IEEE 11073-20601, SFLOAT-Type and FLOAT-Type (MEDFLOAT16 and MEDFLOAT32 in the GATT Specification Supplement): base
/// ten, little-endian.
///
///     SFLOAT                             FLOAT
///     bits 0-11    mantissa, signed      bits 0-23    mantissa, signed
///     bits 12-15   exponent, signed      bits 24-31   exponent, signed
///
/// In each format, five bit patterns with the exponent 0 are special values and not numbers.
struct MedicalFloat: Sendable, Hashable {
  enum Special: Sendable, Hashable {
    case notANumber
    case notAtThisResolution
    case positiveInfinity
    case negativeInfinity
    case reserved
  }

  /// Mantissa of at most 24 bits with the sign.
  let mantissa: Int64
  /// −128 to 127.
  let exponent: Int
  /// nil for a number.
  let special: Special?

  /// Whether it is the reserved special value.
  var isReserved: Bool { special == .reserved }

  init(sfloat bits: UInt16) {
    mantissa = Int64(Int16(bitPattern: bits << 4) >> 4)
    exponent = Int(Int16(bitPattern: bits) >> 12)
    special =
      switch bits {
      case 0x07FF: .notANumber
      case 0x0800: .notAtThisResolution
      case 0x07FE: .positiveInfinity
      case 0x0802: .negativeInfinity
      case 0x0801: .reserved
      default: nil
      }
  }

  init(float bits: UInt32) {
    mantissa = Int64(Int32(bitPattern: bits << 8) >> 8)
    exponent = Int(Int32(bitPattern: bits) >> 24)
    special =
      switch bits {
      case 0x007F_FFFF: .notANumber
      case 0x0080_0000: .notAtThisResolution
      case 0x007F_FFFE: .positiveInfinity
      case 0x0080_0002: .negativeInfinity
      case 0x0080_0001: .reserved
      default: nil
      }
  }

  /// The value less `origin`, times `factor / divisor`, rounded to the nearest whole number, halves away from zero.
  /// Special values give nil. The result is limited to 64 bits.
  ///
  /// - Parameters:
  ///   - factor: 1 to 10^14; with an origin up to 10^10, so that no step overflows.
  ///   - divisor: 1 to 10^12.
  ///   - origin: at most 1000.
  func scaled(by factor: Int64, over divisor: Int64 = 1, from origin: Int64 = 0) -> Int64? {
    if special != nil { return nil }
    // Larger than any measurement: 10^12 of any unit.
    if exponent > 12, mantissa != 0 { return mantissa < 0 ? .min : .max }
    // Smaller than any stored step: the number counts as 0, and only `origin` remains.
    let isNothing = exponent < -24 || mantissa == 0
    let power = isNothing ? 1 : Self.power(of: exponent.magnitude)
    let isFraction = exponent < 0
    let value = isNothing ? 0 : Int128(mantissa)
    let numerator = isFraction ? value - Int128(origin) * power : value * power - Int128(origin)
    let denominator = isFraction ? Int128(divisor) * power : Int128(divisor)
    let product = numerator * Int128(factor)
    let half = denominator / 2
    return Int64(clamping: (product < 0 ? product - half : product + half) / denominator)
  }

  private static func power(of exponent: UInt) -> Int128 {
    var power: Int128 = 1
    for _ in 0..<exponent { power *= 10 }
    return power
  }
}

extension ByteReader {
  mutating func sfloat() throws(DecodeError) -> MedicalFloat {
    guard let bits = u16() else { throw .truncated }
    return MedicalFloat(sfloat: bits)
  }

  mutating func float() throws(DecodeError) -> MedicalFloat {
    guard let bits = u32() else { throw .truncated }
    return MedicalFloat(float: bits)
  }
}
