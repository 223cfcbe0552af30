// Body Composition Measurement (2A9C): a value decoded in place, without allocation.

import Bluetooth
import Wearable

/// Body Composition Service 1.0, section 3.2; GATT Specification Supplement, Body Composition Measurement. The flags
/// announce which fields are present, in this order; all are little-endian.
///
///     0-1      flags
///                bit 0       pounds and inches, else kilograms and metres
///                bits 1-11   a field follows, in the order below
///                bit 12      the measurement goes on in the next value
///                bits 13-15  reserved: counted, and otherwise ignored
///     2-3      body fat, 0.1 %; 65535 for "did not succeed"
///     then 7   1   time: Date Time, without a zone
///     then 1   2   user, 255 for unknown
///     then 2   3   basal metabolism, kJ
///     then 2   4   muscle, 0.1 %
///     then 2   5   muscle, a mass: 0.005 kg or 0.01 lb
///     then 2   6   all but the fat, a mass
///     then 2   7   soft lean mass
///     then 2   8   water, a mass
///     then 2   9   impedance, 0.1 Ω
///     then 2   10  weight, a mass
///     then 2   11  height, 0.001 m or 0.1 in
struct BodyCompositionMeasurement: Sendable, Hashable {
  /// The flags as sent.
  let flags: UInt16
  let bodyFat: ScaleNumber
  private(set) var time: DateTime?
  /// The user as sent.
  private(set) var user: UInt8?
  private(set) var basalMetabolism: ScaleNumber?
  private(set) var musclePercentage: ScaleNumber?
  private(set) var muscleMass: ScaleNumber?
  private(set) var fatFreeMass: ScaleNumber?
  private(set) var softLeanMass: ScaleNumber?
  private(set) var bodyWaterMass: ScaleNumber?
  private(set) var impedance: ScaleNumber?
  private(set) var weight: ScaleNumber?
  /// Height as entered at the scale.
  private(set) var height: ScaleNumber?
  /// Bytes after the last announced field.
  let trailingBytes: Int

  /// - Throws: `empty` without bytes, `truncated` if an announced field is missing.
  init(_ bytes: RawBytes) throws(DecodeError) {
    var reader = ByteReader(bytes)
    if bytes.isEmpty { throw .empty }
    guard let flags = reader.u16() else { throw .truncated }
    self.flags = flags
    bodyFat = try ScaleNumber(&reader)
    if flags & 0x0002 != 0 { time = try DateTime(&reader) }
    if flags & 0x0004 != 0 {
      guard let number = reader.u8() else { throw .truncated }
      user = number
    }
    if flags & 0x0008 != 0 { basalMetabolism = try ScaleNumber(&reader) }
    if flags & 0x0010 != 0 { musclePercentage = try ScaleNumber(&reader) }
    if flags & 0x0020 != 0 { muscleMass = try ScaleNumber(&reader) }
    if flags & 0x0040 != 0 { fatFreeMass = try ScaleNumber(&reader) }
    if flags & 0x0080 != 0 { softLeanMass = try ScaleNumber(&reader) }
    if flags & 0x0100 != 0 { bodyWaterMass = try ScaleNumber(&reader) }
    if flags & 0x0200 != 0 { impedance = try ScaleNumber(&reader) }
    if flags & 0x0400 != 0 { weight = try ScaleNumber(&reader) }
    if flags & 0x0800 != 0 { height = try ScaleNumber(&reader) }
    trailingBytes = reader.remaining
  }

  var isImperial: Bool { flags & 0x0001 != 0 }
  /// Whether the measurement continues in the next value.
  var goesOn: Bool { flags & 0x1000 != 0 }
  var hasReservedFlags: Bool { flags & 0xE000 != 0 }
  /// Whether it has numbers that derive from the impedance, like the body fat.
  var hasDerivedValues: Bool {
    let all = [
      basalMetabolism, musclePercentage, muscleMass, fatFreeMass, softLeanMass, bodyWaterMass, impedance,
    ]
    return all.contains { $0?.value != nil }
  }
  /// Flags of its optional values, except for time and user, which each part has.
  var fields: UInt16 { flags & 0x0FF8 }
}
