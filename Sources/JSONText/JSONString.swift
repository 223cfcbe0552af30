// JSON strings.

extension Array where Element == UInt8 {
  /// Appends a text in quotation marks (RFC 8259, section 7). Control characters, including those above 7F that
  /// terminals obey, and the bidirectional overrides are escaped. So a line of JSON is harmless on a terminal too.
  public mutating func append(json text: String) {
    append(0x22)
    let start = count
    append(contentsOf: text.utf8)
    // Fast path: nearly every text is a name or a unit, without characters to escape. Bytes of an array are compared
    // faster than those of a string.
    if self[start...].allSatisfy({ 0x20..<0x7F ~= $0 && $0 != 0x22 && $0 != 0x5C }) { return append(0x22) }
    removeLast(count - start)
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x22: self += "\\\"".utf8
      case 0x5C: self += "\\\\".utf8
      case 0x0A: self += "\\n".utf8
      case 0x0D: self += "\\r".utf8
      case 0x09: self += "\\t".utf8
      case 0..<0x20, 0x7F..<0xA0, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF:
        let hex = String(scalar.value, radix: 16)
        self += "\\u".utf8
        append(contentsOf: repeatElement(UInt8(ascii: "0"), count: 4 - hex.utf8.count))
        self += hex.utf8
      default: self += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
      }
    }
    append(0x22)
  }
}
