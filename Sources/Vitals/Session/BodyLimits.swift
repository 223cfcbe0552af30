// For which bodies the formulas of age, weight and height are meant. A session of anybody else runs all the same:
// energy and zones by age are left out.

public import CivilTime
public import Health

/// The limits of `VitalPerson`, with the number of a refusal for each.
public enum BodyLimits {
  /// 7007, 7008 and 7012, those that apply, in this order. What is not known is not beyond a limit; who is not born yet
  /// is.
  public static func beyond(_ facts: BodyFacts, on today: LocalDate) -> [SessionCode] {
    var codes: [SessionCode] = []
    if let weight = facts.weight, !VitalPerson.weights.contains(Double(weight)) { codes.append(.weightBeyond) }
    if let born = facts.born, VitalPerson.age(born: born, on: today).map(VitalPerson.ages.contains) != true {
      codes.append(.ageBeyond)
    }
    if let height = facts.height, !VitalPerson.heights.contains(Double(height)) { codes.append(.heightBeyond) }
    return codes
  }
}
