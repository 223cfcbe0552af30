// What the vectors of topic `advertisement` ask for.

import EventLoop
import Testing
import Wearable

@testable import Bluetooth
@testable import DriverTestSupport
@testable import PolarFamily

enum AdvertisementVectors {
  typealias Value = PolarVectors.Value

  static func decode(_ input: [String: Value]) throws -> [String: Value] {
    switch try input.text("op") {
    case "adStructures": return try structures(input.bytes("data"))
    case "name", "model", "capabilityKey", "isPolarName": return try name(input)
    case "manufacturerData": return try manufacturerData(input)
    case "hrBlock": return try blocks(input)
    case "rssi": return try strength(input)
    case "services": return try services(input)
    case "adFieldMemory": return try memory(input)
    case "checksum":
      let number = try #require(Polar.DeviceID.number(try input.text("id")))
      return ["checksum": .number(Polar.DeviceID.checksum(of: number, width: try #require(input["width"]?.int)))]
    case "isValidId": return ["valid": .bool(input["id"]?.text.map { Polar.DeviceID.isValid($0) } ?? false)]
    case "completeId": return ["id": .text(Polar.DeviceID.completed(try input.text("id")))]
    case "completeIdThenValidate":
      let id = Polar.DeviceID.completed(try input.text("id"))
      return ["valid": .bool(Polar.DeviceID(id) != nil), "length": .number(id.utf8.count), "id": .text(id)]
    case "completeIdBreakThenValidate":
      let id = Polar.DeviceID.completed(try input.text("id"))
      return ["valid": .bool(Polar.DeviceID.isValid(id.dropLast() + (id.last == "0" ? "1" : "0")))]
    case "numericId": return ["value": .number(Polar.DeviceID.number(try input.text("id")) ?? 0)]
    default: throw PolarDeviceVectorTests.UnknownVector()
    }
  }

  private static func structures(_ data: [UInt8]) -> [String: Value] {
    var fields: [String: Value] = [:]
    var types: [Value] = []
    data.withUnsafeBytes {
      for (type, payload) in AdvertisingStructures($0) {
        types.append(.hex([type]))
        fields[hexadecimal([type]).lowercased()] = .hex(payload)
      }
    }
    fields["adTypes"] = .list(types)
    fields["count"] = .number(types.count)
    let whole = data.withUnsafeBytes { AdvertisingData($0) }
    fields["localName"] = .optional(whole.name)
    return fields
  }

  private static func name(_ input: [String: Value]) throws -> [String: Value] {
    let text = try input.text("localName")
    let name = Polar.LocalName(text, prefix: input["prefix"]?.text ?? Polar.namePrefix)
    return [
      "name": .text(name?.name ?? text), "model": .text(name?.model ?? ""), "deviceId": .text(name?.idText ?? ""),
      "key": .text(name?.modelKey ?? ""), "valid": .bool(name != nil),
    ]
  }

  private static func manufacturerData(_ input: [String: Value]) throws -> [String: Value] {
    var listener = Polar.HeartRateListener()
    var present: [Value] = []
    var updated: [Value] = []
    var last: [UInt8] = []
    for text in try input.texts("sequence") {
      last = try #require(Array(hexadecimal: text))
      // The company identifier is not the driver's to read; without it there is no manufacturer data.
      if last.starts(with: [0x6B, 0x00]) {
        _ = Array(last.dropFirst(2)).withUnsafeBytes { listener.take($0) }
      } else {
        listener.reset()
      }
      present.append(.bool(listener.latest != nil))
      updated.append(.bool(listener.isUpdated))
    }
    var fields: [String: Value] = ["hrPresent": .list(present), "hrUpdated": .list(updated)]
    if let block = listener.latest {
      fields["hrForDisplay"] = .number(block.heartRate)
      fields["fastAverageHr"] = .number(block.fastAverage)
      fields["hrBlock"] = .hex(last.suffix(block.isShort ? 3 : 4))
    }
    return fields
  }

  private static func blocks(_ input: [String: Value]) throws -> [String: Value] {
    var listener = Polar.HeartRateListener()
    var columns: [String: [Value]] = [:]
    for text in try input.texts("sequence") {
      if text == "RESET" {
        listener.reset()
      } else {
        let bytes = try #require(Array(hexadecimal: text))
        let block = try #require(bytes.withUnsafeBytes { Polar.HeartRateBlock($0) })
        _ = listener.take(block)
      }
      let block = listener.latest
      let values: [String: Value] = [
        "present": .bool(block != nil), "updated": .bool(listener.isUpdated),
        "batteryStatus": .number(block?.isBatteryLow == true ? 1 : 0),
        "sensorContact": .number(block?.hasContact == true ? 1 : 0), "frameCounter": .number(block?.counter ?? 0),
        "broadcastBit": .number(block?.isBroadcast == true ? 1 : 0),
        "advFrameCounter": .number(block?.counter ?? 0), "hrDataBit": .number(block?.isOtherData == true ? 1 : 0),
        "statusFlags": .number(block?.statusFlag == true ? 1 : 0),
        "khzCode": .number(block?.coding ?? 0), "fastAverageHr": .number(block?.fastAverage ?? 0),
        "slowAverageHr": .number(block?.heartRate ?? 0),
        "hrForDisplay": .number(block?.heartRate ?? 0),
      ]
      for (name, value) in values { columns[name, default: []].append(value) }
    }
    return columns.mapValues { .list($0) }
  }

  private static func strength(_ input: [String: Value]) throws -> [String: Value] {
    var median = Polar.SignalMedian()
    var latest = -100
    for value in try #require(input["values"]?.list) {
      latest = try #require(value.int)
      median.take(latest)
    }
    return ["rssi": .number(latest), "median": .number(median.value)]
  }

  private static func services(_ input: [String: Value]) throws -> [String: Value] {
    let contains: [Value] = try input.texts("sequence").map { text in
      let list = try #require(Array(hexadecimal: text))
      let data = ([try UInt8(vector: list.count + 1), 0x03] + list).withUnsafeBytes { AdvertisingData($0) }
      return .object([
        "180D": .bool(data.services.contains(0x180D)), "FEEE": .bool(data.services.contains(0xFEEE)),
        "180A": .bool(data.services.contains(0x180A)),
      ])
    }
    return ["contains": .list(contains)]
  }

  /// Of every packet by itself, and of all merged. What the house keeps by company is compared by company.
  private static func memory(_ input: [String: Value]) throws -> [String: Value] {
    var merged = AdvertisingData()
    var latest: [Value] = []
    var accumulated: [Value] = []
    for packet in try #require(input["sequence"]?.list) {
      var bytes: [UInt8] = []
      for (type, content) in try #require(packet.object).sorted(by: { $0.key < $1.key }) {
        let content = try #require(content.text.flatMap { Array(hexadecimal: $0) })
        bytes += [try UInt8(vector: content.count + 1)] + (try #require(Array(hexadecimal: type))) + content
      }
      bytes.withUnsafeBytes { merged.merge($0) }
      latest.append(.object(fields(bytes.withUnsafeBytes { AdvertisingData($0) })))
      accumulated.append(.object(fields(merged)))
    }
    return ["latest": .list(latest), "accumulated": .list(accumulated)]
  }

  private static func fields(_ data: AdvertisingData) -> [String: Value] {
    var fields: [String: Value] = [:]
    let services = data.services.flatMap(\.wireBytes)
    if !services.isEmpty { (fields["02"], fields["03"]) = (.hex(services), .hex(services)) }
    if let last = data.manufacturerData.last {
      var bytes: [UInt8] = []
      bytes.append(littleEndian: last.company)
      fields["ff"] = .hex(bytes + last.data)
    }
    if let name = data.name { fields[data.isNameComplete ? "09" : "08"] = .hex(name.utf8) }
    if let flags = data.flags { fields["01"] = .hex([flags]) }
    return fields
  }
}
