// The vectors of intervals and heart-rate variability: read from Tests/Vectors/hrv, or from $HEARTH_VECTORS/hrv. Their
// README describes the layout. An unknown part of a file or a vector is a failure, not a rest.

import Foundation
import Testing

/// A vector: fields as JSON has them.
struct HRVVector: @unchecked Sendable, CustomTestStringConvertible {
  let topic: String
  let id: String
  let kind: String
  /// Values of JSON, never changed.
  let fields: [String: Any]
  let tolerance: [String: Any]

  var testDescription: String { "\(topic)/\(id)" }

  var intervals: [Double] { (fields["rr_ms"] as? [NSNumber] ?? []).map(\.doubleValue) }
  var expect: [String: Any] { fields["expect"] as? [String: Any] ?? [:] }

  func number(_ name: String) -> Double? { (fields[name] as? NSNumber)?.doubleValue }
  func tolerance(_ name: String, _ usual: Double) -> Double {
    (tolerance[name] as? NSNumber)?.doubleValue ?? usual
  }

  /// Names that a vector of this topic may have beside `id` and `kind`; others are told.
  func expectOnly(_ names: Set<String>) {
    let unknown = Set(expect.keys).subtracting(names)
    #expect(unknown.isEmpty, "\(testDescription) expects what nobody compares: \(unknown.sorted())")
  }
}

enum HRVVectors {
  static let ownFolder = URL(filePath: #filePath).appending(path: "../../../Vectors/hrv").standardized

  static let folder: URL = {
    guard let other = ProcessInfo.processInfo.environment["HEARTH_VECTORS"], !other.isEmpty else { return ownFolder }
    return URL(filePath: other).appending(path: "hrv")
  }()

  static let topics = [
    "artifacts", "beat_timeline", "energy_zones", "indices", "respiration", "spectral", "time_domain",
  ]

  /// The JSON files there, without their ending.
  static func files(_ folder: URL) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()
  }

  static func load(_ folder: URL, _ topic: String) -> [HRVVector] {
    let file = folder.appending(path: topic + ".json")
    guard let bytes = try? Data(contentsOf: file) else { return [] }
    guard let whole = (try? JSONSerialization.jsonObject(with: bytes)) as? [String: Any],
      let entries = whole["vectors"] as? [[String: Any]]
    else {
      Issue.record("\(file.path) is no file of vectors")
      return []
    }
    return entries.enumerated().map { place, entry in
      HRVVector(
        topic: topic, id: entry["id"] as? String ?? "without id, place \(place)",
        kind: entry["kind"] as? String ?? "none",
        fields: entry, tolerance: whole["tolerance"] as? [String: Any] ?? [:])
    }
  }

  static func all(_ topic: String) -> [HRVVector] { load(folder, topic) }
}

/// Whether a value is another but for a relative or an absolute tolerance. Nil is only nil.
func matches(_ value: Double?, _ expected: Any?, relative: Double = 1e-9, absolute: Double = 1e-9) -> Bool {
  guard let number = expected as? NSNumber else { return value == nil && (expected == nil || expected is NSNull) }
  guard let value else { return false }
  let wanted = number.doubleValue
  return (value - wanted).magnitude <= Swift.max(absolute, relative * wanted.magnitude)
}
