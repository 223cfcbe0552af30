import Bluetooth
import Health
import PolarMessages
import Testing
import Wearable

@testable import DriverTestSupport
@testable import PolarFamily

@Suite("Samples of Polar's files")
struct FileSampleTests {
  /// 2026-04-08T00:00:00 of the wearable's clock.
  private let midnight: Int64 = 1_775_606_400_000_000
  private let second: Int64 = 1_000_000

  private func decode(_ path: String, _ bytes: [UInt8], exerciseStart: Int64? = nil) throws -> CollectingItems {
    let file = try #require(PolarFile(path: path))
    let sink = CollectingItems()
    try bytes.withUnsafeBytes {
      try FileContents(file, $0).append(of: file, $0, exerciseStart: exerciseStart, to: sink)
    }
    for item in sink.items {
      #expect(item.values.count == item.series.layout.valueCount, "\(item.series.name)")
      #expect(file.kind.series.contains(item.series), "\(file.kind) announces no \(item.series.name)")
    }
    return sink
  }

  private func date(_ day: UInt32 = 8) -> PbDate {
    var date = PbDate()
    (date.year, date.month, date.day) = (2026, 4, day)
    return date
  }

  private func time(_ hour: UInt32, _ minute: UInt32 = 0, _ seconds: UInt32 = 0) -> PbTime {
    var time = PbTime()
    (time.hour, time.minute, time.seconds) = (hour, minute, seconds)
    return time
  }

  private func moment(_ hour: UInt32, day: UInt32 = 8, zone: Int32? = nil) -> PbLocalDateTime {
    var moment = PbLocalDateTime()
    (moment.date, moment.time) = (date(day), time(hour))
    if let zone { moment.timeZoneOffset = zone }
    return moment
  }

  @Test("of activity: steps and equivalents are intervals, a class lasts until the next")
  func activity() throws {
    var file = PbActivitySamples()
    file.startTime = moment(8)
    file.stepsRecordingInterval.minutes = 1
    file.metRecordingInterval.seconds = 30
    file.stepsSamples = [3, 0, 7]
    file.metSamples = [1.5, .nan]
    var sitting = PbActivityInfo()
    sitting.value = .sedentary
    sitting.timeStamp = moment(8)
    var light = PbActivityInfo()
    light.value = .light
    light.timeStamp = moment(8)
    light.timeStamp.time.minute = 2
    file.activityInfo = [sitting, light]
    let sink = try decode("/U/0/20260408/ACT/ASAMPL0.BPB", file.partial())
    let eight = midnight + 8 * 3600 * second
    func of(_ series: Series) -> [[Int64]] {
      sink.items.filter { $0.series == series }.map { [$0.time - eight] + $0.values }
    }
    #expect(of(.steps) == [[0, 60 * second, 3], [60 * second, 60 * second, 0], [120 * second, 60 * second, 7]])
    #expect(of(.metabolicEquivalent) == [[0, 30 * second, 150]])
    #expect(of(.activeTime) == [[0, 120 * second, 2], [120 * second, 60 * second, 3]])
  }

