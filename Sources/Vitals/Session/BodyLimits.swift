// Limits of age, weight and height within which the formulas are valid. Sessions of other people run as well, without
// energy and zones by age.

public import CivilTime
public import Health

/// The limits of `VitalPerson`, with the code of a refusal for each.
public enum BodyLimits {
  /// The codes that apply of 7007, 7008 and 7012, in this order. An unknown value is within its limit; a birth date in
  /// the future is not.
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
