// Texts of the repository in which commands, keys, codes and files are named: pages, settings, units, and the literals
// of the programs.

import Foundation

/// A paragraph, line or literal.
struct NamedText: Sendable {
  enum Form: Sendable {
    /// Commands stand among words, and end before the prose that follows.
    case prose
    /// The text is a command alone.
    case command
  }

  let place: String
  let form: Form
  let text: String

  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Stands for a value that a literal inserts.
  static let inserted = "\u{25E6}"

  // MARK: - Files

  /// Pages, settings, units and the interface, in the order of their paths.
  static let pages: [NamedText] =
    files(["README.md", "board", "config", "Sources", "Tests"], [".md"])
    .filter { !$0.hasPrefix("Sources/Reasons/Codes/") && !$0.hasSuffix("/FORMAT.md") }.flatMap { markdown($0) }
    + files(["config", "board", "Sources/HubProtocol"], [".yaml", ".service", ".timer", ".path", ".varlink"])
    .flatMap { lines($0) }
    + files(["board/manual", "board/debian/changelog"], [""]).flatMap { lines($0) }

  /// Literals of every program but the simulator's and the benchmark's.
  static let literals: [NamedText] = files(["Sources"], [".swift"])
    .filter { file in !["Reasons", "Twins", "hearth-sim", "hearth-bench"].contains { file.hasPrefix("Sources/\($0)/") }
    }
    .flatMap { file in
      SwiftLiterals(read(file)).found.map { NamedText(place: "\(file):\($0.line)", form: .prose, text: $0.text) }
    }

  static func read(_ file: String) -> String {
    (try? String(contentsOf: root.appendingPathComponent(file), encoding: .utf8)) ?? ""
  }

  private static func files(_ starts: [String], _ endings: [String]) -> [String] {
    var found: Set<String> = []
    for start in starts {
      let all = (try? FileManager.default.subpathsOfDirectory(atPath: root.appendingPathComponent(start).path)) ?? []
      for file in all.isEmpty ? [start] : all.map({ "\(start)/\($0)" })
      where endings.contains(where: { file.hasSuffix($0) }) && !file.contains("/Vectors/") { found.insert(file) }
    }
    return found.sorted()
  }

  private static func lines(_ file: String) -> [NamedText] {
    read(file).split(separator: "\n", omittingEmptySubsequences: false).enumerated().map {
      NamedText(place: "\(file):\($0 + 1)", form: .prose, text: String($1))
    }
  }

  /// Code spans and lines of code blocks are commands; what follows such a line behind two spaces is prose, as are
  /// paragraphs without their spans.
  private static func markdown(_ file: String) -> [NamedText] {
    var found: [NamedText] = []
    var paragraph = ""
    var place = ""
    func end() {
      for (number, part) in paragraph.components(separatedBy: "`").enumerated() {
        let form: Form = number % 2 == 1 && commandWords(part) != nil ? .command : .prose
        found.append(NamedText(place: place, form: form, text: part))
      }
      paragraph = ""
    }
    for (number, line) in read(file).components(separatedBy: "\n").enumerated() {
      if line.hasPrefix("    ") || line.trimmingCharacters(in: .whitespaces).isEmpty { end() }
      if paragraph.isEmpty { place = "\(file):\(number + 1)" }
      let code = line.drop { $0 == " " }
      if line.hasPrefix("    "), commandWords(String(code)) != nil {
        let parts = code.components(separatedBy: "  ")
        found.append(NamedText(place: place, form: .command, text: parts[0]))
        found.append(NamedText(place: place, form: .prose, text: parts.dropFirst().joined(separator: " ")))
      } else {
        paragraph += (paragraph.isEmpty ? "" : " ") + line.trimmingCharacters(in: .whitespaces)
      }
    }
    end()
    return found
  }

