// The vectors of Polar's wearables: read from Tests/Vectors/polar, or from $HEARTH_VECTORS/polar. Their README says
// what each key means.

import Foundation
import Testing

@testable import DriverTestSupport

enum PolarVectors {
  static let ownFolder = URL(filePath: #filePath).appending(path: "../../../Vectors/polar").standardized

  static let folder: URL = {
    guard let other = ProcessInfo.processInfo.environment["HEARTH_VECTORS"], !other.isEmpty else { return ownFolder }
    return URL(filePath: other).appending(path: "polar")
  }()

  /// A case: `input` and `expected` as the JSON has them.
  struct Vector: Sendable, CustomTestStringConvertible {
    let topic: String
    let name: String
    let platform: String?
    let tolerance: Double?
    let input: [String: Value]
    let expected: [String: Value]

    var testDescription: String { "\(topic)/\(name)" }
  }

  /// A JSON value that keeps integers exact over the whole range of 64 bits, signed or not.
  enum Value: Sendable, Hashable, Decodable {
    case null
    case bool(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case number(Double)
    case text(String)
    case list([Value])
    case object([String: Value])

    init(from decoder: any Decoder) throws {
      let box = try decoder.singleValueContainer()
      if box.decodeNil() {
        self = .null
      } else if let value = try? box.decode(Bool.self) {
        self = .bool(value)
      } else if let value = try? box.decode(Int64.self) {
        self = .integer(value)
      } else if let value = try? box.decode(UInt64.self) {
        self = .unsigned(value)
      } else if let value = try? box.decode(Double.self) {
        self = .number(value)
      } else if let value = try? box.decode(String.self) {
        self = .text(value)
      } else if let value = try? box.decode([Value].self) {
        self = .list(value)
      } else {
        self = .object(try box.decode([String: Value].self))
      }
    }
  }

  private struct File: Decodable {
    struct Entry: Decodable {
      let name: String
      let platform: String?
      let tolerance: Double?
      let input: [String: Value]
      let expected: [String: Value]
    }
    let vectors: [Attempt<Entry>]
  }

  /// - Throws: if the file cannot be read. A topic that the folder does not have is empty.
  static func load(_ topic: String) throws -> [Vector] {
    let url = folder.appending(path: "\(topic).json")
    guard FileManager.default.fileExists(atPath: url.path) else { return [] }
    let file = try JSONDecoder().decode(File.self, from: Data(contentsOf: url))
    return Attempts.read(file.vectors, "polar/\(topic)").map {
      Vector(
        topic: topic, name: $0.name, platform: $0.platform, tolerance: $0.tolerance, input: $0.input,
        expected: $0.expected)
    }
  }
}

// MARK: - Values as Swift has them

extension PolarVectors.Value {
  /// A byte string of the vectors: lower-case hexadecimal.
  var bytes: [UInt8]? {
    guard case .text(let text) = self else { return nil }
    return [UInt8](hexadecimal: text)
  }

  var text: String? { if case .text(let text) = self { text } else { nil } }
  var list: [Self]? { if case .list(let list) = self { list } else { nil } }
  var object: [String: Self]? { if case .object(let object) = self { object } else { nil } }
  var isTrue: Bool { self == .bool(true) }

  var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

  var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
  var int: Int? { integer.map { Int($0) } }
  var uint: UInt64? {
    switch self {
    case .integer(let value): UInt64(exactly: value)
    case .unsigned(let value): value
    default: nil
    }
  }

  /// As a number that may have been rounded; nil for other values.
  var double: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .unsigned(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  init(_ value: some BinaryInteger) {
    if let signed = Int64(exactly: value) { self = .integer(signed) } else { self = .unsigned(UInt64(value)) }
  }
  init(_ value: Double) { self = .number(value) }
  init(_ value: Float) { self = .number(Double(value)) }
  init(_ text: String) { self = .text(text) }
  init(bytes: some Sequence<UInt8>) {
    self = .text(bytes.map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined())
  }
}

// MARK: - Comparing by the rules of the README

extension PolarVectors {
  static var isOwn: Bool { folder == ownFolder }

  /// Differences between a result and the vector's expectation, one line each; empty if all is well. `derived` values
  /// count like the others.
  ///
  /// Keys without a value are misses among our own vectors. Vectors of others may have fields that are unknown here:
  /// those are printed, and one key at least has to be compared.
  static func misses(_ made: [String: Value], _ vector: Vector) -> [String] {
    var comparison = Comparison(tolerance: vector.tolerance)
    var expected = vector.expected
    let derived = expected.removeValue(forKey: "derived")?.object ?? [:]
    comparison.compare(made, expected, "")
    comparison.compare(made, derived, "derived")
    for key in comparison.passedOver { Attempts.notCovered("polar/\(vector.topic)", "field \(key)") }
    if comparison.compared == 0, !(expected.isEmpty && derived.isEmpty) {
      comparison.misses.append("nothing was compared")
    }
    return comparison.misses
  }

  /// Compares the result for a vector's input, or the reason of a refusal, with the expectation. No result: the
  /// operation is unknown.
  static func judge(_ made: Result<[String: Value]?, any Error>, _ vector: Vector) {
    let isRefusal = vector.expected["error"]?.isTrue == true
    switch made {
    case .failure(let error): #expect(isRefusal, "refused: \(error)")
    case .success(nil):
      Attempts.notCovered("polar/\(vector.topic)", "operation \(vector.input["op"]?.text ?? "")")
      if isOwn { Issue.record("nobody knows this operation") }
    case .success(let made?):
      #expect(!isRefusal, "taken, though it should have been refused")
      for miss in misses(made, vector) { Issue.record("\(miss)") }
    }
  }

  /// Vectors of a topic; our own folder must have some.
  static func expectSome(_ topic: String, _ isChosen: (Vector) -> Bool = { _ in true }) throws {
    let vectors = try load(topic)
    if isOwn { #expect(!vectors.isEmpty) }
    print("\(topic) from \(folder.path): \(vectors.count) vectors, \(vectors.filter(isChosen).count) of them ours")
  }

  /// Those that say what this program does; the others are of the vendor's other program, and named as not covered.
  static func chosen(_ vectors: [Vector], _ isChosen: (Vector) -> Bool) -> [Vector] {
    for vector in vectors where !isChosen(vector) {
      Attempts.notCovered("polar/\(vector.topic)", "what only \(vector.platform ?? "another program") does")
    }
    return vectors.filter(isChosen)
  }

  private struct Comparison {
    let tolerance: Double?
    var misses: [String] = []
    var passedOver: [String] = []
    var compared = 0

    mutating func compare(_ made: [String: Value], _ expected: [String: Value], _ path: String) {
      for (key, value) in expected.sorted(by: { $0.key < $1.key }) {
        guard let own = made[key] else {
          passedOver.append("\(path).\(key)")
          // Our own vectors contain only fields that a decoder makes.
          if PolarVectors.isOwn { misses.append("\(path).\(key): nobody makes it") }
          continue
        }
        compare(own, value, "\(path).\(key)")
      }
    }

    mutating func compare(_ made: Value, _ expected: Value, _ path: String) {
      switch (made, expected) {
      case (.object(let made), .object(let expected)): compare(made, expected, path)
      case (.list(let made), .list(let expected)) where isChosen(made, expected):
        for chosen in expected.compactMap(\.object) {
          guard var index = chosen["index"]?.int else { continue }
          if index < 0 { index = index.addingReportingOverflow(made.count).partialValue }
          guard made.indices.contains(index) else { return misses.append("\(path): no item \(index)") }
          compare(made[index], .object(chosen.filter { $0.key != "index" }), "\(path)[\(index)]")
        }
      case (.list(let made), .list(let expected)):
        guard made.count == expected.count else {
          return misses.append("\(path): \(made.count) items, not \(expected.count)")
        }
        compared += 1
        for index in made.indices { compare(made[index], expected[index], "\(path)[\(index)]") }
      default:
        compared += 1
        if !isEqual(made, expected) { misses.append("\(path): \(made), not \(expected)") }
      }
    }

    /// Some items of a list, each with its place, of which -1 is the last; unless "index" is a field of the items
    /// themselves.
    private func isChosen(_ made: [Value], _ expected: [Value]) -> Bool {
      !expected.isEmpty && expected.allSatisfy { $0.object?["index"]?.integer != nil }
        && !made.contains { $0.object?["index"] != nil }
    }

    /// Integers exactly; other numbers within 1e-6 of each other or 1e-9, or as the vector says; times with or without
    /// their milliseconds of 0.
    private func isEqual(_ made: Value, _ expected: Value) -> Bool {
      if made == expected { return true }
      if case .text(let made) = made, case .text(let expected) = expected { return plain(made) == plain(expected) }
      switch (made, expected) {
      case (.integer, .integer), (.unsigned, .unsigned), (.integer, .unsigned), (.unsigned, .integer):
        guard let tolerance, let made = made.double, let expected = expected.double else { return false }
        return abs(made - expected) <= tolerance
      default: break
      }
      guard let made = made.double, let expected = expected.double else { return false }
      return abs(made - expected) <= (tolerance ?? max(1e-9, abs(expected) * 1e-6))
    }

    private func plain(_ time: String) -> String { time.replacing(/(:\d\d)\.0+(?=$|Z|[+-])/) { $0.output.1 } }
  }
}

// MARK: - Names of enumerations

/// The definitions of the messages: which name a number has, as the vectors say it.
enum PolarDefinitions {
  private static let folder = URL(filePath: #filePath).appending(
    path: "../../../../Sources/Drivers/Polar/Messages/Definitions"
  ).standardized

  /// By enumeration and number. An enumeration's own name, without that of the message around it.
  private static let names: [String: [Int: String]] = {
    var names: [String: [Int: String]] = [:]
    let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
    for file in files where file.pathExtension == "proto" {
      guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
      for block in text.matches(of: /enum (\w+) \{([^}]*)\}/) {
        for value in block.output.2.matches(of: /(\w+) = (-?\d+);/) {
          if let number = Int(value.output.2) {
            names[String(block.output.1), default: [:]][number] = String(value.output.1)
          }
        }
      }
    }
    return names
  }()

  /// The name of an enumeration's value in the definitions; null for a number without a name.
  static func name<E: RawRepresentable<Int>>(_ value: E) -> PolarVectors.Value {
    name(String(describing: E.self), value.rawValue)
  }

  static func name(_ enumeration: String, _ number: Int) -> PolarVectors.Value {
    names[enumeration]?[number].map { .text($0) } ?? .null
  }
}
