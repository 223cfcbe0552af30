// The vectors of days and nights, as values.

import CivilTime
import Foundation
import Health
import PolarMessages

@testable import DriverTestSupport
@testable import PolarFamily

extension FileVectorTests {
  static func activity(_ input: [String: Value]) throws -> [String: Value]? {
    let day = try day(input)
    var device = PocketFiles(input)
    switch input["op"]?.text {
    case "steps":
      let files = try activitySamples(day, &device)
      return ["steps": Value(files?.reduce(0) { $0 + $1.stepCount } ?? 0), "requests": requests(device)]
    case "samples":
      return ["files": .list(try activitySamples(day, &device)?.map(samples) ?? []), "requests": requests(device)]
    case let op?:
      guard let path = PolarFile.path(.dailySummary, of: day) else { return nil }
      guard case .summary(let summary)? = try device.contents(path) else {
        return nothing.merging(["distance": Value(0), "calories": Value(0), "requests": requests(device)]) { $1 }
      }
      return try self.summary(op, input, summary)?.merging(["requests": requests(device)]) { $1 }
    case nil: return nil
    }
  }

  /// nil if a file that is listed cannot be read.
  private static func activitySamples(_ day: LocalDate, _ device: inout PocketFiles) throws -> [PbActivitySamples]? {
    guard let folder = PolarFile.folder(.activitySamples, of: day) else { return [] }
    var files: [PbActivitySamples] = []
    for entry in device.list(folder) ?? [] where PolarFile.isActivitySamples(entry.name) {
      guard case .activity(let file)? = try device.contents(folder + entry.name) else { return nil }
      files.append(file)
    }
    return files
  }

  private static func samples(_ file: PbActivitySamples) -> Value {
    .object([
      "startTime": text(file.startTime.moment), "steps": list(file.stepsSamples), "met": list(file.metSamples),
      "stepInterval": Value(file.stepsRecordingInterval.milliseconds / 1000),
      "metInterval": Value(file.metRecordingInterval.milliseconds / 1000),
      "info": .list(
        file.activityInfo.map {
          .object([
            "class": PolarDefinitions.name($0.value), "time": text($0.timeStamp.moment), "factor": Value($0.factor),
          ])
        }),
    ])
  }

  private static func summary(_ op: String, _ input: [String: Value], _ summary: PbDailySummary) throws -> [String:
    Value]?
  {
    let times = summary.activityClassTimes
    switch op {
    case "distance": return ["distance": Value(summary.activityDistance)]
    case "calories":
      switch input["kind"]?.text {
      case "activity": return ["calories": Value(summary.activityCalories)]
      case "training": return ["calories": Value(summary.trainingCalories)]
      case "bmr": return ["calories": Value(summary.bmrCalories)]
      default: return nil
      }
    case "activeTime": return ["activeTime": activeTime(times)]
    case "summary":
      let goal = summary.activityGoalSummary
      let hours = [
        times.timeSleep, times.timeSedentary, times.timeLightActivity, times.timeContinuousModerate,
        times.timeIntermittentModerate,
        times.timeContinuousVigorous, times.timeIntermittentVigorous,
      ].reduce(0) { $0 + $1.hours }
      return [
        "date": text(summary.date.civil), "distance": Value(summary.activityDistance), "steps": Value(summary.steps),
        "activityCalories": Value(summary.activityCalories), "trainingCalories": Value(summary.trainingCalories),
        "bmrCalories": Value(summary.bmrCalories),
        "goal": Value(goal.activityGoal), "achieved": Value(goal.achievedActivity),
        "timeToGoUp": parts(goal.timeToGoUp),
        "timeToGoWalk": parts(goal.timeToGoWalk), "timeToGoJog": parts(goal.timeToGoJog),
        "activeTimeHours": Value(hours), "activeTime": activeTime(times),
        "readiness": PolarDefinitions.name(summary.readinessForSpeedAndStrengthTraining),
        "balance": PolarDefinitions.name(summary.dailyBalanceFeedback),
      ]
    default: return nil
    }
  }

  private static func activeTime(_ times: PbActivityClassTimes) -> Value {
    .object([
      "nonWear": parts(times.timeNonWear), "sleep": parts(times.timeSleep), "sedentary": parts(times.timeSedentary),
      "light": parts(times.timeLightActivity),
      "continuousModerate": parts(times.timeContinuousModerate),
      "intermittentModerate": parts(times.timeIntermittentModerate),
      "continuousVigorous": parts(times.timeContinuousVigorous),
      "intermittentVigorous": parts(times.timeIntermittentVigorous),
    ])
  }

  // MARK: Around the clock

