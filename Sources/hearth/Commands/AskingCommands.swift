// Commands that query and show.

import ArgumentParser
import EventLoop
import Glibc
import HubProtocol
import Reasons
import RingStore
import StoreDocuments

/// Clock of the machine on which the command runs, which is the hub.
func wallNow() -> WallTime {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return WallTime(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
}

struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show whether the hub is well, and the next step.",
    discussion: """
      The same as hearth alone. Exit code 0: fine. 1: something needs attention.

      hearth status --json     the same as a JSON document
      """)
  @ParentCommand var root: HearthCommand

  func run() throws {
    let session = try Session(root.options)
    let status = try session.connect().status().status
    try session.show(JSON(encoding: status), code: needsAttention(status) ? 1 : 0) {
      render(status, session.hubTime(status.clock.zone), $0, verbose: root.options.verbose)
    }
  }
}

struct VersionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "version", abstract: "Print the version of this program.",
    discussion: """
      hearth version --json    the same as a JSON document
      """)
  @ParentCommand var root: HearthCommand

  func run() throws {
    let text = "hearth \(hearthVersion)\n"
    let json: JSON = ["schema": "io.hearth.version/1", "version": .string(hearthVersion)]
    try Output.standard.write(root.options.json ? json.pretty + "\n" : text)
  }
}

struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Explain a code such as H2102, or find commands and codes by a word.",
    discussion: """
      Needs no daemon. Codes are in events, in the log and in every error message: their explanation has \
      meaning, effect and next step. Words may be everyday words, such as offline or password.

      hearth explain H2102     what this code means
      hearth explain battery   commands and codes that are about it
      """)
  @ParentCommand var root: HearthCommand

  @Argument(
    help: ArgumentHelp("A code such as H2102, or words such as blood pressure.", valueName: "code-or-word"),
    completion: .codes)
  var words: [String]

  func run() throws {
    let text = words.joined(separator: " ")
    if let reason = Reason(code: text) {
      return try Output.standard.write(root.options.json ? json(of: reason).pretty + "\n" : render(reason))
    }
    let search = WordSearch(text)
    if search.isEmpty || Self.isCode(text) {
      let why =
        Self.isCode(text)
        ? "there is no reason '\(harmless(text))'; codes look like H2102"
        : "no command or code is about '\(harmless(text))'\(hint(WordSearch.suggestion(for: text))); see hearth --help"
      Output.error.say("hearth: \(why)\n")
      throw ExitCode(5)
    }
    try Output.standard.write(root.options.json ? json(of: search, text).pretty + "\n" : render(search))
  }

  /// Whether a text was meant as a code: digits, or H and digits.
  private static func isCode(_ text: String) -> Bool {
    let digits = text.hasPrefix("H") || text.hasPrefix("h") ? text.dropFirst() : text[...]
    return !digits.isEmpty && digits.allSatisfy { $0.isASCII && $0.isNumber }
  }
}
