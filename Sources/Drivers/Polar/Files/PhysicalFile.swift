// The wearable's existing file of physical data: single facts are read and changed, and all other bytes are preserved.

import CivilTime
import Health
public import PolarMessages

/// A fact about the wearer, by its field number in the file. Each is a message of a value, the time of its change and,
/// for some, its source.
public enum PhysicalPart: UInt32, CaseIterable, Sendable {
  case birthDate = 1
  case sex = 2
  case weight = 3
  case height = 4
  case maximumHeartRate = 5
  case restingHeartRate = 6
  case vo2Max = 10
  case trainingBackground = 11
  case typicalDay = 12
  case sleepGoal = 17

  /// Name for messages to people.
  public var name: String {
    switch self {
    case .birthDate: "birth date"
    case .sex: "sex"
    case .weight: "weight"
    case .height: "height"
    case .maximumHeartRate: "highest heart rate"
    case .restingHeartRate: "resting heart rate"
    case .vo2Max: "VO2max"
    case .trainingBackground: "training background"
    case .typicalDay: "typical day"
    case .sleepGoal: "sleep goal"
    }
  }

  /// Facts without which first-time use is not complete.
  public static let required: [PhysicalPart] = [.birthDate, .sex, .height, .weight]

  /// Whether the fact has a source (polar-ble-sdk 8.0.0: setting_source, field 3).
  var hasSource: Bool { [.weight, .maximumHeartRate, .restingHeartRate, .vo2Max].contains(self) }
}

/// The value of a fact, as in the file.
public enum PhysicalValue: Hashable, Sendable {
  /// Year, month, day, as the wearable reports them, even if they are no valid date.
  case date(UInt64, UInt64, UInt64)
  /// bpm, ml/kg/min, minutes, and the numbers of enumerations, including those of newer firmware.
  case number(UInt64)
  /// kg, cm: the bit pattern of a float, so that NaN equals itself.
  case measure(bits: UInt32)

  /// Text for messages to people.
  public var text: String {
    switch self {
    case .date(let year, let month, let day): "\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)"
    case .number(let number): "\(number)"
    case .measure(let bits): Int(exactly: Float(bitPattern: bits)).map { "\($0)" } ?? "\(Float(bitPattern: bits))"
    }
  }

  static func date(_ date: LocalDate) -> PhysicalValue {
    .date(UInt64(clamping: date.year), UInt64(date.month), UInt64(date.day))
  }

  static func measure(_ whole: Int) -> PhysicalValue { .measure(bits: Float(whole).bitPattern) }
}

/// The content of the file. A change affects the fact's value, the time of its change and its source. Other facts,
/// their times and all unknown fields keep their bytes.
public struct PhysicalFile: Hashable, Sendable {
  private var fields: WireFields
  /// Facts in the file.
  public private(set) var values: [PhysicalPart: PhysicalValue] = [:]

  // Fields within a fact, and of the whole file.
  private static let value: UInt32 = 1, changed: UInt32 = 2, source: UInt32 = 3, lastChanged: UInt32 = 100
  /// setting_source of a value that a person entered.
  private static let sourceUser: UInt64 = 2

  /// - Throws: if the bytes are not such a file, or a fact in it cannot be read.
  public init(_ bytes: [UInt8]) throws(MalformedMessage) {
    _ = try PbUserPhysData(wire: bytes)
    fields = try WireFields(bytes)
    for part in PhysicalPart.allCases { values[part] = try Self.read(part, fields) }
  }

  /// The file as bytes.
  public var bytes: [UInt8] { fields.bytes }

  /// nil if the file does not have the fact.
  private static func read(_ part: PhysicalPart, _ fields: WireFields) throws(MalformedMessage) -> PhysicalValue? {
    guard let message = try fields.message(part.rawValue) else { return nil }
    switch part {
    case .birthDate:
      guard let date = try message.message(value) else { return nil }
      return .date(try date.number(1) ?? 0, try date.number(2) ?? 0, try date.number(3) ?? 0)
    case .weight, .height: return try message.halfWord(value).map { .measure(bits: $0) }
    case .sex, .maximumHeartRate, .restingHeartRate, .vo2Max, .trainingBackground, .typicalDay, .sleepGoal:
      return try message.number(value).map { .number($0) }
    }
  }

  /// Required facts that the file lacks.
  public var missing: [PhysicalPart] { PhysicalPart.required.filter { values[$0] == nil } }

  /// Facts that differ from `told`.
  public func differing(from told: [PhysicalPart: PhysicalValue]) -> [PhysicalPart] {
    PhysicalPart.allCases.filter { part in told[part].map { $0 != values[part] } ?? false }
  }

  /// Removes a fact, so that the wearable decides it again; the facts of `required` stay.
  ///
  /// - Parameter time: seconds since 1970-01-01T00:00:00Z.
  /// - Throws: if the time cannot be encoded.
  public mutating func leave(_ part: PhysicalPart, at time: Int64) throws(MalformedMessage) {
    guard values[part] != nil, !PhysicalPart.required.contains(part) else { return }
    fields.clear(part.rawValue)
    values[part] = nil
    fields.set(Self.lastChanged, bytes: try PbSystemDateTime(seconds: time).wire())
  }

  /// Changes the facts that differ. Without a difference the file is unchanged.
  ///
  /// - Parameter time: time of the change, seconds since 1970-01-01T00:00:00Z.
  /// - Throws: if a fact's bytes can no longer be read.
  public mutating func change(_ told: [PhysicalPart: PhysicalValue], at time: Int64) throws(MalformedMessage) {
    let differing = differing(from: told)
    if differing.isEmpty { return }
    let now = try PbSystemDateTime(seconds: time).wire()
    for part in differing {
      guard let wanted = told[part] else { continue }
      var message = try fields.message(part.rawValue) ?? WireFields()
      switch wanted {
      case .number(let number): message.set(Self.value, number: number)
      case .measure(let bits): message.set(Self.value, halfWord: bits)
      case .date(let year, let month, let day):
        var date = try message.message(Self.value) ?? WireFields()
        for (field, number) in [(1, year), (2, month), (3, day)] as [(UInt32, UInt64)] {
          date.set(field, number: number)
        }
        message.set(Self.value, message: date)
      }
      message.set(Self.changed, bytes: now)
      // The source of the previous value does not apply to the new one.
      if part.hasSource, message.has(Self.source) { message.set(Self.source, number: Self.sourceUser) }
      fields.set(part.rawValue, message: message)
      values[part] = wanted
    }
    fields.set(Self.lastChanged, bytes: now)
  }
}

/// The file that identifies the wearable's user.
public struct UserIdentifierFile: Hashable, Sendable {
  private var fields: WireFields
  /// True if first-time use is complete.
  public let isFirstUseDone: Bool

  private static let identifier: UInt32 = 1, changed: UInt32 = 100

  /// - Parameter bytes: nil if the file does not exist yet.
  /// - Throws: if the bytes are no message, or the identifier has another wire type.
  public init(_ bytes: [UInt8]?) throws(MalformedMessage) {
    fields = try WireFields(bytes ?? [])
    isFirstUseDone = try fields.number(Self.identifier) != nil
  }

  /// Marks first-time use as done. An existing identifier and all other fields are preserved.
  ///
  /// - Throws: if the time cannot be encoded.
  public func done(at time: Int64) throws(MalformedMessage) -> [UInt8] {
    if isFirstUseDone { return fields.bytes }
    var fields = fields
    fields.set(Self.identifier, number: .max)
    fields.set(Self.changed, bytes: try PbSystemDateTime(seconds: time).wire())
    return fields.bytes
  }
}
