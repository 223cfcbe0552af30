import Bluetooth
import Foundation
import Testing
import Wearable

@testable import DriverTestSupport
@testable import StandardGATTFamily

@Suite("The shared vectors")
struct VectorTests {
  static let covered: [Vector] = Topic.all.keys.sorted().flatMap { (try? Vectors.load($0)) ?? [] }

  @Test("there are vectors, in every file that is covered, each with its own id")
  func vectorsAreThere() throws {
    #expect(!Self.covered.isEmpty, "no vector of a covered topic in \(Vectors.folder.path)")
    for topic in try Vectors.topics(in: Vectors.folder) where Topic.all[topic] != nil {
      let vectors = try Vectors.load(topic)
      #expect(!vectors.isEmpty, "no vector in \(topic).json")
      #expect(Set(vectors.map(\.id)).count == vectors.count)
    }
  }

  @Test("what is not covered is known by name")
  func notCovered() throws {
    let present = try Vectors.topics(in: Vectors.folder)
    let left = present.filter { Topic.all[$0] == nil }
    let absent = Topic.all.keys.filter { !present.contains($0) }.sorted()
    print(
      "vectors from \(Vectors.folder.path): \(Self.covered.count) covered; not covered: \(left.joined(separator: ", "))"
    )
    if !absent.isEmpty { print("covered, but without a file there: \(absent.joined(separator: ", "))") }
    // Our own folder must be complete. A foreign one may hold unknown topics, which were printed.
    let own = try Vectors.topics(in: Vectors.ownFolder)
    #expect(Set(own) == Topic.notCovered.union(Topic.all.keys).union(Topic.readElsewhere))
  }

  @Test("fields and encodings without an independent comparison are named, topic by topic")
  func parts() throws {
    var coverage = Coverage()
    for vector in Self.covered {
      let topic = try #require(Topic.all[vector.topic])
      for part in uncovered(vector, topic) { coverage.miss(vector.topic, part) }
    }
    coverage.tell(isOwn: Vectors.folder == Vectors.ownFolder, known: Topic.notCoveredParts)
  }

  /// What of a vector `vector(_:)` passes over.
  private func uncovered(_ vector: Vector, _ topic: Topic) -> [String] {
    switch vector.kind {
    case "valid", "salvage", "both":
      guard let decoded = try? decode(vector, topic) else { return ["\(vector.characteristic) \(vector.kind)"] }
      let unread = vector.expect.keys.filter { decoded.all[$0] == nil }.map { "field \($0)" }
      let isUnwritten = vector.kind == "both" && topic.encode(vector.expect) == nil
      return unread + (isUnwritten ? ["encoding"] : [])
    case "encode": return topic.encode(vector.expect) == nil ? ["encoding"] : []
    case "derived":
      let found = (try? topic.derive(vector.characteristic, vector.values)) ?? nil
      return vector.expect.keys.filter { found?[$0] == nil }.map { "derived \($0)" }
    case "reject", "error_map": return []
    default: return ["kind \(vector.kind)"]
    }
  }

  @Test("a correct decoder makes of the bytes what the vector says", arguments: covered)
  func vector(_ vector: Vector) throws {
    let topic = try #require(Topic.all[vector.topic])
    switch vector.kind {
    case "valid", "salvage", "both":
      guard let decoded = try decode(vector, topic) else { return }
      expectFields(of: decoded, vector)
      #expect(decoded.isSalvaged == (vector.kind == "salvage"))
      if vector.kind == "both", let written = topic.encode(vector.expect) { #expect(written == vector.bytes) }
    case "encode":
      let bytes = try #require(vector.bytes, "no bytes")
      if let written = topic.encode(vector.expect) { #expect(written == bytes) }
    case "reject":
      let error = try #require(vector.error.flatMap { DecodeError(rawValue: $0) }, "an unknown error class")
      #expect(throws: error) { try decode(vector, topic) }
    case "error_map":
      guard case .number(let code)? = vector.expect["att_error"], let code = UInt8(exactly: code) else {
        Issue.record("no ATT error to map")
        return
      }
      #expect(topic.meaning(code).map { .string($0) } == vector.expect["meaning"])
    case "derived":
      let found = try topic.derive(vector.characteristic, vector.values) ?? [:]
      for (name, expected) in vector.expect {
        if let own = found[name] { #expect(own.matches(expected), "\(name): \(own)") }
      }
    // Named by `parts()`.
    default: break
    }
  }

  private func decode(_ vector: Vector, _ topic: Topic) throws -> Decoded? {
    try #require(vector.bytes, "no bytes").withUnsafeBytes { try topic.decode(vector.characteristic, $0) }
  }

  /// Exactly the fields of the vector, except for trivial ones; missing fields are named by `parts()`.
  private func expectFields(of decoded: Decoded, _ vector: Vector) {
    for (name, expected) in vector.expect {
      guard let own = decoded.all[name] else { continue }
      #expect(own.matches(expected), "\(name): \(own), expected \(expected)")
    }
    for name in decoded.fields.keys { #expect(vector.expect[name] != nil, "\(name) is not in the vector") }
    for (name, value) in decoded.silentFields where vector.expect[name] == nil {
      #expect(value == .number(0) || value == .bool(false), "\(name) is \(value), the vector does not say so")
    }
  }

  @Test("two values that differ beyond the tolerance do not match")
  func tolerance() {
    #expect(JSON.number(923.828125).matches(.number(923.828125 * (1 + 1e-10))))
    #expect(!JSON.number(923.828125).matches(.number(923.829)))
    #expect(!JSON.array([.number(1)]).matches(.array([.number(1), .number(2)])))
    #expect(!JSON.null.matches(.number(0)))
  }
}
