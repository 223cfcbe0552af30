// What the vectors of the single services ask for.

import GATTServices
import GATTVectorFormats
import Testing
import Wearable

@testable import Bluetooth
@testable import DriverTestSupport
@testable import PolarFamily
@testable import StandardGATTFamily

enum ServiceVectors {
  typealias Value = PolarVectors.Value

  static func heartRate(_ input: [String: Value]) throws -> [String: Value] {
    try input.bytes("value").withUnsafeBytes {
      let value = try HeartRateMeasurement($0)
      let hasIntervals = ($0.first ?? 0) & 0x10 != 0
      return [
        "hr": .number(value.beatsPerMinute), "sensorContact": .bool(value.contact == .detected),
        "sensorContactSupported": .bool(value.contact != .notSupported),
        "energy": value.energyKilojoules.map { .number($0) } ?? .number(0), "rrPresent": .bool(hasIntervals),
        "rr1024": .list(value.intervals.map { .number($0) }),
        // The SDK divides in 32-bit floating point, which is exact for each of these numbers: half a millisecond is
        // rounded up.
        "rrMs": .list(value.intervals.map { .number((Int($0) * 1000 + 512) / 1024) }),
      ]
    }
  }

  static func battery(_ input: [String: Value]) throws -> [String: Value] {
    if input["op"]?.text == "level" {
      let levels = try input.texts("sequence").compactMap { text in
        let bytes = try #require(Array(hexadecimal: text))
        return bytes.withUnsafeBytes { try? BatteryLevel($0) }?.percent
      }
      return ["accepted": .list(levels.map { .number($0) }), "latest": .number(levels.last.map { Int($0) } ?? -1)]
    }
    let state = try input.bytes("value").withUnsafeBytes { try Polar.PowerState($0) }
    let answers: [BatteryLevelStatus.Answer: String] = [
      .no: "notConnected", .yes: "connected", .unknown: "unknown", .reserved: "reserved",
    ]
    return [
      "batteryPresent": .text(state.isBatteryPresent ? "present" : "notPresent"),
      "wired": .optional(answers[state.wired]), "wireless": .optional(answers[state.wireless]),
      "chargeState": .text("\(state.chargeState)"),
    ]
  }

  static func other(_ input: [String: Value]) throws -> [String: Value] {
    let uuid = try #require(BluetoothUUID(try input.text("characteristic")))
    return try input.bytes("value").withUnsafeBytes { bytes in
      switch uuid {
      case StandardGATT.systemID: return ["systemIdHex": .text(Polar.systemIDText(bytes))]
      case 0x2A1C:
        let value = try TemperatureMeasurement(bytes)
        let celsius = Double(value.celsius(times: 1_000_000) ?? 0) / 1_000_000
        return ["celsius": .number(celsius), "fahrenheit": .number(celsius * 9 / 5 + 32)]
      case 0x2A53:
        let value = try RunningSpeedCadence(bytes)
        return [
          "stridePresent": .bool(value.strideLength != nil), "distancePresent": .bool(value.totalDistance != nil),
          "running": .bool(value.isRunning), "speed": .number(value.speed),
          "cadence": .number(value.cadence), "stride": .number(value.strideLength ?? 0),
          "distance": .number(value.totalDistance ?? 0),
        ]
      case Polar.LegacyStreaming.features:
        let value = Polar.LegacyFeatures(rawValue: bytes.first ?? 0)
        return [
          "ecg": .bool(value.contains(.ecg)), "ohr": .bool(value.contains(.opticalHeartRate)),
          "acc": .bool(value.contains(.acceleration)), "pp": .bool(value.contains(.pulseIntervals)),
          "ppi": .bool(value.contains(.pulseIntervals)),
        ]
      case Polar.LegacyStreaming.controlPoint: return response(try Polar.ControlResponse(bytes))
      case Polar.LegacyStreaming.pulseIntervals: return pulseIntervals(Polar.LegacyPulseInterval.all(in: bytes))
      case Polar.LegacySettings.settings:
        let value = Polar.H7Settings(rawValue: bytes.first ?? 0)
        return ["broadcast": .bool(value.contains(.broadcast)), "khz": .bool(value.contains(.transmission5kHz))]
      default: return ["text": .text(DeviceInformation.text(bytes))]
      }
    }
  }

  private static func pulseIntervals(_ intervals: [Polar.LegacyPulseInterval]) -> [String: Value] {
    let samples: [[String: Value]] = intervals.map {
      [
        "counter": .number($0.counter), "hr": .number($0.heartRate), "pp": .number($0.milliseconds),
        "ppMs": .number($0.milliseconds), "ppInMs": .number($0.milliseconds),
        "error": .number($0.errorEstimate), "errorEstimate": .number($0.errorEstimate),
        "ppErrorEstimate": .number($0.errorEstimate), "blocker": .bool($0.isBlocked),
        "contact": .bool($0.hasContact), "contactSupported": .bool($0.tellsContact),
      ]
    }
    return (samples.first ?? [:]).merging([
      "samples": .list(samples.map { .object($0) }), "count": .number(samples.count),
      "sampleCount": .number(samples.count),
    ]) { $1 }
  }

  static func featureConfiguration(_ input: [String: Value]) throws -> [String: Value] {
    try input.bytes("value").withUnsafeBytes { bytes in
      guard input["op"]?.text == "feature" else { return response(try Polar.ControlResponse(bytes)) }
      let value = try Polar.Features(bytes)
      return [
        "broadcast": .bool(value.contains(.broadcast)), "khz": .bool(value.contains(.transmission5kHz)),
        "ota": .bool(value.contains(.updateOverTheAir)),
        "whisper": .bool(value.contains(.whisper)), "bleMode": .bool(value.contains(.bleMode)),
        "multiConnection": .bool(value.contains(.multiConnection)),
        "ant": .bool(value.contains(.antPlus)), "securityMode": .bool(value.contains(.securityMode)),
        "sensorInitiatedSecurityMode": .bool(value.contains(.sensorInitiatedSecurity)),
        "sensorInitiated": .bool(value.contains(.sensorInitiatedSecurity)),
      ]
    }
  }

  private static func response(_ response: Polar.ControlResponse) -> [String: Value] {
    let status =
      switch response.status {
      case .success: "success"
      case .notSupported: "notSupported"
      case .invalidParameter: "invalidParameter"
      case .operationFailed: "operationFailed"
      case .notAllowed: "notAllowed"
      case .other: "unknown"
      }
    return ["opCode": .number(response.opCode), "status": .text(status), "payload": .hex(response.payload)]
  }
}
