// Advertisers that each driver must claim, and near misses that nobody may.

import Bands
import Bluetooth
import BotzFamily
import Wearable

@testable import DriverTestSupport

extension Sightings {
  /// At least one advertiser that each driver must claim for itself: a driver without a row fails the conformance
  /// tests.
  static let claimed: [String: [Sighting]] = [
    "heart-rate": [
      sighting(name: "Strap 1234", services: [0x180D]),
      sighting(name: nil, services: [0x180D]),
      sighting(name: "Watch", services: [0x180A, 0x180F, 0x180D, 0x1816]),
      sighting(name: "Oximeter", services: [0x1822]),
      sighting(name: nil, services: [0x180F, 0x1822, 0x180D]),
      sighting(name: "Thermometer", services: [0x1809, 0x180A]),
      sighting(name: "Cuff", services: [0x1810, 0x180A, 0x1805]),
      sighting(name: "Pod", services: [0x1814]),
      sighting(name: "Scale", services: [0x181D, 0x181B, 0x181C]),
      sighting(name: "Bike", services: [0x1816, 0x180F]),
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
    "polar-strap": [
      sighting(name: "Polar H10 1234567C", services: [0x180D, 0xFEEE], manufacturer: [(0x6B, [0x72, 0x08, 0x97])])
    ],
    "fitcloud": [
      sighting(name: "Band", services: [Band.service], manufacturer: [(0x5448, [1, 2, 3, 4, 5, 6])]),
      sighting(name: "Band", services: [Band.service, 0x180D], manufacturer: [(0x4254, [])]),
      // Heard without the advertisement that has the service.
      sighting(name: nil, services: [], manufacturer: [(0x5A54, [1, 2, 3, 4, 5, 6])]),
    ],
    // Nothing in an advertisement tells it from a FitCloud band that says no company.
    "topstep-next": [
      sighting(name: "TPB 1", services: [Band.service]),
      sighting(name: nil, services: [Band.service, 0x180D, 0x180F]),
    ],
    "moyoung": [
      sighting(name: "Band", services: [Band.moyoungService]),
      // On a chip of Realtek's, with that one's update service.
      sighting(name: "Band", services: [Band.moyoungService, Band.service]),
      sighting(name: "Band", services: [0x180D, Band.moyoungService], manufacturer: [(0x5448, [])]),
      sighting(name: nil, services: [], manufacturer: [(Band.moyoungCompany, [1, 2, 3, 4, 5, 6])]),
    ],
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
    // Names of bands say nothing, and a number of theirs elsewhere says nothing either.
    sighting(name: "FitCloud 1", services: [0xFF02, 0xFF03]),
    sighting(name: "Moyoung", services: [0xEAFE, 0x01FF], manufacturer: [(0xEFF0, []), (0x4854, [0x54, 0x48])]),
    sighting(name: "\u{FFFD}\u{FFFD}", services: [], manufacturer: [(0x180D, [0x0D, 0x18])]),
  ]

  /// Random mixtures of every service a driver names and of what the families claim, with hostile names and
  /// manufacturer data.
  static func generated(_ drivers: [any WearableDriver], count: Int, seed: UInt64) -> [Sighting] {
    generated(drivers, besides: Array(claimed.values.joined()), count: count, seed: seed)
  }
}
