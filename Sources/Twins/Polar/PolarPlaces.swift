// Services of a Polar wearable, with the handle of each value.

public import Bluetooth

/// Services and characteristics by their names in the vendor's SDK.
public enum PolarUUID {
  /// Measurement service, its control point, and its data.
  public static let pmd = vendor(0x80), pmdControl = vendor(0x81), pmdData = vendor(0x82)
  /// File transfer service.
  public static let psftp: BluetoothUUID = 0xFEEE
  /// Transfer of requests, of notifications to the host, and of the host's own.
  public static let mtu = vendor(0x51), d2h = vendor(0x52), h2d = vendor(0x53)
  /// Feature configuration service.
  public static let pfc = BluetoothUUID(high: 0x6217_FF4B_FB31_1140, low: 0xAD5A_A455_45D7_ECF3)
  /// Feature characteristic.
  public static let pfcFeature = BluetoothUUID(high: 0x6217_FF4C_C8EC_B1FB, low: 0x1380_3AD9_8670_8E2D)
  /// Control point of the features.
  public static let pfcControl = BluetoothUUID(high: 0x6217_FF4D_91BB_91D0, low: 0x7E2A_7CD3_BDA8_A1F3)

  /// `fb005cXX-02e7-f387-1cad-8acd2d8df0c8`.
  private static func vendor(_ part: UInt8) -> BluetoothUUID {
    BluetoothUUID(high: 0xFB00_5C00_02E7_F387 | UInt64(part) << 32, low: 0x1CAD_8ACD_2D8D_F0C8)
  }
}

extension PolarTraits {
  /// Database of this model.
  var services: [GATTServiceDefinition] {
    func text(_ uuid: UInt16, _ value: String) -> GATTCharacteristicDefinition {
      GATTCharacteristicDefinition(BluetoothUUID(uuid), .read, value: Array(value.utf8))
    }
    var services = [
      GATTServiceDefinition(
        0x1800,
        [text(0x2A00, deviceName ?? localName), GATTCharacteristicDefinition(0x2A01, .read, value: [0x41, 0x03])]),
      GATTServiceDefinition(0x1801, [GATTCharacteristicDefinition(.serviceChanged, .indicate, value: [0, 0, 0, 0])]),
      GATTServiceDefinition(
        0x180D,
        [
          GATTCharacteristicDefinition(0x2A37, .notify),
          GATTCharacteristicDefinition(0x2A38, .read, value: [model == .h10 ? 1 : 2]),
        ]),
      GATTServiceDefinition(
        0x180A,
        [
          GATTCharacteristicDefinition(0x2A23, .read, value: [0x12, 0x34, 0x56, 0xFE, 0xFF, 0x1E, 0x09, 0xA0]),
          text(0x2A24, model.rawValue), text(0x2A25, deviceID),
          text(0x2A26, firmware), text(0x2A27, "00760690.03"), text(0x2A28, firmware), text(0x2A29, "Polar Electro Oy"),
        ]),
      GATTServiceDefinition(0x180F, battery(level: UInt8(battery))),
      GATTServiceDefinition(
        PolarUUID.pfc,
        [
          GATTCharacteristicDefinition(
            PolarUUID.pfcFeature, .read, value: [UInt8(truncatingIfNeeded: radioSwitches), UInt8(radioSwitches >> 8)]),
          GATTCharacteristicDefinition(PolarUUID.pfcControl, [.write, .notify]),
        ]),
      GATTServiceDefinition(
        PolarUUID.psftp,
        [
          GATTCharacteristicDefinition(PolarUUID.mtu, [.write, .writeWithoutResponse, .notify]),
          GATTCharacteristicDefinition(PolarUUID.d2h, .notify),
          GATTCharacteristicDefinition(PolarUUID.h2d, [.write, .writeWithoutResponse]),
        ]),
    ]
    services.append(
      GATTServiceDefinition(
        PolarUUID.pmd,
        [
          GATTCharacteristicDefinition(PolarUUID.pmdControl, [.read, .write, .indicate], value: features),
          GATTCharacteristicDefinition(PolarUUID.pmdData, .notify),
        ]))
    return services
  }

  private func battery(level: UInt8) -> [GATTCharacteristicDefinition] {
    var values = [GATTCharacteristicDefinition(0x2A19, [.read, .notify], value: [level])]
    // Bands report their power source.
    if model == .band360 {
      values.append(GATTCharacteristicDefinition(0x2BED, [.read, .notify], value: [0, powerState, 0]))
    }
    return values
  }

  /// Low byte of the power state; the high one is 0. Bit 0 a battery, bits 1-2 wired power, bits 5-6 charging: 1
  /// charges, 2 discharges.
  var powerState: UInt8 { isCharging ? 0x23 : 0x41 }

  /// Value of the control point: a mark and two bytes of kinds.
  private var features: [UInt8] {
    switch model {
    case .h10: [0x0F, 0x05, 0x00]
    case .oh1: [0x0F, 0x0E, 0x00]
    case .veritySense: [0x0F, 0x6E, 0x62]
    case .band360: [0x0F, 0x8E, 0x62]
    case .watch: [0x0F, 0xEE, 0x08]
    }
  }
}
