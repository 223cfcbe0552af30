// Encoding of numbers and dates by health sensors, and their exact form in the ground truth.

import Bluetooth
import CivilTime
import Health

/// Number with the exact value that was sent, so that every store can round it in its own way.
public struct Exact: Sendable, Hashable {
  /// Numerator in lowest terms.
  public let numerator: Int64
  /// Denominator above 0; the fraction is reduced.
  public let denominator: Int64

  /// A fraction in lowest terms; `denominator` must be positive.
  public init(_ numerator: Int64, over denominator: Int64 = 1) {
    precondition(denominator > 0, "a fraction through nothing")
    var (a, b) = (numerator.magnitude, denominator.magnitude)
    while b != 0 { (a, b) = (b, a % b) }
    let divisor = Int64(max(a, 1))
    self.numerator = numerator / divisor
    self.denominator = denominator / divisor
  }

  /// Value times `scale`, to the nearest whole number; halves are rounded away from 0.
  public func rounded(scale: Int64 = 1) -> Int64 {
    let doubled = Int128(numerator) * Int128(scale) * 2
    let half = doubled < 0 ? -Int128(denominator) : Int128(denominator)
    return Int64((doubled + half) / (Int128(denominator) * 2))
  }

  /// Number for bounds and display.
  public var approximate: Double { Double(numerator) / Double(denominator) }
}

/// Number of IEEE 11073-20601: mantissa times a power of ten, or one of five special values.
public struct MedicalNumber: Sendable, Hashable {
  /// Special value of a number.
  public enum Special: Int, Sendable, CaseIterable {
    case positiveInfinity = -2
    case notANumber = -1
    case notAtThisResolution = 0
    case reserved = 1
    case negativeInfinity = 2
  }

  /// Mantissa of the number.
  public var mantissa: Int
  /// Power of ten.
  public var exponent: Int
  /// Special value; nil: a number.
  public var special: Special?

  /// The number `mantissa` × 10^`exponent`.
  public init(_ mantissa: Int, exponent: Int = 0) {
    (self.mantissa, self.exponent) = (mantissa, exponent)
  }

  /// A special value.
  public init(_ special: Special) {
    (mantissa, exponent) = (0, 0)
    self.special = special
  }

  /// 16 bits: exponent in the upper four, mantissa in the lower twelve, both signed. The special values are around the
  /// lowest mantissa, with exponent 0.
  public var sfloat: UInt16 {
    if let special { return UInt16(0x0800 + special.rawValue) }
    precondition((-2045...2045).contains(mantissa) && (-8...7).contains(exponent), "no SFLOAT holds \(self)")
    return UInt16(exponent & 0xF) << 12 | UInt16(mantissa & 0xFFF)
  }

  /// 32 bits: exponent in the upper eight, mantissa in the lower 24, both signed.
  public var float: UInt32 {
    if let special { return UInt32(0x0080_0000 + special.rawValue) }
    precondition((-8_388_605...8_388_605).contains(mantissa) && (-128...127).contains(exponent), "no FLOAT")
    return UInt32(exponent & 0xFF) << 24 | UInt32(mantissa & 0xFF_FFFF)
  }

  /// nil for a special value.
  public var exact: Exact? {
    guard special == nil else { return nil }
    var power: Int64 = 1
    for _ in 0..<min(abs(exponent), 12) { power *= 10 }
    return exponent < 0 ? Exact(Int64(mantissa), over: power) : Exact(Int64(mantissa) * power)
  }
}

/// Conversion of units in services to those of the ground truth.
enum UnitFactor {
  /// 1 lb = 0.45359237 kg.
  static func kilograms(pounds: Exact) -> Exact {
    Exact(pounds.numerator * 45_359_237, over: pounds.denominator * 100_000_000)
  }

  /// 1 mmHg = 133.322387415 Pa (conventional).
  static func millimetresOfMercury(kilopascals: Exact) -> Exact {
    Exact(kilopascals.numerator * 1_000_000_000_000, over: kilopascals.denominator * 133_322_387_415)
  }

  static func celsius(fahrenheit: Exact) -> Exact {
    Exact((fahrenheit.numerator - 32 * fahrenheit.denominator) * 5, over: fahrenheit.denominator * 9)
  }

  /// 1 in = 0.0254 m.
  static func metres(inches: Exact) -> Exact { Exact(inches.numerator * 254, over: inches.denominator * 10_000) }
}

/// Civil time in microseconds since 1970 without a zone, as a Date Time of seven bytes: year u16, month, day, hour,
/// minute, second.
func dateTime(_ shown: Int64) -> [UInt8] {
  let second = wholeSeconds(shown)
  let day = floored(second, 86_400)
  let date = LocalDate(dayNumber: day)
  let inDay = second - day * 86_400
  var bytes: [UInt8] = []
  bytes.append(littleEndian: UInt16(clamping: date.year))
  bytes += [UInt8(date.month), UInt8(date.day)]
  bytes += [UInt8(inDay / 3600), UInt8(inDay / 60 % 60), UInt8(inDay % 60)]
  return bytes
}

/// Inverse of `dateTime`; nil for an invalid date or time of day.
func shownTime(_ bytes: ArraySlice<UInt8>) -> Int64? {
  let all = Array(bytes)
  guard all.count >= 7, all[4] < 24, all[5] < 60, all[6] < 60,
    let date = LocalDate(year: Int(all[0]) | Int(all[1]) << 8, month: Int(all[2]), day: Int(all[3]))
  else { return nil }
  let inDay = Int64(all[4]) * 3600 + Int64(all[5]) * 60 + Int64(all[6])
  return (date.dayNumber * 86_400 + inDay) * 1_000_000
}

/// 1 Monday to 7 Sunday.
func weekday(_ shown: Int64) -> UInt8 {
  let day = floored(wholeSeconds(shown), 86_400)
  return UInt8((((day + 3) % 7) + 7) % 7 + 1)
}

func wholeSeconds(_ microseconds: Int64) -> Int64 { floored(microseconds, 1_000_000) }

/// Quotient, rounded down.
func floored(_ value: Int64, _ divisor: Int64) -> Int64 {
  let quotient = value / divisor
  return value % divisor < 0 ? quotient - 1 : quotient
}

extension Array where Element == UInt8 {
  /// Three bytes.
  mutating func append(littleEndian24 value: UInt32) {
    for shift in [0, 8, 16] { append(UInt8(truncatingIfNeeded: value >> UInt32(shift))) }
  }

  /// Six bytes.
  mutating func append(littleEndian48 value: UInt64) {
    for place in 0..<6 { append(UInt8(truncatingIfNeeded: value >> UInt64(place * 8))) }
  }
}
