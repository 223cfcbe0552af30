// Whole numbers as text, without allocations.

extension Array where Element == UInt8 {
  /// Appends decimal digits, padded with zeros to `width`. Most of the text of a row is digits.
  package mutating func append(digits value: UInt64, width: Int) {
    // Most parts of a time.
    if width == 2, value < 100 {
      append(0x30 + UInt8(truncatingIfNeeded: value / 10))
      return append(0x30 + UInt8(truncatingIfNeeded: value % 10))
    }
    var (digits, rest) = (1, value / 10)
    while rest > 0 { (digits, rest) = (digits + 1, rest / 10) }
    for _ in 0..<Swift.max(width, digits) { append(0x30) }
    var place = count
    rest = value
    repeat {
      place -= 1
      self[place] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
  }

  package mutating func append(number: Int64) {
    if number < 0 { append(UInt8(ascii: "-")) }
    append(digits: number.magnitude, width: 1)
  }
}
