// An observation of a generic health sensor: its type, time and value.

import Bluetooth
import Wearable

/// Generic Health Sensor Service 1.0, section 3.1.2. Stored observations have a record number of four bytes before it.
///
///     0      class
///     1-2    bytes that follow
///     3-4    flags, which announce the fields that are present, in this order:
///              bit 0  type: code of the nomenclature, 4 bytes
///              bit 1  time stamp, 9 bytes
///              bit 2  duration, FLOAT
///              bit 3  measurement status, 2 bytes
///              bit 4  identifier, 4 bytes
///              bit 5  patient, 1 byte
///              bit 6  supplemental information: count, then codes of 4 bytes
///              bit 7  derived from: count, then identifiers of 4 bytes
///              bit 8  members: count, then identifiers of 4 bytes
///              bit 9  more, as types, lengths and values
///     then   value, by the class
///
/// The value of a bundle is a count and observations. Those without a time or a patient have the bundle's, and its
/// status is added to their own.
struct HealthObservation: Sendable, Hashable {
  enum Class: UInt8, Sendable, Hashable {
    case numeric = 1
    case discrete = 2
    case string = 3
    case samples = 4
    case discreteEvents = 5
    case state = 6
    case compoundNumeric = 7
    case typeLengthValue = 8
    case bundle = 0xFF
  }

  struct Status: OptionSet, Sendable, Hashable {
    let rawValue: UInt16

    static let invalid = Self(rawValue: 1 << 0)
    static let questionable = Self(rawValue: 1 << 1)
    static let notAvailable = Self(rawValue: 1 << 2)
    static let calibrating = Self(rawValue: 1 << 3)
    static let testData = Self(rawValue: 1 << 4)

    /// States in which the wearable itself considers the value invalid.
    static let unfit: Self = [.invalid, .questionable, .notAvailable, .calibrating, .testData]
  }

  enum Value: Sendable, Hashable {
    case number(unit: UInt16, MedicalFloat)
    /// Several numbers of one moment, each with a type.
    case numbers([Component])
    /// Codes of the nomenclature.
    case codes([UInt32])
    case text([UInt8])
    /// The raw value of a class that is not decoded.
    case bytes([UInt8])
  }

  struct Component: Sendable, Hashable {
    let type: UInt32
    let unit: UInt16
    let number: MedicalFloat
  }

  private enum Field {
    static let type: UInt16 = 1 << 0
    static let time: UInt16 = 1 << 1
    static let duration: UInt16 = 1 << 2
    static let status: UInt16 = 1 << 3
    static let identifier: UInt16 = 1 << 4
    static let patient: UInt16 = 1 << 5
    static let supplement: UInt16 = 1 << 6
    static let derivedFrom: UInt16 = 1 << 7
    static let members: UInt16 = 1 << 8
    static let more: UInt16 = 1 << 9
  }

  let classCode: UInt8
  private(set) var type: UInt32?
  private(set) var time: ElapsedTime?
  private(set) var duration: MedicalFloat?
  private(set) var status: Status = []
  private(set) var identifier: UInt32?
  private(set) var patient: UInt8?
  private(set) var value = Value.bytes([])

  /// nil for a reserved class.
  var kind: Class? { Class(rawValue: classCode) }

  /// Deepest nesting of bundles. The counts inside are also bounded by the number of their bytes.
  static let depth = 2

  /// Reads the observations of a body that was assembled from segments: one, or those of a bundle.
  ///
  /// - Returns: the observations, and the number of bytes after the last field.
  /// - Throws: `empty` without bytes, `truncated` if an announced field is missing, or longer than the body.
  static func read(_ bytes: RawBytes) throws(DecodeError) -> (observations: [HealthObservation], trailingBytes: Int) {
    var found = Found()
    let trailing = try read(bytes, into: &found)
    return (found.observations, trailing)
  }

  /// Offsets of all time stamps in a body. The wearable's clock determines whether they are of the current timeline.
  /// Empty if the body cannot be decoded.
  static func stamps(in bytes: RawBytes) -> [Int] {
    var found = Found()
    return (try? read(bytes, into: &found)) == nil ? [] : found.stamps
  }

  private struct Found {
    var observations: [HealthObservation] = []
    var stamps: [Int] = []
  }

