import Foundation
import Testing
import Wearable

@testable import Bluetooth
@testable import DriverTestSupport
@testable import PolarFamily

@Suite("The vectors of Polar: what it is and its small services")
struct PolarDeviceVectorTests {
  typealias Vector = PolarVectors.Vector
  typealias Value = PolarVectors.Value

  static let topics = [
    "advertisement", "heart_rate", "battery", "other_services", "pfc", "capabilities", "primitives", "kvtx", "rest_api",
    "user_device_settings",
  ]
  static let all: [Vector] = topics.flatMap { (try? PolarVectors.load($0)) ?? [] }
  static let chosen: [Vector] = PolarVectors.chosen(all) { !isOfTheOtherPlatform($0) }

  /// If the two SDKs differ and the hub follows one of them, or neither, vectors of the other do not apply.
  static func isOfTheOtherPlatform(_ vector: Vector) -> Bool {
    guard let platform = vector.platform else { return false }
    switch (vector.topic, vector.input["op"]?.text) {
    // Names without the prefix are not accepted; only Android says so.
    case ("advertisement", "name"), ("advertisement", "model"), ("advertisement", "capabilityKey"),
      ("advertisement", "isPolarName"):
      return platform == "iOS"
    // Ids of other lengths than six to eight digits are invalid; the SDKs accept them, each in its own way.
    case ("advertisement", "isValidId"), ("advertisement", "completeId"), ("advertisement", "completeIdThenValidate"):
      return !(6...8).contains(vector.input["id"]?.text?.utf8.count ?? 0)
    // A block longer than four bytes counts with its fast average, as on iOS. No other part of a block differs in the
    // values that the hub uses.
    case ("advertisement", "hrBlock"), ("advertisement", "manufacturerData"):
      return platform == "Android" && vector.hasLongBlock
    // The standard's signed mantissa; Android reads it without a sign.
    case ("other_services", _) where vector.input["characteristic"] == .text("2A1C"): return platform == "Android"
    default: return false
    }
  }

  @Test func `are there, in every topic, each with its own name`() throws {
    #expect(Self.all.isEmpty == false, "no vectors in \(PolarVectors.folder.path)")
    for topic in Self.topics {
      let names = Self.all.filter { $0.topic == topic }.map(\.name)
      #expect(Set(names).count == names.count, "\(topic)")
    }
    print(
      """
      vectors of Polar's small services from \(PolarVectors.folder.path): \(Self.all.count) vectors, \
      \(Self.chosen.count) of them ours
      """
    )
  }

  @Test("give what they say", arguments: chosen)
  func vector(_ vector: Vector) throws {
    if vector.expected["error"] == .bool(true) {
      #expect(throws: (any Error).self) { try Self.decode(vector) }
      return
    }
    for miss in PolarVectors.misses(try Self.decode(vector), vector) { Issue.record("\(miss)") }
  }

  static func decode(_ vector: Vector) throws -> [String: Value] {
    let input = vector.input
    switch vector.topic {
    case "advertisement": return try AdvertisementVectors.decode(input)
    case "heart_rate": return try ServiceVectors.heartRate(input)
    case "battery": return try ServiceVectors.battery(input)
    case "other_services": return try ServiceVectors.other(input)
    case "pfc": return try ServiceVectors.featureConfiguration(input)
    case "capabilities": return try DocumentVectors.capabilities(input)
    case "primitives": return try DocumentVectors.integer(input)
    case "kvtx": return try DocumentVectors.script(input)
    case "rest_api": return try DocumentVectors.rest(input)
    case "user_device_settings": return try DocumentVectors.settings(input)
    default: throw UnknownVector()
    }
  }

  /// A topic or operation that came after this was written.
  struct UnknownVector: Error {}
}

extension PolarVectors.Vector {
  /// A heart rate block that is not of three or four bytes.
  fileprivate var hasLongBlock: Bool {
    guard case .list(let sequence)? = input["sequence"] else { return false }
    return sequence.contains { ($0.text?.utf8.count ?? 0) / 2 > (input["op"]?.text == "hrBlock" ? 4 : 6) }
  }
}

// MARK: - Reading values

extension PolarVectors.Value {
  static func hex(_ bytes: some Sequence<UInt8>) -> PolarVectors.Value { Self(bytes: bytes) }
  static func optional(_ text: String?) -> PolarVectors.Value { text.map { .text($0) } ?? .null }
  static func optional(_ truth: Bool?) -> PolarVectors.Value { truth.map { .bool($0) } ?? .null }
  static func number(_ value: some BinaryInteger) -> PolarVectors.Value { Self(value) }
}

extension [String: PolarVectors.Value] {
  func bytes(_ key: String) throws -> [UInt8] {
    try #require(self[key]?.text.flatMap { Array(hexadecimal: $0) }, "\(key) is not hexadecimal")
  }
  func text(_ key: String) throws -> String { try #require(self[key]?.text, "\(key) is no text") }
  func texts(_ key: String) throws -> [String] {
    try #require(self[key]?.list, "\(key) is no list").map { try #require($0.text) }
  }
}
