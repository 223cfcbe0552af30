// Battery Level (2A19).

public import Bluetooth
public import Wearable

/// Battery Service 1.1, section 3.1.
///
///     byte 0   remaining charge in percent, 0-100; 101-255 reserved
public struct BatteryLevel: Sendable, Hashable {
  /// 0-100.
  public let percent: UInt8
  /// Bytes after the defined one.
  public let trailingBytes: Int

  static let anomaly: StaticString = "battery: bytes after the level"

  /// - Throws: `empty` without bytes, `outOfRange` above 100: some wearables send 255 for an unknown level.
  public init(_ bytes: RawBytes) throws(DecodeError) {
    var reader = ByteReader(bytes)
    guard let percent = reader.u8() else { throw .empty }
    guard percent <= 100 else { throw .outOfRange }
    self.percent = percent
    trailingBytes = reader.remaining
  }
}
