// Files of a wearer's days: activity, heart rate around the clock, nights.

import EventLoop
import PolarMessages

extension VirtualPolar {
  static let dayLength: Int64 = 86_400_000_000_000

  /// Incomplete days, with the minutes that were written.
  public var daysInPart: [(day: Int, minutes: Range<Int>)] {
    days.filter { $0.value.writtenMinutes > $0.value.firstMinute }.map {
      ($0.key, $0.value.firstMinute..<$0.value.writtenMinutes)
    }.sorted { $0.day < $1.day }
  }

  /// Day of today by the wearable's own clock, days since 2000-01-01.
  public var today: Int { Int(clock.now(at: world.loop.now).floored(by: Self.dayLength)) }

  /// `20261121`.
  public func folder(daysBack: Int) -> String { PolarMoment(Int64(today - daysBack) * Self.dayLength).dateFolder }

  /// Updates the files of all days, as at the start of a synchronisation and at midnight.
  func flushDays() {
    guard traits.hasDays, traits.isWorn, clock.isSet else { return }
    let local = clock.now(at: world.loop.now)
    let today = Int(local.floored(by: Self.dayLength))
    guard today >= firstDay else { return }
    // A clock set far ahead does not create years of files.
    for day in max(firstDay, today - 366)...today {
      let minutes = day < today ? 1440 : Int((local - Int64(day) * Self.dayLength) / 60_000_000_000)
      flush(day, minutes)
      // A night is available some ninety minutes after waking.
      if minutes * 60 >= life.sleep(day: day).end + 5400, days[day]?.hasNight != true, day > firstDay,
        day < today || isNightWorkedOut
      {
        writeNight(day)
      }
    }
  }

  /// Ninety minutes after the recording of sleep was stopped, and never while it runs.
  private var isNightWorkedOut: Bool { !isSleeping && sleepEnded.map { world.loop.now - $0 >= .seconds(5400) } ?? true }

  private func flush(_ day: Int, _ minutes: Int) {
    var state = days[day] ?? PolarDay()
    if state.isComplete { return }
    let folder = "/U/0/" + PolarMoment(Int64(day) * Self.dayLength).dateFolder
    let path = folder + "/ACT/ASAMPL0.BPB"
    // If its file was removed during the day, the day continues in a new file.
    if state.writtenMinutes > 0, files[path] == nil { state.firstMinute = state.writtenMinutes }
    state.isComplete = minutes == 1440
    state.writtenMinutes = minutes
    days[day] = state
    guard minutes > state.firstMinute else { return }
    let steps = (state.firstMinute..<minutes).map { life.steps(day: day, minute: $0) }
    let whole = state.isComplete
    func note(_ what: PolarDayPart.What, _ wasWritten: Bool) {
      if whole, wasWritten { dayParts.append(PolarDayPart(day: day, what: what, firstMinute: state.firstMinute)) }
    }
    note(.activity, write(activity(day, state.firstMinute, steps), path, isWhole: whole))
    note(
      .summary,
      write(
        summary(day, steps.reduce(0, +), minutes: minutes - state.firstMinute), folder + "/DSUM/DSUM.BPB",
        isWhole: whole))
    note(
      .automatic,
      write(
        automatic(day, minutes), "/U/0/AUTOS/AUTOS" + PolarMoment.digits((day - firstDay) % 1000, 3) + ".BPB",
        isWhole: whole))
    note(.temperature, write(temperature(day, minutes), folder + "/SKINTEMP/TEMPCONT.BPB", isWhole: whole))
    let test = life.oxygenTest(day: day)
    if traits.hasTestsAndScores, !state.hasTest, minutes * 60 >= test.second + 60 {
      days[day]?.hasTest = true
      let path =
        folder + "/SPO2TEST/" + PolarMoment(Int64(day) * Self.dayLength + Int64(test.second) * 1_000_000_000).timeFolder
        + "/SPO2TRES.BPB"
      if write(oxygen(day, test), path, isWhole: true) {
        dayParts.append(PolarDayPart(day: day, what: .oxygen, firstMinute: 0))
      }
    }
  }

