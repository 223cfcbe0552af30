// Samples of an exercise as differences. Restart points give a value, and the granularity of the differences after it.

import Health
public import PolarMessages
import Wearable

extension PbExerciseIntervalledSample2List {
  /// Decodes a list of differences. A value is that of the last restart point plus all differences since, its own
  /// included, in 1/granularity of the unit. Before the first restart point, the sum starts from 0.
  ///
  /// - Parameters:
  ///   - base: the value and granularity of a restart point; nil if it has no value for this list.
  ///   - granularity: valid until a restart point gives another one.
  private func values(
    _ differences: some Collection<Int64>, granularity: UInt32,
    _ base: (PbExerciseSamplesSyncPoint) -> (Double, UInt32)?
  ) -> [Double] {
    let points = syncPoint.sorted { $0.index < $1.index }
    var next = 0
    var (value, sum, grain) = (0.0, Int64(0), Double(max(granularity, 1)))
    return differences.enumerated().map { index, difference in
      while next < points.count, points[next].index <= index {
        if let (restart, granularity) = base(points[next]) {
          (value, sum, grain) = (restart, 0, Double(max(granularity, 1)))
        }
        next += 1
      }
      sum &+= difference
      return value + Double(sum) / grain
    }
  }

  /// bpm.
  public var heartRates: [Double] {
    values(heartRateSamples.lazy.map { Int64($0) }, granularity: 1) {
      $0.hasHeartRateSample ? (Double($0.heartRateSample), 1) : nil
    }
  }
  /// Cadences per minute.
  public var cadences: [Double] {
    values(cadenceSamples.lazy.map { Int64($0) }, granularity: 1) {
      $0.hasCadenceSample ? (Double($0.cadenceSample), 1) : nil
    }
  }
  /// km/h.
  public var speeds: [Double] {
    values(speedSamples.lazy.map { Int64($0) }, granularity: 1000) {
      $0.hasSpeedSample ? (Double($0.speedSample), $0.speedSampleGranularity) : nil
    }
  }
  /// Metres from the start.
  public var distances: [Double] {
    values(distanceSamples.lazy.map { Int64($0) }, granularity: 10) {
      $0.hasDistanceSample ? (Double($0.distanceSample), $0.distanceSampleGranularity) : nil
    }
  }
}

extension PbExerciseSamples2 {
  func runs(start: Int64?) -> [any SampleRun] {
    guard let start else { return [OddRun(what: "samples of an exercise without its start")] }
    return exerciseIntervalledSample2List.flatMap { list in
      let offline = offlineGaps(list.sampleSource)
      var track = SampleTrack(
        timeline: ExerciseTimeline(start: start), spacing: sampleSpacing(milliseconds: Int64(list.recordingIntervalMs)))
      track.append(.heartRate, count: list.heartRateSamples.count, offline, { $0 > 0 ? stored($0) : nil }) {
        list.heartRates
      }
      track.append(.cadence, count: list.cadenceSamples.count, offline, { stored($0) }) { list.cadences }
      track.append(.speed, count: list.speedSamples.count, offline, { stored($0, 10) }) { list.speeds }
      track.append(.exerciseDistance, count: list.distanceSamples.count, offline, { stored($0, 10) }) {
        list.distances
      }
      return track.runs
    }
  }
}
