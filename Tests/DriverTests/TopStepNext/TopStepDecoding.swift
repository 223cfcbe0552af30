// Messages as the vectors name their fields.

import Foundation
import Health
import Testing
import TopStepMessages
import Wearable

@testable import DriverTestSupport
@testable import TopStepNextFamily

enum TopStepDecoding {
  /// Some requests and answers share a topic: what the vector states tells which it is.
  private static func isAnswer(_ stated: [String: JSON]) -> Bool { stated["result"] != nil }

  static func fields(of frame: TopStepFrame, _ stated: [String: JSON]) throws -> [String: JSON] {
    let bytes = frame.payload
    switch frame.topic {
    case TopStepTopic(6, 0x21), TopStepTopic(6, 0x25):
      let head = try TopStepFileHead(wire: bytes)
      return ["path": .string(head.path), "crc32": .integer(head.crc32), "size": .integer(head.size)]
    case .battery, .batteryChanged:
      let battery = try TopStepBattery(wire: bytes)
      return ["level": .integer(battery.level), "charging": bool(battery.charging)]
    case .bind, .login:
      return isAnswer(stated)
        ? fields(try TopStepAuthenticationReply(wire: bytes)) : fields(try TopStepAuthentication(wire: bytes))
    case .time where !isAnswer(stated): return fields(try TopStepTime(wire: bytes))
    case .user where !isAnswer(stated): return fields(try TopStepUser(wire: bytes))
    case .syncStart:
      return isAnswer(stated)
        ? fields(try TopStepSyncStartReply(wire: bytes)) : fields(try TopStepSyncStart(wire: bytes))
    case .syncEnd: return ["type": type(try TopStepSyncEnd(wire: bytes).type)]
    case .liveControl where !isAnswer(stated): return fields(try TopStepLiveControl(wire: bytes))
    case .liveValue:
      let value = try TopStepLiveValue(wire: bytes)
      return ["value": .integer(value.value), "value2": .integer(value.secondValue)]
    case .heartRate,
      .setHeartRate where !isAnswer(stated):
      return fields(try TopStepHeartRateConfiguration(wire: bytes))
    case .stress, .spo2,
      .setStress where !isAnswer(stated), .setSpO2 where !isAnswer(stated):
      let configuration = try TopStepMonitorConfiguration(wire: bytes)
      return ["monitor": monitor(configuration.monitor), "alarm": alarm(configuration.alarm)]
    case .data(1), .data(2), .data(4), .data(5), .data(6), .data(7): return try days(frame)
    default:
      let reply = try TopStepCommonReply(wire: bytes)
      return ["result": .integer(reply.result.rawValue)]
    }
  }

  /// The payload as it is written again.
  static func written(_ frame: TopStepFrame, _ stated: [String: JSON]) throws -> [UInt8] {
    let bytes = frame.payload
    return switch frame.topic {
    case TopStepTopic(6, 0x21), TopStepTopic(6, 0x25): try TopStepFileHead(wire: bytes).wire()
    case .battery, .batteryChanged: try TopStepBattery(wire: bytes).wire()
    case .bind, .login:
      isAnswer(stated)
        ? try TopStepAuthenticationReply(wire: bytes).wire() : try TopStepAuthentication(wire: bytes).wire()
    case .time where !isAnswer(stated): try TopStepTime(wire: bytes).wire()
    case .user where !isAnswer(stated): try TopStepUser(wire: bytes).wire()
    case .syncStart:
      isAnswer(stated) ? try TopStepSyncStartReply(wire: bytes).wire() : try TopStepSyncStart(wire: bytes).wire()
    case .syncEnd: try TopStepSyncEnd(wire: bytes).wire()
    case .liveControl where !isAnswer(stated): try TopStepLiveControl(wire: bytes).wire()
    case .liveValue: try TopStepLiveValue(wire: bytes).wire()
    case .heartRate,
      .setHeartRate where !isAnswer(stated):
      try TopStepHeartRateConfiguration(wire: bytes).wire()
    case .stress, .spo2,
      .setStress where !isAnswer(stated), .setSpO2 where !isAnswer(stated):
      try TopStepMonitorConfiguration(wire: bytes).wire()
    case .data(1): try TopStepHeartRateDay(wire: bytes).wire()
    case .data(2), .data(4): try TopStepMeasuredDay(wire: bytes).wire()
    case .data(3): try TopStepPressureDay(wire: bytes).wire()
    case .data(5): try TopStepSleepNight(wire: bytes).wire()
    case .data(6): try TopStepActivityDay(wire: bytes).wire()
    case .data(7): try TopStepSport(wire: bytes).wire()
    default: try TopStepCommonReply(wire: bytes).wire()
    }
  }

