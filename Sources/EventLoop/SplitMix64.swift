// Random numbers from a seed.

/// Small generator, the same on every machine (Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
/// 2014). Good enough to spread retries and to invent test data; not for keys.
public struct SplitMix64: RandomNumberGenerator, Sendable {
  /// Odd, close to 2^64 divided by the golden ratio: consecutive states differ in about half of their bits.
  public static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15

  private var state: UInt64

  /// A generator; equal seeds give equal numbers.
  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= Self.increment
    return Self.mix(state)
  }

  /// Each bit of the result depends on every bit of the value.
  public static func mix(_ value: UInt64) -> UInt64 {
    var mixed = value
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
