// Conversion of bytes and numbers to hexadecimal digits and back.

/// Two upper-case digits a byte, `separator` between bytes.
public func hexadecimal(_ bytes: some Sequence<UInt8>, separator: String = "") -> String {
  var text: [UInt8] = []
  for byte in bytes {
    if !text.isEmpty { text.append(contentsOf: separator.utf8) }
    text.append(digit(byte >> 4))
    text.append(digit(byte & 15))
  }
  return String(decoding: text, as: UTF8.self)
}

private func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }

/// The value of one digit, upper or lower case; nil for anything else.
private func value(ofDigit character: UInt8) -> UInt8? {
  switch character {
  case 0x30...0x39: character - 0x30
  case 0x41...0x46: character - 0x37
  case 0x61...0x66: character - 0x57
  default: nil
  }
}

extension Array where Element == UInt8 {
  /// The bytes of a hexadecimal string; nil if it is not one. Blanks between bytes are allowed.
  public init?(hexadecimal text: some StringProtocol) {
    self.init()
    var high: UInt8?
    for character in text.utf8 {
      if character == 0x20, high == nil { continue }
      guard let digit = value(ofDigit: character) else { return nil }
      if let first = high {
        append(first << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    if high != nil { return nil }
  }
}

extension UInt64 {
  /// The number in exactly `count` digits (1 to 16); nil for any other text. The standard library's own parser accepts
  /// a sign as well.
  public init?(hexadecimal text: some StringProtocol, count: Int) {
    guard (1...16).contains(count), text.utf8.count == count else { return nil }
    self = 0
    for character in text.utf8 {
      guard let digit = value(ofDigit: character) else { return nil }
      self = self << 4 | UInt64(digit)
    }
  }
}
