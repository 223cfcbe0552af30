// Services and advertisements of a simulated strap, as bytes.

import Bluetooth

extension BluetoothUUID {
  static let appearance: BluetoothUUID = 0x2A01
  static let heartRate: BluetoothUUID = 0x180D
  static let heartRateMeasurement: BluetoothUUID = 0x2A37
  static let bodySensorLocation: BluetoothUUID = 0x2A38
  static let heartRateControlPoint: BluetoothUUID = 0x2A39
  static let batteryService: BluetoothUUID = 0x180F
  static let batteryLevel: BluetoothUUID = 0x2A19
  static let deviceInformation: BluetoothUUID = 0x180A
}

extension VirtualStrap {
  static func services(_ traits: StrapTraits, battery: UInt8) -> [GATTServiceDefinition] {
    var attribute = [GATTCharacteristicDefinition(.serviceChanged, .indicate, value: [0, 0, 0, 0])]
    if traits.hasDatabaseHash {
      attribute.append(GATTCharacteristicDefinition(.databaseHash, .read, value: databaseHash(traits)))
      attribute.append(GATTCharacteristicDefinition(.clientSupportedFeatures, [.read, .write], value: [0]))
    }
    var heart = [GATTCharacteristicDefinition(.heartRateMeasurement, .notify)]
    if let location = traits.bodyLocation {
      heart.append(GATTCharacteristicDefinition(.bodySensorLocation, .read, value: [location]))
    }
    if traits.hasEnergy {
      heart.append(GATTCharacteristicDefinition(.heartRateControlPoint, .write, value: [0], maximumLength: 1))
    }
    var services = [
      GATTServiceDefinition(
        .genericAccess,
        [
          GATTCharacteristicDefinition(.deviceName, .read, value: Array(traits.name.utf8)),
          GATTCharacteristicDefinition(.appearance, .read, value: [0x41, 0x03]),  // heart rate belt
        ]),
      GATTServiceDefinition(.genericAttributeService, attribute),
      GATTServiceDefinition(.heartRate, heart),
    ]
    if traits.hasBattery {
      services.append(
        GATTServiceDefinition(
          .batteryService,
          [
            GATTCharacteristicDefinition(
              .batteryLevel, traits.batteryNotifies ? [.read, .notify] : .read, value: [battery])
          ]))
    }
    if traits.hasDeviceInformation {
      let facts: [(BluetoothUUID, String)] = [
        (0x2A29, "Simulated"), (0x2A24, "Virtual strap"), (0x2A25, traits.name), (0x2A27, "1"),
        (.firmwareRevision, "1.0.0"), (0x2A28, "1"),
      ]
      services.append(
        GATTServiceDefinition(
          .deviceInformation, facts.map { GATTCharacteristicDefinition($0.0, .read, value: Array($0.1.utf8)) }))
    }
    return services
  }

  /// Sixteen bytes that differ if the database differs. A real strap computes an AES-CMAC over its attributes (Core
  /// specification, volume 3, part G, 7.3). A client can only compare it with an earlier one, so the list of optional
  /// parts is enough here.
  private static func databaseHash(_ traits: StrapTraits) -> [UInt8] {
    let parts = [
      traits.bodyLocation != nil, traits.hasEnergy, traits.hasBattery, traits.batteryNotifies,
      traits.hasDeviceInformation,
    ]
    return parts.map { $0 ? 1 : 0 } + [UInt8](repeating: 0xDB, count: 16 - parts.count)
  }

  /// Flags, services and name as AD structures, with the name in the advertisement or in the scan response.
  static func advertisement(_ traits: StrapTraits) -> (advertisement: [UInt8], scanResponse: [UInt8]) {
    let head: [UInt8] = [0x02, 0x01, 0x06, 0x05, 0x03, 0x0D, 0x18, 0x0F, 0x18]
    // An AD structure holds at most 254 bytes besides its type.
    let name = Array(traits.name.utf8.prefix(254))
    let named = [UInt8(name.count + 1), 0x09] + name
    return traits.namesItselfInScanResponse ? (head, named) : (head + named, [])
  }
}
