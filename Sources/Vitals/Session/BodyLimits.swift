// For which bodies the formulas of age, weight and height are meant. A session of anybody else runs all the same:
// energy and zones by age are left out.

public import Health

/// Age 18 to 110 years, weight 40 to 200 kg, height 130 to 230 cm: the limits that the session's vendor documents.
public enum BodyLimits {
  public static let ages = 18...110
  public static let weights = 40...200
  public static let heights = 130...230

  /// 7007, 7008 and 7012, those that apply, in this order. What is not known is not beyond a limit.
  public static func beyond(_ facts: BodyFacts, on today: LocalDate) -> [SessionCode] {
    var codes: [SessionCode] = []
    if let weight = facts.weight, !weights.contains(weight) { codes.append(.weightBeyond) }
    if let born = facts.born, !ages.contains(age(born, on: today)) { codes.append(.ageBeyond) }
    if let height = facts.height, !heights.contains(height) { codes.append(.heightBeyond) }
    return codes
  }

  /// Whole years. Who was born on 29 February has their birthday on 1 March in other years.
  public static func age(_ born: LocalDate, on today: LocalDate) -> Int {
    let hadBirthday = (today.month, today.day) >= (born.month, born.day)
    return today.year - born.year - (hadBirthday ? 0 : 1)
  }
}
