// Trainings of a band or a watch, and the files written at the end of one.

public import EventLoop
import PolarMessages

/// Training that was written. Heart rates, one per second, are a function of its seed.
public struct PolarTraining: Sendable {
  /// Begin of the training.
  public let began: Instant
  /// The clock at that time.
  public let clock: PolarClock
  /// Begin by that clock, ns since 2000, in whole seconds.
  public let start: Int64
  /// Length in seconds.
  public let seconds: Int
  /// Heart rates, one a second.
  public let signal: PolarSignal

  /// Heart rate of a second, 1/min.
  public func rate(_ second: Int) -> UInt32 { UInt32(signal.sample(second)[0]) }
  /// Energy in kcal.
  public var calories: UInt32 { UInt32(seconds / 6) }
  /// Metres.
  public var distance: Float { Float(seconds * 3) }
  /// Mean heart rate, 1/min.
  public var mean: UInt32 { UInt32((0..<seconds).reduce(0) { $0 + Int(rate($1)) } / max(1, seconds)) }
  /// Highest heart rate, 1/min.
  public var highest: UInt32 { (0..<seconds).map(rate).max() ?? 0 }
  /// Running.
  public static let sport: UInt64 = 1
}

extension VirtualPolar {
  /// Writes a complete training. A training of less than a minute is not written.
  func writeTraining(began: Instant, _ clock: PolarClock) {
    let local = clock.now(at: began)
    let start = (local + 999_999_999).floored(by: 1_000_000_000) * 1_000_000_000
    let seconds = Int((clock.now(at: world.loop.now) - start).floored(by: 1_000_000_000))
    guard traits.hasDays, traits.isWorn, clock.isSet, seconds >= 60 else { return }
    let training = PolarTraining(
      began: began, clock: clock, start: start, seconds: seconds,
      signal: PolarSignal(kind: .heartRate, seed: life.seed &+ UInt64(bitPattern: start)))
    let moment = PolarMoment(start)
    let folder = "/U/0/\(moment.dateFolder)/E/\(moment.timeFolder)/"
    let written = [
      ("00/BASE.BPB", try? base(training).wire()), ("00/SAMPLES.BPB", try? samples(training).wire()),
      ("TSESS.BPB", try? session(training).wire()),
    ]
    let room = written.reduce(0) { $0 + ($1.1?.count ?? 0) }
    guard files.free >= room, files[folder + "TSESS.BPB"] == nil else { return }
    for (name, bytes) in written { files.put(folder + name, bytes ?? []) }
    trainings.append(training)
  }

  private func session(_ training: PolarTraining) -> PbTrainingSession {
    var message = PbTrainingSession()
    message.start = localTime(training.start)
    message.end = localTime(training.start + Int64(training.seconds) * 1_000_000_000)
    message.exerciseCount = 1
    message.duration.seconds = UInt32(training.seconds)
    (message.distance, message.calories) = (training.distance, training.calories)
    (message.heartRate.average, message.heartRate.maximum) = (training.mean, training.highest)
    message.sport.value = PolarTraining.sport
    return message
  }

  private func base(_ training: PolarTraining) -> PbExerciseBase {
    var message = PbExerciseBase()
    message.start = localTime(training.start)
    message.duration.seconds = UInt32(training.seconds)
    message.sport.value = PolarTraining.sport
    (message.distance, message.calories) = (training.distance, training.calories)
    return message
  }

  private func samples(_ training: PolarTraining) -> PbExerciseSamples {
    var message = PbExerciseSamples()
    message.recordingInterval.seconds = 1
    message.heartRateSamples = (0..<training.seconds).map(training.rate)
    return message
  }
}
