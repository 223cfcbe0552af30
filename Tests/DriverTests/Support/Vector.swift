// The shared vectors: bytes and what a correct decoder makes of them. Read from Tests/Vectors/gatt, or from
// $HEARTH_VECTORS/gatt.

import Bluetooth
import Foundation
import Testing

/// A JSON value of a vector.
enum JSON: Decodable, Sendable, Equatable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([String: JSON])
  /// On the decoded side only: one value that the vectors' authors may spell in several ways.
  case oneOf([JSON])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSON].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSON].self))
    }
  }

  static func integer(_ value: some BinaryInteger) -> JSON { .number(Double(value)) }

  /// Equal, numbers within the vectors' tolerance of 1e-9 of the greater one.
  func matches(_ other: JSON) -> Bool {
    switch (self, other) {
    case (.oneOf(let spellings), _): spellings.contains { $0.matches(other) }
    case (.number(let a), .number(let b)): abs(a - b) <= 1e-9 * max(abs(a), abs(b))
    case (.array(let a), .array(let b)): a.count == b.count && zip(a, b).allSatisfy { $0.matches($1) }
    case (.object(let a), .object(let b)):
      a.count == b.count && a.allSatisfy { key, value in b[key].map(value.matches) ?? false }
    default: self == other
    }
  }
}

/// A case of one file.
struct Vector: Sendable, CustomTestStringConvertible {
  let topic: String
  let id: String
  let kind: String
  let characteristic: String
  let bytes: [UInt8]?
  /// Of a vector of several values, in the order in which they came.
  let values: [[UInt8]]
  let expect: [String: JSON]
  let error: String?

  var testDescription: String { "\(topic)/\(id) \(kind)" }
}

/// A file: a topic with its vectors.
struct VectorFile: Decodable {
  struct Entry: Decodable {
    let id: String
    let kind: String
    let hex: String?
    let pdus: [String]?
    let characteristic: String?
    let expect: [String: JSON]?
    let error: String?
  }

  /// nil if the values belong to no characteristic.
  let characteristic: String?
  let vectors: [Attempt<Entry>]
}

enum Vectors {
  /// The vectors in the repository, whatever the environment says.
  static let ownFolder = URL(filePath: #filePath).appending(path: "../../../Vectors/gatt").standardized

  static let folder: URL = {
    guard let other = ProcessInfo.processInfo.environment["HEARTH_VECTORS"], !other.isEmpty else { return ownFolder }
    return URL(filePath: other).appending(path: "gatt")
  }()

  /// The topics that have a file in `folder`, by file name, in order.
  static func topics(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()
  }

  static func load(_ topic: String) throws -> [Vector] {
    let file = try JSONDecoder().decode(
      VectorFile.self, from: Data(contentsOf: folder.appending(path: "\(topic).json")))
    return Attempts.read(file.vectors, "gatt/\(topic)").map { entry in
      Vector(
        topic: topic, id: entry.id, kind: entry.kind, characteristic: entry.characteristic ?? file.characteristic ?? "",
        bytes: entry.hex.flatMap { Array(hexadecimal: $0) },
        values: (entry.pdus ?? []).compactMap { Array(hexadecimal: $0) }, expect: entry.expect ?? [:],
        error: entry.error)
    }
  }
}
