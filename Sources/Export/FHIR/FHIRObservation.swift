// Rows as observations of FHIR R4: one resource of JSON each; values of blood pressure of one time are one.

internal import CivilTime
public import Health
public import JSONText

/// Observation of one time, with one or several values.
public struct FHIRObservation: Sendable, Hashable {
  /// A value in the stored scale of its series.
  public struct Value: Sendable, Hashable {
    /// Series that the value belongs to.
    public let series: Series
    /// Number in the stored scale.
    public let number: Int64
  }

  /// The same row with the same time has the same.
  public let id: String
  /// Name of the wearable.
  public let device: String
  /// Address of the wearable.
  public let address: String
  /// Name of the wearer; nil: unknown.
  public let wearer: String?
  /// Time or begin, microseconds since 1970.
  public let time: Int64
  /// End of an interval, microseconds since 1970; nil for a moment.
  public let end: Int64?
  /// Values of one time.
  public private(set) var values: [Value]
  let isResting: Bool
  let notes: [String]

  /// nil for a row that is no observation: of another series, of a maximum or a minimum, or without its place.
  public init?(_ row: ExportRow) {
    guard let series = row.known, series.fhirCode != nil, case .number(let number) = row.value, let place = row.place,
      row.kind == nil || row.kind == "resting" && series == .heartRate
    else { return nil }
    let address = row.address ?? ""
    id = Self.id(series, place, address, at: row.time)
    (device, self.address, wearer, time, end) = (row.device, address, row.wearer, row.time, row.end)
    values = [Value(series: series, number: number)]
    isResting = row.kind != nil
    var notes: [String] = []
    if row.quality == "low" { notes.append("low quality") }
    if let clock = row.clock { notes.append("clock \(clock)") }
    if row.origin == "advertised" { notes.append("advertised, not read over a link") }
    self.notes = notes
  }

  /// Id of at most 64 characters, as FHIR has it. The time is in it because two hubs number the rows of one wearable
  /// alike.
  private static func id(_ series: Series, _ place: ExportRow.Place, _ address: String, at time: Int64) -> String {
    let hardware = address.utf8.filter { $0 != 0x3A }.prefix(12)
    let parts = [
      String(decoding: hardware, as: UTF8.self), String(place.enrolment, radix: 16), String(place.way.prefix(1)),
      String(series.id), String(place.ordinal, radix: 16), String(UInt64(bitPattern: time), radix: 16),
    ]
    return parts.filter { !$0.isEmpty }.joined(separator: "-")
  }

  /// Blood pressure: others of the same time may follow.
  var isPressure: Bool { values.first.map { Series.fhirPressures.contains($0.series) } ?? false }

  /// Whether another value belongs to it.
  func takes(_ other: FHIRObservation) -> Bool {
    device == other.device && address == other.address && time == other.time && isPressure && other.isPressure
      && !values.contains { value in other.values.contains { $0.series == value.series } }
  }

  mutating func take(_ other: FHIRObservation) {
    values += other.values
    values.sort { $0.series.id < $1.series.id }
  }

  /// The resource. Without a wearer, the wearable is the pseudonym of the subject.
  public func json() -> JSON {
    let code = isPressure ? FHIRCode.pressurePanel : values.first.flatMap { $0.series.fhirCode } ?? .pressurePanel
    var members: [JSON.Member] = [.init("resourceType", "Observation"), .init("id", .string(id))]
    if let profile = code.profile {
      let profiles: [JSON] = [.string("http://hl7.org/fhir/StructureDefinition/\(profile)")]
      members.append(.init("meta", ["profile": .array(profiles)]))
    }
    members.append(.init("status", "final"))
    members.append(.init("category", .array([category(code.profile != nil)])))
    members.append(.init("code", concept(code)))
    members.append(.init("subject", subject))
    if let end {
      members.append(
        .init(
          "effectivePeriod",
          ["start": .string(momentText(time, .exact)), "end": .string(momentText(end, .exact))]))
    } else {
      members.append(.init("effectiveDateTime", .string(momentText(time, .exact))))
    }
    if !isPressure, let value = values.first { members.append(.init("valueQuantity", quantity(value, code))) }
    if !notes.isEmpty { members.append(.init("note", .array(notes.map { ["text": .string($0)] }))) }
    members.append(.init("device", deviceReference))
    if isPressure { members.append(.init("component", .array(values.map(component)))) }
    return .object(members)
  }

  private func category(_ isVitalSign: Bool) -> JSON {
    [
      "coding": .array([
        [
          "system": "http://terminology.hl7.org/CodeSystem/observation-category",
          "code": isVitalSign ? "vital-signs" : "activity", "display": isVitalSign ? "Vital Signs" : "Activity",
        ]
      ])
    ]
  }

  private func concept(_ code: FHIRCode) -> JSON {
    var codings = code.codings
    if isResting { codings.append(.loinc("40443-4", "Heart rate --resting")) }
    return [
      "coding": .array(
        codings.map { ["system": .string($0.system), "code": .string($0.code), "display": .string($0.display)] })
    ]
  }

  private var subject: JSON {
    guard let wearer else {
      return [
        "type": "Patient",
        "identifier": ["system": "urn:hearth:worn", "value": .string(address.isEmpty ? device : address)],
      ]
    }
    return [
      "type": "Patient", "identifier": ["system": "urn:hearth:wearer", "value": .string(wearer)],
      "display": .string(wearer),
    ]
  }

  private var deviceReference: JSON {
    var members: [JSON.Member] = [.init("type", "Device")]
    if !address.isEmpty {
      members.append(.init("identifier", ["system": "urn:hearth:address", "value": .string(address)]))
    }
    members.append(.init("display", .string(device)))
    return .object(members)
  }

  private func quantity(_ value: Value, _ code: FHIRCode) -> JSON {
    let text = value.series.text(value.number)
    return [
      "value": Int64(text).map { JSON.integer($0) } ?? .decimal(text), "unit": .string(code.unit),
      "system": "http://unitsofmeasure.org", "code": .string(code.unitCode),
    ]
  }

  private func component(_ value: Value) -> JSON {
    guard let code = value.series.fhirCode else { return .null }
    return ["code": concept(code), "valueQuantity": quantity(value, code)]
  }
}

/// Puts values of blood pressure of one measurement together. Their series come one after the other, so the first ones
/// wait: a cuff measures some hundred times a day at most.
public struct FHIRPanels {
  /// Measurements that wait; beyond it each value is an observation of its own.
  public static let limit = 100_000

  private struct Moment: Hashable {
    let device: String
    let time: Int64
  }

  private var waiting: [Moment: FHIRObservation] = [:]
  private var order: [Moment] = []

  /// Creates a set without observations.
  public init() {}

  /// Observations that are whole.
  public mutating func add(_ observation: FHIRObservation) -> FHIRObservation? {
    if !observation.isPressure { return observation }
    let moment = Moment(device: observation.device + observation.address, time: observation.time)
    if var known = waiting[moment] {
      if !known.takes(observation) { return observation }
      known.take(observation)
      waiting[moment] = known
      return nil
    }
    if order.count >= Self.limit { return observation }
    waiting[moment] = observation
    order.append(moment)
    return nil
  }

  /// Returns the observations that waited, in the order of arrival.
  public mutating func finish() -> [FHIRObservation] {
    defer { (waiting, order) = ([:], []) }
    return order.compactMap { waiting[$0] }
  }
}
