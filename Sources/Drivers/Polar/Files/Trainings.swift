// Trainings, as a whole record and as a few numbers: the session, and each of its exercises.

import PolarMessages
import Wearable

extension PbTrainingSession {
  func append(of file: PolarFile, _ bytes: [UInt8], to sink: any ItemSink) {
    let active =
      hasDuration
      ? duration.milliseconds / 1000
      : start.moment.flatMap { start in end.moment.map { start.time(until: $0) / 1_000_000 } }
    let summary = TrainingSummary(
      start: start.moment?.microseconds ?? file.begins, part: 0, sport: hasSport ? sport.value : 0, active: active,
      distance: distance, calories: calories,
      heartRate: (heartRate.average, heartRate.maximum), isManual: hasStartTrigger && startTrigger == .manual)
    summary.append(.trainingSession, bytes, to: sink)
  }
}

extension PbExerciseBase {
  func append(of file: PolarFile, _ bytes: [UInt8], to sink: any ItemSink) {
    let summary = TrainingSummary(
      start: start.moment?.microseconds ?? file.begins, part: Int64(file.exercise ?? 0) + 1, sport: sport.value,
      active: duration.milliseconds / 1000,
      distance: distance, calories: calories, heartRate: (0, 0), isManual: false)
    summary.append(.exerciseBase, bytes, to: sink)
  }
}

/// Values that sessions and exercises have in common.
private struct TrainingSummary {
  /// µs of the wearable's clock.
  let start: Int64?
  let part: Int64
  let sport: UInt64
  /// Seconds.
  let active: Int64?
  /// Metres.
  let distance: Float
  /// Kilocalories.
  let calories: UInt32
  let heartRate: (mean: UInt32, highest: UInt32)
  let isManual: Bool

  func append(_ record: PolarRecord, _ bytes: [UInt8], to sink: any ItemSink) {
    guard let start else { return sink.noteAnomaly("a training without its start") }
    sink.append(.exercise, [record.rawValue], bytes: bytes, at: start, kind: .normal, isManual: false)
    let numbers = [
      part, Int64(clamping: sport), max(0, active ?? 0), max(0, stored(distance) ?? 0), Int64(calories),
      Int64(heartRate.mean),
      Int64(heartRate.highest),
    ]
    sink.append(.training, numbers, bytes: [], at: start, kind: .normal, isManual: isManual)
  }
}
