// YAML document as a tree. Every value has its position, so that an error can point to it.

/// Position in a file, counted from 1 as editors do.
package struct Mark: Sendable, Hashable {
  package var line: Int
  /// Column in characters, not bytes.
  package var column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }
}

/// Value of a YAML document. Scalars are text: the schema decides the type.
package struct YAMLNode: Sendable {
  package struct Entry: Sendable {
    package var key: String
    package var keyMark: Mark
    package var value: YAMLNode
  }

  package enum Content: Sendable {
    /// Scalar; `isPlain` is false for quoted and block scalars.
    case scalar(String, isPlain: Bool)
    /// Entries in the order of the file; keys are unique.
    case mapping([Entry])
    case sequence([YAMLNode])
  }

  package var content: Content
  package var mark: Mark
  /// Position in the text, in Unicode scalars, for replacing the value in place. For a mapping or a list only its
  /// start.
  package var span: Range<Int> = 0..<0

  /// Whether the key has no value (`radio:` with all its keys commented out).
  package var isAbsent: Bool {
    if case .scalar("", isPlain: true) = content { return true }
    return false
  }

  /// Description for messages: `a mapping`, `a list`, `'soon'`.
  package var described: String {
    switch content {
    case .scalar(let text, _): text.isEmpty ? "an empty value" : quoted(text)
    case .mapping: "a mapping"
    case .sequence: "a list"
    }
  }
}

/// Text from a file inside quotation marks, safe for a terminal and not longer than a line: control characters become
/// `?`.
package func quoted(_ text: String) -> String {
  let limit = 48
  var shown = "'"
  for scalar in text.unicodeScalars.prefix(limit) {
    // Format characters (general category Cf) include the bidirectional overrides, which could change how a message
    // reads.
    let isHarmless =
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
      default: true
      }
    shown.unicodeScalars.append(isHarmless ? scalar : "?")
  }
  if text.unicodeScalars.count > limit { shown += "..." }
  return shown + "'"
}
