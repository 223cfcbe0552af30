// The measurement service as every wearable that has one shows it.

@testable import Bluetooth
@testable import DriverTestSupport
@testable import PolarFamily

extension GATTDatabase {
  static let measurements: GATTDatabase = .made(of: [
    GATTServiceDefinition(
      PMD.service,
      [
        GATTCharacteristicDefinition(PMD.controlPoint, [.read, .write, .indicate]),
        GATTCharacteristicDefinition(PMD.data, [.notify]),
      ])
  ])
}
