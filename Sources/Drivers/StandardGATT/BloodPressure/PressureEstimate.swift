// Detection of wearables with a Blood Pressure Service but without a cuff.

import Bluetooth
import GATTServices
import Wearable

/// Bands derive such numbers from light, or from a value that their owner entered. Such numbers look like measurements
/// but are not, so they are refused: the hub stores pressures of cuffs only.
///
/// The Blood Pressure Service does not say how a pressure was measured. Two signs show that it was not by a cuff:
///
/// - The wearable has a service of a vendor of such bands. Some of them have a pump, which they report in messages that
///   no driver here decodes. As long as that is unknown, they count as having no cuff.
/// - The heart rate sensor is at the wrist. Such a sensor is optical, and the pressure is derived from it.
enum PressureEstimate {
  /// The reason in messages about the wearable.
  static let reason = "blood pressure: an estimate without a cuff"
  /// The name of the counter of refused values.
  static let refused: StaticString = "blood pressure: an estimate without a cuff, refused"

  /// FitCloud and the platform after it; Moyoung.
  private static let bands: [BluetoothUUID] = [
    BluetoothUUID(high: 0x0000_01FF_3C17_D293, low: 0x8E48_14FE_2E4D_A212), 0xFEEA,
  ]
  /// Persimwear: a service number that others use too, so its characteristics must match.
  private static let persimwear: (service: BluetoothUUID, characteristics: [BluetoothUUID]) = (
    0xFFFF, [0xFF02, 0xFF03]
  )

  /// Whether the database has a service of a vendor of bands.
  static func isOfBand(_ database: GATTDatabase) -> Bool {
    if database.services.contains(where: { bands.contains($0.uuid) }) { return true }
    return persimwear.characteristics.allSatisfy { database.characteristic($0, in: persimwear.service) != nil }
  }

  static func isWorn(where fact: WearableFact) -> Bool { fact == .bodyLocation(BodySensorLocation.Place.wrist.name) }
}
