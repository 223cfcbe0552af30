// Queries of the host: time, free memory, synchronisation, exercises.

import Bluetooth
public import EventLoop
import PolarMessages

extension VirtualPolar {
  func query(_ number: Int, _ parameters: [UInt8]) {
    switch number {
    case 1:
      guard traits.model != .h10 else { return reply(code: Code.notImplemented) }
      guard let time = try? PbPFtpSetSystemTimeParams(wire: parameters), time.isInitialized else {
        return reply(code: Code.invalidParameter)
      }
      reply(code: Code.success)
    case 3: setLocalTime(parameters)
    case 4: localTime()
    case 5: diskSpace()
    case 13:
      if isBusy { return replyBusy() }
      synchronisations += 1
      reply(code: Code.success)
    case 14, 15, 16: strapRecording(number, parameters)
    case 21...25: exercise(number)
    default: reply(code: Code.notImplemented)
    }
  }

  private func setLocalTime(_ parameters: [UInt8]) {
    guard let time = try? PbPFtpSetLocalTimeParams(wire: parameters), time.isInitialized,
      let local = PolarMoment.nanoseconds(
        Int(time.date.year), Int(time.date.month), Int(time.date.day), Int(time.time.hour), Int(time.time.minute),
        Int(time.time.seconds), Int(time.time.millis))
    else { return reply(code: Code.invalidParameter) }
    clock.set(local, offset: time.hasTzOffset ? time.tzOffset : nil, at: world.loop.now)
    // On some models streams use the new time only after the next start.
    if !traits.isOpticalSensor { streamClock = clock }
    timesSet.append((local, world.loop.now))
    reply(code: Code.success)
  }

  private func localTime() {
    guard traits.model != .h10 else { return reply(code: Code.notImplemented) }
    let moment = PolarMoment(clock.now(at: world.loop.now))
    var time = PbPFtpSetLocalTimeParams()
    time.date.year = UInt32(moment.year)
    time.date.month = UInt32(moment.month)
    time.date.day = UInt32(moment.day)
    time.time.hour = UInt32(moment.hour)
    time.time.minute = UInt32(moment.minute)
    time.time.seconds = UInt32(moment.second)
    time.time.millis = UInt32(moment.millisecond)
    if let offset = clock.offset { time.tzOffset = offset }
    reply((try? time.wire()) ?? [], clockAt: world.loop.now)
  }

  private func diskSpace() {
    var space = PbPFtpDiskSpaceResult()
    space.fragmentSize = 512
    space.totalFragments = UInt64(traits.memory / 512)
    writeRecordings()
    space.freeFragments = UInt64(files.free / 512)
    reply((try? space.wire()) ?? [])
  }

  // MARK: Recording of an H10

  private func strapRecording(_ number: Int, _ parameters: [UInt8]) {
    guard traits.model == .h10 else { return reply(code: Code.notImplemented) }
    switch number {
    case 14:
      guard let wanted = try? PbPFtpRequestStartRecordingParams(wire: parameters), wanted.isInitialized,
        (1...63).contains(wanted.sampleDataIdentifier.utf8.count)
      else {
        return reply(code: Code.invalidParameter)
      }
      // Only one at a time, with a name that is not in use.
      guard strapExercise == nil, files["/" + wanted.sampleDataIdentifier + "/SAMPLES.BPB"] == nil else {
        return reply(code: Code.notPermitted)
      }
      strapExercise = StrapExercise(
        name: wanted.sampleDataIdentifier, isIntervals: wanted.sampleType == .sampleTypeRrInterval,
        interval: max(1, Int(wanted.recordingInterval.seconds)),
        began: world.loop.now,
        signal: PolarSignal(kind: wanted.sampleType == .sampleTypeRrInterval ? .ppi : .heartRate, seed: random.next()))
      reply(code: Code.success)
    case 15:
      guard strapExercise != nil else { return reply(code: Code.notPermitted) }
      endExercise()
      reply(code: Code.success)
    default:
      var status = PbRequestRecordingStatusResult()
      status.recordingOn = strapExercise != nil
      if let strapExercise { status.sampleDataIdentifier = strapExercise.name }
      reply((try? status.wire()) ?? [])
    }
  }

  /// Starts an exercise on a strap, as its wearer would; false: another one is running.
  public func beginExercise(_ name: String, isIntervals: Bool) -> Bool {
    guard traits.model == .h10, strapExercise == nil, files["/" + name + "/SAMPLES.BPB"] == nil else { return false }
    strapExercise = StrapExercise(
      name: name, isIntervals: isIntervals, interval: 1, began: world.loop.now,
      signal: PolarSignal(kind: isIntervals ? .ppi : .heartRate, seed: random.next()))
    return true
  }

  /// Ends the exercise, and writes its file if there is room.
  public func endExercise() {
    guard var exercise = strapExercise else { return }
    strapExercise = nil
    exercise.ended = world.loop.now
    let file = exercise.file
    guard files.free >= file.count else { return }
    files.put("/" + exercise.name + "/SAMPLES.BPB", file)
    exercises.append(exercise)
  }

  // MARK: Exercises of watches and bands

  private func exercise(_ number: Int) {
    guard traits.hasDays else { return reply(code: Code.notImplemented) }
    switch number {
    case 21:
      if isTraining { return reply(code: Code.notPermitted) }
      startTraining()
      reply(code: Code.success)
    case 22:
      if !isTraining { return reply(code: Code.notPermitted) }
      endTraining()
      reply(code: Code.success)
    case 23:
      if !isTraining || isTrainingPaused { return reply(code: Code.notPermitted) }
      isTrainingPaused = true
      reply(code: Code.success)
    case 24:
      var result = PbPftpResumeExerciseResult()
      result.result = !isTraining ? .resultExeNotRunning : isTrainingPaused ? .resultSuccess : .resultNotPaused
      isTrainingPaused = false
      reply((try? result.wire()) ?? [])
    default:
      var status = PbPftpGetExerciseStatusResult()
      status.exerciseState =
        !isTraining ? .exerciseStateOff : isTrainingPaused ? .exerciseStatePaused : .exerciseStateRunning
      reply((try? status.wire()) ?? [])
    }
  }
}

/// Exercise in a strap's own memory.
public struct StrapExercise: Sendable {
  /// Name of the exercise.
  public let name: String
  /// True for intervals, false for rates.
  public let isIntervals: Bool
  /// Seconds.
  let interval: Int
  /// Begin of the exercise.
  public let began: Instant
  /// End; nil: it runs.
  public internal(set) var ended: Instant?
  let signal: PolarSignal

  private var seconds: Int { Int(((ended ?? began) - began).wholeNanoseconds / 1_000_000_000) }

  /// bpm.
  public var rates: [UInt32] { isIntervals ? [] : (0..<seconds / interval).map { UInt32(signal.sample($0)[0]) } }

  /// ms.
  public var intervals: [UInt32] {
    var total = 0
    var intervals: [UInt32] = []
    while isIntervals {
      let next = Int(signal.sample(intervals.count)[1])
      if total + next > seconds * 1000 { break }
      total += next
      intervals.append(UInt32(next))
    }
    return intervals
  }

  var file: [UInt8] {
    var samples = PbExerciseSamples()
    samples.recordingInterval.seconds = UInt32(interval)
    if isIntervals { samples.rrSamples.rrIntervals = intervals } else { samples.heartRateSamples = rates }
    return (try? samples.wire()) ?? []
  }
}
