// What the vectors of tables, numbers, scripts and documents ask for.

import Foundation
import GATTVectorFormats
import PolarMessages
import Testing
import Wearable

@testable import Bluetooth
@testable import DriverTestSupport
@testable import PolarFamily

enum DocumentVectors {
  typealias Value = PolarVectors.Value

  static func capabilities(_ input: [String: Value]) throws -> [String: Value] {
    func facts(_ value: Value?) -> Polar.ModelFacts {
      let entry = value?.object ?? [:]
      return Polar.ModelFacts(
        fileSystem: entry["fileSystemType"]?.text.map { Polar.FileSystem(name: $0) },
        recordsExercises: entry["recordingSupported"]?.bool,
        takesFirmwareUpdates: entry["firmwareUpdateSupported"]?.bool,
        hasActivityData: entry["activityDataSupported"]?.bool, isSensor: entry["isDeviceSensor"]?.bool)
    }
    let table: Polar.ModelTable
    if let config = input["config"]?.object {
      table = Polar.ModelTable(
        defaults: facts(config["defaults"]), models: (config["devices"]?.object ?? [:]).mapValues { facts($0) })
    } else {
      table = .known
    }
    let model = table.facts(try input.text("model"))
    return [
      "fileSystemType": .text(model.fileSystem.rawValue), "recordingSupported": .bool(model.recordsExercises),
      "firmwareUpdateSupported": .bool(model.takesFirmwareUpdates),
      "isDeviceSensor": .bool(model.isSensor), "activityDataSupported": .bool(model.hasActivityData),
    ]
  }

  static func integer(_ input: [String: Value]) throws -> [String: Value] {
    try input.bytes("data").withUnsafeBytes { bytes in
      func value<T: FixedWidthInteger>(_ type: T.Type) throws -> [String: Value] {
        guard let number = T(littleEndianBytes: bytes) else { throw DecodeError.outOfRange }
        return ["value": .number(number)]
      }
      switch try input.text("type") {
      case "uint8": return try value(UInt8.self)
      case "uint16": return try value(UInt16.self)
      case "uint32": return try value(UInt32.self)
      case "uint64": return try value(UInt64.self)
      case "int8": return try value(Int8.self)
      case "int16": return try value(Int16.self)
      case "int32": return try value(Int32.self)
      case "int64": return try value(Int64.self)
      default: throw PolarDeviceVectorTests.UnknownVector()
      }
    }
  }

  static func script(_ input: [String: Value]) throws -> [String: Value] {
    let key = try #require(input["key"]?.int.flatMap { UInt32(exactly: $0) })
    if input["op"]?.text == "build" {
      return ["script": .hex(Polar.KeyValueScript.write(try input.bytes("data"), for: key))]
    }
    let value = try input.bytes("script").withUnsafeBytes { try Polar.KeyValueScript.value(of: key, in: $0) }
    return ["value": value.map { .hex($0) } ?? .null]
  }

  static func rest(_ input: [String: Value]) throws -> [String: Value] {
    let json = Array(try input.text("json").utf8)
    func map(_ texts: [String: String]) -> Value { .object(texts.mapValues { .text($0) }) }
    func lists(_ lists: [String: [String]]) -> Value { .object(lists.mapValues { .list($0.map { .text($0) }) }) }
    return try json.withUnsafeBytes { bytes in
      if input["op"]?.text == "services" { return ["services": map(try Polar.RESTServices(bytes).paths)] }
      let service = try Polar.RESTService(bytes)
      return [
        "events": .list(service.events.map { .text($0) }), "endpoints": .list(service.endpoints.map { .text($0) }),
        "commands": map(service.commands),
        "details": lists(service.details), "triggers": lists(service.triggers),
      ]
    }
  }

  static func settings(_ input: [String: Value]) throws -> [String: Value] {
    let bytes = try input.bytes("bytes")
    let settings = try bytes.withUnsafeBytes { try Polar.DeviceSettings($0) }
    let detection = settings.trainingDetection
    func onOff(_ truth: Bool?) -> Value { .optional(truth.map { $0 ? "on" : "off" }) }
    return [
      "location": settings.location.map { .number($0) } ?? .null,
      "locationName": .optional(
        settings.location.flatMap { PbDeviceLocation(rawValue: $0) }.map { fieldName("\($0)") }),
      "usb": onOff(settings.usb), "telemetry": .optional(settings.telemetry),
      "trainingDetection": onOff(detection?.isOn),
      "sensitivity": detection.map { .number($0.sensitivity) } ?? .null,
      "minimumSeconds": detection.map { .number($0.minimumDuration) } ?? .null,
    ]
  }

  /// `deviceLocationWristLeft` is `DEVICE_LOCATION_WRIST_LEFT`.
  private static func fieldName(_ name: String) -> String {
    name.map { $0.isUppercase ? "_\($0)" : $0.uppercased() }.joined()
  }
}
