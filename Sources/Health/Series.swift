// Measured quantities. A series is a named kind of sample with unit and layout: a row in `SeriesTable.swift`, and its
// name here.

import CivilTime

/// Kind of a sample: stable number on disk, stable name for people and exports.
///
/// Contains only the number, since a copy is part of every sample of every notification. Strings in it would be
/// reference-counted.
public struct Series: Hashable, Sendable {
  /// Number in stored items.
  public let id: UInt16

  /// Series `heart_rate`, in bpm.
  public static let heartRate = Series(known: 1)
  /// Series `rr_interval`, in ms.
  public static let rrInterval = Series(known: 2)
  /// Series `battery`, in %.
  public static let battery = Series(known: 3)
  /// Series `energy_expended`, in kJ.
  public static let energyExpended = Series(known: 4)
  /// Series `ppi`, in ms.
  public static let ppi = Series(known: 5)
  /// Series `ecg`, in µV.
  public static let ecg = Series(known: 6)
  /// Series `ppg`, in counts.
  public static let ppg = Series(known: 7)
  /// Series `acc`, in mg.
  public static let acc = Series(known: 8)
  /// Series `gyro`, in °/s.
  public static let gyro = Series(known: 9)
  /// Series `mag`, in G.
  public static let mag = Series(known: 10)
  /// Series `pressure`, in hPa.
  public static let pressure = Series(known: 11)
  /// Series `location`, in 1e-7 deg, m, m/s.
  public static let location = Series(known: 12)
  /// Series `skin_temperature`, in °C.
  public static let skinTemperature = Series(known: 13)
  /// Series `spo2`, in %.
  public static let spo2 = Series(known: 14)
  /// Series `steps`, in steps.
  public static let steps = Series(known: 15)
  /// Series `distance`, in m.
  public static let distance = Series(known: 16)
  /// Series `calories`, in kcal.
  public static let calories = Series(known: 17)
  /// Series `active_time`, in classes.
  public static let activeTime = Series(known: 18)
  /// Series `sleep_stage`, in stages.
  public static let sleepStage = Series(known: 19)
  /// Series `nightly_recharge`, without a unit.
  public static let nightlyRecharge = Series(known: 20)
  /// Series `exercise`, without a unit.
  public static let exercise = Series(known: 21)
  /// Series `foot_pressure`, in counts.
  public static let footPressure = Series(known: 22)
  /// Series `temperature`, in °C.
  public static let temperature = Series(known: 23)
  /// Series `respiration_rate`, in 1/min.
  public static let respirationRate = Series(known: 24)
  /// Series `raw`, without a unit.
  public static let raw = Series(known: 25)
  /// Series `orientation`, without a unit.
  public static let orientation = Series(known: 26)
  /// Series `cadence`, in 1/min.
  public static let cadence = Series(known: 27)
  /// Series `pace`, in s/km.
  public static let pace = Series(known: 28)
  /// Series `speed`, in km/h.
  public static let speed = Series(known: 29)
  /// Series `ground_time`, in ms.
  public static let groundTime = Series(known: 30)
  /// Series `gait_symmetry`, in %.
  public static let gaitSymmetry = Series(known: 31)
  /// Series `foot_strike`, in classes.
  public static let footStrike = Series(known: 32)
  /// Series `pronation`, in deg.
  public static let pronation = Series(known: 33)
  /// Series `vertical_ratio`, in %.
  public static let verticalRatio = Series(known: 34)
  /// Series `ppg_2`, in counts.
  public static let ppg2 = Series(known: 35)
  /// Series `ppg_16`, in counts.
  public static let ppg16 = Series(known: 36)
  /// Series `ppg_20`, in counts.
  public static let ppg20 = Series(known: 37)
  /// Series `ppg_24`, in counts.
  public static let ppg24 = Series(known: 38)
  /// Series `met`, in MET.
  public static let metabolicEquivalent = Series(known: 39)
  /// Series `training_calories`, in kcal.
  public static let trainingCalories = Series(known: 40)
  /// Series `basal_calories`, in kcal.
  public static let basalCalories = Series(known: 41)
  /// Series `hrv_rmssd`, in ms.
  public static let heartRateVariability = Series(known: 42)
  /// Series `altitude`, in m.
  public static let altitude = Series(known: 43)
  /// Series `exercise_distance`, in m.
  public static let exerciseDistance = Series(known: 44)
  /// Series `stride_length`, in cm.
  public static let strideLength = Series(known: 45)
  /// Series `power_left`, in W.
  public static let leftPower = Series(known: 46)
  /// Series `power_right`, in W.
  public static let rightPower = Series(known: 47)
  /// Series `training`, in class, s, m, kcal, bpm.
  public static let training = Series(known: 48)
  /// Series `sleep`, in s, class.
  public static let sleep = Series(known: 49)
  /// Series `recharge`, in class, ms.
  public static let recharge = Series(known: 50)
  /// Series `ans_status`, without a unit.
  public static let ansStatus = Series(known: 51)
  /// Series `pulse_rate`, in bpm.
  public static let pulseRate = Series(known: 52)
  /// Series `pulse_amplitude_index`, in %.
  public static let pulseAmplitudeIndex = Series(known: 53)
  /// Series `body_temperature`, in °C.
  public static let bodyTemperature = Series(known: 54)
  /// Series `temperature_place`, in classes.
  public static let temperaturePlace = Series(known: 55)
  /// Series `blood_pressure_systolic`, in mmHg.
  public static let systolicPressure = Series(known: 56)
  /// Series `blood_pressure_diastolic`, in mmHg.
  public static let diastolicPressure = Series(known: 57)
  /// Series `blood_pressure_mean`, in mmHg.
  public static let meanPressure = Series(known: 58)
  /// Series `cuff_pressure`, in mmHg.
  public static let cuffPressure = Series(known: 59)
  /// Series `stress`, without a unit.
  public static let stress = Series(known: 60)
  /// Series `user_index`, in classes.
  public static let userIndex = Series(known: 61)
  /// Series `weight`, in kg.
  public static let weight = Series(known: 62)
  /// Series `body_mass_index`, in kg/m2.
  public static let bodyMassIndex = Series(known: 63)
  /// Series `body_fat`, in %.
  public static let bodyFat = Series(known: 64)
  /// Series `muscle_percentage`, in %.
  public static let musclePercentage = Series(known: 65)
  /// Series `muscle_mass`, in kg.
  public static let muscleMass = Series(known: 66)
  /// Series `fat_free_mass`, in kg.
  public static let fatFreeMass = Series(known: 67)
  /// Series `soft_lean_mass`, in kg.
  public static let softLeanMass = Series(known: 68)
  /// Series `body_water_mass`, in kg.
  public static let bodyWaterMass = Series(known: 69)
  /// Series `basal_metabolism`, in kJ.
  public static let basalMetabolism = Series(known: 70)
  /// Series `body_impedance`, in ohm.
  public static let bodyImpedance = Series(known: 71)
  /// Series `total_distance`, in m.
  public static let totalDistance = Series(known: 72)
  /// Series `crank_cadence`, in 1/min.
  public static let crankCadence = Series(known: 73)
  /// Series `wheel_rate`, in 1/min.
  public static let wheelRate = Series(known: 74)
  /// Series `wheel_revolutions`, without a unit.
  public static let wheelRevolutions = Series(known: 75)
  /// Series `measurement`, without a unit.
  public static let measurement = Series(known: 76)

