// Parser of apt's information about the package: `LC_ALL=C apt-cache policy hearth`.

/// Versions as apt names them.
public struct AptPolicy: Sendable, Equatable {
  /// nil: not installed.
  public var installed: String?
  /// Version that apt would install, if any.
  public var candidate: String?
  /// Versions available, the newest first.
  public var versions: [String] = []

  /// Reads at most a hundred versions, however long the output is.
  public init(_ text: String) {
    for line in text.split(separator: "\n", maxSplits: 1000) {
      let words = line.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: true)
      guard let first = words.first else { continue }
      switch first {
      case "Installed:": installed = Self.version(words)
      case "Candidate:": candidate = Self.version(words)
      case "Version", "Package": continue
      default: note(line, words)
      }
    }
  }

  private static func version(_ words: [Substring]) -> String? {
    words.count > 1 && words[1] != "(none)" ? String(words[1]) : nil
  }

  /// Parses ` *** 0.1.0 100` or `     0.2.0 500`. Lines of sources are indented further.
  private mutating func note(_ line: Substring, _ words: [Substring]) {
    guard versions.count < 100 else { return }
    if words[0] == "***", words.count > 1 {
      versions.append(String(words[1]))
    } else if line.hasPrefix("     "), !line.hasPrefix("      "), words.count == 2 {
      versions.append(String(words[0]))
    }
  }
}
