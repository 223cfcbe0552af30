// The vectors of FitCloud's bands: read from Tests/Vectors/topstep, or from $HEARTH_VECTORS/topstep.

import Bluetooth
import EventLoop
import Foundation
import Testing

@testable import DriverTestSupport

/// A case; see the README beside the file for what each key means.
struct FitCloudVector: Sendable, Decodable, CustomTestStringConvertible {
  let id: String
  let kind: String
  let hex: String?
  /// Notifications in the order in which they come.
  let pdus: [String]?
  /// What has to be written in answer.
  let replies: [String]?
  let expect: JSON?
  let error: String?

  var testDescription: String { "fitcloud/\(id) \(kind)" }

  /// nil if it is missing or not hexadecimal.
  var bytes: [UInt8]? { hex.flatMap { Array(hexadecimal: $0) } }

  /// What comes, piece by piece.
  var pieces: [[UInt8]]? {
    guard let pdus else { return bytes.map { [$0] } }
    let pieces = pdus.compactMap { Array(hexadecimal: $0) }
    return pieces.count == pdus.count ? pieces : nil
  }

  /// Fields of an expectation that is one value.
  var fields: [String: JSON] {
    guard case .object(let fields)? = expect else { return [:] }
    return fields
  }
}

enum FitCloudVectors {
  static let ownFolder = URL(filePath: #filePath).appending(path: "../../../Vectors/topstep").standardized

  static let folder: URL = {
    guard let other = ProcessInfo.processInfo.environment["HEARTH_VECTORS"], !other.isEmpty else { return ownFolder }
    return URL(filePath: other).appending(path: "topstep")
  }()

  private struct File: Decodable {
    let vectors: [Attempt<FitCloudVector>]
  }

  /// - Returns: how many entries the file has, and those that could be read.
  static func load(in folder: URL) throws -> (entries: Int, vectors: [FitCloudVector]) {
    let place = folder.appending(path: "fitcloud.json")
    let file = try JSONDecoder().decode(File.self, from: Data(contentsOf: place))
    return (file.vectors.count, Attempts.read(file.vectors, "topstep/fitcloud"))
  }

  static let all: [FitCloudVector] = (try? load(in: folder).vectors) ?? []
}

extension JSON {
  /// A whole number that fits, or nil.
  func integer<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number? {
    guard case .number(let number) = self else { return nil }
    return Number(exactly: number)
  }

  var text: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  var flag: Bool? {
    guard case .bool(let flag) = self else { return nil }
    return flag
  }

  var list: [JSON]? {
    guard case .array(let list) = self else { return nil }
    return list
  }

  var object: [String: JSON]? {
    guard case .object(let object) = self else { return nil }
    return object
  }
}
