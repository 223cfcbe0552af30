// Validation of the body facts that people enter.

public import Health
public import Reasons

extension BodyFacts {
  /// - Throws: `controlBadParameter` with the fact that is out of its range.
  public func validate() throws(HearthError) {
    func check(_ value: Int?, in range: ClosedRange<Int>, _ what: String) throws(HearthError) {
      guard let value, !range.contains(value) else { return }
      throw HearthError(.controlBadParameter, "a \(what) is \(range.lowerBound) to \(range.upperBound), not \(value)")
    }
    try check(born?.year, in: Self.years, "year of birth")
    try check(height, in: Self.heights, "height in cm")
    try check(weight, in: Self.weights, "weight in kg")
    try check(maximumHeartRate, in: Self.maximumHeartRates, "highest heart rate")
    try check(restingHeartRate, in: Self.restingHeartRates, "resting heart rate")
    try check(vo2Max, in: Self.vo2Maxima, "VO2max in ml/kg/min")
    try check(sleepGoal, in: Self.sleepGoals, "sleep goal in minutes")
  }
}
