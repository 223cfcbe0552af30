// How far apart the values of a series usually are.

/// Distances between values that follow each other, in classes of which four make a doubling: 256 numbers, however
/// many values come.
public struct Rhythm: Sendable, Equatable {
  private var counts = [Double](repeating: 0, count: 256)
  private var times = [Double](repeating: 0, count: 256)

  public init() {}

  /// - Parameters:
  ///   - distance: microseconds from one value to the next; what is not above 0 says nothing.
  ///   - count: how many such there were.
  public mutating func add(_ distance: Int64, count: Int = 1) {
    guard distance > 0, count > 0 else { return }
    let power = 63 - distance.leadingZeroBitCount
    let quarter = Int(power >= 2 ? distance >> Int64(power - 2) & 3 : distance << Int64(2 - power) & 3)
    let place = power * 4 + quarter
    counts[place] += Double(count)
    times[place] += Double(distance) * Double(count)
  }

  public mutating func add(_ other: Rhythm) {
    for place in counts.indices {
      counts[place] += other.counts[place]
      times[place] += other.times[place]
    }
  }

  /// The usual distance, microseconds: half of the time lies in distances up to it. Time counts and not how many there
  /// are: where a wearable measures every five minutes, and every second in a training, it is five minutes. nil where
  /// no two values followed each other.
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
