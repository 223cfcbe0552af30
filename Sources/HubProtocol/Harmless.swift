// Text from other sources, made harmless for a terminal and a log.

/// Text from other sources for a message: what could control a terminal becomes `?`, and the text ends after 64
/// characters.
public func harmless(_ text: String, limit: Int = 64) -> String {
  var shown = ""
  for scalar in text.unicodeScalars.prefix(limit) {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: shown += "?"
    default: shown.unicodeScalars.append(scalar)
    }
  }
  return text.unicodeScalars.count > limit ? shown + "..." : shown
}
