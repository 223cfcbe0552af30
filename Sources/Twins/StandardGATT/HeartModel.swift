// Heart model: a rate that drifts between rest and exercise, and beats with matching intervals.

import EventLoop
import Simulation

/// Beats of one simulated person. The rate follows a target that changes every few minutes. Intervals between beats
/// vary by a few percent around the rate, in units of 1/1024 s as in the Heart Rate Service.
struct HeartModel {
  /// Beats per minute.
  private(set) var rate: Double
  private var target: Double
  private var secondsToNextTarget: Int
  /// Kilojoules spent since the strap's last reset.
  private(set) var energy = 0.0
  /// Time since the last beat, in 1/1024 s.
  private var sinceBeat = 0.0
  private var nextInterval: Double
  private let resting: Double
  /// Constant rate for scenarios that need one, beats per minute; nil: the rate varies.
  private let held: Double?

  init(_ random: inout SeededRandom, held: Double? = nil) {
    self.held = held
    resting = 52 + random.fraction() * 28
    rate = resting
    target = resting
    secondsToNextTarget = 0
    nextInterval = 61_440 / resting
  }

  /// 1/1024 s per minute: 60 × 1024.
  private static let ticksPerMinute = 61_440.0
  /// Bounds of every simulated heart (bpm).
  private static let bounds = 38.0...205.0

  /// Advances by one second; appends the intervals of the beats within it.
  mutating func advanceOneSecond(_ random: inout SeededRandom, intervals: inout [UInt16]) {
    if secondsToNextTarget == 0 {
      // Two phases of three are near rest, one is exercise at up to 2.5 times the resting rate.
      let effort = random.below(3) == 0 ? 1.4 + random.fraction() * 1.1 : 0.95 + random.fraction() * 0.3
      target = resting * effort
      secondsToNextTarget = 60 + random.below(540)
    }
    secondsToNextTarget -= 1
    // A time constant of about 30 s, similar to that of a real heart after a change of effort.
    rate += (target - rate) / 30 + random.noise() * 0.8
    rate = min(max(rate, Self.bounds.lowerBound), Self.bounds.upperBound)
    if let held { rate = held }
    // Roughly 4 kJ a minute at rest, 60 at full effort.
    energy += max(0, rate - 40) * 0.006
    sinceBeat += 1024
    while sinceBeat >= nextInterval {
      sinceBeat -= nextInterval
      intervals.append(UInt16(nextInterval))
      nextInterval = (Self.ticksPerMinute / rate * (1 + random.noise() * 0.05)).rounded()
    }
  }

  mutating func resetEnergy() { energy = 0 }
}
