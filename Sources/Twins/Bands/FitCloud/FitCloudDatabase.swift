// Advertisement and database of a FitCloud band.

import Bluetooth

extension BluetoothUUID {
  /// The maker's UUIDs, which have a common tail.
  static func fitCloud(_ number: UInt64) -> BluetoothUUID {
    BluetoothUUID(high: number << 32 | 0x3C17_D293, low: 0x8E48_14FE_2E4D_A212)
  }

  static let fitCloudService = fitCloud(0x01FF)
  static let fitCloudCommand = fitCloud(0xFF02)
  static let fitCloudNotify = fitCloud(0xFF03)
  static let fitCloudName = fitCloud(0xFF04)
  static let fitCloudUpdate = fitCloud(0x6287)
  static let fitCloudUpdateControl = fitCloud(0x6487)
}

enum FitCloudDatabase {
  static func services(_ traits: FitCloudTraits) -> [GATTServiceDefinition] {
    let name = Array(traits.band.name.utf8)
    let write: GATTProperties = traits.isOldGeneration ? .write : [.write, .writeWithoutResponse]
    var services = [
      GATTServiceDefinition(
        .genericAccess, [GATTCharacteristicDefinition(.deviceName, .read, value: name)]),
      GATTServiceDefinition(
        .genericAttributeService, [GATTCharacteristicDefinition(.serviceChanged, .indicate, value: [0, 0, 0, 0])]),
      GATTServiceDefinition(
        0x180A,
        [
          GATTCharacteristicDefinition(0x2A24, .read, value: name),
          GATTCharacteristicDefinition(0x2A26, .read, value: Array("1.4.2".utf8)),
        ]),
    ]
    if traits.hasStandardBattery {
      services.append(GATTServiceDefinition(0x180F, [GATTCharacteristicDefinition(0x2A19, .read, value: [80])]))
    }
    services.append(
      GATTServiceDefinition(
        .fitCloudService,
        [
          GATTCharacteristicDefinition(.fitCloudCommand, write, value: []),
          GATTCharacteristicDefinition(.fitCloudNotify, .notify),
          GATTCharacteristicDefinition(.fitCloudName, .read, value: name),
        ]))
    services.append(
      GATTServiceDefinition(
        .fitCloudUpdate, [GATTCharacteristicDefinition(.fitCloudUpdateControl, [.write, .notify])]))
    return services
  }

  /// Flags, then manufacturer data: company 0x5448, little-endian, and the address, most significant byte first.
  static func advertisement(_ address: BluetoothAddress) -> [UInt8] {
    let own = (0..<6).map { UInt8(truncatingIfNeeded: address.value >> (8 * (5 - $0))) }
    return [0x02, 0x01, 0x06, 0x09, 0xFF, 0x48, 0x54] + own
  }
}
