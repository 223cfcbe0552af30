// A code or a block of codes, as people type it: H2102, h21xx, H21.

/// A filter for reasons. Codes that this program does not know are matched by their number, like all others.
public struct CodePattern: Sendable, Hashable {
  /// The given digits, and the divisor that a code's number needs for the comparison with them.
  private let digits: UInt16
  private let divisor: UInt16

  /// Parses `H` and four digits. The last digits may be left out or written as x, and the H may be left out.
  ///
  /// - Throws: `controlBadParameter` for another form, and if no existing code matches. The detail then suggests the
  ///   nearest code.
  public init(_ text: String) throws(HearthError) {
    let body = text.utf8.first.map { $0 == 0x48 || $0 == 0x68 } == true ? text.dropFirst() : text[...]
    let given = body.prefix { $0.isASCII && $0.isNumber }
    let rest = body.dropFirst(given.count)
    let isWhole = rest.isEmpty || (given.count + rest.count == 4 && rest.allSatisfy { $0 == "x" || $0 == "X" })
    guard (1...4).contains(given.count), isWhole, let digits = UInt16(given) else {
      throw Self.refusal(text, "codes look like H2102, blocks of them like H21xx or H21")
    }
    let divisor: UInt16 = [1000, 100, 10, 1][given.count - 1]
    (self.digits, self.divisor) = (digits, divisor)
    if !Reason.allCases.contains(where: { matches($0.rawValue) }) { throw Self.refusal(text, "there is no such code") }
  }

  /// True if the number of a reason is in the block.
  public func matches(_ reason: UInt16) -> Bool { reason / divisor == digits }

  private static func refusal(_ text: String, _ why: String) -> HearthError {
    let shown = String(
      text.unicodeScalars.prefix(16).map { $0.isASCII && $0.value >= 0x20 && $0 != "\u{7F}" ? Character($0) : "?" })
    let word = text.utf8.first.map { $0 == 0x48 || $0 == 0x68 } == true ? text : "h\(text)"
    let near = nearMiss(word, among: Reason.allCases.map { $0.code.lowercased() }, atMost: 1)
    return HearthError(.controlBadParameter, "code '\(shown)': \(why)\(hint(near?.uppercased()))")
  }
}
