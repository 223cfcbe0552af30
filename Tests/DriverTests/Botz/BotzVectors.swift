// The vectors of the Botz insole: read from Tests/Vectors/botz, or from $HEARTH_VECTORS/botz.

import Bluetooth
import Foundation
import Testing

@testable import DriverTestSupport

/// A case of one file; see the README beside the files for what each key means.
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
  /// Bytes.
  let length: Int?
  /// `ADV_IND` or `SCAN_RSP`.
  let pdu: String?
  /// Of L2CAP.
  let channel: Int?
  /// Whether some build sends it.
  let isOnWire: Bool?
  var file = ""
  /// Values under keys that no decoder here reads, except for texts for people.
  private(set) var otherKeys: [String] = []

  private enum CodingKeys: String, CodingKey {
    case id, kind, hex, service, characteristic, op, fields, derived, expect, legal, length, pdu
    case hexList = "hex_list"
    case channel = "cid"
    case isOnWire = "on_wire"
  }

  /// Told to people, or of how the vector came to be.
  private static let remarks: Set<String> = ["notes", "origin", "firmware_era", "effect", "timing"]

  private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    let box = try decoder.container(keyedBy: CodingKeys.self)
    id = try box.decode(String.self, forKey: .id)
    kind = try box.decode(String.self, forKey: .kind)
    hex = try box.decodeIfPresent(String.self, forKey: .hex)
    hexList = try box.decodeIfPresent([String].self, forKey: .hexList)
    service = try box.decodeIfPresent(String.self, forKey: .service)
    characteristic = try box.decodeIfPresent(String.self, forKey: .characteristic)
    op = try box.decodeIfPresent(String.self, forKey: .op)
    fields = try box.decodeIfPresent([String: JSON].self, forKey: .fields)
    derived = try box.decodeIfPresent([String: JSON].self, forKey: .derived)
    expect = try box.decodeIfPresent(Expectation.self, forKey: .expect)
    legal = try box.decodeIfPresent(Bool.self, forKey: .legal)
    length = try box.decodeIfPresent(Int.self, forKey: .length)
    pdu = try box.decodeIfPresent(String.self, forKey: .pdu)
    channel = try box.decodeIfPresent(Int.self, forKey: .channel)
    isOnWire = try box.decodeIfPresent(Bool.self, forKey: .isOnWire)
    let all = try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue)
    otherKeys = all.filter { CodingKeys(rawValue: $0) == nil && !Self.remarks.contains($0) }
  }

  var testDescription: String { "\(file)/\(id)" }

  /// nil if the vector has no bytes.
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
