// Samples of an exercise, of watches as of straps and armbands.

import Health
import PolarMessages
import Wearable

extension PbExerciseSamples {
  /// - Parameter start: of the exercise, µs of the wearable's clock.
  func append(start: Int64?, to sink: any ItemSink) {
    guard let start else { return sink.noteAnomaly("samples of an exercise without its start") }
    let timeline = ExerciseTimeline(start: start, pauses: pauseTimes)
    let track = SampleTrack(timeline: timeline, spacing: recordingInterval.spacing, sink: sink)
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
    for list in exerciseIntervalledSampleList { list.append(timeline, to: sink) }
  }
}

extension PbExerciseIntervalledSampleList {
  fileprivate func append(_ timeline: ExerciseTimeline, to sink: any ItemSink) {
    // These lists say where samples came from; "offline" is one of the sources.
    let gaps = offlineGaps(sampleSource)
    let track = SampleTrack(
      timeline: timeline, spacing: sampleSpacing(milliseconds: Int64(recordingIntervalMs)), sink: sink)
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
  }
}

/// The ranges of samples that came from no sensor.
func offlineGaps(_ sources: [PbSampleSource]) -> [PbSensorOffline] {
  sources.compactMap { source in
    guard source.sampleSourceType == .sampleSourceTypeOffline else { return nil }
    var gap = PbSensorOffline()
    gap.startIndex = source.startIndex
    gap.stopIndex = source.stopIndex
    return gap
  }
}

/// Puts lists of equidistant samples into a sink, each at its time.
struct SampleTrack {
  let timeline: ExerciseTimeline
  /// Between two samples, µs; nil where the file does not say.
  let spacing: Int64?
  let sink: any ItemSink

  func append<Value>(_ series: Series, _ values: [Value], _ gaps: [PbSensorOffline], _ stored: (Value) -> Int64?) {
    if values.isEmpty { return }
    guard let spacing else { return sink.noteAnomaly("samples of an exercise without their interval") }
    var times = timeline.cursor
    SensorGaps(gaps).forEachMeasured(below: values.count) { index in
      let time = times.time(active: Int64(index) * spacing)
      if let value = stored(values[index]) { sink.append(series, value, at: time) }
    }
  }

  /// Intervals between beats follow each other from the start on. They come in ms and are kept in 1/1024 s as all of
  /// their series: rounded, so that rounding back gives the ms.
  func append(beats: [UInt32]) {
    var times = timeline.cursor
    var passed: Int64 = 0
    // No heart pauses for longer than a minute; what is beyond would also shift all that follow.
    for interval in beats where (1...60_000).contains(interval) {
      passed += Int64(interval) * 1000
      sink.append(.rrInterval, (Int64(interval) * 1024 + 500) / 1000, at: times.time(active: passed))
    }
  }
}