  static func automatic(_ input: [String: Value]) throws -> [String: Value]? {
    let (from, to) = (try day(input, "from"), try day(input, "to"))
    var device = PocketFiles(input)
    var days: [Value] = []
    var sessions: [Value] = []
    for path in device.paths {
      guard let name = path.split(separator: "/").last, PolarFile.isAutomaticSamples(String(name)) else { continue }
      guard case .automatic(let file)? = try device.contents(path), let day = file.day.civil, from <= day, day <= to
      else { continue }
      days.append(
        .object([
          "date": text(day),
          "samples": .list(
            file.samples.map {
              .object([
                "startTime": text($0.time), "hr": list($0.heartRate), "trigger": PolarDefinitions.name($0.triggerType),
              ])
            }),
        ]))
      sessions += file.ppiSamples.map { session(day, $0) }
    }
    return ["days": .list(days), "sessionCount": Value(sessions.count), "sessions": .list(sessions)]
  }

  private static func session(_ day: LocalDate, _ session: PbPpIntervalAutoSamples) -> Value {
    let intervals = session.ppi.intervals
    let status = intervals.map { interval in
      Value.object([
        "skinContact": .bool(interval.status.contains(.skinContact)),
        "movement": .bool(interval.status.contains(.movement)),
        "offline": .bool(interval.status.contains(.offline)),
      ])
    }
    return .object([
      "date": text(day), "startTime": text(session.recordingTime), "ppi": list(intervals.map(\.duration)),
      "error": list(intervals.map(\.error)),
      "trigger": PolarDefinitions.name(session.triggerType), "status": .list(status), "status0": status.first ?? .null,
    ])
  }

  // MARK: Nights

  static func recharge(_ input: [String: Value]) throws -> [String: Value]? {
    guard let bytes = input["file"]?.bytes, let path = input["path"]?.text else { return nothing }
    guard case .recharge(let night) = try PocketFiles.contents(path, bytes) else { return nil }
    func number(_ has: Bool, _ value: Int32) -> Value { has ? Value(value) : .null }
    return [
      "ans_status": night.hasAnsStatus ? Value(night.ansStatus) : .null,
      "recovery_indicator": number(night.hasRecoveryIndicator, night.recoveryIndicator),
      "recovery_indicator_sub_level": number(night.hasRecoveryIndicatorSubLevel, night.recoveryIndicatorSubLevel),
      "ans_rate": number(night.hasAnsRate, night.ansRate),
      "score_rate_OBSOLETE": number(night.hasScoreRateObsolete, night.scoreRateObsolete),
      "mean_nightly_recovery_RRI": number(night.hasMeanNightlyRecoveryRri, night.meanNightlyRecoveryRri),
      "mean_nightly_recovery_RMSSD": number(night.hasMeanNightlyRecoveryRmssd, night.meanNightlyRecoveryRmssd),
      "mean_nightly_recovery_respiration_interval": number(
        night.hasMeanNightlyRecoveryRespirationInterval, night.meanNightlyRecoveryRespirationInterval),
      "mean_baseline_RRI": number(night.hasMeanBaselineRri, night.meanBaselineRri),
      "sd_baseline_RRI": number(night.hasSdBaselineRri, night.sdBaselineRri),
      "mean_baseline_RMSSD": number(night.hasMeanBaselineRmssd, night.meanBaselineRmssd),
      "sd_baseline_RMSSD": number(night.hasSdBaselineRmssd, night.sdBaselineRmssd),
      "mean_baseline_respiration_interval": number(
        night.hasMeanBaselineRespirationInterval, night.meanBaselineRespirationInterval),
      "sd_baseline_respiration_interval": number(
        night.hasSdBaselineRespirationInterval, night.sdBaselineRespirationInterval),
      "sleep_tip": night.hasSleepTip ? Value(night.sleepTip) : .null,
      "vitality_tip": night.hasVitalityTip ? Value(night.vitalityTip) : .null,
      "exercise_tip": night.hasExerciseTip ? Value(night.exerciseTip) : .null,
      "sleep_result_date": text(night.sleepResultDate.civil),
      "created": utc(night.createdTimestamp.microseconds), "modified": utc(night.modifiedTimestamp.microseconds),
    ]
  }

