// Decoding of a file's bytes to its content, and of that to samples.

public import Bluetooth
public import Health
public import PolarMessages
public import Wearable

/// The content of a file, by its kind. Complete and valid bytes always give the same content.
public enum FileContents: Sendable {
  case activity(PbActivitySamples)
  case summary(PbDailySummary)
  case automatic(PbAutomaticSampleSessions)
  case recharge(PbNightlyRecoveryStatus)
  case sleep(PbSleepAnalysisResult)
  case sleepTemperature(PbSleepSkinTemperatureResult)
  case temperature(TemperatureMeasurementPeriod)
  case spo2(PbSpo2TestResult)
  case session(PbTrainingSession)
  case base(PbExerciseBase)
  case samples(PbExerciseSamples)
  case samples2(PbExerciseSamples2)
  case route(PbExerciseRouteSamples)
  case route2(PbExerciseRouteSamples2)
  case physicalData(PbUserPhysData)
  case userIdentifier(PbUserIdentifier)
  /// A kind with an undocumented format: the number of bytes, which the hub stores unchanged.
  case undescribed(Int)

  /// Reason why a file cannot be read.
  public enum Defect: Error, Hashable, Sendable {
    case compression(Inflation.Defect)
    /// Bytes that are not a message of this kind.
    case malformed
    /// Larger than any plausible file of this kind (`FileBounds`).
    case tooLarge

    /// Stable identifier, for counters and tests.
    public var code: String {
      switch self {
      case .compression(let defect): "compression_" + defect.rawValue
      case .malformed: "malformed"
      case .tooLarge: "too_large"
      }
    }
  }

  /// Decodes the file in one call, for files of a day or less. Files of an exercise are decoded by a `FileReader`.
  ///
  /// - Throws: `tooLarge` beyond the bounds of the file's kind; `compression` if it cannot be decompressed; `malformed`
  ///   for other defects.
  public init(_ file: PolarFile, _ bytes: RawBytes) throws(Defect) {
    let reader = FileReader(file)
    while true {
      if let contents = try reader.next(bytes) {
        self = contents
        return
      }
    }
  }

  /// Summary for people: `8042 steps, 31 changes of activity`.
  public var summary: String {
    switch self {
    case .activity(let file): "\(file.stepCount) steps, changes of activity: \(file.activityInfo.count)"
    case .summary(let file): "summary of \(file.date.civil?.text ?? "no day")"
    case .automatic(let file):
      "sessions of heart rate: \(file.samples.count), of pulse intervals: \(file.ppiSamples.count)"
    case .recharge(let file): "nightly recharge of \(file.sleepResultDate.civil?.text ?? "no day")"
    case .sleep(let file): "sleep of \(file.sleepwakePhases.count) phases"
    case .sleepTemperature: "skin temperature in sleep"
    case .temperature(let file): "\(file.temperatureMeasurementSamples.count) temperatures"
    case .spo2(let file):
      file.testStatus == .spo2TestPassed ? "test of blood oxygen" : "test of blood oxygen, not passed"
    case .session(let file): "training of \(file.exerciseCount) exercises"
    case .base: "an exercise"
    case .samples(let file):
      file.hasRrSamples
        ? "\(file.rrSamples.rrIntervals.count) intervals" : "\(file.heartRateSamples.count) values of heart rate"
    case .samples2(let file): "\(file.exerciseIntervalledSample2List.count) lists of samples"
    case .route(let file): "\(file.latitude.count) positions"
    case .route2(let file): "\(file.latitude.count) positions"
    case .physicalData: "physical data"
    case .userIdentifier: "user identifier"
    case .undescribed(let count): "\(count) bytes, kept as they are"
    }
  }

  /// Length of a strap's exercise, given by its samples, µs; 0 for all other files.
  var exerciseLength: Int64 {
    guard case .samples(let file) = self else { return 0 }
    if file.hasRrSamples { return file.rrSamples.rrIntervals.reduce(0) { $0 + Int64($1) } * 1000 }
    return Int64(file.heartRateSamples.count) * (file.recordingInterval.spacing ?? 0)
  }

  /// Appends the file's samples to a sink, with times of the wearable's clock.
  ///
  /// - Parameters:
  ///   - bytes: the file's bytes, which a record keeps.
  ///   - exerciseStart: start of the exercise that the file is part of, from its base file, µs of the wearable's clock.
  ///     Without it the folder's time counts, which is that of the whole training.
  public func append(of file: PolarFile, _ bytes: RawBytes, exerciseStart: Int64?, to sink: any ItemSink) {
    if var runs = runs(of: file, exerciseStart: exerciseStart) {
      while runs.next(.max, into: sink) {}
      return
    }
    switch self {
    case .activity(let content): content.append(to: sink)
    case .summary(let content): content.append(to: sink)
    case .recharge(let content): content.append(Array(bytes), day: file.day, to: sink)
    case .sleep(let content): content.append(to: sink)
    case .sleepTemperature(let content): content.append(to: sink)
    case .temperature(let content): content.append(begins: file.day?.midnight, to: sink)
    case .spo2(let content): content.append(of: file, to: sink)
    case .session(let content): content.append(of: file, Array(bytes), to: sink)
    case .base(let content): content.append(of: file, Array(bytes), to: sink)
    case .automatic, .samples, .samples2, .route, .route2, .physicalData, .userIdentifier, .undescribed: break
    }
  }

  /// The same in slices, for kinds that may have more samples than one turn of the loop should handle; nil for other
  /// kinds.
  package func runs(of file: PolarFile, exerciseStart: Int64?) -> SampleRuns? {
    let start = exerciseStart ?? (file.timeOfDay == nil ? nil : file.begins)
    switch self {
    case .automatic(let content): return SampleRuns(content.runs())
    case .samples(let content): return SampleRuns(content.runs(start: start))
    case .samples2(let content): return SampleRuns(content.runs(start: start))
    case .route(let content): return SampleRuns(content.runs(start: start))
    case .route2(let content): return SampleRuns(content.runs(start: start))
    default: return nil
    }
  }
}

extension PolarFile.Kind {
  /// The series that files of this kind may decode to.
  public var series: [Series] {
    switch self {
    case .activitySamples: [.steps, .metabolicEquivalent, .activeTime]
    case .dailySummary: [.calories, .trainingCalories, .basalCalories, .distance]
    case .automaticSamples: [.heartRate, .ppi]
    case .nightlyRecharge: [.nightlyRecharge, .recharge, .ansStatus, .heartRateVariability, .respirationRate]
    case .sleep: [.sleepStage, .sleep]
    case .sleepTemperature: [.skinTemperature]
    case .skinTemperature: [.skinTemperature, .temperature]
    case .spo2Test: [.spo2, .heartRate, .heartRateVariability]
    case .trainingSession, .exerciseBase: [.exercise, .training]
    case .exerciseSamples:
      [
        .heartRate, .cadence, .altitude, .temperature, .speed, .exerciseDistance, .strideLength, .leftPower,
        .rightPower, .rrInterval,
      ]
    case .exerciseSamples2: [.heartRate, .cadence, .speed, .exerciseDistance]
    case .route, .route2: [.location]
    case .physicalData, .userIdentifier, .sleepScore, .skinContact: []
    }
  }

  /// Whether the file has measurements, and not data about the wearer.
  var isMeasured: Bool { self != .physicalData && self != .userIdentifier }
}
