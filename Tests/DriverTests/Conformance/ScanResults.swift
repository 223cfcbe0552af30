// Advertisers that each driver must claim, and near misses that no driver may claim.

import Bands
import Bluetooth
import BotzFamily
import Wearable

@testable import DriverTestSupport

extension ScanResults {
  /// At least one advertiser that each driver must claim for itself: a driver without a row fails the conformance
  /// tests.
  static let claimed: [String: [ScanResult]] = [
    "heart-rate": [
      scanResult(name: "Strap 1234", services: [0x180D]),
      scanResult(name: nil, services: [0x180D]),
      scanResult(name: "Watch", services: [0x180A, 0x180F, 0x180D, 0x1816]),
      scanResult(name: "Oximeter", services: [0x1822]),
      scanResult(name: nil, services: [0x180F, 0x1822, 0x180D]),
      scanResult(name: "Thermometer", services: [0x1809, 0x180A]),
      scanResult(name: "Cuff", services: [0x1810, 0x180A, 0x1805]),
      scanResult(name: "Pod", services: [0x1814]),
      scanResult(name: "Scale", services: [0x181D, 0x181B, 0x181C]),
      scanResult(name: "Bike", services: [0x1816, 0x180F]),
    ],
    "botz": [
      scanResult(name: Botz.rightFootName, services: [0x180F, 0x1805, Botz.advertisedService]),
      scanResult(name: Botz.rightFootName, services: []),
      // Heard without a scan response.
      scanResult(name: nil, services: [0x180F, 0x1805, Botz.advertisedService]),
    ],
    "polar": [
      scanResult(name: "Polar Sense 1234567C", services: [0x180D, 0xFEEE]),
      scanResult(name: "Polar 360 1234567C", services: [0x180D, 0xFEEE], manufacturer: [(0x6B, [0x72, 0x08, 0x97])]),
      scanResult(name: "Polar Vantage V3 1234567C", services: [0xFEEE]),
      scanResult(name: "Polar OH1 1234567C", services: [0x180D]),
    ],
    "polar-strap": [
      scanResult(name: "Polar H10 1234567C", services: [0x180D, 0xFEEE], manufacturer: [(0x6B, [0x72, 0x08, 0x97])])
    ],
    "fitcloud": [
      scanResult(name: "Band", services: [Band.service], manufacturer: [(0x5448, [1, 2, 3, 4, 5, 6])]),
      scanResult(name: "Band", services: [Band.service, 0x180D], manufacturer: [(0x4254, [])]),
      // Heard without the advertisement that has the service.
      scanResult(name: nil, services: [], manufacturer: [(0x5A54, [1, 2, 3, 4, 5, 6])]),
    ],
    // An advertisement cannot distinguish it from a FitCloud band without a company.
    "topstep-next": [
      scanResult(name: "TPB 1", services: [Band.service]),
      scanResult(name: nil, services: [Band.service, 0x180D, 0x180F]),
    ],
    "moyoung": [
      scanResult(name: "Band", services: [Band.moyoungService]),
      // On a chip of Realtek's, with that one's update service.
      scanResult(name: "Band", services: [Band.moyoungService, Band.service]),
      scanResult(name: "Band", services: [0x180D, Band.moyoungService], manufacturer: [(0x5448, [])]),
      scanResult(name: nil, services: [], manufacturer: [(Band.moyoungCompany, [1, 2, 3, 4, 5, 6])]),
    ],
  ]

  /// Near misses and unknown devices that no driver may claim.
  static let unclaimed: [ScanResult] = [
    scanResult(name: "HR strap", services: []),
    scanResult(name: "180D", services: []),
    scanResult(name: "Heart Rate", services: [0x180F, 0x180A]),
    scanResult(name: "", services: [0x0D18]),
    // The left foot is never claimed, though it advertises the same service.
    scanResult(name: Botz.leftFootName, services: [0x180F, 0x1805, Botz.advertisedService]),
    scanResult(name: Botz.leftFootName, services: []),
    scanResult(name: "BotzRightShoe", services: []),
    // The heart-rate number in a foreign 128-bit base.
    scanResult(name: "Almost", services: [BluetoothUUID(high: 0x0000_180D_0000_1000, low: 0x8000_0080_5F9B_34FC)]),
    // Names of bands are no evidence, and neither is a number of theirs elsewhere.
    scanResult(name: "FitCloud 1", services: [0xFF02, 0xFF03]),
    scanResult(name: "Moyoung", services: [0xEAFE, 0x01FF], manufacturer: [(0xEFF0, []), (0x4854, [0x54, 0x48])]),
    scanResult(name: "\u{FFFD}\u{FFFD}", services: [], manufacturer: [(0x180D, [0x0D, 0x18])]),
  ]

  /// Random mixtures of every service a driver names and of what the families claim, with hostile names and
  /// manufacturer data.
  static func generated(_ drivers: [any WearableDriver], count: Int, seed: UInt64) -> [ScanResult] {
    generated(drivers, besides: Array(claimed.values.joined()), count: count, seed: seed)
  }
}
