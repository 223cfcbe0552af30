// Energy from the heart rate (method KE-1, Keytel and others 2005), and the zones of the heart rate (HZ-1).

public import Health

/// Keytel's regression without fitness.
public struct Energy: Sendable, Hashable {
  /// Energy in kJ/min, at least 0.
  public var kilojoulesPerMinute: Double
  /// Whether the person or the rate is outside the data of the regression.
  public var isExtrapolated: Bool

  /// Energy in kcal/min.
  public var kilocaloriesPerMinute: Double { kilojoulesPerMinute / Self.kilojoulesPerKilocalorie }

  static let kilojoulesPerKilocalorie = 4.184
  /// Beats a minute: below, the rate says little about energy.
  public static let leastRate = 90.0
  /// Range of the people that the regression was fitted to.
  static let fittedAges = 18...45
  static let fittedWeights = 47.0...120.0
  /// Share of the maximum rate.
  static let fittedEffort = 0.57...0.90
  /// Plausible values, kJ/min.
  public static let plausible = 0.0...120.0

  /// Nil below 90 beats a minute, and if sex, age or weight is unknown.
  ///
  /// - Parameters:
  ///   - rate: beats a minute.
  ///   - weight: kg.
  ///   - maximumRate: beats a minute; nil for 220 less the age.
  public init?(rate: Double, sex: BodyFacts.Sex?, age: Int?, weight: Double?, maximumRate: Double? = nil) {
    guard rate >= Self.leastRate, rate.isFinite, let sex, let age, let weight, weight.isFinite else { return nil }
    let years = Double(age)
    var result: Double
    switch sex {
    case .male:
      result = -55.0969 + 0.6309 * rate
      result += 0.1988 * weight
      result += 0.2017 * years
    case .female:
      result = -20.4022 + 0.4472 * rate
      result -= 0.1263 * weight
      result += 0.074 * years
    }
    kilojoulesPerMinute = Swift.max(0, result)
    let isFitted = Self.fittedAges.contains(age) && Self.fittedWeights.contains(weight)
    guard isFitted, let maximum = maximumRate ?? HeartRateZone.maximum(age: age), maximum > 0 else {
      isExtrapolated = true
      return
    }
    isExtrapolated = !Self.fittedEffort.contains(rate / maximum)
  }
}

/// Sums up energy while there is a value for it.
public struct EnergyMeter: Sendable, Hashable {
  /// Sum in kJ.
  public private(set) var kilojoules = 0.0
  /// s with a value.
  public private(set) var validSeconds = 0.0
  /// Whether a part of it is extrapolated.
  public private(set) var isExtrapolated = false

  /// s: a value holds at most this long if the next is late.
  public static let longestStep = 10.0

  /// Creates a sum without energy.
  public init() {}

  /// - Parameter seconds: how long the value held.
  public mutating func add(_ energy: Energy?, for seconds: Double) {
    guard let energy, seconds > 0, energy.kilojoulesPerMinute.isFinite else { return }
    let step = Swift.min(seconds, Self.longestStep)
    kilojoules += energy.kilojoulesPerMinute * step / 60
    validSeconds += step
    isExtrapolated = isExtrapolated || energy.isExtrapolated
  }
}

/// Zones 1 to 5 by share of the maximum rate.
public enum HeartRateZone {
  /// %, lower limits of zones 2 to 5.
  static let steps = [60.0, 70, 80, 90]

  /// Beats a minute: 220 minus the age. Nil if the result would not be positive.
  public static func maximum(age: Int) -> Double? {
    guard (0..<220).contains(age) else { return nil }
    return Double(220 - age)
  }

  /// - Parameters:
  ///   - rate: beats a minute.
  ///   - maximumRate: beats a minute.
  public static func zone(rate: Double, maximumRate: Double?) -> Int? {
    guard let maximumRate, maximumRate > 0, maximumRate.isFinite, rate > 0, rate.isFinite else { return nil }
    // Both sides are multiplied by the maximum: 133 of 190 are exactly 70 %.
    return 1 + steps.count { 100 * rate >= $0 * maximumRate }
  }
}
