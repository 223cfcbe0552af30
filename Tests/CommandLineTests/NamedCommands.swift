// The commands that a text names, held against the command line.

import ArgumentParser
import HubProtocol
import Reasons

@testable import hearth

enum NamedCommands {
  private static let commands = HearthCommand.configuration.subcommands.compactMap { $0.configuration.commandName }
  /// Words before `hearth` if it is the user, the group, the program or the folder, and no command follows.
  private static let nouns: Set = ["user", "group", "the", "a", "of", "groups", "-ag", "users"]

  /// How many commands the text names, and those that the command line does not take.
  static func faults(_ named: NamedText) -> (count: Int, faults: [String]) {
    let found =
      named.form == .prose
      ? mentions(in: named.text) : [(before: "", words: NamedText.commandWords(named.text) ?? [])]
    let wrong = found.filter { !isTaken($0.before, $0.words, wholly: named.form == .command) }
    return (found.count, wrong.map { "hearth \($0.words.joined(separator: " "))" })
  }

  /// What follows each `hearth` of a text, up to the end of its clause, as words; and the word before.
  static func mentions(in text: String) -> [(before: String, words: [String])] {
    var found: [(String, [String])] = []
    let words = text.split(separator: " ").map { String($0) }
    for (place, word) in words.enumerated() where word.drop(while: { "('\"".contains($0) }) == "hearth" {
      var command: [String] = []
      for next in words[(place + 1)...] {
        // Usage stands in brackets.
        if next.hasPrefix("[") { break }
        var bare = Substring(next)
        while let last = bare.last, ";,:).'\"".contains(last) { bare.removeLast() }
        if !bare.isEmpty { command.append(String(bare)) }
        if bare.count < next.count { break }
      }
      found.append((place == 0 ? "" : words[place - 1], command))
    }
    return found
  }

  private static func isTaken(_ before: String, _ words: [String], wholly: Bool) -> Bool {
    guard let name = words.first else { return true }
    if !commands.contains(name), !name.hasPrefix("-") {
      // The program as a noun, unless a command was meant.
      let isMistyped = name.count > 4 && nearMiss(name, among: commands, atMost: 1) != nil
      return nouns.contains(before.lowercased()) || !isMistyped && !verbs.contains(name)
    }
    let length = taken(words)
    if length == words.count || isNamed(words[...]) { return true }
    let beginning = length ?? (1...min(4, words.count)).reversed().first { isNamed(words[..<$0]) }
    guard !wholly, let count = beginning, count < words.count else { return false }
    let rest = words[count]
    let isPlaceholder = rest.count > 1 && rest.uppercased() == rest && rest.contains { $0.isLetter }
    return !rest.hasPrefix("-") && !isPlaceholder && !isVerbMistyped(rest)
  }

  /// Names of subcommands on any level.
  private static let verbs: [String] = {
    func names(_ type: any ParsableCommand.Type) -> [String] {
      type.configuration.subcommands.flatMap { [$0._commandName] + names($0) }
    }
    return HearthCommand.configuration.subcommands.flatMap { names($0) }
  }()

  /// A letter beside a subcommand, and no word of a sentence: `forgett`, but not `shows`.
  private static func isVerbMistyped(_ word: String) -> Bool {
    guard let verb = nearMiss(word, among: verbs, atMost: 1), word.count > 4 else { return false }
    return word != verb && word != verb + "s"
  }

  /// Whether the words are a command that is only named: what it must have is left out.
  private static func isNamed(_ words: ArraySlice<String>) -> Bool {
    let more = [
      "a", "heart_rate", "2h", "H2102", "begin", "a b", "a heart_rate", "a begin", "--to x", "--from 2h", "acc=50",
    ]
    return more.contains { parses(words + $0.split(separator: " ").map { String($0) }) }
  }

  /// How many words the longest beginning has that the command line takes; nil: not even its name.
  static func taken(_ words: [String]) -> Int? {
    stride(from: words.count, through: 1, by: -1).first { parses(words[..<$0]) }
  }

  private static func parses(_ words: ArraySlice<String>) -> Bool {
    let insertions =
      words.contains { $0.contains(NamedText.inserted) } ? ["strap-01", "H2102", "yes", "3", "set"] : [""]
    return insertions.contains { inserted in
      let line = words.map { filled($0).replacing(NamedText.inserted, with: inserted) }
      return (try? HearthCommand.parseAsRoot(line)) != nil
    }
  }

  /// Placeholders, filled as a person would fill them.
  private static func filled(_ word: String) -> String {
    switch word {
    case "NAME", "<name>": "strap-01"
    case "WHO", "WEARER": "Ada"
    case "N": "3"
    case "CM": "170"
    case "KG": "60"
    case "DATE": "1990-01-01"
    case "FILE", "FOLDER": "/tmp/file"
    case "COMMAND": "status"
    case "CODE": "H2102"
    case "SERIES": "heart_rate"
    default: word
    }
  }
}