  // MARK: Messages

  private static func fields(_ time: TopStepTime) -> [String: JSON] {
    [
      "timestamp": .integer(time.timestamp), "unix_utc": .integer(time.timestamp + TopStep.epoch),
      "zone_offset_s": .integer(time.zoneOffset),
    ]
  }

  private static func fields(_ user: TopStepUser) -> [String: JSON] {
    [
      "gender": .integer(user.gender.rawValue), "age": .integer(user.age), "height_cm": .integer(user.height),
      "weight_kg": .number(Double(user.weight)),
    ]
  }

  private static func fields(_ message: TopStepAuthentication) -> [String: JSON] {
    [
      "user_id": .string(message.userID), "system": .integer(message.system.rawValue),
      "version": .string(message.version), "brand": .string(message.brand), "model": .string(message.model),
      "auth_code": .string(message.code), "user": .object(fields(message.user)), "time": .object(fields(message.time)),
    ]
  }

  private static func fields(_ reply: TopStepAuthenticationReply) -> [String: JSON] {
    let names = reply.refusal.flatMap { meanings[$0] } ?? ["ok"]
    return [
      "result": .integer(reply.result.rawValue), "meaning": .oneOf(names.map { .string($0) }),
      "ever_bound": bool(reply.boundBefore), "bind_time": .integer(reply.firstBound),
    ]
  }

  private static let meanings: [BindingRefusal: [String]] = [
    .otherHost: ["user_id_mismatch"], .cancelled: ["bind_cancelled"], .notConfirmed: ["bind_timeout"],
    .batteryLow: ["low_battery"], .resetting: ["factory_resetting"], .resetNeeded: ["factory_reset_required"],
    .unexplained: ["unknown"],
  ]

  /// Words for numbers with a meaning that is compared.
  static let words = Set(meanings.values.joined()).union(types.values.joined()).union(["ok", "not_updated", "failed"])

  private static func fields(_ start: TopStepSyncStart) -> [String: JSON] {
    ["start": .integer(start.start), "end": .integer(start.end), "type": type(start.type)]
  }

  private static func fields(_ reply: TopStepSyncStartReply) -> [String: JSON] {
    let names =
      switch reply.result {
      case .ok: ["ok"]
      case .nothingNewer: ["not_updated"]
      case .failed, .UNRECOGNIZED: ["failed", "unknown"]
      }
    return [
      "type": type(reply.type), "result": .oneOf(names.map { .string($0) } + [.integer(reply.result.rawValue)]),
    ]
  }

  private static func fields(_ control: TopStepLiveControl) -> [String: JSON] {
    [
      "type": type(TopStepDataType(rawValue: control.type.rawValue) ?? .none),
      "action": .string(control.action == .start ? "start" : "stop"), "duration_s": .integer(control.duration),
    ]
  }

  private static func fields(_ configuration: TopStepHeartRateConfiguration) -> [String: JSON] {
    [
      "monitor": monitor(configuration.monitor), "exercise_alarm": alarm(configuration.exerciseAlarm),
      "resting_alarm": alarm(configuration.restingAlarm), "max_threshold": .integer(configuration.maximum),
    ]
  }

