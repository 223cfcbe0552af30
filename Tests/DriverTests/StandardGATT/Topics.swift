// How each topic of the vectors is decoded, in the vectors' own words.

import Bluetooth
import EventLoop
import GATTServices
import Wearable

@testable import DriverTestSupport
@testable import StandardGATTFamily

/// What a decoder made of a value, under the names the vectors use.
struct Decoded {
  var fields: [String: JSON]
  /// Fields that a vector leaves out if they are trivial, such as a count of zero trailing bytes.
  var silentFields: [String: JSON] = [:]
  /// Further names for what is decoded: a vector may use them and need not.
  var otherNames: [String: JSON] = [:]
  /// Whether the value was used although it was odd.
  var isSalvaged: Bool

  /// Under every name.
  var all: [String: JSON] {
    fields.merging(silentFields) { field, _ in field }.merging(otherNames) { field, _ in field }
  }
}

/// A topic: from bytes to the vectors' fields, and back if the hub or a simulated wearable writes.
struct Topic: Sendable {
  var decode: @Sendable (_ characteristic: String, RawBytes) throws(DecodeError) -> Decoded? = {
    _, _ throws(DecodeError) in nil
  }
  /// The joint meaning of several values, in the order in which they came; nil if this topic has no such meaning.
  var derive: @Sendable (_ characteristic: String, [[UInt8]]) throws -> [String: JSON]? = { _, _ in nil }
  /// Bytes for the fields of a vector; nil if this topic is not written.
  var encode: @Sendable ([String: JSON]) -> [UInt8]? = { _ in nil }
  /// The meaning of an ATT application error.
  var meaning: @Sendable (UInt8) -> String? = { _ in nil }

  static let all: [String: Topic] = [
    "heart_rate_measurement": Topic(
      decode: { _, bytes throws(DecodeError) in try heartRateMeasurement(bytes) },
      encode: { encodeHeartRateMeasurement($0) }),
    "body_sensor_location": Topic(decode: { _, bytes throws(DecodeError) in try bodySensorLocation(bytes) }),
    "battery": Topic(decode: { characteristic, bytes throws(DecodeError) in
      characteristic == "2A19" ? try batteryLevel(bytes) : try batteryLevelStatus(bytes)
    }),
    "device_information": Topic(decode: { characteristic, bytes throws(DecodeError) in
      switch characteristic {
      case "2A50": try pnpID(bytes)
      case "2A23": try systemID(bytes)
      case "2A24", "2A25", "2A26", "2A27", "2A28", "2A29":
        Decoded(fields: ["text": .string(String(cleaning: bytes) ?? "")], isSalvaged: false)
      default: nil
      }
    }),
    "heart_rate_control_point": Topic(
      encode: {
        $0["write"] == .string("reset_energy_expended") ? HeartRateControlPoint.resetEnergyExpended.bytes : nil
      },
      meaning: { code in
        switch HeartRateControlPoint.ApplicationError(rawValue: code) {
        case .valueNotSupported: "control_point_value_not_supported"
        case nil: nil
        }
      }),
    "plx_continuous": Topic(decode: { _, bytes throws(DecodeError) in
      oximetry(try PLXMeasurement(continuous: bytes), isSpotCheck: false)
    }),
    "plx_spot_check": Topic(decode: { _, bytes throws(DecodeError) in
      oximetry(try PLXMeasurement(spotCheck: bytes), isSpotCheck: true)
    }),
    "plx_features": Topic(decode: { _, bytes throws(DecodeError) in oximeterFeatures(try PLXFeatures(bytes)) }),
    "temperature_measurement": Topic(decode: { _, bytes throws(DecodeError) in
      temperature(try TemperatureMeasurement(bytes))
    }),
    "blood_pressure_measurement": Topic(decode: { _, bytes throws(DecodeError) in
      bloodPressure(try BloodPressureMeasurement(bytes))
    }),
    "rsc_csc": Topic(
      decode: { characteristic, bytes throws(DecodeError) in
        switch characteristic {
        case "2A53": running(try RunningSpeedCadence(bytes))
        case "2A54": runningFeatures(try RunningFeatures(bytes), bytes)
        case "2A5B": cycling(try CyclingSpeedCadence(bytes))
        case "2A5C": cyclingFeatures(try CyclingFeatures(bytes), bytes)
        default: nil
        }
      },
      derive: { characteristic, values in characteristic == "2A5B" ? try turns(values) : nil }),
    "ieee11073_primitives": Topic(decode: { _, bytes throws(DecodeError) in try primitive(bytes) }),
    "racp": recordAccess,
    "time": time,
    "user_data": userData,
  ]

  /// Topics of wearables that this hub does not support yet. A topic moves from here to `all` with its driver.
  static let notCovered: Set<String> = []

  /// Parts of covered topics that are not compared: `time/field local`.
  static let notCoveredParts: Set<String> = []

  /// Topics with vectors of another shape: a suite of their own reads all of them (`ObservationVectorTests`).
  static let readElsewhere: Set<String> = ["generic_health_sensor"]

  private static func heartRateMeasurement(_ bytes: RawBytes) throws(DecodeError) -> Decoded {
    let value = try HeartRateMeasurement(bytes)
    return Decoded(
      fields: [
        "hr_bpm": .integer(value.beatsPerMinute),
        "hr_format": .string(value.isWide ? "uint16" : "uint8"),
        "contact": .string(contactNames.first { $0.contact == value.contact }?.name ?? "?"),
        "energy_kj": value.energyKilojoules.map { .integer($0) } ?? .null,
        "rr_raw": .array(value.intervals.map { .integer($0) }),
        "rr_ms": .array(value.intervals.map { .number(Double($0) * 1000 / 1024) }),
      ],
      silentFields: [
        "energy_saturated": .bool(value.energyKilojoules == HeartRateMeasurement.energyFull),
        "trailing_bytes": .integer(value.trailingBytes),
      ],
      isSalvaged: value.anomaly != nil)
  }

