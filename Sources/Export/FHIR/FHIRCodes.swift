// Which series become FHIR observations, with their codes and units.
//
// By series the LOINC code, the MDC code, the unit in UCUM and the profile:
//
// - heart_rate: 8867-4, at rest also 40443-4; 147842 MDC_ECG_HEART_RATE; /min; heartrate.
// - pulse_rate: 8867-4, 8889-8; 149530 MDC_PULS_OXIM_PULS_RATE; /min; heartrate.
// - spo2: 2708-6, 59408-5; 150456 MDC_PULS_OXIM_SAT_O2; %; oxygensat.
// - body_temperature: 8310-5; 150364 MDC_TEMP_BODY; Cel; bodytemp.
// - blood_pressure_systolic: 8480-6 in 85354-9; 150021 MDC_PRESS_BLD_NONINV_SYS in 150020; mm[Hg]; bp.
// - blood_pressure_diastolic: 8462-4 in 85354-9; 150022 MDC_PRESS_BLD_NONINV_DIA in 150020; mm[Hg]; bp.
// - blood_pressure_mean: 8478-0 in 85354-9; 150023 MDC_PRESS_BLD_NONINV_MEAN in 150020; mm[Hg]; bp.
// - respiration_rate: 9279-1; 151562 MDC_RESP_RATE; /min; resprate.
// - weight: 29463-7; 188736 MDC_MASS_BODY_ACTUAL; kg; bodyweight.
// - steps: 55423-8; no MDC; 1; no profile.
//
// Sources: LOINC and profiles of "FHIR R4, Vital Signs"; 59408-5 and 8889-8 say besides that a pulse oximeter measured.
// 40443-4 and 55423-8: value sets of the HL7 Physical Activity guide. Units: UCUM, as those profiles demand.
//
// MDC codes are those of IEEE 11073-10101, each with the document that uses it for this measurement:
//
// - 147842: HL7 guides "Point-of-Care Device" (hl7.org/fhir/uv/pocd, example of a heart rate) and "Personal Health
//   Device" (hl7.org/fhir/uv/phd, page on codes).
// - 149530: IEEE 11073-10404; the example "spotnumeric" of the guide "Personal Health Device".
// - 150456: IEEE 11073-10404.
// - 150020, 150021, 150022, 150023: IEEE 11073-10407.
// - 150364: IEEE 11073-10408.
// - 188736: IEEE 11073-10415.
// - 151562: IEEE 11073-10101 alone, as no specialisation for personal devices has a respiration rate.
//
// Steps of a span of any length have no MDC code that was checked.

internal import Health

/// Codes of one kind of observation, with their names.
struct FHIRCode: Sendable {
  struct Coding: Sendable {
    let system: String
    let code: String
    let display: String

    static func loinc(_ code: String, _ display: String) -> Coding {
      Coding(system: "http://loinc.org", code: code, display: display)
    }

    static func mdc(_ code: String, _ display: String) -> Coding {
      Coding(system: "urn:iso:std:iso:11073:10101", code: code, display: display)
    }
  }

  let codings: [Coding]
  let unit: String
  /// Unit as a code of UCUM.
  let unitCode: String
  /// The vital signs profile; nil: an activity.
  var profile: String?

  /// Panel of blood pressure; its values are components.
  static let pressurePanel = FHIRCode(
    codings: [
      .loinc("85354-9", "Blood pressure panel with all children optional"), .mdc("150020", "MDC_PRESS_BLD_NONINV"),
    ],
    unit: "mmHg", unitCode: "mm[Hg]", profile: "bp")
}

extension Series {
  /// nil for a series that is no observation here. Of blood pressure the code of a component.
  var fhirCode: FHIRCode? {
    switch self {
    case .heartRate:
      FHIRCode(
        codings: [.loinc("8867-4", "Heart rate"), .mdc("147842", "MDC_ECG_HEART_RATE")], unit: "beats/minute",
        unitCode: "/min", profile: "heartrate")
    case .pulseRate:
      FHIRCode(
        codings: [
          .loinc("8867-4", "Heart rate"), .loinc("8889-8", "Heart rate by Pulse oximetry"),
          .mdc("149530", "MDC_PULS_OXIM_PULS_RATE"),
        ], unit: "beats/minute", unitCode: "/min", profile: "heartrate")
    case .spo2:
      FHIRCode(
        codings: [
          .loinc("2708-6", "Oxygen saturation in Arterial blood"),
          .loinc("59408-5", "Oxygen saturation in Arterial blood by Pulse oximetry"),
          .mdc("150456", "MDC_PULS_OXIM_SAT_O2"),
        ], unit: "%", unitCode: "%", profile: "oxygensat")
    case .bodyTemperature:
      FHIRCode(
        codings: [.loinc("8310-5", "Body temperature"), .mdc("150364", "MDC_TEMP_BODY")], unit: "degrees C",
        unitCode: "Cel", profile: "bodytemp")
    case .systolicPressure: pressure("8480-6", "Systolic blood pressure", "150021", "MDC_PRESS_BLD_NONINV_SYS")
    case .diastolicPressure: pressure("8462-4", "Diastolic blood pressure", "150022", "MDC_PRESS_BLD_NONINV_DIA")
    case .meanPressure: pressure("8478-0", "Mean blood pressure", "150023", "MDC_PRESS_BLD_NONINV_MEAN")
    case .respirationRate:
      FHIRCode(
        codings: [.loinc("9279-1", "Respiratory rate"), .mdc("151562", "MDC_RESP_RATE")], unit: "breaths/minute",
        unitCode: "/min", profile: "resprate")
    case .weight:
      FHIRCode(
        codings: [.loinc("29463-7", "Body weight"), .mdc("188736", "MDC_MASS_BODY_ACTUAL")], unit: "kg", unitCode: "kg",
        profile: "bodyweight")
    case .steps:
      FHIRCode(
        codings: [.loinc("55423-8", "Number of steps in unspecified time Pedometer")], unit: "steps", unitCode: "1")
    default: nil
    }
  }

  private func pressure(_ loinc: String, _ display: String, _ mdc: String, _ name: String) -> FHIRCode {
    FHIRCode(codings: [.loinc(loinc, display), .mdc(mdc, name)], unit: "mmHg", unitCode: "mm[Hg]", profile: "bp")
  }

  /// Series of one panel, in the order of its components.
  static let fhirPressures: [Series] = [.systolicPressure, .diastolicPressure, .meanPressure]
}
