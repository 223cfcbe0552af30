// What the vectors expect of times, facts and events, from what the driver makes.

import CivilTime
import EventLoop
import Foundation
import GATTServices
import Health
import PolarMessages
import Testing

@testable import DriverTestSupport
@testable import PolarFamily

enum TimeVectors {
  typealias Value = PolarVectors.Value

  private static func numbers(_ values: [Int]) -> Value { .list(values.map { Value($0) }) }
  private static func numbers(_ date: PbDate) -> Value { numbers([Int(date.year), Int(date.month), Int(date.day)]) }
  private static func numbers(_ time: PbTime) -> Value {
    numbers([Int(time.hour), Int(time.minute), Int(time.seconds), Int(time.millis)])
  }

  /// The moment at which a clock with this offset shows `local`.
  private static func wall(_ input: [String: Value]) throws -> (wall: WallTime, offset: Int) {
    let local = try #require(input["local"]?.text)
    let minutes = try #require(input["offsetMinutes"]?.integer)
    let offset = Int(minutes)
    guard (-1440...1440).contains(offset) else { throw DoesNotFit(description: "an offset of \(minutes) minutes") }
    let date = try #require(LocalDate(text: String(local.prefix(10))))
    let parts = local.dropFirst(11).split { ":.".contains($0) }.compactMap { Int64($0) }
    guard parts.allSatisfy({ (0...999).contains($0) }) else { throw DoesNotFit(description: local) }
    let seconds = try #require(
      parts.count >= 3 ? date.dayNumber * 86_400 + parts[0] * 3600 + parts[1] * 60 + parts[2] : nil)
    return (
      WallTime(microseconds: (seconds - Int64(offset) * 60) * 1_000_000 + (parts.count > 3 ? parts[3] * 1000 : 0)),
      offset
    )
  }

  @LoopActor
  static func make(_ input: [String: Value]) async throws -> [String: Value]? {
    let bytes = input["bytes"]?.bytes ?? []
    switch input["op"]?.text {
    case "setSystemTime":
      let message = PSFTP.systemTime(try wall(input).wall)
      return [
        "date": numbers(message.date), "time": numbers(message.time), "trusted": .bool(message.trusted),
        "bytes": Value(bytes: try message.wire()),
      ]
    case "setLocalTime":
      let (wall, offset) = try wall(input)
      let message = PSFTP.localTime(wall, offset: offset)
      return [
        "date": numbers(message.date), "time": numbers(message.time), "tzOffset": Value(message.tzOffset),
        "bytes": Value(bytes: try message.wire()),
      ]
    case "getLocalTime":
      let pocket = PocketTransfer()
      pocket.results[4] = bytes
      let asked = try await PSFTPClient(pocket.link).clockReading()
      let reading = try #require(asked)
      let time = reading.time
      return [
        "date": numbers([time.date.year, time.date.month, time.date.day]),
        "time": numbers([time.hour, time.minute, time.second, time.millisecond]),
        "tzOffset": reading.offset.map { Value($0) } ?? .null,
      ]
    case "localDateTime":
      let message = try PbLocalDateTime(wire: bytes)
      let time = try #require(ClockFace(message.date, message.time))
      return [
        "local": Value(time.text), "offsetMinutes": message.hasTimeZoneOffset ? Value(message.timeZoneOffset) : .null,
      ]
    case "systemDateTime":
      let message = try PbSystemDateTime(wire: bytes)
      let time = try #require(ClockFace(message.date, message.time))
      return ["utc": Value(time.text)]
    case "date":
      let message = try PbDate(wire: bytes)
      let date = try #require(ClockFace.date(message))
      return ["date": Value(date.text)]
    case "duration": return ["ms": Value(try PbDuration(wire: bytes).wholeMilliseconds)]
    case "setTimeQueries":
      let (wall, offset) = try wall(input)
      let pocket = PocketTransfer()
      pocket.link.requestTime = 0
      pocket.link.wall = wall.microseconds - pocket.link.now / 1000
      try await PSFTPClient(pocket.link).writeTime(offset: offset, knowsSystemTime: input["fileSystem"]?.text != "H10")
      var queries: [String: Value] = [:]
      if let bytes = pocket.parameters[1] {
        let message = try PbPFtpSetSystemTimeParams(wire: bytes)
        queries["1"] = .object(["hour": Value(message.time.hour), "trusted": .bool(message.trusted)])
      }
      if let bytes = pocket.parameters[3] {
        queries["3"] = .object(["hour": Value(try PbPFtpSetLocalTimeParams(wire: bytes).time.hour)])
      }
      return ["queries": .object(queries), "count": Value(pocket.queries.count)]
    case "deviceTime":
      let stamp: UInt64? =
        if case .unsigned(let value)? = input["nanoseconds"] { value } else { input["nanoseconds"]?.uint }
      let unix = try #require(stamp.flatMap { PolarEpoch.unixNanoseconds($0) })
      let fraction = String(String(unix % 1_000_000_000 + 1_000_000_000).dropFirst())
      return [
        "local": Value(ClockFace(microseconds: unix / 1000).text.prefix(19) + "." + fraction),
        "unixNanoseconds": Value(unix),
      ]
    default: return nil
    }
  }
}

enum FactVectors {
  typealias Value = PolarVectors.Value

