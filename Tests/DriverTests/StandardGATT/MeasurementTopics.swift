import Bluetooth

@testable import DriverTestSupport
@testable import StandardGATTFamily

/// What the decoders of services that measure now and then made of a value, under the names the vectors use.
extension Topic {
  static func temperature(_ value: TemperatureMeasurement) -> Decoded {
    var decoded = Decoded(
      fields: [
        "unit": .string(value.isFahrenheit ? "F" : "C"), "timestamp": value.time.map(time) ?? .null,
        "type": value.type.map { .string(name(ofPlace: $0)) } ?? .null,
        // To a millionth, as the vectors round what is no decimal.
        "celsius": value.celsius(times: 1_000_000).map { .number(Double($0) / 1_000_000) } ?? .null,
      ],
      silentFields: ["trailing_bytes": .integer(value.trailingBytes)], isSalvaged: value.trailingBytes != 0)
    if case .object(let number) = number(value.temperature) { decoded.fields.merge(number) { field, _ in field } }
    return decoded
  }

  static func bloodPressure(_ value: BloodPressureMeasurement) -> Decoded {
    let status: JSON =
      value.status.map { status -> JSON in
        let isAbove = status.contains(.pulseAboveRange)
        let isBelow = status.contains(.pulseBelowRange)
        let range = isAbove ? (isBelow ? "reserved" : "above_upper") : isBelow ? "below_lower" : "within"
        return .object([
          "body_movement": .bool(status.contains(.bodyMovement)), "cuff_loose": .bool(status.contains(.cuffTooLoose)),
          "irregular_pulse": .bool(status.contains(.irregularPulse)), "pulse_range": .string(range),
          "improper_position": .bool(status.contains(.improperPosition)),
        ])
      } ?? .null
    return Decoded(
      fields: [
        "unit": .string(value.isKilopascal ? "kPa" : "mmHg"), "systolic": number(value.systolic),
        "diastolic": number(value.diastolic), "map": number(value.mean), "timestamp": value.time.map(time) ?? .null,
        "pulse": value.pulse.map(number) ?? .null, "user_id": value.user.map { .integer($0) } ?? .null,
        "status": status,
      ],
      silentFields: ["trailing_bytes": .integer(value.trailingBytes)], isSalvaged: value.trailingBytes != 0)
  }

  static func running(_ value: RunningSpeedCadence) -> Decoded {
    Decoded(
      fields: [
        "speed_raw": .integer(value.speed), "speed_m_s": .number(Double(value.speed) / 256),
        "cadence_rpm": .integer(value.cadence),
        "stride_m": value.strideLength.map { .number(Double($0) / 100) } ?? .null,
        "distance_m": value.totalDistance.map { .number(Double($0) / 10) } ?? .null, "running": .bool(value.isRunning),
      ],
      silentFields: ["trailing_bytes": .integer(value.trailingBytes)], isSalvaged: value.trailingBytes != 0)
  }

  static func runningFeatures(_ value: RunningFeatures, _ bytes: RawBytes) -> Decoded {
    features(value.rawValue, ["stride", "distance", "walk_run", "calibration", "multiple_locations"], bytes)
  }

  static func cyclingFeatures(_ value: CyclingFeatures, _ bytes: RawBytes) -> Decoded {
    features(value.rawValue, ["wheel", "crank", "multiple_locations"], bytes)
  }

  /// Two bytes of bits, and what comes after them.
  private static func features(_ bits: UInt16, _ all: [String], _ bytes: RawBytes) -> Decoded {
    Decoded(
      fields: ["features": names(bits, from: 0, all)], silentFields: ["trailing_bytes": .integer(bytes.count - 2)],
      isSalvaged: bytes.count > 2)
  }

  static func cycling(_ value: CyclingSpeedCadence) -> Decoded {
    Decoded(
      fields: [
        "wheel_revs": value.wheel.map { .integer($0.count) } ?? .null,
        "wheel_event_raw": value.wheel.map { .integer($0.time) } ?? .null,
        "crank_revs": value.crank.map { .integer($0.count) } ?? .null,
        "crank_event_raw": value.crank.map { .integer($0.time) } ?? .null,
      ],
      silentFields: ["trailing_bytes": .integer(value.trailingBytes)], isSalvaged: value.trailingBytes != 0)
  }

  /// What the last two of some values say.
  static func turns(_ values: [[UInt8]]) throws -> [String: JSON]? {
    let read = try values.suffix(2).map { try $0.withUnsafeBytes { try CyclingSpeedCadence($0) } }
    guard let first = read.first, let last = read.last else { return nil }
    var found: [String: JSON] = [:]
    func tell(_ name: String, _ count: Int64, _ ticks: UInt16) {
      found["\(name)_delta_revs"] = .integer(count)
      found["delta_s"] = .number(Double(ticks) / 1024)
      found["\(name)_delta_s"] = .number(Double(ticks) / 1024)
      found["\(name)_rpm"] =
        ticks == 0 ? .oneOf([.null, .number(0)]) : .number(Double(count) * 60 * 1024 / Double(ticks))
    }
    if let before = first.crank, let after = last.crank {
      let (count, ticks) = after.since(before)
      tell("crank", Int64(count), ticks)
    }
    if let before = first.wheel, let after = last.wheel {
      let (count, ticks) = after.since(before)
      tell("wheel", Int64(count), ticks)
    }
    return found
  }

  private static func name(ofPlace code: UInt8) -> String {
    switch TemperaturePlace(rawValue: code) {
    case .armpit: "armpit"
    case .body: "body"
    case .ear: "ear"
    case .finger: "finger"
    case .gastrointestinal: "gastrointestinal"
    case .mouth: "mouth"
    case .rectum: "rectum"
    case .toe: "toe"
    case .eardrum: "tympanum"
    case nil: "reserved"
    }
  }
}
