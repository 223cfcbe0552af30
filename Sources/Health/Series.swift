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

  public static let heartRate = Series(known: 1)
  public static let rrInterval = Series(known: 2)
  public static let battery = Series(known: 3)
  public static let energyExpended = Series(known: 4)
  public static let ppi = Series(known: 5)
  public static let ecg = Series(known: 6)
  public static let ppg = Series(known: 7)
  public static let acc = Series(known: 8)
  public static let gyro = Series(known: 9)
  public static let mag = Series(known: 10)
  public static let pressure = Series(known: 11)
  public static let location = Series(known: 12)
  public static let skinTemperature = Series(known: 13)
  public static let spo2 = Series(known: 14)
  public static let steps = Series(known: 15)
  public static let distance = Series(known: 16)
  public static let calories = Series(known: 17)
  public static let activeTime = Series(known: 18)
  public static let sleepStage = Series(known: 19)
  public static let nightlyRecharge = Series(known: 20)
  public static let exercise = Series(known: 21)
  public static let footPressure = Series(known: 22)
  public static let temperature = Series(known: 23)
  public static let respirationRate = Series(known: 24)
  public static let raw = Series(known: 25)
  public static let orientation = Series(known: 26)
  public static let cadence = Series(known: 27)
  public static let pace = Series(known: 28)
  public static let speed = Series(known: 29)
  public static let groundTime = Series(known: 30)
  public static let gaitSymmetry = Series(known: 31)
  public static let footStrike = Series(known: 32)
  public static let pronation = Series(known: 33)
  public static let verticalRatio = Series(known: 34)
  public static let ppg2 = Series(known: 35)
  public static let ppg16 = Series(known: 36)
  public static let ppg20 = Series(known: 37)
  public static let ppg24 = Series(known: 38)
  public static let metabolicEquivalent = Series(known: 39)
  public static let trainingCalories = Series(known: 40)
  public static let basalCalories = Series(known: 41)
  public static let heartRateVariability = Series(known: 42)
  public static let altitude = Series(known: 43)
  public static let exerciseDistance = Series(known: 44)
  public static let strideLength = Series(known: 45)
  public static let leftPower = Series(known: 46)
  public static let rightPower = Series(known: 47)
  public static let training = Series(known: 48)
  public static let sleep = Series(known: 49)
  public static let recharge = Series(known: 50)
  public static let ansStatus = Series(known: 51)
  public static let pulseRate = Series(known: 52)
  public static let pulseAmplitudeIndex = Series(known: 53)
  public static let bodyTemperature = Series(known: 54)
  public static let temperaturePlace = Series(known: 55)
  public static let systolicPressure = Series(known: 56)
  public static let diastolicPressure = Series(known: 57)
  public static let meanPressure = Series(known: 58)
  public static let cuffPressure = Series(known: 59)
  public static let stress = Series(known: 60)
  public static let userIndex = Series(known: 61)
  public static let weight = Series(known: 62)
  public static let bodyMassIndex = Series(known: 63)
  public static let bodyFat = Series(known: 64)
  public static let musclePercentage = Series(known: 65)
  public static let muscleMass = Series(known: 66)
  public static let fatFreeMass = Series(known: 67)
  public static let softLeanMass = Series(known: 68)
  public static let bodyWaterMass = Series(known: 69)
  public static let basalMetabolism = Series(known: 70)
  public static let bodyImpedance = Series(known: 71)
  public static let totalDistance = Series(known: 72)
  public static let crankCadence = Series(known: 73)
  public static let wheelRate = Series(known: 74)
  public static let wheelRevolutions = Series(known: 75)
  public static let measurement = Series(known: 76)

  public static let all: [Series] = definitions.map { Series(known: $0.id) }

  /// Properties that every live item needs. Kept apart from the strings, since copying a layout with names costs more
  /// than using it.
  public struct Shape: Sendable, Hashable {
    /// Of the layout.
    public let valueCount: Int
    public let hasBytes: Bool
    /// The same as the series' own.
    public let timeStep: Int64
  }

  private static let shapes = definitions.map {
    Shape(valueCount: $0.layout.valueCount, hasBytes: $0.layout.hasBytes, timeStep: $0.timeStep)
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

  public init?(id: UInt16) {
    guard id >= 1, id <= Self.definitions.count else { return nil }
    self.id = id
  }

  public init?(name: String) {
    guard let found = Self.definitions.first(where: { $0.name == name }) else { return nil }
    self.init(known: found.id)
  }

  /// Name in exports, for example `heart_rate`.
  public var name: String { definition.name }
  /// Unit in exports, for example `bpm`.
  public var unit: String { definition.unit }
  public var layout: SampleLayout { definition.layout }
  public var daily: DailyMeaning { definition.daily }
  /// A stored value times `numerator / denominator` is the value in `unit`.
  public var numerator: Int64 { definition.numerator }
  public var denominator: Int64 { definition.denominator }
  /// Microseconds to which times of live samples are rounded down. If the only time is the arrival of a notification, a
  /// connection interval (7.5 ms to 4 s) blurs it. Digits below a millisecond would only be noise on the card.
  public var timeStep: Int64 { shape.timeStep }
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
    let (definition, divisor) = (definition, UInt64(definition.denominator))
    if value < 0 { text.append(UInt8(ascii: "-")) }
    let (high, low) = value.magnitude.multipliedFullWidth(by: UInt64(definition.numerator))
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
