// Which vital signs a kind of sensor has, and why it has not the others. What nobody can compute honestly from a sensor
// on the body is enabled for none.

/// What a sensor delivers.
public enum SensorClass: UInt8, Sendable, Hashable, CaseIterable {
  /// Intervals from the heart's electrical signal: a chest strap.
  case electrical
  /// Intervals from light at the arm.
  case optical
  /// Intervals from light at the wrist: sampled so slowly that they may be tens of ms coarse.
  case opticalWrist
  case rateOnly
  case oximeter
  case thermometer
  /// A cuff, or a band with an air pump. An optical estimate is none.
  case cuff
  /// A scale for people.
  case scale

  /// What its results are based on; nil for what is passed through.
  public var basis: Basis? {
    switch self {
    case .electrical: .rr
    case .optical, .opticalWrist: .ppi
    case .rateOnly: .rate
    case .oximeter, .thermometer, .cuff, .scale: nil
    }
  }
}

/// What a result was computed from. Optical intervals give pulse-rate variability: near the heart's at rest, worse in
/// motion (Schäfer and Vagedes 2013).
public enum Basis: String, Sendable, Hashable, CaseIterable {
  case rr
  case ppi
  case rate
}

/// Why a sign is not enabled.
public enum NotEnabledReason: String, Sendable, Hashable, CaseIterable {
  case needsIntervals = "needs_intervals"
  /// Variability of intervals from the wrist was not measured yet.
  case intervalsUnproven = "intervals_unproven"
  case needsRate = "needs_rate"
  case needsOximeter = "needs_oximeter"
  case needsThermometer = "needs_thermometer"
  /// Optical estimates are refused.
  case needsCuff = "needs_cuff"
  case needsScale = "needs_scale"
  case noPublicDefinition = "no_public_definition"
  case proprietary
  /// Needs a camera and a trained model.
  case needsCamera = "needs_camera"
}

/// A row of a session's table of vital signs.
public struct VitalSignEntry: Sendable, Hashable {
  public var sign: VitalSign
  /// Nil when the sign is enabled.
  public var notEnabled: NotEnabledReason?

  public init(sign: VitalSign, notEnabled: NotEnabledReason?) {
    self.sign = sign
    self.notEnabled = notEnabled
  }

  public var isEnabled: Bool { notEnabled == nil }
}

extension VitalSign {
  /// Every sign, with whether a class of sensor has it.
  public static func table(for sensor: SensorClass) -> [VitalSignEntry] {
    allCases.map { VitalSignEntry(sign: $0, notEnabled: $0.notEnabled(for: sensor)) }
  }

  /// Why a class of sensor does not have it; nil when it does.
  public func notEnabled(for sensor: SensorClass) -> NotEnabledReason? {
    switch self {
    case .pulseRate: sensor == .thermometer || sensor == .scale ? .needsRate : nil
    case .energy, .heartRateZone: sensor.basis == nil ? .needsRate : nil
    case .meanInterval, .intervals, .sdnn, .rmssd, .pnn50, .sd1, .sd2, .lowFrequency, .highFrequency,
      .frequencyRatio, .lowFrequencyNormalised, .respirationRate, .quotient, .stressIndex, .stressLevel,
      .parasympatheticIndex, .parasympatheticZone, .sympatheticIndex, .sympatheticZone:
      switch sensor {
      case .electrical, .optical: nil
      case .opticalWrist: .intervalsUnproven
      case .rateOnly, .oximeter, .thermometer, .cuff, .scale: .needsIntervals
      }
    case .oxygenSaturation: sensor == .oximeter ? nil : .needsOximeter
    case .temperature: sensor == .thermometer ? nil : .needsThermometer
    case .systolicPressure, .diastolicPressure, .meanArterialPressure, .pulsePressure, .cardiacWorkload:
      sensor == .cuff ? nil : .needsCuff
    case .weight: sensor == .scale ? nil : .needsScale
    case .normalisedStressIndex: .noPublicDefinition
    case .wellnessIndex, .wellnessLevel: .proprietary
    case .haemoglobin, .haemoglobinA1c, .glucoseRisk, .cholesterolRisk, .cardiovascularRisk, .heartAge: .needsCamera
    }
  }
}
