// When each sample of a frame was measured.

public import Wearable

extension PMD {
  /// Times of samples that are evenly spaced, in ns since 2000-01-01 on the wearable's clock.
  ///
  /// A frame has the time of its last sample alone. The others lie evenly behind the last sample of the frame before;
  /// for a first frame they follow from the sample rate. Everything is 64-bit floating point, whose steps at today's
  /// times are 128 ns.
  public struct SampleTimes: Sendable, Hashable {
    public let count: Int
    public let last: UInt64
    /// From sample to sample, ns. At least 0.
    public let step: Double
    private let start: Double

    /// - Parameters:
    ///   - previous: time of the frame before, 0 if there is none. A later one means that the clock was set back: then
    ///     the rate decides.
    ///   - rate: Hz, 0 if unknown.
    /// - Throws: `outOfRange` without samples; without both a frame before and a rate; where the frame before has the
    ///   same time (it is a repetition); and where samples would lie before the beginning of time.
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

    /// Of a sample, 0 to `count` - 1. Halves are rounded to even.
    public func time(_ index: Int) -> UInt64 {
      if index >= count - 1 { return last }
      return UInt64(saturating: (start + step * Double(index)).rounded(.toNearestOrEven))
    }

    /// ns from a sample to the last one.
    public func ago(_ index: Int) -> UInt64 {
      let time = time(index)
      return last > time ? last - time : 0
    }

    /// From sample to sample, whole ns, at least 1.
    public var period: Int64 { Int64(min(max(step.rounded(), 1), 0x1p62)) }
  }

  /// What is remembered from frame to frame of one kind.
  ///
  /// With frames lost, or a clock that was set, the distance to the frame before is no longer that of its samples; then
  /// the sample rate decides. A rate that the wearable tells wrongly must not win over its clock, though: a distance
  /// that fits the one before it is believed in any case.
  public struct FrameMemory: Sendable {
    /// Time of the last frame; 0 for none.
    public private(set) var previous: UInt64 = 0
    private var lastStep: Double = 0
    /// Samples that did not come between the last frame and the one before, as far as its time tells; 0 where none is
    /// missing.
    public private(set) var missing: UInt64 = 0

    public init(previous: UInt64 = 0) { self.previous = previous }

    /// Distances of samples that are the same rate: clocks differ by less than a thousandth, frames' own times jitter
    /// by a sample of some ten.
    private static let steady = 0.75...1.25
    /// Distances that the told rate explains: half a frame lost is seen, a rate told a tenth wrong is not mistaken for
    /// a loss.
    private static let plausible = 0.5...1.5
    /// ns. A longer distance is a clock that was set, and no loss: a link that is silent for so long has ended.
    private static let longestLoss: UInt64 = 60_000_000_000

    /// Times of the next frame, which is remembered whatever comes of it.
    public mutating func times(last: UInt64, count: Int, rate: Double) throws(DecodeError) -> SampleTimes {
      let (before, stepBefore) = (previous, lastStep)
      previous = last
      missing = 0
      let times = try SampleTimes(previous: before, last: last, count: count, rate: rate)
      guard before != 0, before < last, rate > 0 else { return times }
      lastStep = times.step
      if stepBefore > 0, Self.steady.contains(times.step / stepBefore) { return times }
      // A distance between samples that was seen and that the rate explains is sharper than the rate alone.
      let isKnown = Self.steady.contains(stepBefore * rate / 1e9)
      let expected = isKnown ? stepBefore : 1e9 / rate
      let stretch = times.step / expected
      if stretch >= Self.plausible.lowerBound, stretch <= (isKnown ? Self.steady : Self.plausible).upperBound {
        return times
      }
      if stretch > 1, last - before <= Self.longestLoss {
        missing = max(1, UInt64(saturating: ((stretch - 1) * Double(count)).rounded()))
        // Where every other frame is lost two such distances fit each other, and are losses all the same.
        if isKnown { lastStep = stepBefore }
      }
      return (try? SampleTimes(previous: 0, last: last, count: count, rate: 1e9 / expected)) ?? times
    }

    /// Remembers a frame whose samples have no evenly spaced times.
    public mutating func note(_ time: UInt64) {
      previous = time
      missing = 0
    }
  }

  /// ns from 1970 to 2000.
  public static let epoch: UInt64 = 946_684_800_000_000_000

  /// µs since 1970, on the wearable's clock, which shows local time.
  public static func microseconds(_ time: UInt64) -> Int64 { Int64(time / 1000) + Int64(epoch / 1000) }

  /// ns since 2000 of µs since 1970; 0 for times before.
  public static func time(microseconds: Int64) -> UInt64 {
    let since = microseconds.subtractingReportingOverflow(Int64(epoch / 1000))
    guard !since.overflow, since.partialValue > 0 else { return 0 }
    let (time, overflow) = UInt64(since.partialValue).multipliedReportingOverflow(by: 1000)
    return overflow ? .max : time
  }
}

extension UInt64 {
  /// The nearest there is; 0 for what is no number.
  init(saturating value: Double) { self = value >= 0 ? value < 0x1p64 ? UInt64(value) : .max : 0 }
}