  /// Series, by number.
  public static let all: [Series] = definitions.map { Series(known: $0.id) }

  /// Properties that every live item needs. Kept apart from the strings, since copying a layout with names costs more
  /// than using it.
  public struct Shape: Sendable, Hashable {
    /// Number of values of a stored item, as `SampleLayout.valueCount`.
    public let valueCount: Int
    /// True if an item has bytes.
    public let hasBytes: Bool
    /// Microseconds to which times of live samples are rounded down, as `Series.timeStep`.
    public let timeStep: Int64
  }

  private static let shapes = definitions.map {
    Shape(valueCount: $0.layout.valueCount, hasBytes: $0.layout.hasBytes, timeStep: $0.timeStep)
  }

  /// Factor from the stored scale to the unit, apart from the strings like `Shape`: each row of an export needs it.
  private struct Scale: Sendable {
    let numerator: UInt64
    let denominator: UInt64
  }

  private static let scales = definitions.map {
    Scale(numerator: UInt64($0.numerator), denominator: UInt64($0.denominator))
  }

  struct Definition: Sendable {
    let id: UInt16
    let name: String
    let unit: String
    let layout: SampleLayout
    let numerator: Int64
    let denominator: Int64
    let timeStep: Int64
    let daily: DailyMeaning

    init(
      _ id: UInt16, _ name: String, _ unit: String, _ numerator: Int64 = 1, _ denominator: Int64 = 1,
      _ layout: SampleLayout = .scalar,
      timeStep: Int64 = 1, daily: DailyMeaning = .level
    ) {
      self.id = id
      self.name = name
      self.unit = unit
      self.layout = layout
      self.numerator = numerator
      self.denominator = denominator
      self.timeStep = timeStep
      self.daily = daily
    }