  private static let contactNames: [(name: String, contact: HeartRateMeasurement.Contact)] = [
    ("not_supported", .notSupported), ("not_detected", .notDetected), ("detected", .detected),
  ]

  private static func encodeHeartRateMeasurement(_ fields: [String: JSON]) -> [UInt8]? {
    guard case .number(let number)? = fields["hr_bpm"], let rate = UInt16(exactly: number),
      case .string(let name)? = fields["contact"],
      let contact = contactNames.first(where: { $0.name == name })?.contact,
      case .array(let intervals)? = fields["rr_raw"]
    else { return nil }
    var energy: UInt16?
    if case .number(let value)? = fields["energy_kj"] { energy = UInt16(exactly: value) }
    return HeartRateMeasurement.encode(
      beatsPerMinute: rate, isWide: fields["hr_format"] == .string("uint16"), contact: contact,
      energyKilojoules: energy,
      intervals: intervals.compactMap { if case .number(let value) = $0 { UInt16(exactly: value) } else { nil } })
  }

  private static func bodySensorLocation(_ bytes: RawBytes) throws(DecodeError) -> Decoded {
    let value = try BodySensorLocation(bytes)
    let name = value.place?.name ?? "reserved"
    return simple(
      ["location": .oneOf([.string(name), .string(name.replacing(" ", with: "_"))]), "raw": .integer(value.code)],
      trailing: value.trailingBytes)
  }

  private static func batteryLevel(_ bytes: RawBytes) throws(DecodeError) -> Decoded {
    let value = try BatteryLevel(bytes)
    return simple(["percent": .integer(value.percent)], trailing: value.trailingBytes)
  }

  private static func batteryLevelStatus(_ bytes: RawBytes) throws(DecodeError) -> Decoded {
    let value = try BatteryLevelStatus(bytes)
    let charge: String =
      switch value.chargeState {
      case .unknown: "unknown"
      case .charging: "charging"
      case .dischargingActive: "discharging_active"
      case .dischargingInactive: "discharging_inactive"
      }
    let charging: String =
      switch value.chargingType {
      case .unknownOrNotCharging: "unknown_or_not_charging"
      case .constantCurrent: "constant_current"
      case .constantVoltage: "constant_voltage"
      case .trickle: "trickle"
      case .float: "float"
      case .reserved: "reserved"
      }
    return simple(
      [
        "battery_present": .bool(value.isBatteryPresent),
        "wired_power": .string("\(value.wiredPower)"),
        "wireless_power": .string("\(value.wirelessPower)"),
        "charge_state": .string(charge),
        "charge_level": .string("\(value.chargeLevel)"),
        "charging_type": .string(charging),
        "fault_battery": .bool(value.chargingFaults.contains(.battery)),
        "fault_external_power": .bool(value.chargingFaults.contains(.externalPower)),
        "fault_other": .bool(value.chargingFaults.contains(.other)),
        "identifier": value.identifier.map { .integer($0) } ?? .null,
        "percent": value.percent.map { .integer($0) } ?? .null,
        "service_required": value.additional.map { .string("\($0.serviceRequired)") } ?? .null,
        "battery_fault": value.additional.map { .bool($0.hasBatteryFault) } ?? .null,
      ], trailing: value.trailingBytes)
  }

  private static func pnpID(_ bytes: RawBytes) throws(DecodeError) -> Decoded {
    let value = try PnPID(bytes)
    let source: JSON =
      switch value.vendorSource {
      case .bluetoothSIG: .string("bluetooth_sig")
      case .usbImplementersForum: .oneOf([.string("usb_if"), .string("usb"), .string("usb_implementers_forum")])
      case .reserved: .string("reserved")
      }
    return simple(
      [
        "vendor_source": source, "vendor_id": .integer(value.vendor), "product_id": .integer(value.product),
        "product_version": .integer(value.version),
      ], trailing: value.trailingBytes)
  }

  /// The vectors at hand have no System ID. Its two numbers have the names of the GATT Specification Supplement and of
  /// bluetooth-sig, as a number or as hexadecimal text.
  private static func systemID(_ bytes: RawBytes) throws(DecodeError) -> Decoded {
    let value = try SystemID(bytes)
    func spellings(_ number: UInt64, size: Int) -> JSON {
      let wire = (0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
      let (forward, backward) = (hexadecimal(wire.reversed()), hexadecimal(wire))
      return .oneOf([.integer(number), .string(forward), .string("0x" + forward), .string(backward)])
    }
    let manufacturer = spellings(value.manufacturerIdentifier, size: 5)
    let organization = spellings(UInt64(value.organization), size: 3)
    var decoded = simple([:], trailing: value.trailingBytes)
    decoded.otherNames = [
      "manufacturer_id": manufacturer, "manufacturer_identifier": manufacturer, "manufacturer": manufacturer,
      "oui": organization, "organizationally_unique_identifier": organization,
    ]
    return decoded
  }

  private static func simple(_ fields: [String: JSON], trailing: Int) -> Decoded {
    Decoded(fields: fields, silentFields: ["trailing_bytes": .integer(trailing)], isSalvaged: trailing != 0)
  }
}
