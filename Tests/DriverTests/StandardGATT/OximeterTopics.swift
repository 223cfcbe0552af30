import Bluetooth
import Foundation
import Wearable

@testable import DriverTestSupport
@testable import StandardGATTFamily

/// What the decoder of the Pulse Oximeter Service made of a value, under the names the vectors use.
extension Topic {
  static func oximetry(_ value: PLXMeasurement, isSpotCheck: Bool) -> Decoded {
    var fields: [String: JSON] = [
      "spo2": number(value.normal.saturation),
      "pulse": number(value.normal.pulse),
      "measurement_status": value.measurementStatus.map { names($0.rawValue, from: 5, measurementNames) } ?? .null,
      "sensor_status": value.sensorStatus.map { names($0.rawValue, from: 0, sensorNames) } ?? .null,
      "pulse_amplitude_index": value.amplitudeIndex.map(number) ?? .null,
    ]
    if isSpotCheck {
      fields["timestamp"] = value.time.map(time) ?? .null
      fields["clock_not_set"] = .bool(value.clockIsNotSet)
    } else {
      fields["fast"] = value.fast.map(pair) ?? .null
      fields["slow"] = value.slow.map(pair) ?? .null
    }
    return Decoded(
      fields: fields, silentFields: ["trailing_bytes": .integer(value.trailingBytes)],
      isSalvaged: value.trailingBytes != 0)
  }

  static func oximeterFeatures(_ value: PLXFeatures) -> Decoded {
    Decoded(
      fields: [
        "supported": names(value.supported.rawValue, from: 0, featureNames),
        "measurement_status_support": value.measurementStatus.map { names($0.rawValue, from: 5, measurementNames) }
          ?? .null,
        "sensor_status_support": value.sensorStatus.map { names($0.rawValue, from: 0, sensorNames) } ?? .null,
      ],
      silentFields: ["trailing_bytes": .integer(value.trailingBytes)], isSalvaged: value.trailingBytes != 0)
  }

  /// A number alone, as long as its type.
  static func primitive(_ bytes: RawBytes) throws(DecodeError) -> Decoded {
    if bytes.isEmpty { throw .empty }
    var reader = ByteReader(bytes)
    let isShort = bytes.count == 2
    let value = try isShort ? reader.sfloat() : reader.float()
    var decoded = Decoded(fields: ["type": .string(isShort ? "sfloat" : "float")], isSalvaged: !reader.isAtEnd)
    if let special = value.special {
      decoded.fields["value"] = .null
      decoded.fields["special"] = .string(name(special))
    } else {
      decoded.fields["mantissa"] = .integer(value.mantissa)
      decoded.fields["exponent"] = .integer(value.exponent)
      // Some have no text in a reader's floating point.
      if case .object(let number) = number(value), let text = number["value"] { decoded.otherNames["value"] = text }
    }
    return decoded
  }

  private static func pair(_ pair: PLXMeasurement.Pair) -> JSON {
    .object(["spo2": number(pair.saturation), "pulse": number(pair.pulse)])
  }

  static func number(_ value: MedicalFloat) -> JSON {
    if let special = value.special { return .object(["value": .null, "special": .string(name(special))]) }
    return .object(["value": .number(Double(value.mantissa) * pow(10, Double(value.exponent)))])
  }

  static func name(_ special: MedicalFloat.Special) -> String {
    switch special {
    case .notANumber: "NaN"
    case .notAtThisResolution: "NRes"
    case .positiveInfinity: "+INFINITY"
    case .negativeInfinity: "-INFINITY"
    case .reserved: "RFU"
    }
  }

  static func time(_ time: DateTime) -> JSON {
    let parts: [any CVarArg] = [
      Int(time.year), Int(time.month), Int(time.day), Int(time.hour), Int(time.minute), Int(time.second),
    ]
    return .object([
      "year": .integer(time.year), "month": .integer(time.month), "day": .integer(time.day),
      "hour": .integer(time.hour), "minute": .integer(time.minute), "second": .integer(time.second),
      "local": time.isKnown ? .string(String(format: "%04d-%02d-%02dT%02d:%02d:%02d", arguments: parts)) : .null,
    ])
  }

  /// The names of the bits that are set, the lowest first.
  static func names(_ bits: some FixedWidthInteger, from first: Int, _ names: [String]) -> JSON {
    .array(names.indices.filter { bits >> (first + $0) & 1 == 1 }.map { .string(names[$0]) })
  }

  private static let measurementNames = [
    "measurement_ongoing", "early_estimate", "validated", "fully_qualified", "from_measurement_storage",
    "demonstration",
    "testing", "calibration_ongoing", "measurement_unavailable", "questionable", "invalid",
  ]
  private static let sensorNames = [
    "extended_display_update_ongoing", "equipment_malfunction", "signal_processing_irregularity", "inadequate_signal",
    "poor_signal", "low_perfusion", "erratic_signal", "nonpulsatile_signal", "questionable_pulse",
    "signal_analysis_ongoing", "sensor_interference", "sensor_unconnected_to_user", "unknown_sensor",
    "sensor_displaced",
    "sensor_malfunction", "sensor_disconnected",
  ]
  private static let featureNames = [
    "measurement_status", "sensor_status", "measurement_storage", "timestamp", "fast", "slow", "pulse_amplitude_index",
    "multiple_bonds",
  ]
}
