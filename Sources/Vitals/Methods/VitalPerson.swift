// Data about a person that the methods need, and the limits within which energy and age-based zones are valid.

public import CivilTime
public import Health

/// A person; each value is nil while it is unknown.
public struct VitalPerson: Sendable, Hashable {
  /// Sex of the person.
  public var sex: BodyFacts.Sex?
  /// Age in whole years.
  public var age: Int?
  /// Weight in kg.
  public var weight: Double?
  /// Height in cm.
  public var height: Double?
  /// Beats a minute, as configured.
  public var maximumRate: Double?

  // The limits that the vendor's measurement SDK sets for a person.
  /// Accepted ages in years.
  public static let ages = 18...110
  /// Accepted weights in kg.
  public static let weights = 40.0...200.0
  /// Accepted heights in cm.
  public static let heights = 130.0...230.0

  /// A person; units as in the properties, nil: unknown.
  public init(
    sex: BodyFacts.Sex? = nil, age: Int? = nil, weight: Double? = nil, height: Double? = nil,
    maximumRate: Double? = nil
  ) {
    self.sex = sex
    self.age = age
    self.weight = weight
    self.height = height
    self.maximumRate = maximumRate
  }

  /// - Parameter date: of the measurement, at the place of the hub.
  public init(_ facts: BodyFacts, on date: LocalDate) {
    let facts = facts.sensible
    sex = facts.sex
    age = facts.born.flatMap { Self.age(born: $0, on: date) }
    weight = facts.weight.map(Double.init)
    height = facts.height.map(Double.init)
    maximumRate = facts.maximumHeartRate.map(Double.init)
  }

  /// Whole years; nil before the birth.
  public static func age(born: LocalDate, on date: LocalDate) -> Int? { born <= date ? born.age(on: date) : nil }

  /// False if a known value is outside its limits: then there is no energy and no zone by age.
  public var isWithinLimits: Bool {
    age.map(Self.ages.contains) ?? true && weight.map(Self.weights.contains) ?? true
      && height.map(Self.heights.contains) ?? true
  }

  /// Beats a minute: as configured, else by age within the limits.
  public var usedMaximumRate: Double? {
    if let maximumRate { return maximumRate > 0 && maximumRate.isFinite ? maximumRate : nil }
    return isWithinLimits ? age.flatMap(HeartRateZone.maximum) : nil
  }
}