  /// The words behind `hearth` up to what a shell does with it; nil if this is no such command.
  static func commandWords(_ text: String) -> [String]? {
    var words = shellWords(text)[...]
    while let first = words.first, ["$", "sudo"].contains(first) { words = words.dropFirst() }
    guard words.first == "hearth" else { return nil }
    var command: [String] = []
    for word in words.dropFirst() {
      if ["|", ">", "<", "&&", "#"].contains(word) { break }
      let ends = [";", ",", ":"].contains { word.hasSuffix($0) }
      command.append(ends ? String(word.dropLast()) : word)
      if ends { break }
    }
    return command
  }

  private static func shellWords(_ text: String) -> [String] {
    var words: [String] = []
    var word = ""
    var quote: Character?
    for character in text {
      if character == quote {
        quote = nil
      } else if quote == nil, character == "'" || character == "\"" {
        quote = character
      } else if character == " ", quote == nil {
        if !word.isEmpty { words.append(word) }
        word = ""
      } else {
        word.append(character)
      }
    }
    return word.isEmpty ? words : words + [word]
  }
}

/// String literals of a Swift file, on one line each: what is inserted stands as `NamedText.inserted`.
struct SwiftLiterals {
  private(set) var found: [(line: Int, text: String)] = []
  private let bytes: [UInt8]
  private var place = 0
  private var line = 1

  init(_ source: String) {
    bytes = Array(source.utf8)
    while place < bytes.count {
      if bytes[place] > UInt8(ascii: "/") {
        place += 1
      } else if starts(with: "//") {
        while place < bytes.count, bytes[place] != UInt8(ascii: "\n") { place += 1 }
      } else if !takeLiteral() {
        step()
      }
    }
  }

  private mutating func step() {
    if bytes[place] == UInt8(ascii: "\n") { line += 1 }
    place += 1
  }

  private func starts(with text: StaticString) -> Bool {
    let length = text.utf8CodeUnitCount
    if bytes[place] != text.utf8Start[0] || place + length > bytes.count { return false }
    return (0..<length).allSatisfy { bytes[place + $0] == text.utf8Start[$0] }
  }

  private mutating func takeLiteral() -> Bool {
    let begin = line
    let text: [UInt8]
    if starts(with: "\"\"\"") {
      text = literal(from: 3, to: "\"\"\"", inserting: "\\(")
    } else if starts(with: "\"") {
      text = literal(from: 1, to: "\"", inserting: "\\(")
    } else if starts(with: "#\"") {
      text = literal(from: 2, to: "\"#", inserting: "\\#(")
    } else {
      return false
    }
    let words = text.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
    found.append((begin, words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")))
    return true
  }

  private mutating func literal(from length: Int, to end: StaticString, inserting insertion: StaticString) -> [UInt8] {
    place += length
    var text: [UInt8] = []
    while place < bytes.count, !starts(with: end) {
      let isWritten = bytes[place] != UInt8(ascii: "\\")
      if isWritten {
        text.append(bytes[place])
        step()
      } else if starts(with: insertion) {
        place += insertion.utf8CodeUnitCount - 1
        skipInsertion()
        text += NamedText.inserted.utf8
      } else if starts(with: "\\"), length != 2 {
        place += 1
        if place < bytes.count {
          if bytes[place] == UInt8(ascii: "\"") { text.append(bytes[place]) }
          if bytes[place] == UInt8(ascii: "n") { text.append(UInt8(ascii: "\n")) }
          step()
        }
      } else {
        text.append(bytes[place])
        step()
      }
    }
    place += end.utf8CodeUnitCount
    return text
  }

  /// What stands in parentheses, which may hold literals of its own.
  private mutating func skipInsertion() {
    var depth = 0
    while place < bytes.count {
      if takeLiteral() { continue }
      if bytes[place] == UInt8(ascii: "(") { depth += 1 }
      if bytes[place] == UInt8(ascii: ")") { depth -= 1 }
      step()
      if depth == 0 { return }
    }
  }
}
