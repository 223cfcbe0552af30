// Division that rounds down, so that times before 1970 have correct dates.

/// `divisor` is positive.
@inlinable
@inline(__always)
public func floorDivide<Number: FixedWidthInteger>(_ value: Number, _ divisor: Number) -> Number {
  value / divisor - (value % divisor < 0 ? 1 : 0)
}

/// Remainder of `floorDivide`: 0 or more. `divisor` is positive.
@inlinable
@inline(__always)
public func floorRemainder<Number: FixedWidthInteger>(_ value: Number, _ divisor: Number) -> Number {
  let remainder = value % divisor
  return remainder < 0 ? remainder + divisor : remainder
}