  static func make(_ input: [String: Value]) throws -> [String: Value]? {
    func text(_ key: String) throws -> String { try #require(input[key]?.text, "\(key)") }
    let bytes = input["bytes"]?.bytes ?? []
    switch input["op"]?.text {
    case "diskSpace":
      let space = PSFTP.DiskSpace(try PbPFtpDiskSpaceResult(wire: bytes))
      return ["total": Value(space.total), "free": Value(space.free)]
    case "deviceUuid": return ["uuid": Value(PSFTP.firmwareServiceUUID(id: try text("id")))]
    case "recordingStatus":
      let status = PSFTP.RecordingStatus(try PbRequestRecordingStatusResult(wire: bytes))
      return ["on": .bool(status.isRecording), "id": Value(status.name)]
    case "recordingId":
      let isValid = PSFTP.isExerciseName(try text("id"))
      return ["valid": .bool(isValid), "query": isValid ? Value(PSFTP.Query.requestStartRecording.rawValue) : .null]
    case "deviceInfo":
      let information = PSFTP.DeviceInformation(try PbDeviceInfo(wire: bytes))
      func value(_ text: String?) -> Value { text.map { Value($0) } ?? .null }
      return [
        "version": value(information.version), "model": value(information.model),
        "hardware": value(information.hardware),
        "capabilities": .list(information.capabilities.map { Value($0) }),
      ]
    case "newer":
      let (available, current) = (
        Polar.FirmwareVersion(try text("available")), Polar.FirmwareVersion(try text("current"))
      )
      return ["newer": .bool(try #require(available) > (try #require(current)))]
    case "fwOrder":
      let files = try #require(input["files"]?.list).compactMap(\.text)
      return ["files": .list(PSFTP.firmwareOrder(files).map { Value($0) })]
    case "backup": return ["requested": .list(PSFTP.BackupList.requests(try text("text")).map { Value($0) })]
    default: return nil
    }
  }
}

extension PSFTP.DeviceEvent.Content {
  /// By the names of the definitions; nil without a message. What is not there is left out.
  var fields: [String: PolarVectors.Value]? {
    typealias Value = PolarVectors.Value
    var all: [String: Value?]
    switch self {
    case .nothing, .unreadable: return nil
    case .filesystemModified(let m):
      all = ["action": m.hasAction ? Value(m.action.rawValue) : nil, "path": m.hasPath ? Value(m.path) : nil]
    case .inactivityAlert(let m): all = ["countdown": m.hasCountdown ? Value(m.countdown) : nil]
    case .trainingSessionStatus(let m): all = ["inprogress": m.hasInprogress ? .bool(m.inprogress) : nil]
    case .syncRequired(let m):
      let triggers = m.syncTriggers.map { trigger -> Value in
        var fields: [String: Value] = [:]
        if trigger.hasSource { fields["source"] = Value(trigger.source.rawValue) }
        if trigger.hasFeatureName { fields["feature_name"] = Value(trigger.featureName) }
        return .object(fields)
      }
      all = ["sync_triggers": .list(triggers)]
    case .autoSyncStatus(let m):
      all = [
        "succeeded": m.hasSucceeded ? .bool(m.succeeded) : nil,
        "description": m.hasDescription_p ? Value(m.description_p) : nil,
      ]
    case .phoneNotificationResponse(let m):
      all = [
        "notification_id": m.hasNotificationID ? Value(m.notificationID) : nil,
        "attributes": .list(m.attributes.map { .object($0.hasType ? ["type": Value($0.type.rawValue)] : [:]) }),
      ]
    case .phoneNotificationSettings(let m):
      all = [
        "notifications_enabled": m.hasNotificationsEnabled ? .bool(m.notificationsEnabled) : nil,
        "preview_enabled": m.hasPreviewEnabled ? .bool(m.previewEnabled) : nil,
      ]
    case .startGPSMeasurement(let m):
      all = [
        "minimum_interval": m.hasMinimumInterval ? Value(m.minimumInterval) : nil,
        "accuracy": m.hasAccuracy ? Value(m.accuracy) : nil,
        "latitude": m.hasLatitude ? Value(m.latitude) : nil, "longitude": m.hasLongitude ? Value(m.longitude) : nil,
      ]
    case .shellMessage(let m):
      all = [
        "polar_shell_msg_id": m.hasPolarShellMsgID ? Value(m.polarShellMsgID) : nil,
        "data": m.hasData ? Value(m.data) : nil,
      ]
    case .mediaControlRequest(let m): all = ["request": m.hasRequest ? Value(m.request.rawValue) : nil]
    case .mediaControlCommand(let m): all = ["command": m.hasCommand ? Value(m.command.rawValue) : nil]
    case .mediaControlEnabled(let m): all = ["enabled": m.hasEnabled ? .bool(m.enabled) : nil]
    case .restEvent(let m):
      all = [
        "event": .list(m.event.map { Value(bytes: $0) }),
        "uncompressed": m.hasUncompressed ? .bool(m.uncompressed) : nil,
      ]
    case .exerciseStatus(let m):
      all = [
        "exercise_state": m.hasExerciseState ? Value(m.exerciseState.rawValue) : nil,
        "exercise_type": m.hasExerciseType ? Value(m.exerciseType.rawValue) : nil,
      ]
      if m.hasSportIdentifier { all["sport_identifier"] = .object(["value": Value(m.sportIdentifier.value)]) }
      if m.hasDmDirectoryPath { all["dm_directory_path"] = Value(m.dmDirectoryPath) }
    }
    return all.compactMapValues { $0 }
  }
}
