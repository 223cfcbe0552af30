// Body Sensor Location (2A38): intended location of the heart rate sensor.

public import Bluetooth
public import Wearable

/// Heart Rate Service 1.0, section 3.2.
///
///     byte 0   0 other, 1 chest, 2 wrist, 3 finger, 4 hand, 5 ear lobe, 6 foot; 7-255 reserved
public struct BodySensorLocation: Sendable, Hashable {
  /// Place on the body.
  public enum Place: UInt8, Sendable, Hashable, CaseIterable {
    case other = 0
    case chest = 1
    case wrist = 2
    case finger = 3
    case hand = 4
    case earLobe = 5
    case foot = 6

    /// Name for messages to people.
    public var name: String {
      switch self {
      case .other: "other"
      case .chest: "chest"
      case .wrist: "wrist"
      case .finger: "finger"
      case .hand: "hand"
      case .earLobe: "ear lobe"
      case .foot: "foot"
      }
    }
  }

  /// The code as sent.
  public let code: UInt8
  /// Bytes after the defined one.
  public let trailingBytes: Int
  /// Nil for a reserved code.
  public var place: Place? { Place(rawValue: code) }

  /// - Throws: `empty` without bytes.
  public init(_ bytes: RawBytes) throws(DecodeError) {
    var reader = ByteReader(bytes)
    guard let code = reader.u8() else { throw .empty }
    self.code = code
    trailingBytes = reader.remaining
  }
}
