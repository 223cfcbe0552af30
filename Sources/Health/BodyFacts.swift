// What wearables want to know of the body they are worn on.

public import CivilTime

/// Numbers of a wearer's body, each nil while nobody entered it. Wearables compute calories, activity and heart rate
/// zones from them.
public struct BodyFacts: Sendable, Hashable {
  public enum Sex: UInt8, Sendable, CaseIterable {
    case male = 1
    case female = 2

    /// `male`, `female`
    public var name: String { self == .male ? "male" : "female" }
    public init?(name: String) {
      guard let sex = Self.allCases.first(where: { $0.name == name }) else { return nil }
      self = sex
    }
  }

  /// An adult of middling size, in cm, kg and years, who is nobody: for a wearable that needs a whole body, of somebody
  /// of whom it is not known. No vendor publishes what a wearable has that was never told one.
  public static let middling = (height: 170, weight: 65, age: 30, sex: Sex.male)

  /// How much the wearer trains, in the steps that wearables have.
  public enum TrainingBackground: UInt8, Sendable, CaseIterable {
    case occasional = 10
    case regular = 20
    case frequent = 30
    case heavy = 40
    case semiPro = 50
    case pro = 60

    /// `occasional`, `semi-pro`
    public var name: String {
      switch self {
      case .occasional: "occasional"
      case .regular: "regular"
      case .frequent: "frequent"
      case .heavy: "heavy"
      case .semiPro: "semi-pro"
      case .pro: "pro"
      }
    }

    /// All of them, for people.
    public static var choices: String { allCases.map(\.name).joined(separator: ", ") }

    public init?(name: String) {
      guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
      self = found
    }
  }

  /// What a day without training is like.
  public enum TypicalDay: UInt8, Sendable, CaseIterable {
    case sitting = 1
    case standing = 2
    case moving = 3

    /// `sitting`
    public var name: String {
      switch self {
      case .sitting: "sitting"
      case .standing: "standing"
      case .moving: "moving"
      }
    }

    /// All of them, for people.
    public static var choices: String { allCases.map(\.name).joined(separator: ", ") }

    public init?(name: String) {
      guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
      self = found
    }
  }

  public var born: LocalDate?
  public var sex: Sex?
  /// cm
  public var height: Int?
  /// kg
  public var weight: Int?
  /// Beats a minute.
  public var maximumHeartRate: Int?
  /// Beats a minute, at rest.
  public var restingHeartRate: Int?
  /// ml/kg/min
  public var vo2Max: Int?
  public var trainingBackground: TrainingBackground?
  public var typicalDay: TypicalDay?
  /// Minutes.
  public var sleepGoal: Int?
  /// A wearable forgets all of it when it is on nobody any more.
  public var isTakenOff = false

  // As wide as the wearables that take them have it (polar-ble-sdk 8.0.0, first-time use).
  public static let heights = 90...240
  public static let weights = 15...300
  public static let maximumHeartRates = 100...240
  public static let restingHeartRates = 20...120
  public static let vo2Maxima = 10...95
  public static let sleepGoals = 300...660
  /// The oldest person there was died at 122 years.
  public static let years = 1880...2200

  public init() {}

  /// What somebody may enter, and take back. As the socket's interface calls it.
  public enum Part: String, Sendable, CaseIterable {
    case born
    case sex
    case height = "height_cm"
    case weight = "weight_kg"
    case maximumHeartRate = "maximum_heart_rate"
    case restingHeartRate = "resting_heart_rate"
    case vo2Max = "vo2_max"
    case trainingBackground = "training_background"
    case typicalDay = "typical_day"
    case sleepGoal = "sleep_goal_minutes"
  }

  /// As if nobody had entered it: wearables keep what they have.
  public mutating func forget(_ part: Part) {
    switch part {
    case .born: born = nil
    case .sex: sex = nil
    case .height: height = nil
    case .weight: weight = nil
    case .maximumHeartRate: maximumHeartRate = nil
    case .restingHeartRate: restingHeartRate = nil
    case .vo2Max: vo2Max = nil
    case .trainingBackground: trainingBackground = nil
    case .typicalDay: typicalDay = nil
    case .sleepGoal: sleepGoal = nil
    }
  }

  public var isEmpty: Bool { self == BodyFacts() }

  /// Without what is out of its range.
  public var sensible: BodyFacts {
    var facts = self
    func keep(_ value: inout Int?, in range: ClosedRange<Int>) {
      value = value.flatMap { range.contains($0) ? $0 : nil }
    }
    facts.born = born.flatMap { Self.years.contains($0.year) ? $0 : nil }
    keep(&facts.height, in: Self.heights)
    keep(&facts.weight, in: Self.weights)
    keep(&facts.maximumHeartRate, in: Self.maximumHeartRates)
    keep(&facts.restingHeartRate, in: Self.restingHeartRates)
    keep(&facts.vo2Max, in: Self.vo2Maxima)
    keep(&facts.sleepGoal, in: Self.sleepGoals)
    return facts
  }
}
