// The text form of a conversation; Conversations/README.md describes it for people.

import Bluetooth
import Foundation
import Testing

/// A line of a conversation after inclusion and repetition.
struct ConversationStep: Sendable {
  let place: String
  let verb: String
  let words: [String]
  /// Everything behind the verb.
  var rest: String { words.joined(separator: " ") }
}

struct ConversationError: Error, CustomStringConvertible {
  let place: String
  let message: String
  var description: String { "\(place): \(message)" }
}

struct ConversationScript: Sendable, CustomTestStringConvertible {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
    "Conversations")

  let name: String

  /// Every conversation in the folder; the parts that others include lie in `Parts`.
  static let all: [ConversationScript] = {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return files.filter { $0.hasSuffix(".txt") }.sorted().map { ConversationScript(name: String($0.dropLast(4))) }
  }()

  var testDescription: String { name }

  func steps() throws -> [ConversationStep] { try Self.steps(of: name, depth: 0) }

  private static func steps(of name: String, depth: Int) throws -> [ConversationStep] {
    guard depth < 4 else { throw ConversationError(place: name, message: "parts include each other") }
    let text = try String(contentsOf: folder.appendingPathComponent(name + ".txt"), encoding: .utf8)
    var steps: [ConversationStep] = []
    var loop: (count: Int, steps: [ConversationStep])?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let place = "\(name).txt:\(index + 1)"
      let words = line.prefix { $0 != "#" }.split(separator: " ").map(String.init)
      guard let verb = words.first else { continue }
      let step = ConversationStep(place: place, verb: verb, words: Array(words.dropFirst()))
      switch verb {
      case "include":
        let part = try Self.steps(of: "Parts/" + step.rest, depth: depth + 1)
        if loop == nil { steps += part } else { loop?.steps += part }
      case "repeat":
        guard let count = Int(step.rest), loop == nil else {
          throw ConversationError(place: place, message: "repeat needs a count")
        }
        loop = (count, [])
      case "end":
        guard let (count, body) = loop else { throw ConversationError(place: place, message: "end without repeat") }
        for number in 0..<count { steps += body.map { $0.replacing(number) } }
        loop = nil
      default: if loop == nil { steps.append(step) } else { loop?.steps.append(step) }
      }
    }
    if loop != nil { throw ConversationError(place: name, message: "repeat without end") }
    return steps
  }
}

extension ConversationStep {
  /// `$1` stands for the round's number counted from 1, `$4+2` for 4, 6, 8 and so on, as two bytes, least significant
  /// first.
  fileprivate func replacing(_ number: Int) -> ConversationStep {
    let words = words.map { word -> String in
      guard word.hasPrefix("$") else { return word }
      let parts = word.dropFirst().split(separator: "+").compactMap { Int($0) }
      guard let base = parts.first else { return word }
      let value = UInt16(base + number * (parts.count > 1 ? parts[1] : 1))
      return String(format: "%02X%02X", value & 0xFF, value >> 8)
    }
    return ConversationStep(place: "\(place) round \(number + 1)", verb: verb, words: words)
  }

  func fail(_ message: String) -> ConversationError { ConversationError(place: place, message: message) }

  /// `0x0003`
  func handle(_ index: Int) throws -> UInt16 {
    guard index < words.count, words[index].hasPrefix("0x"), let value = UInt16(words[index].dropFirst(2), radix: 16)
    else {
      throw fail("a handle such as 0x0003 is missing")
    }
    return value
  }

  /// The hexadecimal bytes from word `index` on; `*N` after a byte group repeats it N times.
  func bytes(_ index: Int = 0) throws -> [UInt8] {
    var bytes: [UInt8] = []
    for word in words.dropFirst(index) {
      let parts = word.split(separator: "*")
      guard let first = parts.first, let group = [UInt8](hexadecimal: first), parts.count < 3 else {
        throw fail("\(word) is not hexadecimal")
      }
      let count = parts.count == 2 ? Int(parts[1]) : 1
      guard let count else { throw fail("\(word) has no count") }
      for _ in 0..<count { bytes += group }
    }
    return bytes
  }

  /// `30s`, `29.9s`, `500ms`
  func duration() throws -> Duration {
    if rest.hasSuffix("ms"), let value = Int64(rest.dropLast(2)) { return .milliseconds(value) }
    if rest.hasSuffix("s"), let value = Double(rest.dropLast(1)) {
      return .milliseconds(Int64((value * 1000).rounded()))
    }
    throw fail("a duration such as 30s is missing")
  }
}
