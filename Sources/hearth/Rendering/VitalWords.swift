// Vital signs in plain words: meaning of the names, reasons and flags of measurements.

import HubProtocol

enum VitalWords {
  /// `breathing rate`; a name that this program does not know is shown as it is.
  static func name(_ name: String) -> String { names[name] ?? name }

  private static let names = [
    "pulse_rate": "pulse", "mean_rr": "mean interval", "rr_list": "intervals", "sdnn": "SDNN", "rmssd": "RMSSD",
    "pnn50": "pNN50", "sd1": "SD1", "sd2": "SD2", "lf": "LF power", "hf": "HF power", "lf_hf": "LF/HF",
    "lf_nu": "LF, normalised", "respiration_rate": "breathing rate", "prq": "pulse per breath",
    "stress_index": "stress index (Baevsky)", "stress_level": "stress level",
    "pns_index_hub": "parasympathetic index", "pns_zone": "parasympathetic zone",
    "sns_index_hub": "sympathetic index", "sns_zone": "sympathetic zone", "energy": "energy",
    "heart_rate_zone": "heart rate zone", "spo2": "oxygen saturation", "temperature": "temperature",
    "blood_pressure_systolic": "systolic pressure", "blood_pressure_diastolic": "diastolic pressure",
    "mean_arterial_pressure": "mean arterial pressure", "pulse_pressure": "pulse pressure",
    "cardiac_workload": "cardiac workload", "weight": "weight", "normalised_stress_index": "normalised stress index",
    "wellness_index": "wellness index", "wellness_level": "wellness level", "haemoglobin": "haemoglobin",
    "hba1c": "HbA1c", "glucose_risk": "glucose risk", "cholesterol_risk": "cholesterol risk",
    "cardiovascular_risk": "cardiovascular risk", "heart_age": "heart age",
  ]

  /// The reason for a missing value, without a full stop.
  static func reason(_ reason: String) -> String { reasons[reason] ?? reason }

  private static let reasons = [
    "window_too_short": "the measurement was too short for it",
    "stretch_too_short": "no stretch without a gap was long enough",
    "insufficient_quality": "too many artefacts, or too much of the time without beats",
    "intervals_overlap": "the beats cover more time than there was: the sensor sent some of them twice",
    "undefined": "not defined for these beats: too few, or all the same",
    "out_of_range": "the result is outside the possible range",
    "no_breathing_line": "breathing does not show clearly in these beats; that can be normal",
    "person_unknown": "sex, age or weight of the person is not known",
    "person_out_of_limits": "age, weight or height is outside what the formula is for",
    "rate_too_low": "below 90 beats a minute the rate does not show it",
    "no_value": "the sensor sent no value",
    "time_unknown": "its reading is stored, but the time of measuring is not certain",
    "needs_intervals": "needs beat-to-beat intervals, which this sensor does not send",
    "intervals_unproven": "intervals from the wrist are too coarse for it, as far as is known",
    "needs_rate": "needs a heart rate, which this sensor does not send",
    "needs_oximeter": "needs an oximeter", "needs_thermometer": "needs a thermometer", "needs_cuff": "needs a cuff",
    "needs_scale": "needs a scale",
    "no_public_definition": "its formula is not published",
    "proprietary": "its formula is a vendor's secret", "needs_camera": "needs a camera",
  ]

  /// Remarks about a result.
  static func remarks(_ flags: [String]) -> String {
    flags.map { remarks[$0] ?? $0 }.joined(separator: ", ")
  }

  private static let remarks = [
    "window_short": "short window", "optical": "from pulse intervals", "hf_unreliable": "breathing outside the band",
    "extrapolated": "outside the formula's data", "passed_through": "as the sensor sent it",
    "corrected": "some beats corrected", "wrist": "skin of the wrist",
  ]

  static func basis(_ basis: Words.VitalsBasis) -> String {
    switch basis {
    case .rr: "from electrical intervals"
    case .ppi: "from pulse intervals, measured with light"
    case .rate: "from heart rates or what the sensor itself measures"
    default: "from \(basis)"
    }
  }

  /// The end of a measurement in a sentence.
  static func ending(_ record: VitalsRecordDocument) -> String {
    switch record.endedBy {
    case .duration: "all of its \(seconds(record.requestedS))"
    case .stop: "ended early, of \(seconds(record.requestedS))"
    case .terminated: "its session was ended, of \(seconds(record.requestedS))"
    case .error: "ended by error \(record.code.map { "\($0)" } ?? "?"): \(record.sentence ?? "unknown")"
    default: record.endedBy.rawValue
    }
  }

  /// The same for a column.
  static func shortEnding(_ record: VitalsRecordDocument) -> String {
    switch record.endedBy {
    case .duration: "complete"
    case .stop: "ended early"
    case .terminated: "session ended"
    case .error: "error \(record.code.map { "\($0)" } ?? "?")"
    default: record.endedBy.rawValue
    }
  }

  /// Value with its unit; a level or a zone in words.
  static func value(_ result: VitalValueDocument) -> String {
    let unit = result.unit == "ratio" || result.value == nil ? "" : result.unit
    return bare(result) + (unit.isEmpty ? "" : " " + unit)
  }

  /// The same without the unit.
  static func bare(_ result: VitalValueDocument) -> String {
    if let text = result.text { return String(text.map { $0 == "_" ? " " : $0 }) }
    guard let value = result.value else { return "-" }
    return decimal(value, digits(result, value))
  }

  /// Significant digits: whole numbers if a sensor or a person counts, else about three figures.
  private static func digits(_ result: VitalValueDocument, _ value: Double) -> Int {
    switch result.name {
    case "pulse_rate", "spo2", "heart_rate_zone": return 0
    case "temperature", "respiration_rate": return 1
    default: return value.magnitude >= 100 ? 0 : value.magnitude >= 10 ? 1 : 2
    }
  }

  /// The lowest of several confidences; `-` without any.
  static func lowest(_ confidences: [String]) -> String {
    ["unknown", "low", "medium", "high"].first { confidences.contains($0) } ?? "-"
  }

  /// `60 s`
  static func seconds(_ value: Double) -> String { "\(decimal(value, 0)) s" }

  /// A share in percent.
  static func percent(_ share: Double) -> String {
    let percent = share * 100
    return "\(decimal(percent, percent < 10 && percent > 0 ? 1 : 0)) %"
  }

  /// Rounded to so many decimals, at most three; `?` for what is not a number, or beyond all measurable values.
  static func decimal(_ value: Double, _ decimals: Int) -> String {
    let scale = [1, 10, 100, 1000][min(max(decimals, 0), 3)]
    guard let whole = Int64(exactly: (value * Double(scale)).rounded()), whole.magnitude < 1 << 53 else { return "?" }
    let (high, low) = (whole.magnitude / UInt64(scale), whole.magnitude % UInt64(scale))
    let sign = whole < 0 ? "-" : ""
    if scale == 1 { return "\(sign)\(high)" }
    let digits = String("\(low + UInt64(scale))".dropFirst())
    return "\(sign)\(high).\(digits)"
  }
}
