// The vectors of the new platform: read from Tests/Vectors/topstep, or from $HEARTH_VECTORS/topstep.

import Foundation
import Testing

@testable import DriverTestSupport

/// A case; see the README beside the file for what each key means.
struct TopStepVector: Sendable, Decodable, CustomTestStringConvertible {
  let id: String
  let kind: String
  let confidence: String?
  let hex: String?
  let pdus: [String]?
  let expect: [String: JSON]?
  let error: String?

  var testDescription: String { "\(id) \(kind)" }

  /// As notifications, in order.
  var pieces: [[UInt8]]? {
    let texts = pdus ?? hex.map { [$0] } ?? []
    let all = texts.compactMap { Array(hexadecimal: $0) }
    return all.count == texts.count && !all.isEmpty ? all : nil
  }
}

enum TopStepVectors {
  static let name = "newplatform"
  static let ownFolder = URL(filePath: #filePath).appending(path: "../../../Vectors/topstep").standardized

  static let folder: URL = {
    guard let other = ProcessInfo.processInfo.environment["HEARTH_VECTORS"], !other.isEmpty else { return ownFolder }
    return URL(filePath: other).appending(path: "topstep")
  }()

  private struct File: Decodable {
    let vectors: [Attempt<TopStepVector>]
  }

  static func load(in folder: URL = folder) throws -> [TopStepVector] {
    let file = try JSONDecoder().decode(File.self, from: Data(contentsOf: folder.appending(path: "\(name).json")))
    return Attempts.read(file.vectors, "topstep/\(name)")
  }

  /// Empty without such a file.
  static let all: [TopStepVector] = (try? load()) ?? []
}
