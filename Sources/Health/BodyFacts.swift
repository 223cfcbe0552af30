// Facts about a wearer's body that wearables need.

public import CivilTime

/// Numbers of a wearer's body, each nil until it is entered. Wearables compute calories, activity and heart rate zones
/// from them.
public struct BodyFacts: Sendable, Hashable {
  /// Sex, as far as wearables distinguish it.
  public enum Sex: UInt8, Sendable, CaseIterable {
    case male = 1
    case female = 2

    /// Name in settings and documents: `male` or `female`.
    public var name: String { self == .male ? "male" : "female" }
    /// The sex of this name; nil: unknown name.
    public init?(name: String) {
      guard let sex = Self.allCases.first(where: { $0.name == name }) else { return nil }
      self = sex
    }
  }

  /// Average adult, in cm, kg and years, for a wearable that needs a complete body when the wearer's is unknown. No
  /// vendor publishes the defaults of a wearable.
  public static let middling = (height: 170, weight: 65, age: 30, sex: Sex.male)

  /// Amount of training, in the steps that wearables offer.
  public enum TrainingBackground: UInt8, Sendable, CaseIterable {
    case occasional = 10
    case regular = 20
    case frequent = 30
    case heavy = 40
    case semiPro = 50
    case pro = 60

    /// Name in settings and documents, such as `occasional` or `semi-pro`.
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

    /// Names of all cases, for display.
    public static var choices: String { allCases.map(\.name).joined(separator: ", ") }

    /// The amount of this name; nil: unknown name.
    public init?(name: String) {
      guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
      self = found
    }
  }

  /// Typical day without training.
  public enum TypicalDay: UInt8, Sendable, CaseIterable {
    case sitting = 1
    case standing = 2
    case moving = 3

    /// Name in settings and documents: `sitting`, `standing` or `moving`.
    public var name: String {
      switch self {
      case .sitting: "sitting"
      case .standing: "standing"
      case .moving: "moving"
      }
    }

    /// Names of all cases, for display.
    public static var choices: String { allCases.map(\.name).joined(separator: ", ") }

    /// The day of this name; nil: unknown name.
    public init?(name: String) {
      guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
      self = found
    }
  }

  /// Date of birth, in one of `years`.
  public var born: LocalDate?
  /// Sex of the wearer.
  public var sex: Sex?
  /// Height in cm, within `heights`.
  public var height: Int?
  /// Weight in kg, within `weights`.
  public var weight: Int?
  /// Maximum heart rate in 1/min, within `maximumHeartRates`.
  public var maximumHeartRate: Int?
  /// Resting heart rate in 1/min, within `restingHeartRates`.
  public var restingHeartRate: Int?
  /// VO2max in ml/kg/min, within `vo2Maxima`.
  public var vo2Max: Int?
  /// Amount of training, in the steps that wearables offer.
  public var trainingBackground: TrainingBackground?
  /// Typical day without training.
  public var typicalDay: TypicalDay?
  /// Goal of sleep in minutes, within `sleepGoals`.
  public var sleepGoal: Int?
  /// Whether a wearable must delete all of it, because it is no longer worn.
  public var isTakenOff = false

  // Ranges of the wearables that accept them (polar-ble-sdk 8.0.0, first-time use).
  /// Accepted heights in cm.
  public static let heights = 90...240
  /// Accepted weights in kg.
  public static let weights = 15...300
  /// Accepted maximum heart rates in bpm.
  public static let maximumHeartRates = 100...240
  /// Accepted resting heart rates in bpm.
  public static let restingHeartRates = 20...120
  /// Accepted VO2max in ml/kg/min.
  public static let vo2Maxima = 10...95
  /// Accepted sleep goals in minutes.
  public static let sleepGoals = 300...660
  /// The oldest person ever reached 122 years.
  public static let years = 1880...2200

  /// Creates facts, all unknown.
  public init() {}

  /// Parts that can be entered and deleted, with their names in the socket's interface.
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

  /// Deletes a part, as if it had never been entered: wearables keep what they have.
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

  /// True if no fact was entered.
  public var isEmpty: Bool { self == BodyFacts() }

  /// The facts without values outside their range.
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
