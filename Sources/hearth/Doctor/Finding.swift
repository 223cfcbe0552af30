// What a check found: a verdict, a sentence, figures, and what to type next.

import HubProtocol
import Reasons

/// How well one thing is, from the best to the worst.
enum Verdict: Int, Sendable, Comparable, CaseIterable {
  case ok
  /// It could not be looked at; the sentence says why. Nothing has to be mended for it.
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

/// What to do about it: a sentence, and commands that are typed as they stand, one after the other.
struct Fix: Sendable, Hashable {
  var words: String
  var commands: [String]

  init(_ words: String, _ commands: [String] = []) { (self.words, self.commands) = (words, commands) }

  /// The next step of a code, and the command that explains it.
  init(_ trouble: TroubleDocument) {
    self.init(trouble.next, Reason(code: trouble.code).map { ["hearth explain \($0.code)"] } ?? [])
  }

  var json: JSON { ["words": .string(words), "commands": .array(commands.map { .string($0) })] }
}

/// One check and what came of it.
struct Finding: Sendable {
  /// A name that scripts go by; it never changes.
  var check: String
  var verdict: Verdict
  /// One sentence, with the figures that matter.
  var words: String
  /// All figures, by names with their unit: `free_bytes`.
  var figures: [JSON.Member]
  /// The code under which the hub's other surfaces tell the same.
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

  /// What could not be looked at, and why.
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

/// A figure that is there, or null.
func figure(_ name: String, _ value: (some BinaryInteger)?) -> JSON.Member {
  JSON.Member(name, value.map { .integer(Int64(clamping: $0)) } ?? .null)
}

func figure(_ name: String, _ value: String?) -> JSON.Member { JSON.Member(name, .optional(value)) }

func figure(_ name: String, _ value: Bool?) -> JSON.Member { JSON.Member(name, value.map { .bool($0) } ?? .null) }

/// A path or a name as one word of a shell, whatever is in it.
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

/// A number without its fraction; one that no `Int` holds is the nearest that it does.
func whole(_ number: Double) -> Int { Int(exactly: number.rounded(.down)) ?? (number > 0 ? .max : 0) }
