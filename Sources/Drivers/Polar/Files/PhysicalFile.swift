// The file of physical data that a wearable keeps already: read in its parts, changed in some of them, everything else
// left byte for byte.

import CivilTime
import Health
public import PolarMessages

/// One thing that the file says of the wearer, by the number of its field. Each is a message of a value, the time of
/// its change and, some of them, who said it.
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

  /// For people.
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

  /// Without these first use is not done.
  public static let required: [PhysicalPart] = [.birthDate, .sex, .height, .weight]

  /// What it is worth keeps also who said it (polar-ble-sdk 8.0.0: setting_source, field 3).
  var hasSource: Bool { [.weight, .maximumHeartRate, .restingHeartRate, .vo2Max].contains(self) }
}

/// A value of a part, as it stands in the file.
public enum PhysicalValue: Hashable, Sendable {
  /// Year, month, day: whatever the wearable says, also no date.
  case date(UInt64, UInt64, UInt64)
  /// bpm, ml/kg/min, minutes, and the numbers of enumerations, those of newer firmware too.
  case number(UInt64)
  /// kg, cm: the bits of a float, so that what is no number equals itself.
  case measure(bits: UInt32)

  /// For people.
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

/// What is in the file. A change touches the part's value, the time of its change and its source; other parts, their
/// times and all unknown fields keep their bytes.
public struct PhysicalFile: Hashable, Sendable {
  private var fields: WireFields
  public private(set) var values: [PhysicalPart: PhysicalValue] = [:]

  // Fields within a part, and of the whole.
  private static let value: UInt32 = 1, changed: UInt32 = 2, source: UInt32 = 3, lastChanged: UInt32 = 100
  /// setting_source of what a person said.
  private static let sourceUser: UInt64 = 2

  /// - Throws: where it is no such file, or a part of it cannot be read.
  public init(_ bytes: [UInt8]) throws(MalformedMessage) {
    _ = try PbUserPhysData(wire: bytes)
    fields = try WireFields(bytes)
    for part in PhysicalPart.allCases { values[part] = try Self.read(part, fields) }
  }

  public var bytes: [UInt8] { fields.bytes }

  /// nil where nothing is said.
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

  public var missing: [PhysicalPart] { PhysicalPart.required.filter { values[$0] == nil } }

  /// Parts that are not as they should be.
  public func differing(from told: [PhysicalPart: PhysicalValue]) -> [PhysicalPart] {
    PhysicalPart.allCases.filter { part in told[part].map { $0 != values[part] } ?? false }
  }

  /// Leaves a part to the wearable again; those of `required` cannot be left out.
  ///
  /// - Parameter time: seconds since 1970-01-01T00:00:00Z.
  public mutating func leave(_ part: PhysicalPart, at time: Int64) throws(MalformedMessage) {
    guard values[part] != nil, !PhysicalPart.required.contains(part) else { return }
    fields.clear(part.rawValue)
    values[part] = nil
    fields.set(Self.lastChanged, bytes: try PbSystemDateTime(seconds: time).wire())
  }

  /// Changes what differs, and nothing where nothing does.
  ///
  /// - Parameter time: seconds since 1970-01-01T00:00:00Z, of the parts that change.
  /// - Throws: where the bytes of a part are not as they were read.
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
      // Whoever measured or estimated the value before did not say this one.
      if part.hasSource, message.has(Self.source) { message.set(Self.source, number: Self.sourceUser) }
      fields.set(part.rawValue, message: message)
      values[part] = wanted
    }
    fields.set(Self.lastChanged, bytes: now)
  }
}

/// The file that says whose wearable it is.
public struct UserIdentifierFile: Hashable, Sendable {
  private var fields: WireFields
  public let isFirstUseDone: Bool

  private static let identifier: UInt32 = 1, changed: UInt32 = 100

  /// - Parameter bytes: nil: there is none yet.
  public init(_ bytes: [UInt8]?) throws(MalformedMessage) {
    fields = try WireFields(bytes ?? [])
    isFirstUseDone = try fields.number(Self.identifier) != nil
  }

  /// Marks first use as done. Whose identifier there is stays, and what else the file says.
  public func done(at time: Int64) throws(MalformedMessage) -> [UInt8] {
    if isFirstUseDone { return fields.bytes }
    var fields = fields
    fields.set(Self.identifier, number: .max)
    fields.set(Self.changed, bytes: try PbSystemDateTime(seconds: time).wire())
    return fields.bytes
  }
}
