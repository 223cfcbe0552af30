// The vectors of Polar's wearables: read from Tests/Vectors/polar, or from $HEARTH_VECTORS/polar. Their README says what each key means.

import Foundation
import Testing

enum PolarVectors {
  static let ownFolder = URL(filePath: #filePath).appending(path: "../../../Vectors/polar").standardized

  static let folder: URL = {
    guard let other = ProcessInfo.processInfo.environment["HEARTH_VECTORS"], !other.isEmpty else { return ownFolder }
    return URL(filePath: other).appending(path: "polar")
  }()

  /// One case: `input` and `expected` as the JSON has them.
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
    let vectors: [Entry]
  }

  /// - Throws: where the file cannot be read. A topic that the folder does not have is empty.
  static func load(_ topic: String) throws -> [Vector] {
    let url = folder.appending(path: "\(topic).json")
    guard FileManager.default.fileExists(atPath: url.path) else { return [] }
    return try JSONDecoder().decode(File.self, from: Data(contentsOf: url)).vectors.map {
      Vector(topic: topic, name: $0.name, platform: $0.platform, tolerance: $0.tolerance, input: $0.input, expected: $0.expected)
    }
  }
}
