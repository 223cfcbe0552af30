// Vital signs of each type of sensor, and the reason why it lacks the others. Signs that cannot be measured reliably on
// the body are never enabled.

/// Type of data that a sensor delivers.
public enum SensorClass: UInt8, Sendable, Hashable, CaseIterable {
  /// Intervals from the heart's electrical signal: a chest strap.
  case electrical
  /// Intervals from light at the arm.
  case optical
  /// Intervals from light at the wrist: sampled so slowly that they may be wrong by tens of ms.
  case opticalWrist
  case rateOnly
  case oximeter
  case thermometer
  /// A cuff, or a band with an air pump. An optical estimate does not count.
  case cuff
  /// A scale for people.
  case scale

  /// Basis of its results; nil for values that are passed through.
  public var basis: Basis? {
    switch self {
    case .electrical: .rr
    case .optical, .opticalWrist: .ppi
    case .rateOnly: .rate
    case .oximeter, .thermometer, .cuff, .scale: nil
    }
  }
}

/// Data that a result was computed from. Optical intervals give pulse-rate variability: close to heart-rate variability
/// at rest, worse in motion (Schäfer and Vagedes 2013).
public enum Basis: String, Sendable, Hashable, CaseIterable {
  case rr
  case ppi
  case rate
}

/// Reason why a sign is not enabled.
public enum NotEnabledReason: String, Sendable, Hashable, CaseIterable {
  case needsIntervals = "needs_intervals"
  /// The accuracy of variability from the wrist is not measured yet.
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

/// Row of a session's table of vital signs.
public struct VitalSignEntry: Sendable, Hashable {
  /// Vital sign of this row.
  public var sign: VitalSign
  /// Nil if the sign is enabled.
  public var notEnabled: NotEnabledReason?

  /// A sign; `notEnabled` nil: it is enabled.
  public init(sign: VitalSign, notEnabled: NotEnabledReason?) {
    self.sign = sign
    self.notEnabled = notEnabled
  }

  /// True if the sign is enabled.
  public var isEnabled: Bool { notEnabled == nil }
}

extension VitalSign {
  /// Every sign, with the reason if a type of sensor lacks it.
  public static func table(for sensor: SensorClass) -> [VitalSignEntry] {
    allCases.map { VitalSignEntry(sign: $0, notEnabled: $0.notEnabled(for: sensor)) }
  }

  /// Reason why a type of sensor lacks the sign; nil if it has it.
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