  static func sleep(_ input: [String: Value]) throws -> [String: Value]? {
    if input["op"]?.text == "restEvent" {
      guard let event = input["event"]?.bytes else { return nil }
      let text = input["uncompressed"]?.isTrue == true ? event : try event.withUnsafeBytes { try Inflation.inflate($0) }
      return ["json": .text(String(decoding: text, as: UTF8.self))]
    }
    let day = try day(input)
    var device = PocketFiles(input)
    guard let path = PolarFile.path(.sleep, of: day), let temperaturePath = PolarFile.path(.sleepTemperature, of: day)
    else { return nil }
    guard case .sleep(let sleep)? = try device.contents(path) else {
      return nothing.merging(["requests": requests(device)]) { $1 }
    }
    let range = sleep.originalSleepRange
    var made: [String: Value] = [
      "start": text(sleep.sleepStartTime.moment, zone: true), "end": text(sleep.sleepEndTime.moment, zone: true),
      "lastModified": utc(sleep.lastModified.microseconds), "created": utc(sleep.createdTimestamp.microseconds),
      "goalMinutes": Value(sleep.sleepGoalMinutes),
      "phases": .list(
        sleep.sleepwakePhases.map {
          .object([
            "seconds": Value($0.secondsFromSleepStart), "state": PolarDefinitions.name($0.sleepwakeState),
            "stateNumber": Value($0.sleepwakeState.rawValue),
          ])
        }),
      "snooze": .list(sleep.snoozeTime.map { text($0.moment, zone: true) }),
      "alarm": sleep.hasAlarmTime ? text(sleep.alarmTime.moment, zone: true) : .null,
      "startOffset": Value(sleep.sleepStartOffsetSeconds), "endOffset": Value(sleep.sleepEndOffsetSeconds),
      "rating": sleep.hasUserSleepRating ? PolarDefinitions.name(sleep.userSleepRating) : .null,
      "device": Value(sleep.recordingDevice.deviceID),
      "batteryRanOut": .bool(sleep.batteryRanOut), "resultDate": text(sleep.sleepResultDate.civil),
      "cycles": .list(
        sleep.sleepCycles.map {
          .object(["seconds": Value($0.secondsFromSleepStart), "depth": Value($0.sleepDepthStart)])
        }),
      "originalStart": text(range.startTime.moment), "originalEnd": text(range.endTime.moment),
      "skinTemperature": .null,
    ]
    if case .sleepTemperature(let skin)? = try device.contents(temperaturePath) {
      made["skinTemperature"] = .object([
        "date": text(skin.sleepDate.civil), "celsius": Value(skin.sleepSkinTemperatureCelsius),
        "deviation": skin.deviation.map { Value($0) } ?? .null,
      ])
    }
    made["requests"] = requests(device)
    return made
  }

  // MARK: Measurements

  static func temperature(_ input: [String: Value]) throws -> [String: Value]? {
    guard let bytes = input["file"]?.bytes, let path = input["path"]?.text else { return nothing }
    guard case .temperature(let period) = try PocketFiles.contents(path, bytes) else { return nil }
    return [
      "device": Value(period.sourceDeviceID), "location": PolarDefinitions.name(period.sensorLocation),
      "type": PolarDefinitions.name(period.measurementType),
      "samples": .list(
        period.temperatureMeasurementSamples.map {
          .list([Value($0.recordingTimeDeltaMilliseconds), Value($0.temperatureCelsius)])
        }),
    ]
  }

  static func spo2(_ input: [String: Value]) throws -> [String: Value]? {
    let day = try day(input)
    guard let folder = PolarFile.folder(.spo2Test, of: day) else { return nil }
    switch input["op"]?.text {
    case "read":
      var device = PocketFiles(input)
      var tests: [Value] = []
      for entry in device.list(folder) ?? [] where entry.name.hasSuffix("/") {
        let path = folder + entry.name + "SPO2TRES.BPB"
        guard case .spo2(let test)? = try device.contents(path), let file = PolarFile(path: path) else { continue }
        tests.append(.object(try result(test, file).merging(["folder": .text(String(entry.name.dropLast()))]) { $1 }))
      }
      return ["count": Value(tests.count), "tests": .list(tests), "requests": requests(device)]
    case "map":
      guard let name = input["folder"]?.text, let bytes = input["file"]?.bytes,
        let file = PolarFile(path: folder + name + "/SPO2TRES.BPB")
      else { return nil }
      guard case .spo2(let test) = try PocketFiles.contents(file.path, bytes) else { return nil }
      return try result(test, file)
    case "folderTime":
      guard let name = input["folder"]?.text, let midnight = day.midnight else { return nil }
      return [
        "text": seconds(
          PolarFile.time(folder: name).map { PolarMoment(microseconds: midnight + Int64($0) * 1_000_000) })
      ]
    default: return nil
    }
  }

  private static func seconds(_ moment: PolarMoment?) -> Value {
    guard let text = text(moment).text else { return .null }
    return .text(String(text.prefix(19)).replacing("T", with: " "))
  }

  private static func result(_ test: PbSpo2TestResult, _ file: PolarFile) throws -> [String: Value] {
    [
      "device": Value(test.recordingDevice), "timeZoneOffset": Value(test.timeZoneOffset),
      "status": PolarDefinitions.name(test.testStatus),
      "testTime": seconds(test.moment(of: file)),
      "bloodOxygen": test.hasBloodOxygenPercent ? Value(test.bloodOxygenPercent) : .null,
      "class": test.hasSpo2Class ? PolarDefinitions.name(test.spo2Class) : .null,
      "deviation": test.hasSpo2ValueDeviationFromBaseline
        ? PolarDefinitions.name(test.spo2ValueDeviationFromBaseline) : .null,
      "quality": test.hasSpo2QualityAveragePercent ? Value(test.spo2QualityAveragePercent) : .null,
      "averageHeartRate": test.hasAverageHeartRateBpm ? Value(test.averageHeartRateBpm) : .null,
      "hrv": test.hasHeartRateVariabilityMs ? Value(test.heartRateVariabilityMs) : .null,
      "hrvDeviation": test.hasSpo2HrvDeviationFromBaseline
        ? PolarDefinitions.name(test.spo2HrvDeviationFromBaseline) : .null,
      "altitude": test.hasAltitudeMeters ? Value(test.altitudeMeters) : .null,
    ]
  }
}
