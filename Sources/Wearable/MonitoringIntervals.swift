// Intervals of automatic measuring that a wearable accepts.

/// Seconds between two measurements that can be ordered: multiples of a step within bounds, or a list of values.
public struct MonitoringIntervals: Sendable, Hashable {
  /// Shortest and longest interval in seconds.
  public let range: ClosedRange<Int>
  /// Seconds, at least 1.
  public let step: Int
  /// The only accepted values, ascending; empty: every multiple of the step within the range.
  public let values: [Int]

  /// - Parameter step: seconds; the bounds are multiples of it.
  public init(_ range: ClosedRange<Int>, step: Int = 1) {
    (self.range, self.step, values) = (range, max(step, 1), [])
  }

  /// - Parameter values: ascending, at least one.
  public init(oneOf values: [Int]) {
    let lowest = values.first ?? 1
    (self.range, step, self.values) = (lowest...max(values.last ?? lowest, lowest), 1, values)
  }

  /// True if an interval of so many seconds is accepted.
  public func contains(_ seconds: Int) -> Bool {
    values.isEmpty ? range.contains(seconds) && seconds % step == 0 : values.contains(seconds)
  }

  /// The intervals limited to a range that one wearable reports. A range without overlap is ignored.
  public func narrowed(to said: ClosedRange<Int>?) -> MonitoringIntervals {
    guard let said, values.isEmpty, said.overlaps(range) else { return self }
    return MonitoringIntervals(said.clamped(to: range), step: step)
  }

  /// Returns why an interval is not accepted, to be read after a wearable's name.
  public func refusal(of seconds: Int) -> String { "it takes \(words) between two measurements, not \(seconds) s" }

  /// Text for display: `5 to 3600 s`, `300 to 86400 s in steps of 300 s`, `300, 600, 1200 or 1800 s`
  public var words: String {
    if let last = values.last {
      let others = values.dropLast().map { "\($0)" }.joined(separator: ", ")
      return others.isEmpty ? "\(last) s" : "\(others) or \(last) s"
    }
    return "\(range.lowerBound) to \(range.upperBound) s" + (step == 1 ? "" : " in steps of \(step) s")
  }
}
