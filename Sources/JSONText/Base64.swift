// Base64 for bytes in documents (RFC 4648, section 4), with padding.

/// Encoder and decoder; the decoder accepts only what `text` writes.
public enum Base64 {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 0xFF, count: 256)
    for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
    return values
  }()
  private static let padding = UInt8(ascii: "=")

  /// Text of these bytes.
  public static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    append(bytes, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Encodes without an intermediate string.
  public static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
    let digits = digits
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let present = min(3, bytes.count - start)
      var group: UInt32 = 0
      for place in 0..<3 { group = group << 8 | (place < present ? UInt32(bytes[start + place]) : 0) }
      for place in 0..<4 { text.append(place <= present ? digits[Int(group >> UInt32(18 - 6 * place) & 63)] : padding) }
    }
  }

  /// Decodes; nil unless the text consists of whole groups of digits, the last padded with zeros.
  public static func bytes(_ text: String) -> [UInt8]? {
    let (text, values) = (Array(text.utf8), values)
    guard text.count.isMultiple(of: 4) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    for start in stride(from: 0, to: text.count, by: 4) {
      let isLast = start + 4 == text.count
      let pads = !isLast ? 0 : text[start + 3] != padding ? 0 : text[start + 2] != padding ? 1 : 2
      var group: UInt32 = 0
      for place in 0..<4 {
        let value = place < 4 - pads ? values[Int(text[start + place])] : 0
        if value == 0xFF { return nil }
        group = group << 6 | UInt32(value)
      }
      let unused: UInt32 = pads == 0 ? 0 : pads == 1 ? 0xFF : 0xFFFF
      if group & unused != 0 { return nil }
      for place in 0..<(3 - pads) { bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(16 - 8 * place))) }
    }
    return bytes
  }
}
