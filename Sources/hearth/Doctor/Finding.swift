// Result of a check: a verdict, a sentence, figures, and commands to type.

import HubProtocol
import Reasons

/// Verdict of a check, from best to worst.
enum Verdict: Int, Sendable, Comparable, CaseIterable {
  case ok
  /// The check could not be made; the sentence says why. This needs no fix.
  case unknown
  case warn
  case fail

  static func < (a: Verdict, b: Verdict) -> Bool { a.rawValue < b.rawValue }

  var word: String {
    switch self {
    case .ok: "ok"
    case .unknown: "unknown"
    case .warn: "warn"
    case .fail: "fail"
    }
  }
}

/// Fix of a problem: a sentence, and commands to type as they are, one after the other.
struct Fix: Sendable, Hashable {
  var words: String
  var commands: [String]

  init(_ words: String, _ commands: [String] = []) { (self.words, self.commands) = (words, commands) }

  /// Next step of a code, and the command that explains the code.
  init(_ trouble: TroubleDocument) {
    self.init(trouble.next, Reason(code: trouble.code).map { ["hearth explain \($0.code)"] } ?? [])
  }

  var json: JSON { ["words": .string(words), "commands": .array(commands.map { .string($0) })] }
}

/// A check and its result.
struct Finding: Sendable {
  /// Name for scripts, which never changes.
  var check: String
  var verdict: Verdict
  /// A sentence with the important figures.
  var words: String
  /// Figures, with names that end with the unit: `free_bytes`.
  var figures: [JSON.Member]
  /// Code of the same trouble in other outputs of the hub.
  var code: String?
  var fix: Fix?

  init(
    _ check: String, _ verdict: Verdict, _ words: String, _ figures: [JSON.Member] = [], code: String? = nil,
    fix: Fix? = nil
  ) {
    self.check = check
    self.verdict = verdict
    self.words = words
    self.figures = figures
    self.code = code
    self.fix = fix
  }

  /// A check that could not be made, with the reason.
  static func unknown(_ check: String, _ why: String, _ figures: [JSON.Member] = [], fix: Fix? = nil) -> Finding {
    Finding(check, .unknown, why, figures, fix: fix)
  }

  var json: JSON {
    [
      "check": .string(check), "verdict": .string(verdict.word), "finding": .string(words),
      "figures": .object(figures), "code": .optional(code), "fix": fix?.json ?? .null,
    ]
  }
}

/// A figure, or null.
func figure(_ name: String, _ value: (some BinaryInteger)?) -> JSON.Member {
  JSON.Member(name, value.map { .integer(Int64(clamping: $0)) } ?? .null)
}

func figure(_ name: String, _ value: String?) -> JSON.Member { JSON.Member(name, .optional(value)) }

func figure(_ name: String, _ value: Bool?) -> JSON.Member { JSON.Member(name, value.map { .bool($0) } ?? .null) }

/// A path or a name, quoted as one word for a shell.
func shellWord(_ text: String) -> String {
  let isPlain =
    !text.isEmpty
    && text.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
        || "/._-".utf8.contains($0)
    }
  if isPlain { return text }
  return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}

/// Number without its fraction, limited to the range of `Int`.
func whole(_ number: Double) -> Int { Int(exactly: number.rounded(.down)) ?? (number > 0 ? .max : 0) }
