import Health
import JSONText
import Testing

@testable import Export

@Suite("Exports as FHIR observations")
struct FHIRObservationTests {
  private static let morning: Int64 = 1_795_255_200_000_000

  private func row(
    _ series: Series, _ number: Int64, at seconds: Int64 = 0, ordinal: UInt64 = 9, kind: String? = nil,
    wearer: String? = "Ada", clock: String? = nil
  ) -> ExportRow {
    let time = Self.morning + seconds * 1_000_000
    return ExportRow(
      device: "strap-01", address: "F0:F1:F2:F3:F4:00", series: series.name, known: series, time: time,
      value: .number(number), unit: series.unit, origin: "live", kind: kind,
      end: series.layout == .interval ? time + 60_000_000 : nil, wearer: wearer, clock: clock,
      place: .init(enrolment: 1, way: "live", ordinal: ordinal))
  }

  private func text(_ row: ExportRow) throws -> String {
    let observation = try #require(FHIRObservation(row))
    return String(decoding: observation.json().compact, as: UTF8.self)
  }

  @Test("a heart rate has profile, category, both codes, person, time, exact value and wearable")
  func heartRate() throws {
    #expect(
      try text(row(.heartRate, 72)) == """
        {"resourceType":"Observation","id":"F0F1F2F3F400-1-l-1-9-660c66c7a2800",\
        "meta":{"profile":["http://hl7.org/fhir/StructureDefinition/heartrate"]},"status":"final",\
        "category":[{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/observation-category",\
        "code":"vital-signs","display":"Vital Signs"}]}],\
        "code":{"coding":[{"system":"http://loinc.org","code":"8867-4","display":"Heart rate"},\
        {"system":"urn:iso:std:iso:11073:10101","code":"147842","display":"MDC_ECG_HEART_RATE"}]},\
        "subject":{"type":"Patient","identifier":{"system":"urn:hearth:wearer","value":"Ada"},"display":"Ada"},\
        "effectiveDateTime":"2026-11-21T10:00:00.000Z",\
        "valueQuantity":{"value":72,"unit":"beats/minute","system":"http://unitsofmeasure.org","code":"/min"},\
        "device":{"type":"Device","identifier":{"system":"urn:hearth:address","value":"F0:F1:F2:F3:F4:00"},\
        "display":"strap-01"}}
        """)
  }

  @Test("without a wearer the wearable is the subject; doubts are notes; intervals have a period")
  func variants() throws {
    let anonymous = try text(row(.bodyTemperature, 36_650, wearer: nil, clock: "unsure"))
    #expect(anonymous.contains(#""identifier":{"system":"urn:hearth:worn","value":"F0:F1:F2:F3:F4:00"}"#))
    #expect(anonymous.contains(#""value":36.65,"unit":"degrees C","#))
    #expect(anonymous.contains(#""note":[{"text":"clock unsure"}]"#))
    let steps = try text(row(.steps, 42))
    let period = #""effectivePeriod":{"start":"2026-11-21T10:00:00.000Z","end":"2026-11-21T10:01:00.000Z"}"#
    #expect(steps.contains(period + #","valueQuantity":{"value":42,"#))
    #expect(steps.contains(#""code":"activity""#) && !steps.contains("profile"))
    #expect(try text(row(.heartRate, 50, kind: "resting")).contains("40443-4"))
  }

  @Test("maxima, other series and rows without a place are no observations")
  func none() {
    #expect(FHIRObservation(row(.heartRate, 200, kind: "maximum")) == nil)
    #expect(FHIRObservation(row(.battery, 80)) == nil)
    var placeless = row(.heartRate, 72)
    placeless.place = nil
    #expect(FHIRObservation(placeless) == nil)
  }

  @Test("values of blood pressure of one time are one panel with components, in whatever order they come")
  func pressure() throws {
    var panels = FHIRPanels()
    let rows = [
      row(.systolicPressure, 12_000, at: 0, ordinal: 1), row(.systolicPressure, 13_050, at: 60, ordinal: 2),
      row(.diastolicPressure, 8_000, at: 0, ordinal: 1), row(.meanPressure, 9_300, at: 0, ordinal: 1),
      row(.diastolicPressure, 8_500, at: 120, ordinal: 2),
    ]
    for row in rows { #expect(panels.add(try #require(FHIRObservation(row))) == nil) }
    let whole = panels.finish()
    #expect(whole.map { $0.values.map(\.number) } == [[12_000, 8_000, 9_300], [13_050], [8_500]])
    let json = whole[0].json()
    guard case .array(let components)? = json["component"] else { return #expect(Bool(false), "components") }
    #expect(components.map { $0["valueQuantity"]?["value"] } == [.integer(120), .integer(80), .integer(93)])
    #expect(json["valueQuantity"] == nil && json["id"]?.text == "F0F1F2F3F400-1-l-56-1-660c66c7a2800")
    #expect(whole[1].json()["component"].map { String(decoding: $0.compact, as: UTF8.self) }?.contains("130.5") == true)
    #expect(panels.finish().isEmpty)
  }
}
