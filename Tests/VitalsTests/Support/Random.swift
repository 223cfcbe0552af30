// Repeatable random numbers for tests of properties: each run draws fresh seeds and prints them; `HEARTH_SEED=N` runs
// one again.

import Foundation

/// SplitMix64.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func number(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &self) }
  mutating func whole(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
  /// A value out of `ceiling`.
  mutating func below(_ ceiling: Int) -> Int { Int.random(in: 0..<ceiling, using: &self) }
  mutating func chance(_ share: Double) -> Bool { number(0...1) < share }

  /// Around 0, with a deviation of 1: the sum of twelve.
  mutating func normal() -> Double {
    var sum = -6.0
    for _ in 0..<12 { sum += number(0...1) }
    return sum
  }

  /// A heart at rest with breathing and slow waves, in ms, for some seconds.
  mutating func heart(seconds: Double) -> [Double] {
    let mean = number(600...1100)
    let (breath, slow) = (number(0.16...0.38), number(0.06...0.12))
    let (deep, wide) = (number(10...60), number(5...40))
    let noise = number(1...12)
    var (time, beats) = (0.0, [Double]())
    while time < seconds {
      let wave = deep * sin(2 * .pi * breath * time) + wide * sin(2 * .pi * slow * time)
      let interval = (mean + wave + noise * normal()).rounded()
      beats.append(interval)
      time += interval / 1000
    }
    return beats
  }
}

func freshSeeds(_ count: Int, for what: String) -> [UInt64] {
  if let seed = ProcessInfo.processInfo.environment["HEARTH_SEED"].flatMap({ UInt64($0) }) { return [seed] }
  let drawn = (0..<count).map { _ in UInt64.random(in: 0...UInt64(Int64.max)) }
  print("\(what): seeds \(drawn)")
  return drawn
}
