// Setting a value within the text of a configuration, as a person would do it in an editor. An existing value is
// replaced, a line that is commented out loses its '#', and every other line and comment stays as it is.

internal import Reasons
internal import SettingsText

/// The text of a configuration file. The meaning of the changed text is not checked here: `ConfigurationDraft` reads it
/// again.
struct ConfigurationText {
  private var scalars: [Unicode.Scalar]
  private let file: String

  init(_ bytes: [UInt8], file: String) {
    scalars = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
    self.file = file
  }

  var bytes: [UInt8] {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    return Array(String(text).utf8)
  }

  /// Sets a key of two words, such as `hub.name`.
  ///
  /// - Throws: the fault of the present text; `setupRefused` if the section is no mapping.
  mutating func set(_ key: String, to value: String) throws(HearthError) {
    let words = key.split(separator: ".", maxSplits: 1).map { String($0) }
    guard words.count == 2 else { throw HearthError(.setupRefused, "\(key) is no key of a section") }
    let (section, name, value) = (words[0], words[1], Self.written(value))
    guard let root = try YAMLReader.read(bytes, file: file), !root.isAbsent else {
      return append("\(section):", "  \(name): \(value)")
    }
    guard case .mapping(let sections) = root.content else {
      throw HearthError(.setupRefused, "\(file): the file holds keys, not \(root.described)")
    }
    guard let found = sections.first(where: { $0.key == section }) else {
      if isFlow(root) { return insert("\(section): {\(name): \(value)}", into: root, isEmpty: sections.isEmpty) }
      return append("\(section):", "  \(name): \(value)")
    }
    switch found.value.content {
    case .mapping(let entries):
      if let entry = entries.first(where: { $0.key == name }) { return replace(entry.value, value) }
      if isFlow(found.value) { return insert("\(name): \(value)", into: found.value, isEmpty: entries.isEmpty) }
      try addLine(name, value, below: found.keyMark, indent: entries.first.map { $0.keyMark.column - 1 })
    case .scalar where found.value.isAbsent: try addLine(name, value, below: found.keyMark, indent: nil)
    default: throw HearthError(.setupRefused, "\(file):\(found.keyMark.line): '\(section)' holds no keys")
    }
  }

  /// The value as YAML text, quoted if another YAML parser could read it as another type.
  private static func written(_ value: String) -> String {
    func isLetterOrDigit(_ byte: UInt8) -> Bool {
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
    // The schema reads a whole number, a date and a bare word such as `on` as text. A name of digits alone is quoted
    // for human readers.
    let isPlain =
      value.utf8.allSatisfy { isLetterOrDigit($0) || [0x2B, 0x2D, 0x2E, 0x2F, 0x5F].contains($0) }
      && value.utf8.first.map { isLetterOrDigit($0) || $0 == 0x2F } ?? false && value.utf8.contains { $0 > 0x39 }
    return isPlain
      ? value : "'" + value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
  }

  private func isFlow(_ node: YAMLNode) -> Bool {
    scalars.indices.contains(node.span.lowerBound) && scalars[node.span.lowerBound] == "{"
  }

  private mutating func insert(_ text: String, into node: YAMLNode, isEmpty: Bool) {
    let place = node.span.lowerBound + 1
    scalars.insert(contentsOf: (isEmpty ? text : text + ", ").unicodeScalars, at: min(place, scalars.count))
  }

  private mutating func replace(_ node: YAMLNode, _ value: String) {
    let span = node.span.clamped(to: 0..<scalars.count)
    // A comment keeps its column.
    let gap = scalars[span.upperBound...].prefix { $0 == " " }.count
    if gap > 1, span.upperBound + gap < scalars.count, scalars[span.upperBound + gap] == "#" {
      let room = max(2, gap + span.count - value.unicodeScalars.count)
      let blanks: [Unicode.Scalar] = Array(repeating: " ", count: room)
      scalars.replaceSubrange(span.upperBound..<span.upperBound + gap, with: blanks)
    }
    // A key without a value lacks the space after its colon.
    scalars.replaceSubrange(span, with: (span.isEmpty ? " " + value : value).unicodeScalars)
  }

  private mutating func append(_ lines: String...) {
    let isLineOpen = !scalars.isEmpty && scalars.last != "\n"
    let gap = scalars.isEmpty ? "" : isLineOpen ? "\n\n" : "\n"
    scalars += (gap + lines.joined(separator: "\n") + "\n").unicodeScalars
  }

  // MARK: Lines

  /// Adds a line to the section with its key at `header`: in place of the commented-out line, else as the first one.
  private mutating func addLine(_ name: String, _ value: String, below header: Mark, indent: Int?) throws(HearthError) {
    var lines = scalars.split(separator: "\n", omittingEmptySubsequences: false).map { Array($0) }
    // With line breaks that only YAML knows, its line numbers differ from these.
    guard lines.indices.contains(header.line - 1) else {
      throw HearthError(.setupRefused, "\(file): \(name) cannot be set there; set it by hand")
    }
    let top = header.column - 1
    for place in lines.indices.dropFirst(header.line) {
      let line = lines[place]
      let depth = line.prefix { $0 == " " }.count
      let rest = line.dropFirst(depth)
      guard let first = rest.first, first != "\r" else { continue }
      if first != "#" {
        if depth <= top { break }
        continue
      }
      guard depth > top, indent.map({ $0 == depth }) ?? true,
        let changed = Self.uncommented(rest.dropFirst(), name, value, depth)
      else { continue }
      lines[place] = changed
      scalars = Array(lines.joined(separator: ["\n"]))
      return
    }
    let isCRLF = lines[header.line - 1].last == "\r"
    let spaces = String(repeating: " ", count: indent ?? top + 2)
    lines.insert(Array("\(spaces)\(name): \(value)\(isCRLF ? "\r" : "")".unicodeScalars), at: header.line)
    scalars = Array(lines.joined(separator: ["\n"]))
  }

  /// The line with `value`, with its comment in the same column; nil: the line is about another key.
  private static func uncommented(
    _ line: ArraySlice<Unicode.Scalar>, _ name: String, _ value: String, _ depth: Int
  ) -> [Unicode.Scalar]? {
    var rest = line
    if rest.first == " " { rest = rest.dropFirst() }
    let key = Array("\(name):".unicodeScalars)
    guard rest.starts(with: key) else { return nil }
    rest = rest.dropFirst(key.count)
    if let next = rest.first, next != " ", next != "\r" { return nil }
    var made = Array("\(String(repeating: " ", count: depth))\(name): \(value)".unicodeScalars)
    let comment = rest.indices.first { rest[$0] == "#" && $0 > rest.startIndex && rest[$0 - 1] == " " }
    guard let comment else { return line.last == "\r" ? made + ["\r"] : made }
    let column = depth + 1 + (comment - line.startIndex)
    made += Array(repeating: " ", count: max(2, column - made.count))
    return made + rest[comment...]
  }
}
