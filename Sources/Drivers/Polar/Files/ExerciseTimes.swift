// Times of the samples in an exercise, and the ranges in which the sensor was offline.

import PolarMessages

/// Timeline of an exercise. Samples leave pauses out, so the time of a sample is the start, the active time until it,
/// and all pauses before it.
struct ExerciseTimeline {
  /// µs since 1970 on the wearable's clock.
  let start: Int64
  /// Active time at the beginning of each pause, and its length, µs; ascending.
  private let pauses: [(begin: Int64, length: Int64)]

  /// Longest plausible pause, and latest plausible beginning, in ms. Others are ignored.
  private static let longest: Int64 = 32 * 86_400_000

  init(start: Int64, pauses: [PbPauseTime] = []) {
    self.start = start
    self.pauses = pauses.compactMap { pause in
      let (begin, length) = (pause.startTime.milliseconds, pause.duration.milliseconds)
      return begin <= Self.longest && length <= Self.longest ? (begin * 1000, length * 1000) : nil
    }.sorted { $0.begin < $1.begin }
  }

  /// Iterates over ascending times of one list.
  struct Cursor {
    fileprivate let timeline: ExerciseTimeline
    private var next = 0
    private var paused: Int64 = 0

    fileprivate init(_ timeline: ExerciseTimeline) { self.timeline = timeline }

    /// - Parameter active: µs since the start without pauses, not less than at the last call.
    mutating func time(active: Int64) -> Int64 {
      while next < timeline.pauses.count, timeline.pauses[next].begin < active {
        paused &+= timeline.pauses[next].length
        next += 1
      }
      return timeline.start &+ active &+ paused
    }
  }

  var cursor: Cursor { Cursor(self) }
}

/// Ranges of samples during which the sensor was offline, and values are only filling.
struct SensorGaps {
  /// Ascending and disjoint.
  private let ranges: [ClosedRange<UInt32>]

  init(_ gaps: [PbSensorOffline]) {
    let sorted = gaps.compactMap { $0.startIndex <= $0.stopIndex ? $0.startIndex...$0.stopIndex : nil }.sorted {
      $0.lowerBound < $1.lowerBound
    }
    ranges = sorted.reduce(into: []) { merged, range in
      if let last = merged.last, range.lowerBound <= last.upperBound {
        merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
  }

  /// Iterates over ascending indices.
  struct Cursor {
    private let ranges: [ClosedRange<UInt32>]
    private var next = 0

    fileprivate init(_ ranges: [ClosedRange<UInt32>]) { self.ranges = ranges }

    /// - Parameter index: not less than at the last call.
    mutating func has(_ index: Int) -> Bool {
      while next < ranges.count, ranges[next].upperBound < index { next += 1 }
      return next < ranges.count && ranges[next].contains(UInt32(clamping: index))
    }
  }

  var cursor: Cursor { Cursor(ranges) }
}
