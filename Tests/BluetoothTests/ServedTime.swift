import Bluetooth

extension GATTServer {
  /// As a hub's: Current Time, and a zone an hour east of Greenwich.
  static let tellingTime = GATTServer([
    GATTServiceDefinition(
      0x1805,
      [
        GATTCharacteristicDefinition(0x2A2B, [.read, .notify]),
        GATTCharacteristicDefinition(0x2A0F, .read, value: [4, 0]),
      ])
  ])
}
