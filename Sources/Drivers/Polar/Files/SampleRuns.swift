// Samples of long files, generated in slices so that a file's content is not in memory twice.

import Health
import PolarMessages
package import Wearable

/// Samples that are generated on demand, in their order.
protocol SampleRun {
  /// Passes the next samples to the sink.
  ///
  /// - Parameter amount: most values to look at.
  /// - Returns: whether more follow.
  mutating func next(_ amount: Int, into sink: any ItemSink) -> Bool
}

/// Several runs in sequence.
package struct SampleRuns: SampleRun {
  private var runs: [any SampleRun]
  private var index = 0

  init(_ runs: [any SampleRun]) { self.runs = runs }

  package mutating func next(_ amount: Int, into sink: any ItemSink) -> Bool {
    if index < runs.count, !runs[index].next(amount, into: sink) {
      runs[index] = OddRun(what: nil)
      index += 1
    }
    return index < runs.count
  }
}

/// A run that only notes an anomaly.
struct OddRun: SampleRun {
  let what: StaticString?

  mutating func next(_ amount: Int, into sink: any ItemSink) -> Bool {
    if let what { sink.noteAnomaly(what) }
    return false
  }
}

/// A list of samples with equal intervals.
struct ColumnRun<Value>: SampleRun {
  let series: Series
  let count: Int
  /// µs.
  let spacing: Int64
  let make: () -> [Value]
  /// The value in the scale of the series; nil for an invalid value.
  let stored: (Value) -> Int64?
  var times: ExerciseTimeline.Cursor
  var gaps: SensorGaps.Cursor
  private var values: [Value]?
  private var index = 0

  init(
    series: Series, count: Int, spacing: Int64, make: @escaping () -> [Value], stored: @escaping (Value) -> Int64?,
    times: ExerciseTimeline.Cursor, gaps: SensorGaps.Cursor
  ) {
    (self.series, self.count, self.spacing, self.make, self.stored) = (series, count, spacing, make, stored)
    (self.times, self.gaps) = (times, gaps)
  }

  mutating func next(_ amount: Int, into sink: any ItemSink) -> Bool {
    let values = values ?? make()
    self.values = values
    let end = amount < values.count - index ? index + amount : values.count
    while index < end {
      defer { index += 1 }
      if gaps.has(index) { continue }
      let time = times.time(active: Int64(index) * spacing)
      if let value = stored(values[index]) { sink.append(series, value, at: time) }
    }
    return index < values.count
  }
}

/// Consecutive intervals between beats. Milliseconds are converted to 1/1024 s, the unit of the series, and rounded so
/// that the reverse conversion gives the same ms.
struct BeatRun: SampleRun {
  let beats: [UInt32]
  var times: ExerciseTimeline.Cursor
  private var index = 0
  private var passed: Int64 = 0

  init(beats: [UInt32], times: ExerciseTimeline.Cursor) { (self.beats, self.times) = (beats, times) }

  mutating func next(_ amount: Int, into sink: any ItemSink) -> Bool {
    let end = amount < beats.count - index ? index + amount : beats.count
    for interval in beats[index..<end] {
      // An interval of more than a minute is implausible, and would also shift all that follow.
      guard (1...60_000).contains(interval) else { continue }
      passed += Int64(interval) * 1000
      sink.append(.rrInterval, (Int64(interval) * 1024 + 500) / 1000, at: times.time(active: passed))
    }
    index = end
    return index < beats.count
  }
}
