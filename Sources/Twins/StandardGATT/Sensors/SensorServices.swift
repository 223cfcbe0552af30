// Services that every health sensor has besides its own: names, battery, identity, time.

import Bluetooth

extension HealthTwin {
  /// Database: names first, then the measuring services, then the rest.
  static func database(_ traits: SensorTraits, _ own: [GATTServiceDefinition], address: BluetoothAddress)
    -> [GATTServiceDefinition]
  {
    var services = [
      GATTServiceDefinition(
        .genericAccess, [GATTCharacteristicDefinition(.deviceName, .read, value: Array(traits.name.utf8))]),
      GATTServiceDefinition(
        .genericAttributeService,
        [GATTCharacteristicDefinition(.serviceChanged, .indicate, value: [0, 0, 0, 0])]),
    ]
    services += own
    if traits.clock.isDateTime, let last = services.indices.last {
      var access: GATTProperties = traits.clock.canBeSet ? [.read, .write] : .read
      if !traits.clock.isReadable { access.remove(.read) }
      services[last].characteristics.append(GATTCharacteristicDefinition(.dateTime, access, value: []))
    }
    if traits.clock.isServed { services.append(time(traits.clock)) }
    if let battery = traits.battery { services.append(power(traits, battery)) }
    if let tells = traits.tellsDrained { services.append(reconnection(tells)) }
    if traits.hasDeviceInformation { services.append(identity(traits, address)) }
    return services
  }

  private static func time(_ traits: ClockTraits) -> GATTServiceDefinition {
    let access: GATTProperties = traits.canBeSet ? [.read, .write, .notify] : [.read, .notify]
    return GATTServiceDefinition(
      .currentTimeService,
      [
        GATTCharacteristicDefinition(.currentTime, access),
        GATTCharacteristicDefinition(.localTimeInformation, .read),
        GATTCharacteristicDefinition(.referenceTimeInformation, .read),
      ])
  }

  private static func power(_ traits: SensorTraits, _ battery: UInt8) -> GATTServiceDefinition {
    let access: GATTProperties = traits.batteryNotifies ? [.read, .notify] : .read
    var power = [GATTCharacteristicDefinition(.batteryLevel, access, value: [battery])]
    if traits.hasBatteryStatus {
      power.append(
        GATTCharacteristicDefinition(.batteryLevelStatus, [.read, .notify], value: batteryStatus(battery)))
    }
    return GATTServiceDefinition(.batteryService, power)
  }

  /// RC Feature: no check value, then three bytes of features (bit 1 ready for disconnect).
  private static func reconnection(_ tells: Bool) -> GATTServiceDefinition {
    GATTServiceDefinition(
      .reconnectionConfiguration,
      [
        GATTCharacteristicDefinition(
          .reconnectionFeature, .read, value: [0xFF, 0xFF, tells ? 0x02 : 0x00, 0x00, 0x00]),
        GATTCharacteristicDefinition(
          .reconnectionSettings, [.read, .notify], value: reconnectionSettings(isDrained: false)),
      ])
  }

  /// RC Settings: length, two bytes of settings (bit 4 ready for disconnect).
  nonisolated static func reconnectionSettings(isDrained: Bool) -> [UInt8] { [0x03, isDrained ? 0x10 : 0x00, 0x00] }

  /// Battery Level Status (2BED): flags (bit 1: a level follows), power state u16, level. Power state: bit 0 battery
  /// present, bits 5–6 charge (2: discharging), bits 7–8 level (1 good, 2 low, 3 critical).
  nonisolated static func batteryStatus(_ percent: UInt8) -> [UInt8] {
    let level: UInt16 = percent > 20 ? 1 : percent > 5 ? 2 : 3
    var bytes: [UInt8] = [0x02]
    bytes.append(littleEndian: UInt16(1) | 2 << 5 | level << 7)
    return bytes + [percent]
  }

  /// System ID: five bytes of the manufacturer's number and three of its OUI, little-endian, here made from the
  /// address. PnP ID: 1 (numbers of the Bluetooth SIG), vendor, product, version.
  private static func identity(_ traits: SensorTraits, _ address: BluetoothAddress) -> GATTServiceDefinition {
    let octets = (0..<6).map { UInt8(truncatingIfNeeded: address.value >> (8 * UInt64($0))) }
    let texts: [(BluetoothUUID, String)] = [
      (0x2A29, "Simulated"), (0x2A24, "Virtual sensor"), (0x2A25, traits.name), (0x2A27, "1"),
      (.firmwareRevision, "1.0.0"), (0x2A28, "1"),
    ]
    var facts = texts.map { GATTCharacteristicDefinition($0.0, .read, value: Array($0.1.utf8)) }
    facts.append(
      GATTCharacteristicDefinition(.systemIdentifier, .read, value: octets[..<3] + [0xFE, 0xFF] + octets[3...]))
    facts.append(
      GATTCharacteristicDefinition(
        .plugAndPlayIdentifier, .read, value: [0x01, 0xFF, 0xFF, 0x34, 0x12, 0x00, 0x01]))
    return GATTServiceDefinition(.deviceInformation, facts)
  }

  /// Flags, the main services, the name as far as there is room.
  static func advertisement(_ traits: SensorTraits, _ services: [UInt16]) -> [UInt8] {
    var bytes: [UInt8] = [0x02, 0x01, 0x06, UInt8(services.count * 2 + 1), 0x03]
    for service in services { bytes.append(littleEndian: service) }
    let name = Array(traits.name.utf8.prefix(31 - bytes.count - 2))
    return bytes + [UInt8(name.count + 1), 0x09] + name
  }
}
