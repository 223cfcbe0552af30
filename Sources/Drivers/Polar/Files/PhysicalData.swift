// First-time use: facts about the wearer. Without them, newer wearables record neither activity nor sleep.

public import CivilTime
public import PolarMessages

/// Facts that the wearable needs about its wearer, within the ranges that it accepts.
public struct PhysicalData: Hashable, Sendable {
  /// Birthday of the wearer.
  public var birthday: LocalDate
  /// Sex, as the wearable stores it.
  public var gender: PbUserGender.Gender
  /// kg, 15 to 300.
  public var weight: Float
  /// cm, 90 to 240.
  public var height: Float
  /// Beats a minute, 100 to 240.
  public var maximumHeartRate: UInt32
  /// Beats a minute, 20 to 120.
  public var restingHeartRate: UInt32
  /// ml/kg/min, 10 to 95; nil if unknown.
  public var vo2Max: UInt32?
  /// Weekly amount of training.
  public var trainingBackground: PbUserTrainingBackground.TrainingBackground
  /// Activity of a typical day.
  public var typicalDay: PbUserTypicalDay.TypicalDay
  /// Minutes, 300 to 660; nil to leave it to the wearable.
  public var sleepGoal: UInt32?

  /// The facts that have a range.
  public enum Part: String, Error, Sendable {
    case weight, height, birthday
    case maximumHeartRate = "maximum_heart_rate"
    case restingHeartRate = "resting_heart_rate"
    case vo2Max = "vo2_max"
    case sleepGoal = "sleep_goal"
  }

  /// Checks the facts; units and ranges as in the properties.
  ///
  /// - Throws: the part that is out of its range.
  public init(
    birthday: LocalDate, gender: PbUserGender.Gender, weight: Float, height: Float, maximumHeartRate: UInt32,
    restingHeartRate: UInt32 = 60, vo2Max: UInt32? = nil,
    trainingBackground: PbUserTrainingBackground.TrainingBackground = .occasional,
    typicalDay: PbUserTypicalDay.TypicalDay = .mostlySitting, sleepGoal: UInt32? = nil
  ) {
    self.birthday = birthday
    self.gender = gender
    self.weight = weight
    self.height = height
    self.maximumHeartRate = maximumHeartRate
    self.restingHeartRate = restingHeartRate
    self.vo2Max = vo2Max
    self.trainingBackground = trainingBackground
    self.typicalDay = typicalDay
    self.sleepGoal = sleepGoal
  }

  /// Encodes the facts for `PolarFile.physicalDataPath`. All of them have the same time of change, in whole seconds,
  /// marked as trusted.
  ///
  /// - Parameter time: seconds since 1970-01-01T00:00:00Z; years 1970 to 9999.
  /// - Throws: the fact that is out of its range.
  public func message(at time: Int64) throws(Part) -> PbUserPhysData {
    guard (15...300).contains(weight) else { throw .weight }
    guard (90...240).contains(height) else { throw .height }
    guard (100...240).contains(maximumHeartRate) else { throw .maximumHeartRate }
    guard (20...120).contains(restingHeartRate) else { throw .restingHeartRate }
    if let vo2Max, !(10...95).contains(vo2Max) { throw .vo2Max }
    if let sleepGoal, !(300...660).contains(sleepGoal) { throw .sleepGoal }
    guard (1...9999).contains(birthday.year) else { throw .birthday }
    let now = PbSystemDateTime(seconds: time)
    var message = PbUserPhysData()
    message.birthday.value = PbDate(birthday)
    message.birthday.lastModified = now
    message.gender.value = gender
    message.gender.lastModified = now
    message.weight.value = weight
    message.weight.lastModified = now
    message.height.value = height
    message.height.lastModified = now
    message.maximumHeartrate.value = maximumHeartRate
    message.maximumHeartrate.lastModified = now
    message.restingHeartrate.value = restingHeartRate
    message.restingHeartrate.lastModified = now
    if let vo2Max {
      message.vo2Max.value = vo2Max
      message.vo2Max.lastModified = now
    }
    message.trainingBackground.value = trainingBackground
    message.trainingBackground.lastModified = now
    message.typicalDay.value = typicalDay
    message.typicalDay.lastModified = now
    if let sleepGoal {
      message.sleepGoal.sleepGoalMinutes = sleepGoal
      message.sleepGoal.lastModified = now
    }
    message.lastModified = now
    return message
  }
}

extension PbUserIdentifier {
  /// Marks first-time use as done, with an identifier of all ones, which belongs to no user of Polar's service.
  public init(firstUse time: Int64) {
    self.init()
    masterIdentifier = .max
    userIDLastModified = PbSystemDateTime(seconds: time)
  }

  /// True if first-time use is complete.
  public var isFirstUseDone: Bool { hasMasterIdentifier }
}

extension PbDate {
  init(_ date: LocalDate) {
    self.init()
    year = UInt32(clamping: date.year)
    month = UInt32(date.month)
    day = UInt32(date.day)
  }
}

extension PbSystemDateTime {
  /// - Parameter seconds: since 1970-01-01T00:00:00Z; clamped to years 1970 to 9999.
  init(seconds: Int64) {
    self.init()
    let seconds = min(max(seconds, 0), 253_402_300_799)
    let inDay = UInt32(seconds % 86_400)
    date = PbDate(LocalDate(dayNumber: seconds / 86_400))
    time.hour = inDay / 3600
    time.minute = inDay / 60 % 60
    time.seconds = inDay % 60
    trusted = true
  }
}
