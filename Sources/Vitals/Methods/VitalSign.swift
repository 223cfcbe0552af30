// Vital signs by name, with their units and the window that each needs. The signs of each sensor type are in
// `EnabledSigns.swift`.

/// Vital sign, by the name that records and the interface use.
public enum VitalSign: String, Sendable, Hashable, CaseIterable {
  // From beats.
  case pulseRate = "pulse_rate"
  case meanInterval = "mean_rr"
  case intervals = "rr_list"
  case sdnn
  case rmssd
  case pnn50
  case sd1
  case sd2
  case lowFrequency = "lf"
  case highFrequency = "hf"
  case frequencyRatio = "lf_hf"
  case lowFrequencyNormalised = "lf_nu"
  case respirationRate = "respiration_rate"
  case quotient = "prq"
  case stressIndex = "stress_index"
  case stressLevel = "stress_level"
  case parasympatheticIndex = "pns_index_hub"
  case parasympatheticZone = "pns_zone"
  case sympatheticIndex = "sns_index_hub"
  case sympatheticZone = "sns_zone"
  case energy
  case heartRateZone = "heart_rate_zone"
  // As a sensor of that value reports it.
  case oxygenSaturation = "spo2"
  case temperature
  case systolicPressure = "blood_pressure_systolic"
  case diastolicPressure = "blood_pressure_diastolic"
  case meanArterialPressure = "mean_arterial_pressure"
  case pulsePressure = "pulse_pressure"
  case cardiacWorkload = "cardiac_workload"
  case weight
  // Never enabled.
  case normalisedStressIndex = "normalised_stress_index"
  case wellnessIndex = "wellness_index"
  case wellnessLevel = "wellness_level"
  case haemoglobin
  case haemoglobinA1c = "hba1c"
  case glucoseRisk = "glucose_risk"
  case cholesterolRisk = "cholesterol_risk"
  case cardiovascularRisk = "cardiovascular_risk"
  case heartAge = "heart_age"

  /// Empty for a level or a zone.
  public var unit: String {
    switch self {
    case .pulseRate: "bpm"
    case .meanInterval, .intervals, .sdnn, .rmssd, .sd1, .sd2: "ms"
    case .pnn50, .lowFrequencyNormalised, .oxygenSaturation: "%"
    case .lowFrequency, .highFrequency: "ms²"
    case .frequencyRatio, .quotient: "ratio"
    case .respirationRate: "/min"
    case .stressIndex: "1/s²"
    case .energy: "kJ/min"
    case .temperature: "°C"
    case .systolicPressure, .diastolicPressure, .meanArterialPressure, .pulsePressure: "mmHg"
    case .cardiacWorkload: "mmHg·bpm"
    case .weight: "kg"
    default: ""
    }
  }

  /// s, the shortest window for a value while a measurement runs, and for a final one. 0 for values that are passed
  /// through.
  ///
  /// The bounds are those of the vendor's sessions with a sensor. For respiration the 30 s are the hub's own, because
  /// 17 s, as the vendor uses, contain no line that RSA-1 could find.
  public func leastSeconds(_ phase: MeasurementPhase) -> Double {
    switch self {
    case .pulseRate: phase == .runtime ? 7 : 20
    case .heartRateZone: 7
    case .energy: 10
    case .meanInterval, .sdnn, .rmssd: 35
    case .respirationRate: phase == .runtime ? 30 : 37
    case .quotient: 37
    case .intervals, .pnn50, .sd1, .sd2, .lowFrequency, .highFrequency, .frequencyRatio, .lowFrequencyNormalised,
      .stressIndex, .stressLevel, .parasympatheticIndex, .parasympatheticZone, .sympatheticIndex, .sympatheticZone:
      50
    default: 0
    }
  }

  /// s; a value from a shorter window is flagged and never of high confidence. 0 for values that a short window does
  /// not harm.
  ///
  /// RMSSD is reliable from 30 s on. Values that depend on the spread of all intervals need a minute. Values that
  /// depend on waves of 10 to 25 s need two (Shaffer and Ginsberg 2017, Munoz 2015, Baek 2015).
  public var usualSeconds: Double {
    switch self {
    case .sdnn, .sd2, .pnn50, .stressIndex, .stressLevel, .parasympatheticIndex, .parasympatheticZone,
      .sympatheticIndex, .sympatheticZone:
      60
    case .lowFrequency, .highFrequency, .frequencyRatio, .lowFrequencyNormalised: 120
    default: 0
    }
  }

  /// Highest confidence for a window shorter than `usualSeconds`: bands below two minutes have low confidence.
  public var shortConfidence: Confidence {
    switch self {
    case .lowFrequency, .highFrequency, .frequencyRatio, .lowFrequencyNormalised: .low
    default: .medium
    }
  }

  /// Plausible range; nil without a known limit. Values outside are not reported.
  public var plausible: ClosedRange<Double>? {
    switch self {
    case .pulseRate: PulseRate.plausible
    case .meanInterval: IntervalScreening.plausible
    case .sdnn, .rmssd: 0...300
    case .pnn50, .lowFrequencyNormalised: 0...100
    case .respirationRate: 7.2...30
    case .quotient: PulseRespirationQuotient.plausible
    case .stressIndex: StressIndex.plausible
    case .parasympatheticIndex, .sympatheticIndex: AutonomicIndices.plausible
    case .energy: Energy.plausible
    case .oxygenSaturation: SensorReading.saturations
    case .temperature: SensorReading.temperatures
    case .systolicPressure, .diastolicPressure, .meanArterialPressure: CuffReading.pressures
    case .weight: SensorReading.weights
    default: nil
    }
  }
}

/// Whether a value may still change.
public enum MeasurementPhase: Sendable, Hashable {
  case runtime
  case final
}
