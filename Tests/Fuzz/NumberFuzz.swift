// libFuzzer harness: the numbers and dates of medical devices. Compiled together with Sources/Drivers/StandardGATT by
// ./run.

import Bluetooth

/// The first byte chooses what the rest is.
public func fuzzNumber(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = RawBytes(start: start, count: count)
  guard let choice = bytes.first else { return 0 }
  var reader = ByteReader(RawBytes(rebasing: bytes.dropFirst()))
  switch choice % 4 {
  case 0:
    guard let bits = reader.u16() else { return 0 }
    let number = MedicalFloat(sfloat: bits)
    precondition((-2048...2047).contains(number.mantissa) && (-8...7).contains(number.exponent))
    precondition((number.special != nil) == [0x07FF, 0x0800, 0x07FE, 0x0802, 0x0801].contains(bits))
    scale(number, &reader)
  case 1:
    guard let bits = reader.u32() else { return 0 }
    let number = MedicalFloat(float: bits)
    precondition((-(1 << 23)..<(1 << 23)).contains(number.mantissa) && (-128...127).contains(number.exponent))
    precondition(
      (number.special != nil) == [0x7F_FFFF, 0x80_0000, 0x7F_FFFE, 0x80_0002, 0x80_0001].contains(bits))
    scale(number, &reader)
  case 2: date(&reader)
  default:
    guard let number = try? ScaleNumber(&reader) else { return 0 }
    precondition((number.value == nil) == [0, 65_535].contains(number.raw))
    // A hundredth of a pound is 4.5 g.
    let (grams, imperial) = (number.grams(isImperial: false), number.grams(isImperial: true))
    precondition(grams == number.value.map { $0 * 5 })
    precondition(
      imperial.map { abs($0 * 1000 - Int64(number.raw) * 4536) <= 500 + Int64(number.raw) } ?? (grams == nil))
  }
  return 0
}

/// Against the same in floating point, which is as right as that can be.
private func scale(_ number: MedicalFloat, _ reader: inout ByteReader) {
  guard let first = reader.u64(), let second = reader.u64(), let third = reader.i16() else { return }
  let origin = Int64(third % 1001)
  // As its parameters say.
  let factor = 1 + Int64(first % (origin == 0 ? 100_000_000_000_000 : 10_000_000_000))
  let divisor = 1 + Int64(second % 1_000_000_000_000)
  guard let scaled = number.scaled(by: factor, over: divisor, from: origin) else {
    return precondition(number.special != nil)
  }
  precondition(number.special == nil)
  // No measured value is so large.
  if number.exponent > 12, number.mantissa != 0 { return precondition(scaled == (number.mantissa < 0 ? .min : .max)) }
  let value = Double(number.mantissa) * power(number.exponent)
  let wanted = (value - Double(origin)) * Double(factor) / Double(divisor)
  if wanted.magnitude > 9e18 {
    precondition(
      scaled.magnitude >= 8_999_999_999_999_999_000 && (scaled < 0) == (wanted < 0), "\(scaled), not \(wanted)")
  } else {
    precondition((Double(scaled) - wanted).magnitude <= 0.5001 + wanted.magnitude * 1e-9, "\(scaled), not \(wanted)")
  }
}

private func power(_ exponent: Int) -> Double {
  var power = 1.0
  for _ in 0..<exponent.magnitude { power *= 10 }
  return exponent < 0 ? 1 / power : power
}

/// A valid moment is unchanged after conversion; an invalid one has no microseconds.
private func date(_ reader: inout ByteReader) {
  let before = reader
  guard let date = try? DateTime(&reader) else { return }
  var again = before
  precondition(date.bytes.count == 7 && again.take(7).map { Array($0) } == date.bytes, "does not write what it read")
  guard let microseconds = date.microseconds else {
    return precondition(!date.isPossible || !date.isKnown, "possible, and no moment: \(date)")
  }
  precondition(
    date.isPossible && date.isKnown && DateTime(microseconds: microseconds) == date, "another moment: \(date)")
}
