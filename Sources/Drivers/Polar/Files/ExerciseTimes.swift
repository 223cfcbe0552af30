// When the samples of an exercise were measured, and which of them were not.

import PolarMessages

/// Samples leave pauses out: the time of one is the exercise's start, the active time until it, and the pauses before.
struct ExerciseTimeline {
  /// Microseconds since 1970 of the wearable's clock.
  let start: Int64
  /// Active time at which each pause begins, and how long it lasts, µs; ascending.
  private let pauses: [(begin: Int64, length: Int64)]

  /// Pauses of one exercise that are believed, each within `longest`: beyond that, times are no times.
  private static let longest: Int64 = 32 * 86_400_000

  init(start: Int64, pauses: [PbPauseTime] = []) {
    self.start = start
    self.pauses = pauses.compactMap { pause in
      let (begin, length) = (pause.startTime.milliseconds, pause.duration.milliseconds)
      return begin <= Self.longest && length <= Self.longest ? (begin * 1000, length * 1000) : nil
    }.sorted { $0.begin < $1.begin }
  }

  /// Goes through ascending times of one list.
  struct Cursor {
    fileprivate let timeline: ExerciseTimeline
    private var next = 0
    private var paused: Int64 = 0

    fileprivate init(_ timeline: ExerciseTimeline) { self.timeline = timeline }

    /// - Parameter active: microseconds since the start without pauses, not less than at the last call.
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

/// Samples during which the sensor was not heard: what stands there is filling.
struct SensorGaps {
  /// Ascending, apart from each other.
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

  /// Goes through ascending indices.
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