  /// Notes that a summary was served to its last byte.
  func noteSummary(_ path: String) {
    guard path.hasSuffix("/DSUM/DSUM.BPB"), let file = files[path], let message = try? PbDailySummary(wire: file.bytes),
      let day = days.first(where: {
        path.hasPrefix("/U/0/" + PolarMoment(Int64($0.key) * Self.dayLength).dateFolder + "/")
      })
    else { return }
    summariesServed.append(
      PolarSummaryServed(
        day: day.key, firstMinute: day.value.firstMinute, at: world.loop.now, calories: message.activityCalories,
        basalCalories: message.bmrCalories,
        distance: message.activityDistance))
  }

  /// - Returns: whether there was room.
  @discardableResult
  private func write(_ bytes: [UInt8], _ path: String, isWhole: Bool) -> Bool {
    guard files.free + (files[path]?.bytes.count ?? 0) >= bytes.count else { return false }
    files.put(path, bytes, isWhole: isWhole)
    return true
  }

  private func activity(_ day: Int, _ first: Int, _ steps: [UInt32]) -> [UInt8] {
    var message = PbActivitySamples()
    message.startTime = localTime(Int64(day) * Self.dayLength + Int64(first) * 60_000_000_000)
    message.metRecordingInterval.seconds = 30
    message.stepsRecordingInterval.minutes = 1
    message.stepsSamples = steps
    message.metSamples = (0..<2 * steps.count).map { steps[$0 / 2] == 0 ? 1 : 3.5 }
    return (try? message.wire()) ?? []
  }

  /// Sums of so many minutes.
  private func summary(_ day: Int, _ steps: UInt32, minutes: Int) -> [UInt8] {
    var message = PbDailySummary()
    message.date = date(day)
    message.steps = steps
    message.activityCalories = steps / 20
    message.bmrCalories = Self.basalCalories(minutes)
    message.activityDistance = Float(steps) * 0.75
    return (try? message.wire()) ?? []
  }

  /// Sessions of an hour each, with twelve values, and one of pulse intervals in the night.
  private func automatic(_ day: Int, _ minutes: Int) -> [UInt8] {
    var message = PbAutomaticSampleSessions()
    message.day = date(day)
    for hour in 0..<24 where hour * 60 < minutes {
      var session = PbAutomaticHeartRateSamples()
      session.triggerType = .triggerTypeTimed
      session.time.hour = UInt32(hour)
      session.time.minute = 0
      session.time.seconds = 0
      session.heartRate = (hour * 12..<hour * 12 + 12).filter { $0 * 5 < minutes }.map {
        life.heartRate(day: day, slot: $0)
      }
      message.samples.append(session)
    }
    if minutes > 240 {
      var session = PbPpIntervalAutoSamples()
      session.triggerType = .ppiTriggerTypeAutomatic
      session.recordingTime.hour = 3
      session.recordingTime.minute = 0
      session.recordingTime.seconds = 0
      var last: (interval: Int32, error: Int32) = (0, 0)
      for sample in life.nightIntervals(day: day) {
        session.ppi.ppiDelta.append(sample.interval - last.interval)
        session.ppi.ppiErrorEstimateDelta.append(sample.error - last.error)
        session.ppi.status.append(1)
        last = sample
      }
      message.ppiSamples.append(session)
    }
    return (try? message.wire()) ?? []
  }

  /// 1,600 in a day.
  public static func basalCalories(_ minutes: Int) -> UInt32 { UInt32(minutes * 1600 / 1440) }

  private func oxygen(_ day: Int, _ test: (second: Int, percent: Int32, rate: UInt32)) -> [UInt8] {
    var message = PbSpo2TestResult()
    message.recordingDevice = traits.deviceID
    message.testTime =
      UInt64(clamping: PolarClock.epoch + Int64(day) * 86_400 + Int64(test.second) - Int64(clock.offset ?? 0) * 60)
      * 1000
    message.timeZoneOffset = clock.offset ?? 0
    message.testStatus = .spo2TestPassed
    message.bloodOxygenPercent = test.percent
    message.averageHeartRateBpm = test.rate
    return (try? message.wire()) ?? []
  }

