// Devices that pass a hub: advertisers that no driver should stumble over.

import Bluetooth
import EventLoop
import Wearable

enum ScanResults {
  static let hostileNames: [String?] = [
    nil, "", " ", "\u{FFFD}", "'; DROP TABLE wearables; --", "../../etc/passwd", "%n%s", "$(reboot)", "strap\u{2024}1",
    String(repeating: "x", count: 64), String(repeating: "\u{1F493}", count: 16),
  ]

  static let hostileManufacturerData: [[(company: UInt16, data: [UInt8])]] = [
    [], [(0, [])], [(0xFFFF, [UInt8](repeating: 0xFF, count: 255))], (0..<64).map { (UInt16($0), [UInt8($0)]) },
  ]

  /// Random mixtures of every service a driver names and of what others advertise, with hostile names and manufacturer
  /// data.
  static func generated(_ drivers: [any WearableDriver], besides others: [ScanResult], count: Int, seed: UInt64)
    -> [ScanResult]
  {
    var generator = SeededGenerator(seed: seed)
    var services = Set(drivers.flatMap { $0.liveSources.map(\.service) }).union(others.flatMap(\.services))
    services.formUnion([0x1800, 0x1801, 0xFEEE, BluetoothUUID(high: 0xFEED_FACE_CAFE_BEEF, low: 0x0123_4567_89AB_CDEF)])
    let pool = services.sorted { ($0.high, $0.low) < ($1.high, $1.low) }
    let names = hostileNames + others.map(\.name).sorted { ($0 ?? "") < ($1 ?? "") }
    let manufacturers = hostileManufacturerData + others.map(\.manufacturerData).filter { !$0.isEmpty }
    return (0..<count).map { _ in
      let advertised = (0..<Int.random(in: 0...6, using: &generator)).compactMap { _ in
        pool.randomElement(using: &generator)
      }
      return scanResult(
        name: names.randomElement(using: &generator) ?? nil, services: advertised,
        manufacturer: manufacturers.randomElement(using: &generator) ?? [])
    }
  }

  static func scanResult(
    name: String?, services: [BluetoothUUID], manufacturer: [(company: UInt16, data: [UInt8])] = []
  )
    -> ScanResult
  {
    ScanResult(
      address: BluetoothAddress(value: 0xF0F1_F2F3_F400, kind: .leRandom), name: name, services: services,
      manufacturerData: manufacturer)
  }
}
