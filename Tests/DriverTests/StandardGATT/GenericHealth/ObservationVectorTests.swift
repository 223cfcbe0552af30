import Bluetooth
import Foundation
import Testing
import Wearable

@testable import DriverTestSupport
@testable import StandardGATTFamily

/// A vector of this topic is several values, and expects a list: it is read here, and not with the others.
private struct ObservationVector: Decodable, Sendable, CustomTestStringConvertible {
  let id: String
  let kind: String
  let pdus: [String]
  let expect: [[String: JSON]]?
  let error: String?

  var testDescription: String { "\(id) \(kind)" }

  private struct File: Decodable {
    let vectors: [Attempt<ObservationVector>]
  }

  static let all: [ObservationVector] = {
    let file = Vectors.folder.appending(path: "generic_health_sensor.json")
    guard let data = try? Data(contentsOf: file), let read = try? JSONDecoder().decode(File.self, from: data) else {
      return []
    }
    return Attempts.read(read.vectors, "gatt/generic_health_sensor")
  }()
}

@Suite("The shared vectors of generic health sensors")
struct ObservationVectorTests {
  /// What the decoder of live observations makes of values, as it makes it of those on a link.
  private func read(_ pdus: [String]) throws -> (observations: [HealthObservation], discarded: Int) {
    var segments = ObservationSegments()
    var found: [HealthObservation] = []
    for pdu in pdus {
      let bytes = try #require(Array(hexadecimal: pdu))
      guard let body = try segments.take(bytes) else { continue }
      let (observations, trailing) = try body.withUnsafeBytes { try HealthObservation.read($0) }
      #expect(trailing == 0)
      found += observations
    }
    #expect(!segments.isUnfinished)
    return (found, segments.discarded)
  }

  @Test("there are some, each with its own id")
  func areThere() {
    #expect(!ObservationVector.all.isEmpty)
    #expect(Set(ObservationVector.all.map(\.id)).count == ObservationVector.all.count)
  }

  @Test("a correct decoder makes of the values what the vector says", arguments: ObservationVector.all)
  fileprivate func vector(_ vector: ObservationVector) throws {
    switch vector.kind {
    case "valid", "salvage":
      let (observations, discarded) = try read(vector.pdus)
      let expected = try #require(vector.expect)
      #expect(observations.count == expected.count && (discarded > 0) == (vector.kind == "salvage"))
      for (observation, fields) in zip(observations, expected) { expect(observation, fields) }
    case "reject":
      let error = try #require(vector.error.flatMap { DecodeError(rawValue: $0) }, "an unknown error class")
      #expect(throws: error) { try read(vector.pdus) }
    default: Attempts.notCovered("generic_health_sensor", "kind \(vector.kind)")
    }
  }

  private func expect(_ observation: HealthObservation, _ fields: [String: JSON]) {
    var all: [String: JSON] = ["class": .string(observation.kind.map { name($0) } ?? "reserved")]
    all["type"] = observation.type.map { .integer($0) } ?? .null
    if case .number(let unit, let number) = observation.value {
      all["unit"] = .integer(unit)
      let value = Double(number.mantissa) * pow(10, Double(number.exponent))
      all["value"] = number.special == nil ? .number(value) : .null
    }
    if let time = observation.time {
      let unix = time.timeline.map { JSON.number(Double($0) / 1_000_000) } ?? .null
      all["unix_utc"] = time.isUTC ? unix : .null
    }
    for (name, expected) in fields {
      guard let found = name == "patient" ? observation.patient.map({ .integer($0) }) ?? .null : all[name] else {
        Attempts.notCovered("generic_health_sensor", "field \(name)")
        #expect(Vectors.folder != Vectors.ownFolder, "\(name) is read by nobody")
        continue
      }
      #expect(found.matches(expected), "\(name): \(found), expected \(expected)")
    }
    for name in all.keys { #expect(fields[name] != nil, "\(name) is not in the vector") }
    #expect((observation.patient != nil) == (fields["patient"] != nil))
  }

  private func name(_ kind: HealthObservation.Class) -> String {
    switch kind {
    case .numeric: "numeric"
    case .discrete: "discrete"
    case .string: "string"
    case .samples: "sample_array"
    case .discreteEvents: "discrete_events"
    case .state: "state"
    case .compoundNumeric: "compound_numeric"
    case .typeLengthValue: "tlv"
    case .bundle: "bundle"
    }
  }
}
