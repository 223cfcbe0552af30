// Intervals in stretches: the input of every method.

/// Intervals in ms, in stretches without a gap. Differences and pairs exist inside a stretch only.
public struct BeatSeries: Sendable, Hashable {
  /// ms, all stretches one after the other.
  public private(set) var intervals: [Double] = []
  /// Index ranges in `intervals`, ascending, contiguous, none empty.
  public private(set) var stretches: [Range<Int>] = []

  /// Creates a series without intervals.
  public init() {}

  /// Intervals in ms, by stretch.
  public init(_ stretches: [[Double]]) {
    for stretch in stretches { append(stretch: stretch) }
  }

  /// True if there are no intervals in any stretch.
  public var isEmpty: Bool { intervals.isEmpty }
  /// Number of intervals in all stretches.
  public var count: Int { intervals.count }

  /// Adds a stretch of intervals in ms.
  public mutating func append(stretch: some Sequence<Double>) {
    beginStretch()
    for interval in stretch { append(interval) }
  }

  /// Starts a stretch: the next interval does not follow the last one.
  public mutating func beginStretch() {
    if let last = stretches.last, last.isEmpty { return }
    stretches.append(intervals.count..<intervals.count)
  }

  /// - Parameter interval: ms; a value that is not finite is left out, and divides the stretch.
  public mutating func append(_ interval: Double) {
    guard interval.isFinite else { return beginStretch() }
    if stretches.isEmpty { beginStretch() }
    intervals.append(interval)
    let last = stretches.count - 1
    stretches[last] = stretches[last].lowerBound..<intervals.count
  }

  /// Removes all intervals; keeps the buffers.
  public mutating func removeAll() {
    intervals.removeAll(keepingCapacity: true)
    stretches.removeAll(keepingCapacity: true)
  }

  /// Sum of all intervals in s, without the gaps between stretches.
  public var duration: Double { duration(0..<intervals.count) }

  /// Sum of the intervals of an index range, s.
  public func duration(_ range: Range<Int>) -> Double {
    var sum = 0.0
    for interval in intervals[range] { sum += interval }
    return sum / 1000
  }

  /// The stretch with the longest duration, the first of equals.
  public var longest: Range<Int>? {
    var found: Range<Int>?
    var longest = -1.0
    for range in stretches where !range.isEmpty {
      let length = duration(range)
      if length > longest { (found, longest) = (range, length) }
    }
    return found
  }
}
