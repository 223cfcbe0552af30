// The vectors of the Botz insole: read from Tests/Vectors/botz, or from $HEARTH_VECTORS/botz.

import Bluetooth
import Foundation
import Testing

@testable import DriverTestSupport

/// One case of one file; see the README beside the files for what each key means.
struct BotzVector: Sendable, Decodable, CustomTestStringConvertible {
  struct Expectation: Sendable, Decodable {
    let att: String?
    let code: UInt8?
    let name: String?
    let then: String?
    let params: [String: Double]?
  }

  let id: String
  let kind: String
  let hex: String?
  let hexList: [String]?
  let service: String?
  let characteristic: String?
  let op: String?
  let fields: [String: JSON]?
  let derived: [String: JSON]?
  let expect: Expectation?
  let legal: Bool?
  let pdu: String?
  let cid: Int?
  var file = ""

  private enum CodingKeys: String, CodingKey {
    case id, kind, hex, service, characteristic, op, fields, derived, expect, legal, pdu, cid
    case hexList = "hex_list"
  }

  var testDescription: String { "\(file)/\(id)" }

  /// nil where the vector has none.
  var bytes: [UInt8]? { hex.flatMap { Array(hexadecimal: $0) } }
  var serviceUUID: BluetoothUUID? { service.flatMap { BluetoothUUID($0) } }
  var characteristicUUID: BluetoothUUID? { characteristic.flatMap { BluetoothUUID($0) } }
  var isWrite: Bool { op?.hasPrefix("write") == true }

  /// Every field the vector states.
  var stated: [String: JSON] { (fields ?? [:]).merging(derived ?? [:]) { field, _ in field } }
}

enum BotzVectors {
  static let ownFolder = URL(filePath: #filePath).appending(path: "../../../Vectors/botz").standardized

  static let folder: URL = {
    guard let other = ProcessInfo.processInfo.environment["HEARTH_VECTORS"], !other.isEmpty else { return ownFolder }
    return URL(filePath: other).appending(path: "botz")
  }()

  private struct File: Decodable {
    let protocolName: String
    let vectors: [Attempt<BotzVector>]
    private enum CodingKeys: String, CodingKey {
      case vectors
      case protocolName = "protocol"
    }
  }

  static func files(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }.map {
      String($0.dropLast(5))
    }.sorted()
  }

  static func load(_ name: String, in folder: URL = folder) throws -> [BotzVector] {
    let file = try JSONDecoder().decode(File.self, from: Data(contentsOf: folder.appending(path: name + ".json")))
    #expect(file.protocolName == "botz-sensing")
    return Attempts.read(file.vectors, "botz/\(name)").map {
      var vector = $0
      vector.file = name
      return vector
    }
  }

  /// All cases of all files.
  static let all: [BotzVector] = ((try? files(in: folder)) ?? []).flatMap { (try? load($0)) ?? [] }
}

extension JSON {
  /// Everything that `stated` says is so here; there may be more.
  func covers(_ stated: JSON) -> Bool {
    switch (self, stated) {
    case (.object(let own), .object(let stated)): stated.allSatisfy { key, value in own[key]?.covers(value) ?? false }
    case (.array(let own), .array(let stated)):
      own.count == stated.count && zip(own, stated).allSatisfy { $0.covers($1) }
    case (.oneOf(let own), _): own.contains { $0.covers(stated) }
    default: matches(stated)
    }
  }

  static func integers(_ values: some Sequence<some BinaryInteger>) -> JSON { .array(values.map { .integer($0) }) }
}
