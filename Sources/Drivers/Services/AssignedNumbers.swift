// Services and characteristics of this family, by their names in the Bluetooth SIG's assigned numbers.

public import Bluetooth

/// Assigned numbers of the SIG's services that many wearables have.
public enum StandardGATT {
  /// Heart Rate service (180D).
  public static let heartRateService: BluetoothUUID = 0x180D
  /// Heart Rate Measurement (`HeartRateMeasurement`): notified.
  public static let heartRateMeasurement: BluetoothUUID = 0x2A37
  /// Body Sensor Location, 1 byte: the place on the body.
  public static let bodySensorLocation: BluetoothUUID = 0x2A38
  /// Heart Rate Control Point: resets the energy counter.
  public static let heartRateControlPoint: BluetoothUUID = 0x2A39

  /// Battery service (180F).
  public static let batteryService: BluetoothUUID = 0x180F
  /// Battery Level in percent, 1 byte.
  public static let batteryLevel: BluetoothUUID = 0x2A19
  /// Battery Level Status (`BatteryLevelStatus`): charging and faults.
  public static let batteryLevelStatus: BluetoothUUID = 0x2BED

  /// Device Information service (180A).
  public static let deviceInformationService: BluetoothUUID = 0x180A
  /// System ID (`SystemID`), 8 bytes.
  public static let systemID: BluetoothUUID = 0x2A23
  /// Model Number String.
  public static let modelNumber: BluetoothUUID = 0x2A24
  /// Serial Number String.
  public static let serialNumber: BluetoothUUID = 0x2A25
  /// Firmware Revision String.
  public static let firmwareRevision: BluetoothUUID = 0x2A26
  /// Hardware Revision String.
  public static let hardwareRevision: BluetoothUUID = 0x2A27
  /// Software Revision String.
  public static let softwareRevision: BluetoothUUID = 0x2A28
  /// Manufacturer Name String.
  public static let manufacturerName: BluetoothUUID = 0x2A29
  /// PnP ID (`PnPID`), 7 bytes.
  public static let pnpID: BluetoothUUID = 0x2A50
}