  private func temperature(_ day: Int, _ minutes: Int) -> [UInt8] {
    var message = TemperatureMeasurementPeriod()
    message.measurementType = .tmSkinTemperature
    message.sensorLocation = .slDistal
    message.sourceDeviceID = traits.deviceID
    message.temperatureMeasurementSamples = (0..<minutes / 5).map { slot in
      var sample = TemperatureMeasurementSample()
      sample.recordingTimeDeltaMilliseconds = UInt64(slot) * 300_000
      sample.temperatureCelsius = Float(life.skin(slot: slot)) / 100
      return sample
    }
    return (try? message.wire()) ?? []
  }

  private func writeNight(_ day: Int) {
    days[day, default: PolarDay()].hasNight = true
    let midnight = Int64(day) * Self.dayLength
    let folder = "/U/0/" + PolarMoment(midnight).dateFolder
    let (start, end) = life.sleep(day: day)
    var sleep = PbSleepAnalysisResult()
    sleep.sleepStartTime = localTime(midnight + Int64(start) * 1_000_000_000)
    sleep.sleepEndTime = localTime(midnight + Int64(end) * 1_000_000_000)
    sleep.lastModified = systemTime(midnight + Int64(end) * 1_000_000_000)
    sleep.sleepGoalMinutes = 480
    let states: [PbSleepWakeState] = [.pbNonrem12, .pbNonrem3, .pbRem, .pbWake]
    sleep.sleepwakePhases = stride(from: 0, to: end - start, by: 1500).enumerated().map { index, offset in
      var phase = PbSleepWakePhase()
      phase.secondsFromSleepStart = UInt32(offset)
      phase.sleepwakeState = states[index % states.count]
      return phase
    }
    sleep.recordingDevice.deviceID = traits.deviceID
    sleep.sleepResultDate = date(day)
    if write((try? sleep.wire()) ?? [], folder + "/SLEEP/SLEEPRES.BPB", isWhole: true) {
      dayParts.append(PolarDayPart(day: day, what: .sleep, firstMinute: 0))
    }
    if traits.hasTestsAndScores {
      write((0..<24).map { UInt8(truncatingIfNeeded: day &* 7 &+ $0) }, folder + "/SLEEPSCO/SCORE.BPB", isWhole: true)
    }
    var recovery = PbNightlyRecoveryStatus()
    recovery.createdTimestamp = systemTime(midnight + Int64(end) * 1_000_000_000)
    recovery.ansStatus = 1.5
    recovery.recoveryIndicator = 4
    recovery.meanNightlyRecoveryRri = 1050
    recovery.meanNightlyRecoveryRmssd = 48
    recovery.sleepResultDate = date(day)
    if write((try? recovery.wire()) ?? [], folder + "/NR/NR.BPB", isWhole: true) {
      dayParts.append(PolarDayPart(day: day, what: .recharge, firstMinute: 0))
    }
  }

  private func date(_ day: Int) -> PbDate {
    let moment = PolarMoment(Int64(day) * Self.dayLength)
    var date = PbDate()
    date.year = UInt32(moment.year)
    date.month = UInt32(moment.month)
    date.day = UInt32(moment.day)
    return date
  }

  private func time(_ moment: PolarMoment) -> PbTime {
    var time = PbTime()
    time.hour = UInt32(moment.hour)
    time.minute = UInt32(moment.minute)
    time.seconds = UInt32(moment.second)
    return time
  }

  func localTime(_ local: Int64) -> PbLocalDateTime {
    var message = PbLocalDateTime()
    message.date = date(Int(local.floored(by: Self.dayLength)))
    message.time = time(PolarMoment(local))
    message.obsoleteTrusted = true
    message.timeZoneOffset = clock.offset ?? 0
    return message
  }

  private func systemTime(_ local: Int64) -> PbSystemDateTime {
    let utc = local - Int64(clock.offset ?? 0) * 60_000_000_000
    var message = PbSystemDateTime()
    message.date = date(Int(utc.floored(by: Self.dayLength)))
    message.time = time(PolarMoment(utc))
    message.trusted = true
    return message
  }
}
