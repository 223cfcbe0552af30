// Who walks past a hub: advertisers that each driver must claim, and many that nobody should stumble over.

import Bluetooth
import Wearable

@testable import Drivers

enum Sightings {
  /// At least one advertiser that each driver must claim for itself: a driver without a row fails the conformance tests.
  static let claimed: [String: [Sighting]] = [
    "heart-rate": [
      sighting(name: "Strap 1234", services: [0x180D]),
      sighting(name: nil, services: [0x180D]),
      sighting(name: "Watch", services: [0x180A, 0x180F, 0x180D, 0x1816]),
    ],
    "botz": [
      sighting(name: Botz.rightFootName, services: [0x180F, 0x1805, Botz.advertisedService]),
      sighting(name: Botz.rightFootName, services: []),
      // Heard without a scan response.
      sighting(name: nil, services: [0x180F, 0x1805, Botz.advertisedService]),
    ],
    "polar": [
      sighting(name: "Polar Sense 1234567C", services: [0x180D, 0xFEEE]),
      sighting(name: "Polar 360 1234567C", services: [0x180D, 0xFEEE], manufacturer: [(0x6B, [0x72, 0x08, 0x97])]),
      sighting(name: "Polar Vantage V3 1234567C", services: [0xFEEE]),
      sighting(name: "Polar OH1 1234567C", services: [0x180D]),
    ],
    "polar-strap": [sighting(name: "Polar H10 1234567C", services: [0x180D, 0xFEEE], manufacturer: [(0x6B, [0x72, 0x08, 0x97])])],
  ]

  /// Near misses and strangers nobody may claim.
  static let unclaimed: [Sighting] = [
    sighting(name: "HR strap", services: []),
    sighting(name: "180D", services: []),
    sighting(name: "Heart Rate", services: [0x180F, 0x180A]),
    sighting(name: "", services: [0x0D18]),
    // The left foot is nobody's, though it advertises the same service.
    sighting(name: Botz.leftFootName, services: [0x180F, 0x1805, Botz.advertisedService]),
    sighting(name: Botz.leftFootName, services: []),
    sighting(name: "BotzRightShoe", services: []),
    // The heart-rate number in somebody else's 128-bit base.
    sighting(name: "Almost", services: [BluetoothUUID(high: 0x0000_180D_0000_1000, low: 0x8000_0080_5F9B_34FC)]),
    sighting(name: "\u{FFFD}\u{FFFD}", services: [], manufacturer: [(0x180D, [0x0D, 0x18])]),
  ]

  static let hostileNames: [String?] = [
    nil, "", " ", "\u{FFFD}", "'; DROP TABLE wearables; --", "../../etc/passwd", "%n%s", "$(reboot)", "strap\u{2024}1",
    String(repeating: "x", count: 64), String(repeating: "\u{1F493}", count: 16),
  ]

  static let hostileManufacturerData: [[(company: UInt16, data: [UInt8])]] = [
    [], [(0, [])], [(0xFFFF, [UInt8](repeating: 0xFF, count: 255))], (0..<64).map { (UInt16($0), [UInt8($0)]) },
  ]

  /// Random mixtures of every service a driver names, hostile names and manufacturer data.
  static func generated(_ drivers: [any WearableDriver], count: Int, seed: UInt64) -> [Sighting] {
    var generator = SeededGenerator(seed: seed)
    var services = Set(drivers.flatMap { $0.liveSources.map(\.service) }).union(claimed.values.joined().flatMap(\.services))
    services.formUnion([0x1800, 0x1801, 0xFEEE, BluetoothUUID(high: 0xFEED_FACE_CAFE_BEEF, low: 0x0123_4567_89AB_CDEF)])
    let pool = services.sorted { ($0.high, $0.low) < ($1.high, $1.low) }
    let names = hostileNames + claimed.values.joined().map(\.name).sorted { ($0 ?? "") < ($1 ?? "") }
    let manufacturers = hostileManufacturerData + claimed.values.joined().map(\.manufacturerData).filter { !$0.isEmpty }
    return (0..<count).map { _ in
      let advertised = (0..<Int.random(in: 0...6, using: &generator)).compactMap { _ in pool.randomElement(using: &generator) }
      return sighting(
        name: names.randomElement(using: &generator) ?? nil, services: advertised,
        manufacturer: manufacturers.randomElement(using: &generator) ?? [])
    }
  }

  static func sighting(name: String?, services: [BluetoothUUID], manufacturer: [(company: UInt16, data: [UInt8])] = []) -> Sighting {
    Sighting(address: BluetoothAddress(value: 0xF0F1_F2F3_F400, kind: .leRandom), name: name, services: services, manufacturerData: manufacturer)
  }
}
