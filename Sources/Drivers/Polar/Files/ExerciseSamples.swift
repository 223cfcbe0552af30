// Samples of an exercise, for watches, straps and armbands.

import Health
import PolarMessages
import Wearable

extension PbExerciseSamples {
  /// - Parameter start: start of the exercise, µs of the wearable's clock.
  func runs(start: Int64?) -> [any SampleRun] {
    guard let start else { return [OddRun(what: "samples of an exercise without its start")] }
    let timeline = ExerciseTimeline(start: start, pauses: pauseTimes)
    var track = SampleTrack(timeline: timeline, spacing: recordingInterval.spacing)
    track.append(.heartRate, heartRateSamples, heartRateOffline) { $0 > 0 ? Int64($0) : nil }
    track.append(.cadence, cadenceSamples, cadenceOffline) { Int64($0) }
    track.append(.altitude, altitudeSamples, altitudeOffline) { stored($0, 100) }
    track.append(.temperature, temperatureSamples, temperatureOffline) { stored($0, 1000) }
    track.append(.speed, speedSamples, speedOffline) { stored($0, 10) }
    track.append(.exerciseDistance, distanceSamples, distanceOffline) { stored($0, 10) }
    track.append(.strideLength, strideLengthSamples, strideLengthOffline) { Int64($0) }
    track.append(.leftPower, leftPedalPowerSamples, leftPedalPowerOffline) {
      $0.hasCurrentPower ? Int64($0.currentPower) : nil
    }
    track.append(.rightPower, rightPedalPowerSamples, rightPedalPowerOffline) {
      $0.hasCurrentPower ? Int64($0.currentPower) : nil
    }
    track.append(.temperature, bodyTemperature, bodyTemperatureOffline) { stored($0, 1000) }
    track.append(beats: rrSamples.rrIntervals)
    return track.runs + exerciseIntervalledSampleList.flatMap { $0.runs(timeline) }
  }
}

extension PbExerciseIntervalledSampleList {
  fileprivate func runs(_ timeline: ExerciseTimeline) -> [any SampleRun] {
    // These lists name the source of each sample; one of the sources is "offline".
    let gaps = offlineGaps(sampleSource)
    var track = SampleTrack(timeline: timeline, spacing: sampleSpacing(milliseconds: Int64(recordingIntervalMs)))
    track.append(.heartRate, heartRateSamples, gaps) { $0 > 0 ? Int64($0) : nil }
    track.append(.cadence, cadenceSamples, gaps) { Int64($0) }
    track.append(.altitude, altitudeSamples, gaps) { stored($0, 100) }
    track.append(.temperature, temperatureSamples, gaps) { stored($0, 1000) }
    track.append(.speed, speedSamples, gaps) { stored($0, 10) }
    track.append(.exerciseDistance, distanceSamples, gaps) { stored($0, 10) }
    track.append(.strideLength, strideLengthSamples, gaps) { Int64($0) }
    track.append(.leftPower, leftPedalPowerSamples, gaps) { $0.hasCurrentPower ? Int64($0.currentPower) : nil }
    track.append(.rightPower, rightPedalPowerSamples, gaps) { $0.hasCurrentPower ? Int64($0.currentPower) : nil }
    track.append(beats: rrSamples.rrIntervals)
    return track.runs
  }
}

/// The ranges of samples during which the sensor was offline.
func offlineGaps(_ sources: [PbSampleSource]) -> [PbSensorOffline] {
  sources.compactMap { source in
    guard source.sampleSourceType == .sampleSourceTypeOffline else { return nil }
    var gap = PbSensorOffline()
    gap.startIndex = source.startIndex
    gap.stopIndex = source.stopIndex
    return gap
  }
}

/// Builds runs of samples from lists with equal intervals.
struct SampleTrack {
  let timeline: ExerciseTimeline
  /// Interval between two samples, µs; nil if the file does not contain it.
  let spacing: Int64?
  private(set) var runs: [any SampleRun] = []

  init(timeline: ExerciseTimeline, spacing: Int64?) { (self.timeline, self.spacing) = (timeline, spacing) }

  mutating func append<Value>(
    _ series: Series, _ values: [Value], _ gaps: [PbSensorOffline], _ stored: @escaping (Value) -> Int64?
  ) {
    append(series, count: values.count, gaps, stored) { values }
  }

  /// - Parameter values: called when the list's turn has come; the result is released after it.
  mutating func append<Value>(
    _ series: Series, count: Int, _ gaps: [PbSensorOffline], _ stored: @escaping (Value) -> Int64?,
    _ values: @escaping () -> [Value]
  ) {
    if count == 0 { return }
    guard let spacing else { return runs.append(OddRun(what: "samples of an exercise without their interval")) }
    runs.append(
      ColumnRun(
        series: series, count: count, spacing: spacing, make: values, stored: stored, times: timeline.cursor,
        gaps: SensorGaps(gaps).cursor))
  }

  mutating func append(beats: [UInt32]) {
    if !beats.isEmpty { runs.append(BeatRun(beats: beats, times: timeline.cursor)) }
  }
}