  private static func read(_ bytes: RawBytes, into found: inout Found) throws(DecodeError) -> Int {
    if bytes.isEmpty { throw .empty }
    var reader = ByteReader(bytes)
    try read(&reader, nil, depth: depth, from: 0, into: &found)
    return reader.remaining
  }

  /// - Parameters:
  ///   - outer: the bundle that contains the observation.
  ///   - start: offset of the reader's bytes in the body.
  private static func read(
    _ reader: inout ByteReader, _ outer: HealthObservation?, depth: Int, from start: Int, into found: inout Found
  ) throws(DecodeError) {
    guard let classCode = reader.u8(), let length = reader.u16(), let content = reader.take(Int(length)) else {
      throw .truncated
    }
    let start = start + reader.offset - content.count
    var inner = ByteReader(content)
    var observation = HealthObservation(classCode: classCode)
    let (hasMore, stamp) = try observation.readFields(&inner)
    if let stamp { found.stamps.append(start + stamp) }
    observation.time = observation.time ?? outer?.time
    observation.patient = observation.patient ?? outer?.patient
    observation.status.formUnion(outer?.status ?? [])
    guard observation.kind == .bundle else {
      try observation.readValue(&inner, behindMore: hasMore)
      found.observations.append(observation)
      return
    }
    guard depth > 0, let count = inner.u8() else { throw .truncated }
    for _ in 0..<count { try read(&inner, observation, depth: depth - 1, from: start, into: &found) }
  }

  private init(classCode: UInt8) { self.classCode = classCode }

  /// - Returns: whether fields of unknown length (bit 9) precede the value, and the offset of the time stamp.
  private mutating func readFields(_ reader: inout ByteReader) throws(DecodeError) -> (hasMore: Bool, stamp: Int?) {
    guard let flags = reader.u16() else { throw .truncated }
    var stamp: Int?
    if flags & Field.type != 0 { type = try Self.word(&reader) }
    if flags & Field.time != 0 {
      stamp = reader.offset
      time = try ElapsedTime(&reader)
    }
    if flags & Field.duration != 0 { duration = try reader.float() }
    if flags & Field.status != 0 {
      guard let bits = reader.u16() else { throw .truncated }
      status = Status(rawValue: bits)
    }
    if flags & Field.identifier != 0 { identifier = try Self.word(&reader) }
    if flags & Field.patient != 0 {
      guard let number = reader.u8() else { throw .truncated }
      patient = number
    }
    for list in [Field.supplement, Field.derivedFrom, Field.members] where flags & list != 0 {
      guard let count = reader.u8(), reader.skip(Int(count) * 4) else { throw .truncated }
    }
    return (flags & Field.more != 0, stamp)
  }

  private static func word(_ reader: inout ByteReader) throws(DecodeError) -> UInt32 {
    guard let word = reader.u32() else { throw .truncated }
    return word
  }

  /// - Parameter behindMore: fields of unknown length precede the value, so a number is located from the end.
  private mutating func readValue(_ reader: inout ByteReader, behindMore: Bool) throws(DecodeError) {
    switch kind {
    case .numeric:
      if behindMore, !reader.skip(reader.remaining - Self.numberSize) { throw .truncated }
      let (unit, number) = try Self.number(&reader)
      value = .number(unit: unit, number)
    case .discrete where !behindMore: value = .codes([try Self.word(&reader)])
    case .discreteEvents where !behindMore:
      guard let count = reader.u8() else { throw .truncated }
      var codes: [UInt32] = []
      for _ in 0..<count { codes.append(try Self.word(&reader)) }
      value = .codes(codes)
    case .compoundNumeric where !behindMore:
      guard let count = reader.u8() else { throw .truncated }
      var components: [Component] = []
      for _ in 0..<count {
        let type = try Self.word(&reader)
        let (unit, number) = try Self.number(&reader)
        components.append(Component(type: type, unit: unit, number: number))
      }
      value = .numbers(components)
    case .string where !behindMore:
      guard let length = reader.u16(), let text = reader.take(Int(length)) else { throw .truncated }
      value = .text(Array(text))
    default: value = .bytes(Array(reader.rest()))
    }
  }

  /// Bytes of a number: 2 of the unit, 4 of a FLOAT.
  private static let numberSize = 6

  private static func number(_ reader: inout ByteReader) throws(DecodeError) -> (UInt16, MedicalFloat) {
    guard let unit = reader.u16() else { throw .truncated }
    return (unit, try reader.float())
  }
}
