// Source of all randomness in the simulation: one seed, many independent streams.

internal import EventLoop

/// SplitMix64 that can be split.
///
/// Streams are split from the *origin* of a generator and a number, not from its progress. The draws of one strap never
/// affect those of another, so a fault added to one strap leaves the rest of the run unchanged.
public struct SeededRandom: RandomNumberGenerator, Sendable {
  private let origin: UInt64
  private var generator: SplitMix64

  /// A generator; equal seeds give equal numbers.
  public init(seed: UInt64) {
    origin = seed
    generator = SplitMix64(seed: seed)
  }

  public mutating func next() -> UInt64 { generator.next() }

  /// An independent generator, always the same for the same `stream` of the same seed.
  public func split(_ stream: UInt64) -> SeededRandom {
    SeededRandom(seed: SplitMix64.mix(origin ^ SplitMix64.mix(stream &+ SplitMix64.increment)))
  }

  /// Random integer from 0 up to, not including, `bound`. The bias of the multiplication method is below 2^-32 for the
  /// small bounds used here.
  public mutating func below(_ bound: Int) -> Int {
    precondition(bound > 0 && bound <= Int(UInt32.max), "bound must fit 32 bits")
    return Int(((next() >> 32) * UInt64(bound)) >> 32)
  }

  /// A number of the range, evenly distributed.
  public mutating func integer(in range: ClosedRange<Int>) -> Int {
    range.lowerBound + below(range.upperBound - range.lowerBound + 1)
  }

  /// Random number from 0 up to, not including, 1, with 53 bits.
  public mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// −1 … 1, denser towards 0 (triangular): close enough to a bell curve for noise. Free of transcendental functions,
  /// because their last bit may differ between C libraries.
  public mutating func noise() -> Double { fraction() - fraction() }

  /// True with this probability. Always draws once, so that changing a probability does not shift later draws.
  public mutating func chance(_ probability: Double) -> Bool { fraction() < probability }

  /// Random duration between the bounds, to the nanosecond.
  public mutating func duration(in range: ClosedRange<Duration>) -> Duration {
    let low = range.lowerBound.wholeNanoseconds
    let high = range.upperBound.wholeNanoseconds
    return .nanoseconds(low + Int64(fraction() * Double(high - low)))
  }
}
