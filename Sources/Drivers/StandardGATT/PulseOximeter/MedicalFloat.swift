// SFLOAT, the 16-bit number of medical devices.

/// IEEE 11073-20601, SFLOAT-Type (MEDFLOAT16 in the GATT Specification Supplement): base ten.
///
///     bits 0-11    mantissa, signed
///     bits 12-15   exponent, signed
///
/// Five values with the exponent 0 stand for no number.
struct MedicalFloat: Sendable, Hashable {
  enum Special: Sendable, Hashable {
    case notANumber
    case notAtThisResolution
    case positiveInfinity
    case negativeInfinity
    case reserved
  }

  let bits: UInt16

  /// −2048 to 2047.
  var mantissa: Int64 { Int64(Int16(bitPattern: bits << 4) >> 4) }
  /// −8 to 7.
  var exponent: Int { Int(Int16(bitPattern: bits) >> 12) }

  /// nil for a number.
  var special: Special? {
    switch bits {
    case 0x07FF: .notANumber
    case 0x0800: .notAtThisResolution
    case 0x07FE: .positiveInfinity
    case 0x0802: .negativeInfinity
    case 0x0801: .reserved
    default: nil
    }
  }

  /// The value times `factor`, rounded to the nearest whole number, halves away from zero; nil for what is no number.
  ///
  /// - Parameter factor: 1 to 1000, so that nothing overflows.
  func scaled(by factor: Int64) -> Int64? {
    if special != nil { return nil }
    var power: Int64 = 1
    for _ in 0..<exponent.magnitude { power *= 10 }
    let number = mantissa * factor
    if exponent >= 0 { return number * power }
    let half = power / 2
    return (number + (number < 0 ? -half : half)) / power
  }
}
