// Histogram of the durations of a loop's turns: quantiles of all of them for 1.6 KB and no allocation.

/// Durations in logarithmic buckets: eight for every doubling, from 1 µs to 67 s. Longer ones count as the longest.
public struct TurnHistogram: Sendable {
  /// Number of counted durations.
  public private(set) var count: UInt64 = 0
  private var buckets = [UInt64](repeating: 0, count: Self.size)

  private static let size = 8 * 24

  /// An empty histogram.
  public init() {}

  /// Counts one turn.
  public mutating func add(_ duration: Duration) {
    count += 1
    buckets[Self.index(UInt64(max(0, duration.wholeNanoseconds)) / 1000)] += 1
  }

  /// Duration that this share (0 to 1) of all durations does not exceed; at most an eighth too large. Zero without
  /// durations.
  public func quantile(_ share: Double) -> Duration {
    let wanted = max(1, UInt64((Double(count) * min(max(share, 0), 1)).rounded(.up)))
    var seen: UInt64 = 0
    for (index, number) in buckets.enumerated() {
      seen += number
      if seen >= wanted { return .microseconds(Int64(Self.end(index))) }
    }
    return .zero
  }

  /// Returns the bucket of a time. Below 8 µs each value has its own bucket. Above, the three bits after the leading
  /// one select one of the eight buckets of a doubling.
  private static func index(_ microseconds: UInt64) -> Int {
    if microseconds < 8 { return Int(microseconds) }
    let doubling = 63 - microseconds.leadingZeroBitCount
    return min((doubling - 2) * 8 + Int(microseconds >> UInt64(doubling - 3) & 7), size - 1)
  }

  /// First microsecond after a bucket.
  private static func end(_ index: Int) -> UInt64 {
    if index < 8 { return UInt64(index) + 1 }
    return UInt64(index % 8 + 9) << UInt64(index / 8 - 1)
  }
}
