// Largest plausible size of a file by kind: on the wearable, decompressed, and in memory.

import MessageReading
import PolarMessages

extension PolarFile.Kind {
  /// Bytes of the file on the wearable. A longer file is not fetched.
  public var sizeLimit: Int {
    switch self {
    // The longest training with all its sensors, 24 hours of 25 bytes a second, is 2 MiB, and a third of that
    // compressed.
    case .exerciseSamples, .exerciseSamples2, .route, .route2: 3 << 19
    // The format is unknown: the most that the hub stores of such a file, unread.
    case .sleepScore, .skinContact: 1 << 20
    default: bounds.size
    }
  }

  /// Bounds of the decompressed message.
  var bounds: ReadingBounds {
    switch self {
    // 1,440 minutes of steps, 2,880 half-minutes of equivalents, and a change of class each minute are 50 kB.
    case .activitySamples: ReadingBounds(size: 128 << 10, cost: 768 << 10)
    // A value every ten seconds is 8,640 of 14 bytes.
    case .skinTemperature: ReadingBounds(size: 128 << 10, cost: 512 << 10)
    // A rate every second is 86,400 bytes, and pulse intervals of a night 120 kB.
    case .automaticSamples: ReadingBounds(size: 256 << 10, cost: 5 << 18)
    // A stage every half-minute of a whole day is 2,880 of 8 bytes.
    case .sleep: ReadingBounds(size: 64 << 10, cost: 512 << 10)
    // 24 hours: 86,400 values of each of seven lists are 2.4 MB in memory. A list within a list is read as one field.
    case .exerciseSamples, .exerciseSamples2, .route, .route2:
      ReadingBounds(size: 4 << 20, field: 1 << 20, cost: 11 << 18)
    // A few dozen fields each; the longest text has some hundred bytes.
    case .dailySummary, .nightlyRecharge, .sleepTemperature, .spo2Test, .trainingSession, .exerciseBase, .physicalData,
      .userIdentifier:
      ReadingBounds(size: 16 << 10, cost: 256 << 10)
    case .sleepScore, .skinContact: ReadingBounds(size: 1 << 20, cost: 0)
    }
  }
}

/// Repeated fields in the definitions of the messages. The memory of a message is that of its structure and of all that
/// the structure points to.
enum FileShape {
  /// Bytes of a message in an array. An array that grows by one at a time takes half as much again on average.
  private static func size<Message>(_ message: Message.Type, pointsTo: Int = 0) -> Int {
    MemoryLayout<Message>.stride * 3 / 2 + pointsTo
  }

  private static let gaps = WireShape.Field.messages(size(PbSensorOffline.self), WireShape())
  private static let power = WireShape.Field.messages(size(PbPowerMeasurements.self), WireShape())
  private static let calibration = WireShape.Field.messages(size(PbCalibrationValue.self), WireShape())
  private static let sources = WireShape.Field.messages(size(PbSampleSource.self), WireShape())
  private static let beats = WireShape.Field.messages(
    size(PbExerciseRRIntervals.self), WireShape([1: .varints(4)]))
  /// Times are nested messages, each in a class instance of its own.
  private static let timePointsTo = 256

  static let activity = WireShape(
    [
      4: .fixed(4), 5: .varints(4),
      7: .messages(size(PbActivityInfo.self, pointsTo: timePointsTo), WireShape()),
    ], messages: 1600, numbers: 8000)

  static let temperature = WireShape(
    [4: .messages(size(TemperatureMeasurementSample.self), WireShape())], messages: 10_000)

  static let automatic = WireShape(
    [
      2: .messages(size(PbAutomaticHeartRateSamples.self, pointsTo: timePointsTo), WireShape([3: .varints(4)])),
      3: .messages(
        size(PbPpIntervalAutoSamples.self, pointsTo: timePointsTo),
        WireShape([3: .messages(0, WireShape([1: .varints(4), 2: .varints(4), 3: .varints(4)]))])),
    ], messages: 2048)

  static let sleep = WireShape(
    [
      5: .messages(size(PbSleepWakePhase.self), WireShape()),
      6: .messages(size(PbLocalDateTime.self, pointsTo: timePointsTo), WireShape()),
      13: .messages(size(PbSleepCycle.self), WireShape()),
    ], messages: 4096)

  static let base = WireShape(
    [
      7: .varints(8), 22: .messages(size(PbSensorCalibrationOffset.self), WireShape()),
      24: .messages(size(PbSampleSourceDevice.self, pointsTo: timePointsTo), WireShape()),
    ], messages: 256)

  static let session = WireShape([9: .messages(size(PbDuration.self), WireShape())], messages: 256)

  private static let list = WireShape(
    [
      3: sources, 4: .varints(4), 5: .varints(4), 6: .fixed(4), 7: .fixed(4), 8: .fixed(4), 9: .varints(8),
      10: .fixed(4), 11: calibration, 12: .fixed(4), 13: .varints(4), 14: calibration, 15: power, 16: power,
      17: calibration, 18: calibration, 19: beats, 20: .fixed(4),
    ], messages: 200_000)

  static let samples = WireShape(
    [
      2: .varints(4), 3: gaps, 4: .varints(4), 5: gaps, 6: .fixed(4), 7: calibration, 8: .fixed(4), 9: .fixed(4),
      10: gaps, 11: .fixed(4), 12: gaps, 13: .varints(4), 14: gaps, 15: calibration, 16: .fixed(4), 17: .varints(8),
      18: gaps, 19: gaps, 20: gaps, 21: gaps, 22: power, 23: gaps, 24: power, 25: gaps, 26: calibration,
      27: calibration, 28: beats,
      29: .messages(size(PbExerciseIntervalledSampleList.self, pointsTo: 512), list),
      30: .messages(size(PbPauseTime.self, pointsTo: timePointsTo), WireShape()), 31: .fixed(4), 32: gaps,
    ], messages: 200_000)

  private static let list2 = WireShape(
    [
      3: .messages(size(PbExerciseSamplesSyncPoint.self, pointsTo: 128), WireShape()), 4: sources, 5: .varints(4),
      6: .varints(4), 7: .varints(4), 8: .varints(4), 9: .varints(4), 10: .varints(8), 11: .varints(4),
    ], messages: 10_000)

  static let samples2 = WireShape(
    [1: .messages(size(PbExerciseIntervalledSample2List.self, pointsTo: 256), list2)], messages: 64)

  static let route = WireShape(
    [
      1: .varints(4), 2: .fixed(8), 3: .fixed(8), 4: .varints(4), 5: .varints(4), 6: .varints(1), 7: gaps,
      8: .messages(size(PbSystemDateTime.self, pointsTo: timePointsTo), WireShape()),
    ], messages: 10_000)

  static let route2 = WireShape(
    [
      1: .messages(size(PbExerciseRouteSyncPoint.self, pointsTo: timePointsTo), WireShape()), 2: .varints(4),
      3: .varints(8), 4: .varints(8), 5: .varints(4), 6: .varints(8),
    ], messages: 10_000)

  /// Messages without repeated fields.
  static let plain = WireShape()
}
