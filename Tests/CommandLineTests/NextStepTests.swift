import Foundation
import Reasons
import Testing

@testable import hearth

/// Every command that a next step or a paragraph names is one that the command line takes.
@Suite("What next steps name")
struct NextStepTests {
  private static let commands = Set(HearthCommand.configuration.subcommands.compactMap { $0.configuration.commandName })
  /// Where the word is the user, the group or the program, and no command follows.
  private static let nouns: Set = ["user", "group", "the", "", "-ag"]

  /// What follows each `hearth` of a text, up to the end of its clause, as words; and the word before.
  static func mentions(in text: String) -> [(before: String, words: [String])] {
    var found: [(String, [String])] = []
    let words = text.split(separator: " ").map { String($0) }
    for (place, word) in words.enumerated() where word == "hearth" {
      var command: [String] = []
      for next in words[(place + 1)...] {
        let ends =
          next.hasSuffix(";") || next.hasSuffix(",") || next.hasSuffix(":") || next.hasSuffix(".")
          || next.hasSuffix(")")
        command.append(ends ? String(next.dropLast()) : next)
        if ends { break }
      }
      found.append((place == 0 ? "" : words[place - 1], command))
    }
    return found
  }

  /// Placeholders as somebody would fill them.
  private static func filled(_ word: String) -> String {
    switch word {
    case "NAME": "strap-01"
    case "A": "A"
    case "N": "3"
    case "FILE": "/tmp/file"
    case "COMMAND": "status"
    case "CODE": "H2102"
    case "SERIES": "heart_rate"
    default: word
    }
  }

  /// The longest beginning that the command line takes; nil: not even its name.
  static func taken(_ words: [String]) -> Int? {
    let filled = words.map(filled)
    for count in stride(from: filled.count, through: 1, by: -1) {
      if (try? HearthCommand.parseAsRoot(Array(filled[..<count]))) != nil { return count }
    }
    return nil
  }

  @Test(
    "each command of a next step and of a paragraph parses, and what follows it is prose", arguments: Reason.allCases)
  func parse(reason: Reason) {
    for text in [reason.text.next, reason.text.effect, reason.explanation] {
      for (before, words) in Self.mentions(in: text) {
        guard let name = words.first.map(Self.filled), Self.commands.contains(name) else {
          let isNoun = Self.nouns.contains(before.lowercased()) || words.first == "and"
          #expect(isNoun, "\(reason.code): hearth \(words.joined(separator: " "))")
          continue
        }
        let count = Self.taken(words)
        let rest = words[(count ?? 0)...].first ?? ""
        #expect(
          count != nil && !rest.hasPrefix("-") && rest.uppercased() != rest || rest.isEmpty && count != nil,
          "\(reason.code): 'hearth \(words.joined(separator: " "))' is no command from '\(rest)' on")
      }
    }
  }

  @Test(
    "commands that next steps lean on are taken whole",
    arguments: [
      "enroll open", "enroll accept strap-01", "device strap-01 forget", "device strap-01 absent-after never",
      "device strap-01 resume", "settings strap-01 set phases all", "sync strap-01 sleep",
      "link strap-01 set idle --central", "settings strap-01 set secret", "settings strap-01 --orders",
      "devices --by battery", "visit now strap-01", "export --cursor ward", "store purge", "config show --origin",
      "config check", "recordings strap-01", "custody strap-01", "action strap-01", "bond list", "explain H2207",
      "alerts strap-01", "alerts strap-01 acknowledge", "monitor strap-01", "monitor strap-01 body_temperature none",
      "radio", "setup --defaults", "setup --file /tmp/file",
      "backup --scheduled", "backup /tmp/file --samples", "restore /tmp/file --take-radio-address",
    ])
  func whole(_ text: String) {
    let words = text.split(separator: " ").map { String($0) }
    #expect(Self.taken(words) == words.count)
  }

  @Test("a code that is made up, or a command that is not there, would be found")
  func finds() {
    #expect(Self.mentions(in: "check it; hearth enrol opn, then wait").map(\.words) == [["enrol", "opn"]])
    #expect(Self.taken(["devise", "NAME"]) == nil)
    #expect(Self.taken(["device", "NAME", "forgett"]) == 2)
    #expect(Self.taken(["link", "NAME", "set", "asleep"]) == 2)
  }

  // MARK: - The table

  private static let tests: String = {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let files =
      FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
    let sources = files.filter { $0.pathExtension == "swift" && $0.lastPathComponent != "NextStepTable.swift" }
    let text = sources.compactMap { try? String(contentsOf: $0, encoding: .utf8) }.joined(separator: "\n")
    return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }()

  @Test("each code is walked by a test that is there, or it is said why it is not", arguments: Reason.allCases)
  func table(reason: Reason) {
    switch nextStepWalk(of: reason) {
    case .walked(let name), .raised(let name, _):
      #expect(Self.tests.contains(name), "\(reason.code): there is no test '\(name)'")
    case .notHere: break
    }
    if case .raised(_, let why) = nextStepWalk(of: reason) { #expect(why.count > 10, "\(reason.code)") }
    if case .notHere(let why) = nextStepWalk(of: reason) { #expect(why.count > 10, "\(reason.code)") }
  }
}
