// Text from the air, made safe for a terminal, a log or JSON.

extension String {
  /// Longest text stored of a name or a revision, in bytes of UTF-8. The longest Device Information strings seen have
  /// half of it.
  public static let cleanedLimit = 64

  /// Decodes bytes that a wearable declares as UTF-8; nil if no printable character is left.
  ///
  /// Broken UTF-8 is repaired with U+FFFD. Control characters (C0, DEL, C1), whole terminal escape sequences, format
  /// characters (among them the bidirectional overrides) and line separators are dropped. Other spaces become plain
  /// ones and are trimmed at both ends. The text ends before the first NUL behind it: what follows in the wearable's
  /// buffer is an older, longer text. The result has at most `limit` bytes, cut between two characters. Only the first
  /// 512 bytes are read: no attribute has more.
  public init?(cleaning bytes: RawBytes, limit: Int = String.cleanedLimit) {
    var cleaner = TextCleaner()
    let told = bytes.prefix(ATT.maximumValueLength).drop { $0 == 0 }.prefix { $0 != 0 }
    for scalar in String(decoding: told, as: UTF8.self).unicodeScalars {
      cleaner.take(scalar)
    }
    let text = cleaner.text.trimmed().cut(toBytes: limit).trimmed()
    if text.isEmpty { return nil }
    self = text
  }

  private func trimmed() -> String {
    guard let first = unicodeScalars.firstIndex(where: { $0 != " " }),
      let last = unicodeScalars.lastIndex(where: { $0 != " " })
    else { return "" }
    return String(unicodeScalars[first...last])
  }

  private func cut(toBytes limit: Int) -> String {
    if utf8.count <= limit { return self }
    var kept = ""
    var count = 0
    for character in self {
      count += character.utf8.count
      if count > limit { break }
      kept.append(character)
    }
    // A single character may consist of any number of scalars; then the cut must fall inside it.
    if kept.isEmpty {
      count = 0
      for scalar in unicodeScalars {
        count += UTF8.width(scalar)
        if count > limit { break }
        kept.unicodeScalars.append(scalar)
      }
    }
    return kept
  }
}

/// Follows terminal escape sequences (ECMA-48, 5.3 to 5.6) so that a whole sequence is dropped, not only its first
/// character.
private struct TextCleaner {
  private enum State {
    case text
    /// State after ESC: intermediates 0x20 to 0x2F, then one final character.
    case escape
    /// State after CSI: parameters and intermediates 0x20 to 0x3F, then one final character 0x40 to 0x7E.
    case controlSequence
    /// State after DCS, SOS, OSC, PM or APC: everything up to ST or BEL.
    case controlString
  }

  private var state = State.text
  var text = ""

  mutating func take(_ scalar: Unicode.Scalar) {
    switch (state, scalar.value) {
    case (_, 0x1B): state = .escape
    case (_, 0x9B): state = .controlSequence
    case (_, 0x90), (_, 0x98), (_, 0x9D), (_, 0x9E), (_, 0x9F): state = .controlString
    case (.escape, 0x5B): state = .controlSequence
    case (.escape, 0x50), (.escape, 0x58), (.escape, 0x5D), (.escape, 0x5E), (.escape, 0x5F): state = .controlString
    case (.escape, 0x20...0x2F), (.controlSequence, 0x20...0x3F): break
    case (.escape, 0x30...0x7E), (.controlSequence, 0x40...0x7E): state = .text
    case (.controlString, 0x07), (.controlString, 0x9C): state = .text
    case (.controlString, _): break
    default:
      state = .text
      append(scalar)
    }
  }

  private mutating func append(_ scalar: Unicode.Scalar) {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: break
    case .spaceSeparator: text.unicodeScalars.append(" ")
    default: text.unicodeScalars.append(scalar)
    }
  }
}
