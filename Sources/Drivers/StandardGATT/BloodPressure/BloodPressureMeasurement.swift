// Blood Pressure Measurement (2A35) and Intermediate Cuff Pressure (2A36): a value decoded in place, without
// allocation.

import Bluetooth
import Wearable

/// Blood Pressure Service 1.1.1, sections 3.1 and 3.2. The flags announce which fields are present, in this order. All
/// are little-endian, numbers are SFLOAT (`MedicalFloat`).
///
///     byte 0   flags
///                bit 0     the unit is kPa, else mmHg
///                bit 1     a time follows
///                bit 2     the pulse follows
///                bit 3     a user follows
///                bit 4     a status follows
///                bits 5-7  reserved: counted, and otherwise ignored
///     1-2      systolic; of 2A36 the pressure in the cuff
///     3-4      diastolic; of 2A36 NaN
///     5-6      mean arterial pressure; of 2A36 NaN
///     then 7   time: Date Time, without a zone
///     then 2   pulse, beats a minute
///     then 1   user, 255 for unknown
///     then 2   measurement status
///
/// Some models (`Quirk.Effect.swappedBytes`) send pulse and status with the high byte first, and the user without its
/// flag. Bit 6 of their flags is set.
struct BloodPressureMeasurement: Sendable, Hashable {
  /// The flags as sent.
  let flags: UInt8
  /// Pressures in the unit of the value.
  let systolic, diastolic, mean: MedicalFloat
  private(set) var time: DateTime?
  private(set) var pulse: MedicalFloat?
  /// The user as sent.
  private(set) var user: UInt8?
  private(set) var status: Status?
  /// Bytes after the last announced field.
  let trailingBytes: Int

  static let unknownUser: UInt8 = 0xFF
  private static let userSize = 1
  private static let statusSize = 2

  /// - Parameter isSwapped: the model has the layout described above.
  /// - Throws: `empty` without bytes, `truncated` if an announced field is missing.
  init(_ bytes: RawBytes, isSwapped: Bool = false) throws(DecodeError) {
    var reader = ByteReader(bytes)
    guard let flags = reader.u8() else { throw .empty }
    self.flags = isSwapped ? flags & ~Self.swappedFlag : flags
    systolic = try reader.sfloat()
    diastolic = try reader.sfloat()
    mean = try reader.sfloat()
    if flags & 0x02 != 0 { time = try DateTime(&reader) }
    if flags & 0x04 != 0 { pulse = MedicalFloat(sfloat: try Self.word(&reader, isSwapped)) }
    let status = flags & 0x10 != 0 ? Self.statusSize : 0
    if flags & 0x08 != 0 || isSwapped && reader.remaining == Self.userSize + status {
      guard let number = reader.u8() else { throw .truncated }
      user = number
    }
    if flags & 0x10 != 0 { self.status = Status(rawValue: try Self.word(&reader, isSwapped)) }
    trailingBytes = reader.remaining
  }

  private static let swappedFlag: UInt8 = 1 << 6

  private static func word(_ reader: inout ByteReader, _ isSwapped: Bool) throws(DecodeError) -> UInt16 {
    guard let word = reader.u16() else { throw .truncated }
    return isSwapped ? word.byteSwapped : word
  }

  var isKilopascal: Bool { flags & 0x01 != 0 }
  var hasReservedBits: Bool { flags & 0xE0 != 0 || (status?.rawValue ?? 0) & 0xFFC0 != 0 }
  var hasReservedNumber: Bool {
    systolic.isReserved || diastolic.isReserved || mean.isReserved || pulse?.isReserved ?? false
  }

  /// Whether no pressure has a number: the cuff shows an error, often without a status.
  var hasFailed: Bool { [systolic, diastolic, mean].allSatisfy { $0.special != nil && !$0.isReserved } }

  /// Hundredths of mmHg of one of its pressures, rounded once; nil for NaN and other special values. A millimetre of
  /// mercury is 133.322387415 Pa by definition.
  func hundredths(_ pressure: MedicalFloat) -> Int64? {
    isKilopascal
      ? pressure.scaled(by: 100_000_000_000_000, over: 133_322_387_415) : pressure.scaled(by: 100)
  }

  /// Section 3.1.1.7; bits 6 to 15 are reserved.
  struct Status: OptionSet, Sendable, Hashable {
    let rawValue: UInt16

    static let bodyMovement = Self(rawValue: 1 << 0)
    static let cuffTooLoose = Self(rawValue: 1 << 1)
    static let irregularPulse = Self(rawValue: 1 << 2)
    /// The pulse is above, or below, the range that is set in the cuff. The pressure is valid all the same.
    static let pulseAboveRange = Self(rawValue: 1 << 3)
    static let pulseBelowRange = Self(rawValue: 1 << 4)
    static let improperPosition = Self(rawValue: 1 << 5)

    /// States that make a reading doubtful.
    static let doubtful: Self = [.bodyMovement, .cuffTooLoose, .irregularPulse, .improperPosition]
  }
}

/// Blood Pressure Feature (2A49; section 3.3): what the cuff can report of a measurement. The decoder does not need it,
/// as every value announces its fields. Bits 9 to 15 are reserved.
struct BloodPressureFeature: Sendable, Hashable {
  let bits: UInt16
  let trailingBytes: Int

  /// - Throws: `empty` without bytes, `truncated` below two.
  init(_ bytes: RawBytes) throws(DecodeError) {
    var reader = ByteReader(bytes)
    if bytes.isEmpty { throw .empty }
    guard let bits = reader.u16() else { throw .truncated }
    self.bits = bits
    trailingBytes = reader.remaining
  }

  var hasReservedBits: Bool { bits & 0xFE00 != 0 }
}
