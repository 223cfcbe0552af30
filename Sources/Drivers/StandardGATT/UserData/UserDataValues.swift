// Values of the User Data Service: the wearer's facts, as bytes.

import Bluetooth
import CivilTime
import Health
import Wearable

/// The SIG's assigned numbers.
enum UserData {
  static let service: BluetoothUUID = 0x181C
  static let changeIncrement: BluetoothUUID = 0x2A99
  static let userIndex: BluetoothUUID = 0x2A9A
  static let controlPoint: BluetoothUUID = 0x2A9F

  /// Index of no user.
  static let unknownUser: UInt8 = 0xFF

  /// A fact about the wearer.
  ///
  ///     2A80 age               one byte, years
  ///     2A85 date of birth     year (two bytes), month, day; 0 unknown
  ///     2A8C gender            0 male, 1 female, 2 unspecified
  ///     2A8D highest heart rate, 2A92 at rest: one byte, beats a minute
  ///     2A8E height            two bytes, cm
  ///     2A98 weight            two bytes, 0.005 kg
  enum Field: UInt16, Sendable, Hashable, CaseIterable {
    case age = 0x2A80
    case born = 0x2A85
    case gender = 0x2A8C
    case maximumHeartRate = 0x2A8D
    case height = 0x2A8E
    case restingHeartRate = 0x2A92
    case weight = 0x2A98

    var characteristic: BluetoothUUID { BluetoothUUID(rawValue) }
  }

  enum Value: Sendable, Hashable {
    /// Years, beats a minute, cm, 0.005 kg; for gender its code.
    case number(UInt16)
    case date(year: UInt16, month: UInt8, day: UInt8)
  }

  struct Content: Sendable, Hashable {
    let field: Field
    let value: Value
    private(set) var trailingBytes = 0

    /// - Throws: `empty` and `truncated`; `outOfRange` for an invalid month or day.
    init(_ field: Field, _ bytes: RawBytes) throws(DecodeError) {
      if bytes.isEmpty { throw .empty }
      var reader = ByteReader(bytes)
      self.field = field
      switch field {
      case .age, .gender, .maximumHeartRate, .restingHeartRate:
        guard let number = reader.u8() else { throw .truncated }
        value = .number(UInt16(number))
      case .height, .weight:
        guard let number = reader.u16() else { throw .truncated }
        value = .number(number)
      case .born:
        guard let year = reader.u16(), let month = reader.u8(), let day = reader.u8() else { throw .truncated }
        guard month <= 12, day <= 31 else { throw .outOfRange }
        value = .date(year: year, month: month, day: day)
      }
      trailingBytes = reader.remaining
    }

    init(_ field: Field, _ value: Value) { (self.field, self.value) = (field, value) }

    var bytes: [UInt8] {
      var bytes: [UInt8] = []
      switch value {
      case .date(let year, let month, let day):
        bytes.append(littleEndian: year)
        return bytes + [month, day]
      case .number(let number):
        if field == .height || field == .weight {
          bytes.append(littleEndian: number)
        } else {
          bytes = [UInt8(clamping: number)]
        }
        return bytes
      }
    }
  }

  /// The known facts as values of this service; unknown facts are left out.
  ///
  /// - Parameter today: the date at the hub.
  static func known(_ facts: BodyFacts, on today: LocalDate) -> [Content] {
    let facts = facts.sensible
    var known: [Content] = []
    func add(_ field: Field, _ number: Int?) {
      if let number, let value = UInt16(exactly: number) { known.append(Content(field, .number(value))) }
    }
    if let born = facts.born {
      let age = born.age(on: today)
      if (0...255).contains(age) { add(.age, age) }
      if let year = UInt16(exactly: born.year) {
        let (month, day) = (UInt8(clamping: born.month), UInt8(clamping: born.day))
        known.append(Content(.born, .date(year: year, month: month, day: day)))
      }
    }
    add(.gender, facts.sex.map { $0 == .male ? 0 : 1 })
    add(.maximumHeartRate, facts.maximumHeartRate)
    add(.height, facts.height)
    add(.restingHeartRate, facts.restingHeartRate)
    add(.weight, facts.weight.map { $0 * 200 })
    return known
  }

  // MARK: Control point

  /// User Control Point (2A9F): selection of the user.
  ///
  ///     request    01 consent (two bytes)             registers a user
  ///                02 index, consent                  selects this user's values
  ///                03                                 deletes the user's values
  ///     response   20 request, result, then the index of a registered user
  enum Request: Sendable, Hashable {
    case register(consent: UInt16)
    case consent(index: UInt8, UInt16)
    case deleteData

    var bytes: [UInt8] {
      switch self {
      case .register(let consent): [code, UInt8(truncatingIfNeeded: consent), UInt8(consent >> 8)]
      case .consent(let index, let consent): [code, index, UInt8(truncatingIfNeeded: consent), UInt8(consent >> 8)]
      case .deleteData: [code]
      }
    }

    var code: UInt8 {
      switch self {
      case .register: 1
      case .consent: 2
      case .deleteData: 3
      }
    }
  }

  enum Result: UInt8, Sendable, Hashable {
    case success = 1
    case operationUnsupported = 2
    case invalidParameter = 3
    case failed = 4
    case notAuthorised = 5
  }

  struct Response: Sendable, Hashable {
    static let code: UInt8 = 0x20

    let request: UInt8
    let resultCode: UInt8
    /// Index of a registered user.
    let index: UInt8?

    var result: Result? { Result(rawValue: resultCode) }

    /// - Throws: `empty`, `truncated` below three bytes, `outOfRange` if it is not a response.
    init(_ bytes: RawBytes) throws(DecodeError) {
      var reader = ByteReader(bytes)
      guard let code = reader.u8() else { throw .empty }
      guard code == Self.code else { throw .outOfRange }
      guard let request = reader.u8(), let result = reader.u8() else { throw .truncated }
      (self.request, resultCode) = (request, result)
      index = reader.u8()
    }
  }
}
