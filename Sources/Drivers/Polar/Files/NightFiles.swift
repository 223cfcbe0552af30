// Nights: sleep, nightly recharge, and skin temperature during sleep.

import CivilTime
import Health
public import PolarMessages
import Wearable

extension PbSleepAnalysisResult {
  /// A phase of the hypnogram.
  public struct Phase: Hashable, Sendable {
    /// State in the phase: wake, REM, NREM 1 and 2, NREM 3, or unknown.
    public let state: PbSleepWakeState
    /// µs since 1970 on the wearable's clock.
    public let begin: Int64
    /// Length in µs, above 0.
    public let length: Int64
  }

  /// Phases with their lengths: each until the next, the last until the end of the sleep. Phases without length are
  /// left out.
  public var phases: [Phase] {
    guard let start = sleepStartTime.moment, let end = sleepEndTime.moment else { return [] }
    let total = start.time(until: end)
    return sleepwakePhases.indices.compactMap { index in
      let from = Int64(sleepwakePhases[index].secondsFromSleepStart) * 1_000_000
      let to =
        index + 1 < sleepwakePhases.count ? Int64(sleepwakePhases[index + 1].secondsFromSleepStart) * 1_000_000 : total
      guard to > from, to <= total else { return nil }
      return Phase(state: sleepwakePhases[index].sleepwakeState, begin: start.microseconds + from, length: to - from)
    }
  }

  func append(to sink: any ItemSink) {
    let phases = phases
    if phases.isEmpty, !sleepwakePhases.isEmpty { sink.noteAnomaly("sleep phases without a time") }
    for phase in phases {
      sink.append(
        .sleepStage, [phase.length, phase.state.stage], bytes: [], at: phase.begin, kind: .normal, isManual: false)
    }
    guard let start = sleepStartTime.moment, let end = sleepEndTime.moment,
      (1...Self.longest).contains(start.time(until: end))
    else {
      return sink.noteAnomaly("sleep without begin or end")
    }
    var seconds: [Int64: Int64] = [:]
    for phase in phases { seconds[phase.state.stage, default: 0] += phase.length / 1_000_000 }
    // 0 stands for no rating. The wearable's own scale begins with 0 for the worst, so it is shifted by one.
    let rating = hasUserSleepRating && userSleepRating != .pbSleptUndefined ? Int64(userSleepRating.rawValue) + 1 : 0
    let stages = [1, 2, 3, 4, 0].map { seconds[$0] ?? 0 }
    sink.append(
      .sleep, [start.time(until: end) / 1_000_000] + stages + [Int64(sleepGoalMinutes) * 60, rating], bytes: [],
      at: end.microseconds, kind: .normal,
      isManual: false)
  }

  /// Longest plausible night, µs: two days.
  private static let longest: Int64 = 2 * 86_400_000_000
}

extension PbSleepWakeState {
  /// Number in the series of sleep stages: 0 unknown, 1 awake, 2 REM, 3 light (N1, N2), 4 deep (N3).
  var stage: Int64 {
    switch self {
    case .pbUnknown: 0
    case .pbWake: 1
    case .pbRem: 2
    case .pbNonrem12: 3
    case .pbNonrem3: 4
    }
  }
}

extension PbSleepSkinTemperatureResult {
  func append(to sink: any ItemSink) {
    guard let midnight = sleepDate.civil?.midnight, let value = stored(sleepSkinTemperatureCelsius, 1000) else {
      return sink.noteAnomaly("skin temperature in sleep without its night")
    }
    sink.append(.skinTemperature, [value], bytes: [], at: midnight, kind: .resting, isManual: false)
  }
}

extension PbNightlyRecoveryStatus {
  /// Appends the result, dated by the day on which its night ended: as a record of the whole file, and as numbers.
  func append(_ bytes: [UInt8], day: LocalDate?, to sink: any ItemSink) {
    guard let midnight = (hasSleepResultDate ? sleepResultDate.civil : nil)?.midnight ?? day?.midnight else {
      return sink.noteAnomaly("nightly recharge without its night")
    }
    sink.append(
      .nightlyRecharge, [PolarRecord.nightlyRecharge.rawValue], bytes: bytes, at: midnight, kind: .normal,
      isManual: false)
    let numbers = [
      recoveryIndicator, recoveryIndicatorSubLevel, ansRate, meanNightlyRecoveryRri, meanNightlyRecoveryRmssd,
      meanNightlyRecoveryRespirationInterval,
      meanBaselineRri, meanBaselineRmssd, meanBaselineRespirationInterval,
    ]
    sink.append(.recharge, numbers.map { Int64(max($0, 0)) }, bytes: [], at: midnight, kind: .normal, isManual: false)
    if hasAnsStatus, let status = stored(ansStatus, 10) { sink.append(.ansStatus, status, at: midnight) }
    if hasMeanNightlyRecoveryRmssd, meanNightlyRecoveryRmssd > 0 {
      sink.append(
        .heartRateVariability, [Int64(meanNightlyRecoveryRmssd) * 10], bytes: [], at: midnight, kind: .resting,
        isManual: false)
    }
    if hasMeanNightlyRecoveryRespirationInterval, meanNightlyRecoveryRespirationInterval > 0,
      let rate = stored(60_000 / Double(meanNightlyRecoveryRespirationInterval))
    {
      sink.append(.respirationRate, [rate], bytes: [], at: midnight, kind: .resting, isManual: false)
    }
  }
}

/// The value of a record: the type of Polar's message in its bytes.
enum PolarRecord: Int64 {
  case nightlyRecharge = 1
  case trainingSession = 2
  case exerciseBase = 3
}