    init(
      _ id: UInt16, _ name: String, _ unit: String, _ layout: SampleLayout, timeStep: Int64 = 1,
      daily: DailyMeaning = .level
    ) {
      self.init(id, name, unit, 1, 1, layout, timeStep: timeStep, daily: daily)
    }
  }

  /// Row in `definitions`, by number from 1 on. Other series cannot be created.
  private var definition: Definition { Self.definitions[Int(id) - 1] }

  private init(known id: UInt16) { self.id = id }

  /// The series of this number; nil: unknown.
  public init?(id: UInt16) {
    guard id >= 1, id <= Self.definitions.count else { return nil }
    self.id = id
  }

  /// The series of this name; nil: unknown.
  public init?(name: String) {
    guard let found = Self.definitions.first(where: { $0.name == name }) else { return nil }
    self.init(known: found.id)
  }

  /// Name in exports, for example `heart_rate`.
  public var name: String { definition.name }
  /// Unit in exports, for example `bpm`.
  public var unit: String { definition.unit }
  /// Layout of an item.
  public var layout: SampleLayout { definition.layout }
  /// Meaning for a day.
  public var daily: DailyMeaning { definition.daily }
  /// A stored value times `numerator / denominator` is the value in `unit`.
  public var numerator: Int64 { definition.numerator }
  /// Divisor of the factor from the stored scale to `unit`.
  public var denominator: Int64 { definition.denominator }
  /// Microseconds to which times of live samples are rounded down. If the only time is the arrival of a notification, a
  /// connection interval (7.5 ms to 4 s) blurs it. Digits below a millisecond would only be noise on the card.
  public var timeStep: Int64 { shape.timeStep }
  /// Properties for live items.
  public var shape: Shape { Self.shapes[Int(id) - 1] }

  /// Value in `unit` of a fractional number in the stored scale, such as a mean.
  public func inUnit(_ stored: Double) -> Double { stored * Double(numerator) / Double(denominator) }

  /// Value in `unit` as exact decimal text: 946/1024 s becomes `923.828125`. Denominators have only the prime factors 2
  /// and 5, so the text is finite.
  public func text(_ value: Int64) -> String {
    var text: [UInt8] = []
    append(value, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends the same to `text`, without allocation, for each row of an export.
  public func append(_ value: Int64, to text: inout [UInt8]) {
    let scale = Self.scales[Int(id) - 1]
    let divisor = scale.denominator
    if value < 0 { text.append(UInt8(ascii: "-")) }
    let (high, low) = value.magnitude.multipliedFullWidth(by: scale.numerator)
    var remainder = low % divisor
    if high == 0 {
      text.append(digits: low / divisor, width: 1)
    } else {
      let (whole, rest) = (UInt128(high) << 64 | UInt128(low)).quotientAndRemainder(dividingBy: UInt128(divisor))
      text.append(contentsOf: "\(whole)".utf8)
      remainder = UInt64(truncatingIfNeeded: rest)
    }
    if remainder == 0 { return }
    text.append(UInt8(ascii: "."))
    while remainder != 0 {
      remainder *= 10
      text.append(UInt8(truncatingIfNeeded: 0x30 + remainder / divisor))
      remainder %= divisor
    }
  }
}
