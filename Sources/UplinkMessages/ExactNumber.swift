// Number with every digit that the hub wrote: an integer and a power of ten, never a float.

public import JSONText

/// `mantissa / 10^scale`.
public struct ExactNumber: Sendable, Hashable {
  /// Digits of the number, with its sign.
  public var mantissa: Int64
  /// 0 to `scaleLimit`.
  public var scale: Int

  /// Digits after the decimal point that 64 bits can hold.
  public static let scaleLimit = 18

  /// The number `mantissa` / 10^`scale`.
  public init(mantissa: Int64, scale: Int = 0) {
    self.mantissa = mantissa
    self.scale = scale
  }

  /// nil for other values, or more digits than 64 bits hold. Zeros at the end of a fraction are dropped.
  public init?(_ json: JSON) {
    switch json {
    case .integer(let number): self.init(mantissa: number)
    case .decimal(let text): self.init(text)
    default: return nil
    }
  }

  /// Parses JSON's number grammar: `-12.50`, `1e-05`.
  public init?(_ text: String) {
    var digits: [UInt8] = []
    var (fraction, power) = (0, 0)
    var (isNegative, behindPoint) = (false, false)
    var rest = text.utf8[...]
    if rest.first == UInt8(ascii: "-") {
      isNegative = true
      rest = rest.dropFirst()
    }
    while let byte = rest.popFirst() {
      switch byte {
      case 0x30...0x39:
        // Far more digits than fit; longer numbers are refused below, whatever their length.
        if digits.count > 400 { return nil }
        digits.append(byte - 0x30)
        if behindPoint { fraction += 1 }
      case UInt8(ascii: ".") where !behindPoint: behindPoint = true
      case UInt8(ascii: "e"), UInt8(ascii: "E"):
        guard let number = Int(String(decoding: rest, as: UTF8.self)), (-400...400).contains(number) else { return nil }
        power = number
        rest = rest.suffix(0)
      default: return nil
      }
    }
    if digits.isEmpty { return nil }
    var scale = fraction - power
    while scale > 0, digits.count > 1, digits.last == 0 {
      digits.removeLast()
      scale -= 1
    }
    var value: Int64 = 0
    for digit in digits {
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflowed) = product.subtractingReportingOverflow(Int64(digit))
      if overflow || overflowed { return nil }
      value = sum
    }
    if value == 0 { scale = 0 }
    while scale < 0 {
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      if overflow { return nil }
      value = product
      scale += 1
    }
    if scale > Self.scaleLimit || !isNegative && value == .min { return nil }
    self.init(mantissa: isNegative ? value : -value, scale: scale)
  }

  /// The mantissa with `scale` decimals; nil if that is too large. `scale` is at least the number's own.
  func mantissa(at scale: Int) -> Int64? {
    var value = mantissa
    for _ in self.scale..<max(self.scale, scale) {
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      if overflow { return nil }
      value = product
    }
    return value
  }

  /// Number as decimal text.
  public var text: String {
    if scale == 0 { return "\(mantissa)" }
    let digits = "\(mantissa.magnitude)"
    let padded = String(repeating: "0", count: max(0, scale + 1 - digits.utf8.count)) + digits
    return (mantissa < 0 ? "-" : "") + padded.dropLast(scale) + "." + padded.suffix(scale)
  }

  /// The nearest floating-point number, for live values.
  public var approximate: Double { Double(text) ?? 0 }
}
