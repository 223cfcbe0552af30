// FLOAT, the 32-bit number of observations.

import Bluetooth
import Wearable

/// IEEE 11073-20601, FLOAT-Type (MEDFLOAT32): base ten.
///
///     bits 0-23    mantissa, signed
///     bits 24-31   exponent, signed
///
/// Five mantissas with the exponent 0 stand for no number.
struct ObservationNumber: Sendable, Hashable {
  let bits: UInt32

  init(bits: UInt32) { self.bits = bits }

  init(_ reader: inout ByteReader) throws(DecodeError) {
    guard let bits = reader.u32() else { throw .truncated }
    self.bits = bits
  }

  var mantissa: Int64 { Int64(Int32(bitPattern: bits << 8) >> 8) }
  var exponent: Int { Int(Int32(bitPattern: bits) >> 24) }

  /// NaN, NRes, the infinities, and the reserved value.
  var isNumber: Bool {
    ![0x007F_FFFF, 0x0080_0000, 0x007F_FFFE, 0x0080_0002, 0x0080_0001].contains(bits)
  }

  /// The value times `factor`, rounded to the nearest whole number, halves away from zero; nil for what is no number,
  /// and for what is beyond 10^12.
  ///
  /// - Parameter factor: 1 to 10^6.
  func scaled(by factor: Int64) -> Int64? {
    guard isNumber else { return nil }
    // A mantissa has seven digits: behind 10^-14 nothing is left of it, whatever the factor.
    if mantissa == 0 || exponent < -14 { return 0 }
    guard exponent <= 6 else { return nil }
    var power: Int64 = 1
    for _ in 0..<exponent.magnitude { power *= 10 }
    let number = mantissa * factor
    if exponent >= 0 {
      let (product, overflow) = number.multipliedReportingOverflow(by: power)
      return overflow ? nil : product
    }
    let half = power / 2
    return (number + (number < 0 ? -half : half)) / power
  }
}
