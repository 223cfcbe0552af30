// GATT database and advertisement of a Moyoung band.

public import Bluetooth

/// UUIDs of a Moyoung band.
public enum MoyoungUUID {
  /// Service of the bands.
  public static let service: BluetoothUUID = 0xFEEA
  /// Totals of today: steps, metres, kcal, u24 each, little-endian; read and notified.
  public static let totals: BluetoothUUID = 0xFEE1
  /// Characteristic of commands.
  public static let write: BluetoothUUID = 0xFEE2
  /// Characteristic of answers.
  public static let notify: BluetoothUUID = 0xFEE3
  /// Firmware characteristics: a hub that writes to either one breaks the band.
  public static let firmware: BluetoothUUID = 0xFEE5
  /// Characteristic of firmware data; a write breaks the band.
  public static let firmwareData: BluetoothUUID = 0xFEE6
  /// Characteristic in the update service of Realtek chips, which is the main service of another family of bands.
  public static let realtekWrite = realtek(0xFF02)
  /// Battery Level.
  public static let batteryLevel: BluetoothUUID = 0x2A19
  /// Heart Rate Measurement.
  public static let heartRateMeasurement: BluetoothUUID = 0x2A37
  /// Manufacturer Name String.
  public static let manufacturer: BluetoothUUID = 0x2A29

  /// 0000xxxx-3C17-D293-8E48-14FE2E4DA212.
  static func realtek(_ short: UInt16) -> BluetoothUUID {
    BluetoothUUID(high: UInt64(short) << 32 | 0x3C17_D293, low: 0x8E48_14FE_2E4D_A212)
  }

  /// Company number in the advertisement; the address follows it.
  static let company: UInt16 = 0xF0EF
}

extension MoyoungMake {
  func services(_ name: String, address: BluetoothAddress, battery: UInt8) -> [GATTServiceDefinition] {
    var services = [
      GATTServiceDefinition(
        .genericAccess, [GATTCharacteristicDefinition(.deviceName, .read, value: Array(name.utf8))]),
      GATTServiceDefinition(
        .genericAttributeService,
        [GATTCharacteristicDefinition(.serviceChanged, .indicate, value: [0, 0, 0, 0])]),
    ]
    // The chip's own service comes first. A hub that takes the first known service takes the wrong one.
    if hasRealtekService {
      services.append(
        GATTServiceDefinition(
          MoyoungUUID.realtek(0x01FF),
          [
            GATTCharacteristicDefinition(MoyoungUUID.realtekWrite, [.write, .writeWithoutResponse]),
            GATTCharacteristicDefinition(MoyoungUUID.realtek(0xFF03), .notify),
          ]))
    }
    let writing: GATTProperties = writesAreAnswered ? [.write, .writeWithoutResponse] : .writeWithoutResponse
    services.append(
      GATTServiceDefinition(
        MoyoungUUID.service,
        [
          GATTCharacteristicDefinition(MoyoungUUID.totals, [.read, .notify], value: [UInt8](repeating: 0, count: 9)),
          GATTCharacteristicDefinition(MoyoungUUID.write, writing),
          GATTCharacteristicDefinition(MoyoungUUID.notify, .notify),
          GATTCharacteristicDefinition(MoyoungUUID.firmware, [.write, .writeWithoutResponse]),
          GATTCharacteristicDefinition(MoyoungUUID.firmwareData, [.write, .writeWithoutResponse]),
        ]))
    if hasDeadHeartRate {
      services.append(
        GATTServiceDefinition(
          0x180D, [GATTCharacteristicDefinition(MoyoungUUID.heartRateMeasurement, .notify)]))
    }
    services.append(
      GATTServiceDefinition(
        0x180F, [GATTCharacteristicDefinition(MoyoungUUID.batteryLevel, [.read, .notify], value: [battery])]))
    let facts: [(BluetoothUUID, String)] = [
      (MoyoungUUID.manufacturer, framing.manufacturer), (0x2A24, name), (0x2A25, serial(address)), (0x2A27, "1.0"),
      (0x2A26, firmware), (0x2A28, firmware),
    ]
    services.append(
      GATTServiceDefinition(
        0x180A, facts.map { GATTCharacteristicDefinition($0.0, .read, value: Array($0.1.utf8)) }))
    return services
  }

  private func serial(_ address: BluetoothAddress) -> String {
    String(address.value & 0xFF_FFFF, radix: 16, uppercase: true)
  }

  /// Flags; the service, unless this make omits it; company number and address, first octet first.
  func advertisement(_ address: BluetoothAddress) -> [UInt8] {
    var bytes: [UInt8] = [0x02, 0x01, 0x06]
    if advertisesService { bytes += [0x03, 0x03, 0xEA, 0xFE] }
    bytes += [0x09, 0xFF]
    bytes.append(littleEndian: MoyoungUUID.company)
    for place in (0..<6).reversed() { bytes.append(UInt8(truncatingIfNeeded: address.value >> (8 * UInt64(place)))) }
    return bytes
  }

  static func scanResponse(_ name: String) -> [UInt8] {
    let name = Array(name.utf8.prefix(29))
    return [UInt8(name.count + 1), 0x09] + name
  }
}
