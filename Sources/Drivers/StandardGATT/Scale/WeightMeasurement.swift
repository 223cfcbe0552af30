// Weight Measurement (2A9D): a value decoded in place, without allocation.

import Bluetooth
import Wearable

/// Weight Scale Service 1.0.1, section 3.2; GATT Specification Supplement, Weight Measurement. The flags announce which
/// fields are present, in this order; all are little-endian.
///
///     byte 0   flags
///                bit 0     pounds and inches, else kilograms and metres
///                bit 1     a time follows
///                bit 2     a user follows
///                bit 3     body mass index and height follow
///                bits 4-7  reserved: counted, and otherwise ignored
///     1-2      weight, 0.005 kg or 0.01 lb; 65535 for "did not succeed"
///     then 7   time: Date Time, without a zone
///     then 1   user, 255 for unknown
///     then 2   body mass index, 0.1 kg/m²
///     then 2   height, 0.001 m or 0.1 in
struct WeightMeasurement: Sendable, Hashable {
  /// The flags as sent.
  let flags: UInt8
  let weight: ScaleNumber
  private(set) var time: DateTime?
  /// The user as sent.
  private(set) var user: UInt8?
  private(set) var bodyMassIndex: ScaleNumber?
  /// Height as entered at the scale.
  private(set) var height: ScaleNumber?
  /// Bytes after the last announced field.
  let trailingBytes: Int

  static let unknownUser: UInt8 = 0xFF

  /// - Throws: `empty` without bytes, `truncated` if an announced field is missing.
  init(_ bytes: RawBytes) throws(DecodeError) {
    var reader = ByteReader(bytes)
    guard let flags = reader.u8() else { throw .empty }
    self.flags = flags
    weight = try ScaleNumber(&reader)
    if flags & 0x02 != 0 { time = try DateTime(&reader) }
    if flags & 0x04 != 0 {
      guard let number = reader.u8() else { throw .truncated }
      user = number
    }
    if flags & 0x08 != 0 {
      bodyMassIndex = try ScaleNumber(&reader)
      height = try ScaleNumber(&reader)
    }
    trailingBytes = reader.remaining
  }

  var isImperial: Bool { flags & 0x01 != 0 }
  var reservedFlags: UInt8 { flags & 0xF0 }
}