  private static func monitor(_ monitor: TopStepMonitor) -> JSON {
    .object([
      "enabled": bool(monitor.enabled), "start_min": .integer(monitor.start), "end_min": .integer(monitor.end),
      "interval_min": .integer(monitor.interval),
    ])
  }

  private static func alarm(_ alarm: TopStepAlarm) -> JSON {
    .object(["enabled": bool(alarm.enabled), "min": .integer(alarm.min), "max": .integer(alarm.max)])
  }

  // MARK: Days

  private static func days(_ frame: TopStepFrame) throws -> [String: JSON] {
    let kind = try #require(DayKind(rawValue: frame.topic.key))
    var item = DayItem(kind)
    item.messages = [frame.payload]
    let values = try DaySink.reading(item).values
    let start = try kind.span(of: frame.payload).begin
    var fields: [String: JSON] = [
      "day_start": .integer(start), "day": .integer(start), "start": .integer(start), "midnight": .integer(start),
    ]
    func list(_ kept: [DaySink.Value], _ name: String) -> JSON {
      .array(
        kept.map { .object(["t": .integer($0.time), name: .integer($0.values[0]), "value": .integer($0.values[0])]) })
    }
    switch kind {
    case .heartRate, .spo2, .stress:
      let name = kind == .heartRate ? "bpm" : kind == .spo2 ? "percent" : "stress"
      fields["manual"] = list(values.filter(\.isManual), name)
      fields["auto"] = list(values.filter { !$0.isManual && $0.kind == .normal }, name)
      fields["resting"] = list(values.filter { $0.kind == .resting }, name)
      fields["max"] = values.first { $0.kind == .maximum }.map {
        .oneOf([list([$0], name)].flatMap(entries) + [.integer($0.values[0])])
      }
      fields["min"] = values.first { $0.kind == .minimum }.map {
        .oneOf([list([$0], name)].flatMap(entries) + [.integer($0.values[0])])
      }
    case .sleep:
      let names = ["unknown", "awake", "rem", "light", "deep"]
      fields["items"] = .array(
        values.map {
          .object([
            "t": .integer($0.time), "duration_s": .integer($0.values[0] / 1_000_000),
            "duration": .integer($0.values[0] / 1_000_000), "stage": .string(names[Int($0.values[1])]),
          ])
        })
    case .activity: fields["slots"] = slots(values)
    case .sport: fields["type"] = values.first.map { .integer($0.values[1]) }
    }
    return fields
  }

  private static func entries(_ list: JSON) -> [JSON] { if case .array(let all) = list { all } else { [] } }

  /// Half-hours with anything in them.
  private static func slots(_ values: [DaySink.Value]) -> JSON {
    let times = Set(values.map(\.time)).sorted()
    return .array(
      times.map { time in
        func value(_ series: Series, _ place: Int = 1) -> Int64 {
          values.first { $0.time == time && $0.series == series }?.values[place] ?? 0
        }
        return .object([
          "t": .integer(time), "steps": .integer(value(.steps)), "calories_cal": .integer(value(.calories) * 100),
          "distance_m": .integer(value(.distance) / 10), "active_min": .integer(value(.activeTime, 0) / 60_000_000),
        ])
      })
  }

  // MARK: Values

  private static func bool(_ value: Bool) -> JSON { .oneOf([.bool(value), .integer(value ? 1 : 0)]) }

  private static let types: [Int: [String]] = [
    1: ["heart_rate"], 2: ["spo2", "blood_oxygen"], 3: ["blood_pressure"], 4: ["stress"], 5: ["sleep"],
    6: ["activity", "daily_activity"], 7: ["sport"],
  ]

  private static func type(_ type: TopStepDataType) -> JSON {
    .oneOf((types[type.rawValue] ?? []).map { .string($0) } + [.integer(type.rawValue)])
  }
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
}
