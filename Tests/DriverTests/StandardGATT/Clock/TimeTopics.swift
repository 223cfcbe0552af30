import Bluetooth
import Foundation
import Wearable

@testable import DriverTestSupport
@testable import StandardGATTFamily

/// What the values that tell the time are read as, under the names the vectors use.
extension Topic {
  static let time = Topic(
    decode: { characteristic, bytes throws(DecodeError) in
      switch characteristic {
      case "2A2B": currentTime(try CurrentTime(bytes))
      case "2A0F": localTime(try LocalTimeInformation(bytes))
      case "2A14": referenceTime(try ReferenceTimeInformation(bytes))
      case "2BF2": deviceTime(try DeviceTime(bytes))
      default: nil
      }
    }, encode: { encodeTime($0) })

  private static func currentTime(_ value: CurrentTime) -> Decoded {
    let moment = value.moment
    let names: [(CurrentTime.Adjustment, String)] = [
      (.manual, "manual"), (.reference, "external_reference"), (.zone, "time_zone_change"), (.daylight, "dst_change"),
    ]
    return Decoded(
      fields: [
        "year": .integer(moment.year), "month": .integer(moment.month), "day": .integer(moment.day),
        "hour": .integer(moment.hour), "minute": .integer(moment.minute), "second": .integer(moment.second),
        "local": moment.isKnown ? .string(text(moment)) : .null, "day_of_week": .integer(value.weekday),
        "fractions256": .integer(value.fraction), "millis": .number(Double(value.fraction) * 1000 / 256),
        "adjust": .array(names.filter { value.adjustment.contains($0.0) }.map { .string($0.1) }),
      ],
      silentFields: ["trailing_bytes": .integer(value.trailingBytes)], isSalvaged: value.trailingBytes != 0)
  }

  private static func text(_ moment: DateTime) -> String {
    let parts: [any CVarArg] = [
      Int(moment.year), Int(moment.month), Int(moment.day), Int(moment.hour), Int(moment.minute), Int(moment.second),
    ]
    return String(format: "%04d-%02d-%02dT%02d:%02d:%02d", arguments: parts)
  }

  private static func localTime(_ value: LocalTimeInformation) -> Decoded {
    Decoded(
      fields: [
        "utc_offset_minutes": value.zone.map { .integer($0) } ?? .null,
        "dst_minutes": value.daylight.map { .integer($0) } ?? .null,
      ],
      silentFields: ["trailing_bytes": .integer(value.trailingBytes)], isSalvaged: value.trailingBytes != 0)
  }

  private static func referenceTime(_ value: ReferenceTimeInformation) -> Decoded {
    Decoded(
      fields: [
        "source": name(value.source), "accuracy_s": value.accuracy.map { .number(Double($0) / 8) } ?? .null,
        "since_update_hours": value.hoursSinceUpdate.map { .integer($0) } ?? .null,
      ],
      silentFields: ["trailing_bytes": .integer(value.trailingBytes)], isSalvaged: value.trailingBytes != 0)
  }

  private static func name(_ source: TimeSource?) -> JSON {
    switch source {
    case .unknown: .string("unknown")
    case .networkTime: .string("ntp")
    case .gps: .string("gps")
    case .radio: .oneOf([.string("radio"), .string("radio_time_signal")])
    case .manual: .string("manual")
    case .atomicClock: .oneOf([.string("atomic_clock"), .string("atomic")])
    case .cellular: .oneOf([.string("cellular"), .string("cellular_network")])
    case .notSynchronized: .string("not_synchronized")
    case nil: .string("reserved")
    }
  }

  private static func deviceTime(_ value: DeviceTime) -> Decoded {
    let time = value.time
    let flags = time.flags
    let unit = Double(flags.microsecondsPerUnit) / 1_000_000
    var fields: [String: JSON] = [
      "tick_counter": .bool(flags.contains(.ticks)), "resolution_s": .number(unit),
      "current_timeline": .bool(flags.contains(.currentTimeline)), "raw": .integer(time.counter), "utc": .null,
      "offset_used": .null,
    ]
    if !flags.contains(.ticks) {
      fields["utc"] = .bool(flags.contains(.utc))
      fields["offset_used"] = .bool(flags.contains(.usesOffset))
      fields["source"] = name(time.source)
      fields["offset_minutes"] = time.offset.map { .integer($0) } ?? .null
      fields["clock"] = time.counted.map { .string(clock($0 + ElapsedTime.epoch)) } ?? .null
      let unix = time.timeline.map { Double($0) / 1_000_000 } ?? .nan
      fields["unix_utc"] = time.isUTC ? .number(unix) : .null
    }
    return Decoded(
      fields: fields, silentFields: ["trailing_bytes": .integer(value.trailingBytes)],
      isSalvaged: value.trailingBytes != 0)
  }

  /// With as many digits of the second as it has.
  private static func clock(_ microseconds: Int64) -> String {
    let whole = text(DateTime(microseconds: microseconds))
    let fraction = microseconds % 1_000_000
    if fraction == 0 { return whole }
    var digits = String(format: "%06d", Int(fraction))
    while digits.hasSuffix("0") { digits.removeLast() }
    return whole + "." + digits
  }

  private static func encodeTime(_ fields: [String: JSON]) -> [UInt8]? {
    func number(_ name: String) -> Int64? {
      if case .number(let value)? = fields[name] { return Int64(exactly: value) }
      return nil
    }
    if fields["utc_offset_minutes"] != nil {
      if fields["utc_offset_minutes"] == .null { return LocalTimeInformation.unknown.bytes }
      guard let zone = number("utc_offset_minutes"), let daylight = number("dst_minutes") else { return nil }
      return LocalTimeInformation(zone: Int(zone), daylight: Int(daylight))?.bytes
    }
    guard let year = number("year"), let month = number("month"), let day = number("day"), let hour = number("hour"),
      let minute = number("minute"), let second = number("second"), let fraction = number("fractions256"),
      UInt8(exactly: fraction) != nil, case .array(let adjust)? = fields["adjust"]
    else { return nil }
    let moment = DateTime(
      year: UInt16(clamping: year), month: UInt8(clamping: month), day: UInt8(clamping: day),
      hour: UInt8(clamping: hour), minute: UInt8(clamping: minute), second: UInt8(clamping: second))
    let names = ["manual", "external_reference", "time_zone_change", "dst_change"]
    let bits = names.indices.filter { adjust.contains(.string(names[$0])) }.reduce(UInt8(0)) { $0 | 1 << UInt8($1) }
    // As the hub makes it of a moment: from µs, of which a 256th of a second is no whole number.
    let time = moment.microseconds.map { $0 + (fraction * 1_000_000 + 255) / 256 }
    return time.map { CurrentTime(microseconds: $0, CurrentTime.Adjustment(rawValue: bits)).bytes }
  }
}
