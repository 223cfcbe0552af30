// Baevsky's stress index (method BI-1): how strongly the heart stays at one interval. The index grows as the window
// shrinks, so only windows of equal length are comparable.

internal import Glibc

/// Values of the histogram, and the index.
public struct StressIndex: Sendable, Hashable {
  /// s, Mo: the median interval.
  public var mode: Double
  /// %, AMo: share of the fullest bin.
  public var modeAmplitude: Double
  /// s, MxDMn: from the shortest to the longest interval.
  public var range: Double
  /// 1/s²; nil if all intervals are the same.
  public var value: Double?
  /// Square root of the index; nil: no index.
  public var squareRoot: Double? { value.map { $0.squareRoot() } }

  /// ms, width of the bins, which are aligned to its multiples: Baevsky's histogram.
  static let bin = 50.0
  /// Plausible values, 1/s².
  public static let plausible = 0.0...2000.0

  /// Nil for less than two intervals.
  public init?(_ series: BeatSeries) {
    guard series.count > 1, let median = TimeDomain.median(of: series.intervals) else { return nil }
    let sorted = series.intervals.sorted()
    guard let shortest = sorted.first, let longest = sorted.last, median > 0 else { return nil }
    var (fullest, count, current) = (0, 0, -Double.infinity)
    for interval in sorted {
      let bin = floor(interval / Self.bin)
      count = bin == current ? count + 1 : 1
      current = bin
      fullest = Swift.max(fullest, count)
    }
    mode = median / 1000
    modeAmplitude = 100 * Double(fullest) / Double(sorted.count)
    range = (longest - shortest) / 1000
    value = range > 0 ? modeAmplitude / (2 * mode * range) : nil
  }

  /// Level of the index; limits of √SI are 7.1, 12.2, 22.4 and 30 (as in Kubios).
  public enum Level: UInt8, Sendable, Hashable, CaseIterable {
    case low
    case normal
    case mild
    case high
    case veryHigh

    /// `low`, `normal`, `mild`, `high`, `very_high`
    public var name: String {
      switch self {
      case .low: "low"
      case .normal: "normal"
      case .mild: "mild"
      case .high: "high"
      case .veryHigh: "very_high"
      }
    }

    /// - Parameter index: 1/s²; nil if it is NaN or negative.
    public init?(_ index: Double) {
      switch index {
      case 0..<50: self = .low
      case 50..<150: self = .normal
      case 150..<500: self = .mild
      case 500..<900: self = .high
      case 900...: self = .veryHigh
      default: return nil
      }
    }
  }
}
