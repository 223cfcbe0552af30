// The time of each sample in a frame.

public import Wearable

extension PMD {
  /// Times of evenly spaced samples, in ns since 2000-01-01 on the wearable's clock.
  ///
  /// A frame only has the time of its last sample. The samples are spread evenly after the last sample of the previous
  /// frame. In a first frame they are spaced by the sample rate. All computation is in 64-bit floating point, with a
  /// resolution of 128 ns at today's times.
  public struct SampleTimes: Sendable, Hashable {
    /// Number of samples.
    public let count: Int
    /// Time of the last sample, ns since 2000.
    public let last: UInt64
    /// Interval between samples, ns. At least 0.
    public let step: Double
    private let start: Double

    /// - Parameters:
    ///   - previous: time of the previous frame, 0 without one. If it is later than `last`, the clock was set
    ///     back, and the rate decides.
    ///   - rate: Hz, 0 if unknown.
    /// - Throws: `outOfRange` without samples, with neither a previous frame nor a rate, for a repeated frame (of the
    ///   same time), and for samples before 2000.
    public init(previous: UInt64, last: UInt64, count: Int, rate: Double) throws(DecodeError) {
      guard count > 0 else { throw .outOfRange }
      let samples = Double(count)
      let follows = previous != 0 && previous < last
      if follows {
        step = Double(last - previous) / samples
      } else {
        guard rate > 0, rate.isFinite, previous == 0 || previous > last else { throw .outOfRange }
        step = 1 / rate * 1000 * 1000 * 1000
      }
      guard Double(last) >= step * samples else { throw .outOfRange }
      start = follows ? Double(previous) + step : Double(last) - step * (samples - 1)
      guard start > 0 else { throw .outOfRange }
      self.last = last
      self.count = count
    }

    /// Time of a sample, 0 to `count` - 1. Halves are rounded to even.
    public func time(_ index: Int) -> UInt64 {
      if index >= count - 1 { return last }
      return UInt64(saturating: (start + step * Double(index)).rounded(.toNearestOrEven))
    }

    /// ns from a sample to the last one.
    public func ago(_ index: Int) -> UInt64 {
      let time = time(index)
      return last > time ? last - time : 0
    }

    /// Interval between samples in whole ns, at least 1.
    public var period: Int64 { Int64(min(max(step.rounded(), 1), 0x1p62)) }
  }

  /// State from frame to frame of one kind.
  ///
  /// After lost frames, or after the clock was set, the distance to the previous frame no longer is that of its
  /// samples. The sample rate then decides. A wrongly reported rate must not override the wearable's clock, though: a
  /// distance that matches the one before it is always used.
  public struct FrameMemory: Sendable {
    /// Time of the last frame; 0 before the first.
    public private(set) var previous: UInt64 = 0
    private var lastStep: Double = 0
    /// Samples missing between the last two frames, as far as the times show; 0 without a gap.
    public private(set) var missing: UInt64 = 0

    /// `previous`: time of the previous frame, ns since 2000; 0: none.
    public init(previous: UInt64 = 0) { self.previous = previous }

    /// Ratio of two sample intervals that count as the same rate. Clocks differ by less than a thousandth, and the
    /// times of frames jitter by one sample in about ten.
    private static let steady = 0.75...1.25
    /// Ratio to the reported rate that needs no loss as an explanation. Losing half a frame is detected; a rate
    /// reported a tenth wrong is not mistaken for a loss.
    private static let plausible = 0.5...1.5
    /// ns. A longer distance means that the clock was set: a link that is silent for so long has ended.
    private static let longestLoss: UInt64 = 60_000_000_000

    /// Times of the next frame, which is remembered even if this throws.
    public mutating func times(last: UInt64, count: Int, rate: Double) throws(DecodeError) -> SampleTimes {
      let (before, stepBefore) = (previous, lastStep)
      previous = last
      missing = 0
      let times = try SampleTimes(previous: before, last: last, count: count, rate: rate)
      guard before != 0, before < last, rate > 0 else { return times }
      lastStep = times.step
      if stepBefore > 0, Self.steady.contains(times.step / stepBefore) { return times }
      // An observed interval that agrees with the reported rate is more precise than the rate.
      let isKnown = Self.steady.contains(stepBefore * rate / 1e9)
      let expected = isKnown ? stepBefore : 1e9 / rate
      let stretch = times.step / expected
      if stretch >= Self.plausible.lowerBound, stretch <= (isKnown ? Self.steady : Self.plausible).upperBound {
        return times
      }
      if stretch > 1, last - before <= Self.longestLoss {
        missing = max(1, UInt64(saturating: ((stretch - 1) * Double(count)).rounded()))
        // If every other frame is lost, two such distances match each other but are losses all the same.
        if isKnown { lastStep = stepBefore }
      }
      return (try? SampleTimes(previous: 0, last: last, count: count, rate: 1e9 / expected)) ?? times
    }

    /// Remembers a frame of unevenly spaced samples.
    public mutating func note(_ time: UInt64) {
      previous = time
      missing = 0
    }
  }

  /// ns from 1970 to 2000.
  public static let epoch: UInt64 = 946_684_800_000_000_000

  /// µs since 1970 on the wearable's clock, which shows local time.
  public static func microseconds(_ time: UInt64) -> Int64 { Int64(time / 1000) + Int64(epoch / 1000) }

  /// ns since 2000, from µs since 1970; 0 for times before 2000.
  public static func time(microseconds: Int64) -> UInt64 {
    let since = microseconds.subtractingReportingOverflow(Int64(epoch / 1000))
    guard !since.overflow, since.partialValue > 0 else { return 0 }
    let (time, overflow) = UInt64(since.partialValue).multipliedReportingOverflow(by: 1000)
    return overflow ? .max : time
  }
}

extension UInt64 {
  /// The nearest representable value; 0 for NaN.
  init(saturating value: Double) { self = value >= 0 ? value < 0x1p64 ? UInt64(value) : .max : 0 }
}
