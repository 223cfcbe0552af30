// Variability in the time domain and in the Poincaré plot (method TD-1). Several stretches are pooled for means and
// deviations; differences and pairs never cross from one stretch to the next.

/// Statistics of intervals and of their differences, each nil if there are too few.
public struct TimeDomain: Sendable, Hashable {
  /// Number of intervals.
  public private(set) var count = 0
  /// Mean interval in ms.
  public private(set) var mean: Double?
  /// Median in ms.
  public private(set) var median: Double?
  /// Shortest interval in ms.
  public private(set) var minimum: Double?
  /// Longest interval in ms.
  public private(set) var maximum: Double?
  /// ms, with n − 1.
  public private(set) var sdnn: Double?
  /// Root of the mean square of successive differences, ms.
  public private(set) var rmssd: Double?
  /// ms, standard deviation of the differences, with n − 1.
  public private(set) var sdsd: Double?
  /// Number of differences above 50 ms.
  public private(set) var nn50: Int?
  /// % of the number of intervals, not of the differences.
  public private(set) var pnn50: Double?
  /// ms, across the line of identity of the Poincaré plot: of (rₙ − rₙ₊₁)/√2.
  public private(set) var sd1: Double?
  /// ms, along it: of (rₙ + rₙ₊₁)/√2, and not derived from SDNN.
  public private(set) var sd2: Double?

  /// ms; a difference counts for NN50 if it is strictly larger (Task Force 1996).
  static let largeDifference = 50.0

  /// Statistics of these intervals.
  public init(_ series: BeatSeries) {
    let intervals = series.intervals
    count = intervals.count
    guard let first = intervals.first else { return }
    var (sum, least, most) = (0.0, first, first)
    for interval in intervals {
      sum += interval
      least = Swift.min(least, interval)
      most = Swift.max(most, interval)
    }
    let mean = sum / Double(count)
    (self.mean, minimum, maximum) = (mean, least, most)
    median = Self.median(of: intervals)
    var deviation = Deviation(around: mean)
    for interval in intervals { deviation.add(interval) }
    sdnn = deviation.value
    pair(series)
  }

  private mutating func pair(_ series: BeatSeries) {
    let intervals = series.intervals
    var (pairs, large) = (0, 0)
    var (sum, squares, sumOfSums) = (0.0, 0.0, 0.0)
    Self.eachPair(series) { left, right in
      let difference = right - left
      pairs += 1
      sum += difference
      squares += difference * difference
      sumOfSums += left + right
      if difference.magnitude > Self.largeDifference { large += 1 }
    }
    guard pairs > 0 else { return }
    rmssd = (squares / Double(pairs)).squareRoot()
    nn50 = large
    pnn50 = 100 * Double(large) / Double(intervals.count)
    var (across, along) = (Deviation(around: sum / Double(pairs)), Deviation(around: sumOfSums / Double(pairs)))
    Self.eachPair(series) { left, right in
      across.add(right - left)
      along.add(left + right)
    }
    sdsd = across.value
    sd1 = across.value.map { $0 / 2.0.squareRoot() }
    sd2 = along.value.map { $0 / 2.0.squareRoot() }
  }

  private static func eachPair(_ series: BeatSeries, _ body: (Double, Double) -> Void) {
    for range in series.stretches where range.count > 1 {
      for index in range.dropFirst() { body(series.intervals[index - 1], series.intervals[index]) }
    }
  }

  /// The middle value, or the mean of the two in the middle.
  static func median(of values: [Double]) -> Double? {
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }

  /// Sample deviation in a second pass around the known mean: avoids the small difference of large sums.
  private struct Deviation {
    let mean: Double
    private var count = 0
    private var squares = 0.0

    init(around mean: Double) { self.mean = mean }

    mutating func add(_ value: Double) {
      count += 1
      squares += (value - mean) * (value - mean)
    }

    var value: Double? { count > 1 ? (squares / Double(count - 1)).squareRoot() : nil }
  }
}