  @Test("of activity: no sample has an invalid time or an invalid interval")
  func activityWithoutTimes() throws {
    var file = PbActivitySamples()
    file.stepsSamples = [3]
    #expect(
      try decode("/U/0/20260408/ACT/ASAMPL0.BPB", file.partial()).anomalies == ["activity samples without a start"])
    file.startTime = moment(8)
    for hours in [0, UInt32.max] {
      file.stepsRecordingInterval.hours = hours
      let sink = try decode("/U/0/20260408/ACT/ASAMPL0.BPB", file.partial())
      #expect(sink.items.isEmpty && sink.anomalies == ["activity samples without their interval"])
    }
    file.startTime.date.month = 13
    #expect(
      try decode("/U/0/20260408/ACT/ASAMPL0.BPB", file.partial()).anomalies == ["activity samples without a start"])
  }

  @Test("of a daily summary: energy and distance of the day, not the steps that the activity samples have")
  func summary() throws {
    var file = PbDailySummary()
    file.date = date()
    (file.steps, file.activityCalories, file.trainingCalories, file.bmrCalories, file.activityDistance) = (
      9000, 100, 500, 2000, 1234.56
    )
    let sink = try decode("/U/0/20260408/DSUM/DSUM.BPB", file.partial())
    #expect(sink.items.map(\.series) == [.calories, .trainingCalories, .basalCalories, .distance])
    #expect(sink.items.map(\.values) == [1000, 5000, 20_000, 12_346].map { [86_400 * second, $0] })
    #expect(sink.items.allSatisfy { $0.time == midnight })
  }

  @Test("around the clock: every second at high activity, every five minutes else; intervals follow each other")
  func automatic() throws {
    var file = PbAutomaticSampleSessions()
    file.day = date()
    var high = PbAutomaticHeartRateSamples()
    (high.triggerType, high.time, high.heartRate) = (.triggerTypeHighActivity, time(1), [120, 0, 122])
    var low = PbAutomaticHeartRateSamples()
    (low.triggerType, low.time, low.heartRate) = (.triggerTypeLowActivity, time(2), [60, 61])
    file.samples = [high, low]
    var beats = PbPpIntervalAutoSamples()
    beats.recordingTime = time(3)
    beats.ppi.ppiDelta = [1000, -100, 70_000, -70_000]
    beats.ppi.ppiErrorEstimateDelta = [10, 1, 0, 0]
    beats.ppi.status = [1, 2, 4, 1]
    file.ppiSamples = [beats]
    let sink = try decode("/U/0/AUTOS/AUTOS007.BPB", file.partial())
    let hour = 3600 * second
    #expect(
      sink.items.map { $0.time - midnight } == [
        hour, hour + 2 * second, 2 * hour, 2 * hour + 300 * second, 3 * hour, 3 * hour + second, 3 * hour + 1_900_000,
      ])
    // An interval of more than a minute is invalid.
    #expect(sink.items.filter { $0.series == .ppi }.map(\.values) == [[1000, 10, 1], [900, 11, 2], [900, 11, 1]])
  }

  @Test("of sleep: stages have lengths, also over a change of the zone")
  func sleep() throws {
    var file = PbSleepAnalysisResult()
    file.sleepStartTime = moment(23, day: 8, zone: 60)
    // An hour was skipped: seven hours on the clock are six.
    file.sleepEndTime = moment(6, day: 9, zone: 120)
    file.sleepwakePhases = [
      (UInt32(0), PbSleepWakeState.pbNonrem12), (3600, .pbNonrem3), (3600, .pbWake), (7200, .pbRem),
    ].map {
      var phase = PbSleepWakePhase()
      (phase.secondsFromSleepStart, phase.sleepwakeState) = ($0.0, $0.1)
      return phase
    }
    let stages = try decode("/U/0/20260409/SLEEP/SLEEPRES.BPB", file.partial()).items.filter {
      $0.series == .sleepStage
    }
    #expect(stages.map(\.values) == [[3600 * second, 3], [3600 * second, 1], [4 * 3600 * second, 2]])
    #expect(stages.map { $0.time - midnight } == [23, 24, 25].map { $0 * 3600 * second })
    // The night as a whole, at its end: six hours, one awake, four of REM, one light. Then the sleep goal, and the
    // sleeper's own rating.
    func whole() throws -> [(series: Series, values: [Int64], time: Int64)] {
      try decode("/U/0/20260409/SLEEP/SLEEPRES.BPB", file.partial()).items.filter { $0.series == .sleep }
    }
    #expect(
      try whole().map(\.values) == [[6, 1, 4, 1, 0, 0].map { $0 * 3600 } + [0, 0]]
        && whole().first?.time == midnight + 30 * 3600 * second)
    (file.sleepGoalMinutes, file.userSleepRating) = (480, .pbSleptPoorly)
    #expect(try whole().first?.values.suffix(2) == [28_800, 1])
    file.userSleepRating = .pbSleptUndefined
    #expect(try whole().first?.values.last == 0)
    // A night of three days is invalid.
    file.sleepEndTime = moment(6, day: 12)
    #expect(try whole().isEmpty)
  }

  @Test("of a training: pauses move what comes after them, and what no sensor measured is left out")
  func exercise() throws {
    var file = PbExerciseSamples()
    file.recordingInterval.seconds = 1
    file.heartRateSamples = [100, 101, 102, 103, 104]
    var gap = PbSensorOffline()
    (gap.startIndex, gap.stopIndex) = (1, 1)
    file.heartRateOffline = [gap]
    var pause = PbPauseTime()
    pause.startTime.seconds = 2
    pause.duration.minutes = 1
    file.pauseTimes = [pause]
    let start = midnight + 5 * second
    let sink = try decode("/U/0/20260408/E/101200/00/SAMPLES.BPB", file.partial(), exerciseStart: start)
    #expect(sink.items.map { ($0.time - start) / second } == [0, 2, 63, 64])
    #expect(sink.items.map(\.values) == [[100], [102], [103], [104]])
    // Without the start of the exercise, the folder's time counts.
    #expect(
      try decode("/U/0/20260408/E/101200/00/SAMPLES.BPB", file.partial()).items.first?.time == midnight + 36_720
        * second)
  }

  @Test("of a strap's exercise: intervals between beats, left out without the time at which it began")
  func strap() throws {
    var file = PbExerciseSamples()
    file.rrSamples.rrIntervals = [1000, 500, 923]
    let sink = try decode("/morning/SAMPLES.BPB", file.partial(), exerciseStart: midnight)
    #expect(sink.items.map { $0.time - midnight } == [1_000_000, 1_500_000, 2_423_000])
    #expect(
      sink.items.map { ($0.values[0] * 1000 + 512) / 1024 } == [1000, 500, 923], "rounding back gives the milliseconds")
    let lost = try decode("/morning/SAMPLES.BPB", file.partial())
    #expect(lost.items.isEmpty && lost.anomalies == ["samples of an exercise without its start"])
  }

  @Test("as differences: from each restart point on, in its grain")
  func differences() {
    var list = PbExerciseIntervalledSample2List()
    var first = PbExerciseSamplesSyncPoint()
    (first.index, first.speedSample, first.heartRateSample) = (0, 10, 60)
    var second = PbExerciseSamplesSyncPoint()
    (second.index, second.speedSample, second.speedSampleGranularity) = (2, 20, 10)
    list.syncPoint = [second, first]
    list.speedSamples = [0, 500, 0, 5]
    list.heartRateSamples = [0, 2, -1, 1]
    #expect(list.speeds == [10, 10.5, 20, 20.5])
    #expect(list.heartRates == [60, 62, 61, 62], "a restart point that says nothing about a list leaves it alone")
    list.syncPoint = []
    list.heartRateSamples = [.max, .max]
    #expect(list.heartRates == [2_147_483_647, 4_294_967_294])
    second.speedSampleGranularity = 0
    list.syncPoint = [second]
    let areFinite = list.speeds.allSatisfy { $0.isFinite }
    #expect(areFinite)
  }

  @Test("of a route: positions from restart points, times from its first point")
  func route() throws {
    var file = PbExerciseRouteSamples2()
    var point = PbExerciseRouteSyncPoint()
    (point.location.latitude, point.location.longitude, point.altitude) = (60, 25, 1000)
    file.syncPoint = [point]
    (file.latitude, file.longitude, file.altitude, file.timestamp) = (
      [0, 10, .max], [0, -20, 0], [0, 2, 0], [0, 1, 1]
    )
    #expect(file.points.prefix(2).map(\.time) == [0, 1_000_000])
    let sink = try decode("/U/0/20260408/E/101200/00/ROUTE2.BPB", file.partial())
    #expect(sink.items.map(\.values) == [[600_000_000, 250_000_000, 10, 0], [600_000_010, 249_999_980, 12, 0]])
    #expect(sink.anomalies == ["an invalid position"])
  }

  @Test("of skin and blood: the folder says when")
  func measurements() throws {
    var period = TemperatureMeasurementPeriod()
    period.measurementType = .tmSkinTemperature
    period.temperatureMeasurementSamples = [(UInt64(1000), Float(33.25)), (.max, 33)].map {
      var sample = TemperatureMeasurementSample()
      (sample.recordingTimeDeltaMilliseconds, sample.temperatureCelsius) = ($0.0, $0.1)
      return sample
    }
    let skin = try decode("/U/0/20260408/SKINTEMP/TEMPCONT.BPB", period.partial())
    #expect(
      skin.items.map(\.values) == [[33_250]] && skin.items[0].time == midnight + second && skin.anomalies.count == 1)
    var test = PbSpo2TestResult()
    (test.bloodOxygenPercent, test.averageHeartRateBpm, test.testStatus) = (
      97, 63, .spo2TestInconclusiveTooLowOverallQuality
    )
    #expect(
      try decode("/U/0/20260408/SPO2TEST/083906/SPO2TRES.BPB", test.partial()).items.map(\.series) == [.heartRate],
      "a test that was not passed")
    test.testStatus = .spo2TestPassed
    #expect(try decode("/U/0/20260408/SPO2TEST/083906/SPO2TRES.BPB", test.partial()).items.first?.values == [97])
    (test.testTime, test.timeZoneOffset) = (1_775_606_400_000, 120)
    #expect(
      try decode("/U/0/20260408/SPO2TEST/x/SPO2TRES.BPB", test.partial()).items.first?.time == midnight + 7200 * second)
    test.testTime = .max
    #expect(try decode("/U/0/20260408/SPO2TEST/x/SPO2TRES.BPB", test.partial()).items.isEmpty)
  }

  @Test("of a night: its record whole, and its numbers at rest")
  func night() throws {
    var file = PbNightlyRecoveryStatus()
    file.sleepResultDate = date(9)
    (file.meanNightlyRecoveryRmssd, file.meanNightlyRecoveryRespirationInterval) = (45, 4000)
    let sink = try decode("/U/0/20260409/NR/NR.BPB", file.partial())
    #expect(sink.items.map(\.series) == [.nightlyRecharge, .recharge, .heartRateVariability, .respirationRate])
    #expect(
      sink.items.map(\.values) == [[1], [0, 0, 0, 0, 45, 4000, 0, 0, 0], [450], [15]]
        && sink.items.allSatisfy { $0.time == midnight + 86_400 * second })
    (file.recoveryIndicator, file.recoveryIndicatorSubLevel, file.ansRate, file.ansStatus, file.meanBaselineRri) = (
      4, 70, 3, -1.5, 1000
    )
    let whole = try decode("/U/0/20260409/NR/NR.BPB", file.partial())
    #expect(whole.items.first { $0.series == .recharge }?.values == [4, 70, 3, 0, 45, 4000, 1000, 0, 0])
    #expect(whole.items.first { $0.series == .ansStatus }?.values == [-15])
  }

  @Test(
    """
    of a training: its record whole, and in numbers, the whole of it and each exercise; times and energies beyond \
    all measure do no harm
    """
  )
  func training() throws {
    var session = PbTrainingSession()
    session.start = moment(17)
    session.end = moment(18)
    (session.distance, session.calories, session.heartRate.average, session.heartRate.maximum) = (8200.4, 612, 142, 171)
    func whole() throws -> CollectingItems { try decode("/U/0/20260408/E/170000/TSESS.BPB", session.partial()) }
    #expect(
      try whole().items.map(\.series) == [.exercise, .training]
        && whole().items.allSatisfy { $0.time == midnight + 17 * 3600 * second })
    #expect(try whole().items.last?.values == [0, 0, 3600, 8200, 612, 142, 171] && whole().manual == [false, false])
    (session.duration.minutes, session.sport.value, session.startTrigger) = (45, 2, .manual)
    #expect(try whole().items.last?.values == [0, 2, 2700, 8200, 612, 142, 171] && whole().manual == [false, true])
    var base = PbExerciseBase()
    base.start = moment(17)
    (base.duration.hours, base.duration.minutes, base.sport.value, base.distance, base.calories) = (
      .max, .max, .max, .infinity, .max
    )
    let part = try decode("/U/0/20260408/E/170000/01/BASE.BPB", base.partial()).items
    #expect(part.map(\.series) == [.exercise, .training])
    #expect(part.last?.values == [2, .max, Int64(UInt32.max) * 3660, 0, Int64(UInt32.max), 0, 0])
  }
}
