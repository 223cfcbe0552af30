// Usual distance between values of a series.

/// Histogram of distances between consecutive values, with four classes per doubling: 256 numbers, whatever the number
/// of values.
public struct Rhythm: Sendable, Equatable {
  private var counts = [Double](repeating: 0, count: 256)
  private var times = [Double](repeating: 0, count: 256)

  /// Creates a rhythm without distances.
  public init() {}

  /// - Parameters:
  ///   - distance: microseconds from one value to the next; ignored if not above 0.
  ///   - count: number of such distances.
  public mutating func add(_ distance: Int64, count: Int = 1) {
    guard distance > 0, count > 0 else { return }
    let power = 63 - distance.leadingZeroBitCount
    let quarter = Int(power >= 2 ? distance >> Int64(power - 2) & 3 : distance << Int64(2 - power) & 3)
    let place = power * 4 + quarter
    counts[place] += Double(count)
    times[place] += Double(distance) * Double(count)
  }

  /// Adds all distances of another histogram.
  public mutating func add(_ other: Rhythm) {
    for place in counts.indices {
      counts[place] += other.counts[place]
      times[place] += other.times[place]
    }
  }

  /// Usual distance, microseconds: half of the total time consists of distances up to it. Distances are weighted by
  /// their time. A wearable that measures every five minutes, and every second in a training, thus has five minutes.
  /// nil without two consecutive values.
  public var period: Int64? {
    let half = times.reduce(0, +) / 2
    var passed = 0.0
    for place in times.indices where counts[place] > 0 {
      passed += times[place]
      if passed >= half { return Int64(exactly: (times[place] / counts[place]).rounded(.down)) ?? .max }
    }
    return nil
  }
}
