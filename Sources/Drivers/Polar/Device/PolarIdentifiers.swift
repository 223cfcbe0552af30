// Names and identifiers of Polar's wearables: in advertisements, and of vendor services besides `PMD` and `PSFTP`.

public import Bluetooth

/// Polar's straps, bands and watches. `StandardGATT` has the standard services.
///
/// Source: polar-ble-sdk 8.0.0, the client of each service.
public enum Polar {
  /// Company identifier of the manufacturer data (Assigned Numbers, 7: Polar Electro Oy).
  public static let company: UInt16 = 0x006B
  /// First word of every local name; white-label wearables have another.
  public static let namePrefix = "Polar"

  /// The feature configuration service (PFC): switches of the radio.
  public enum FeatureConfiguration {
    /// The feature configuration service.
    public static let service = BluetoothUUID(high: 0x6217_FF4B_FB31_1140, low: 0xAD5A_A455_45D7_ECF3)
    /// The feature characteristic: `Features`, the switches that the wearable has.
    public static let features = BluetoothUUID(high: 0x6217_FF4C_C8EC_B1FB, low: 0x1380_3AD9_8670_8E2D)
    /// The control point: commands that read or set a `Switch`.
    public static let controlPoint = BluetoothUUID(high: 0x6217_FF4D_91BB_91D0, low: 0x7E2A_7CD3_BDA8_A1F3)
  }

  /// `FB005CXX-02E7-F387-1CAD-8ACD2D8DF0C8`.
  static func uuid(_ part: UInt8) -> BluetoothUUID {
    BluetoothUUID(high: 0xFB00_5C00_02E7_F387 | UInt64(part) << 32, low: 0x1CAD_8ACD_2D8D_F0C8)
  }
}
