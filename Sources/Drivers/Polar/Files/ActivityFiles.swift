// A day's activity files: steps, metabolic equivalents, classes of activity, and the summary of the day.

import Health
public import PolarMessages
import Wearable

extension PbActivitySamples {
  /// Steps of the file.
  public var stepCount: Int64 { stepsSamples.reduce(0) { $0 + Int64($1) } }

  /// End of the last sample, µs; nil without a start.
  private var end: Int64? {
    guard let start = startTime.moment?.microseconds else { return nil }
    let steps = Int64(stepsSamples.count) * (stepsRecordingInterval.spacing ?? 0)
    let equivalents = Int64(metSamples.count) * (metRecordingInterval.spacing ?? 0)
    return start + max(steps, equivalents)
  }

  func append(to sink: any ItemSink) {
    guard let start = startTime.moment?.microseconds, let end else {
      return sink.noteAnomaly("activity samples without a start")
    }
    appendIntervals(.steps, stepsSamples.map { Int64($0) }, stepsRecordingInterval, start, sink)
    appendIntervals(.metabolicEquivalent, metSamples.map { stored($0, 100) }, metRecordingInterval, start, sink)
    for (index, info) in activityInfo.enumerated() {
      guard info.hasValue, let begin = info.timeStamp.moment?.microseconds else { continue }
      // A class lasts until the next one; the last class lasts until the end of the samples.
      let next = index + 1 < activityInfo.count ? activityInfo[index + 1].timeStamp.moment?.microseconds : end
      guard let next, next > begin else { continue }
      sink.append(
        .activeTime, [next - begin, Int64(info.value.rawValue)], bytes: [], at: begin, kind: .normal, isManual: false)
    }
  }

  private func appendIntervals(
    _ series: Series, _ values: [Int64?], _ interval: PbDuration, _ start: Int64, _ sink: any ItemSink
  ) {
    if values.isEmpty { return }
    guard let length = interval.spacing else { return sink.noteAnomaly("activity samples without their interval") }
    for (index, value) in values.enumerated() {
      guard let value else { continue }
      sink.append(
        series, [length, value], bytes: [], at: start + Int64(index) * length, kind: .normal, isManual: false)
    }
  }
}

extension PbDailySummary {
  /// Energy and distance of the whole day. Steps and times by class come from the activity samples instead: those have
  /// their hours, and steps would be counted twice.
  func append(to sink: any ItemSink) {
    guard let midnight = date.civil?.midnight else { return sink.noteAnomaly("daily summary without its day") }
    func append(_ series: Series, _ value: Int64?) {
      guard let value else { return }
      sink.append(series, [86_400_000_000, value], bytes: [], at: midnight, kind: .normal, isManual: false)
    }
    if hasActivityCalories { append(.calories, Int64(activityCalories) * 10) }
    if hasTrainingCalories { append(.trainingCalories, Int64(trainingCalories) * 10) }
    if hasBmrCalories { append(.basalCalories, Int64(bmrCalories) * 10) }
    if hasActivityDistance { append(.distance, stored(activityDistance, 10)) }
  }
}
