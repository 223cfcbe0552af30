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
