// Powers of ten factored out of a column: times in whole milliseconds need ten bits less than microseconds.

/// Divides known multiples of 10^exponent, and tests whether a value is a multiple.
struct DecimalScale {
  static let exponentLimit = 6

  let exponent: Int
  /// 10^exponent.
  let factor: Int64
  /// The inverse of 5^exponent modulo 2^64. An exact division is a multiplication by it, and a shift for the powers of
  /// two.
  private let inverse: Int64
  /// The largest multiple of 5^exponent, divided by that.
  private let quotientLimit: UInt64

  private static let scales = (0...exponentLimit).map { DecimalScale(exponent: $0) }

  static func of(_ exponent: Int) -> DecimalScale { scales[exponent] }

  private init(exponent: Int) {
    var five: Int64 = 1
    for _ in 0..<exponent { five *= 5 }
    // Newton's iteration doubles the number of correct bits; an odd number is its own inverse in three of them.
    var inverse = five
    for _ in 0..<5 { inverse = inverse &* (2 &- five &* inverse) }
    self.exponent = exponent
    factor = five << Int64(exponent)
    self.inverse = inverse
    quotientLimit = UInt64(Int64.max / five)
  }

  /// `value / factor` for a multiple of `factor`.
  @inline(__always)
  func divide(_ value: Int64) -> Int64 { (value >> Int64(truncatingIfNeeded: exponent)) &* inverse }

  /// Multiplying by the inverse maps exactly the multiples of 5^exponent to quotients of that size (Hacker's Delight,
  /// 10-17).
  @inline(__always)
  func divides(_ value: Int64) -> Bool {
    let quotient = UInt64(bitPattern: value &* inverse)
    return value & (1 << Int64(truncatingIfNeeded: exponent) &- 1) == 0
      && quotient &+ quotientLimit <= 2 &* quotientLimit
  }

  /// The largest exponent, at most this one's, of which the power of ten divides all values.
  func lowered(_ values: UnsafeBufferPointer<Int64>) -> DecimalScale {
    var scale = self
    for value in values where scale.exponent > 0 {
      while scale.exponent > 0, !scale.divides(value) { scale = Self.of(scale.exponent - 1) }
    }
    return scale
  }
}
