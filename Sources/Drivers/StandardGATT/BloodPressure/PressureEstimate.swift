// Which wearables speak of blood pressure and have no cuff.

import Bluetooth
import GATTServices
import Wearable

/// Bands derive such numbers from light, or from a guess around what their owner entered. They are no measurement, look
/// like one, and are refused: a pressure is kept of cuffs alone.
///
/// The Blood Pressure Service says nothing of how a pressure was measured. Two things tell that it was not by a cuff:
///
/// - The wearable carries the service of a vendor of such bands. Some of them have a pump, which they say in messages
///   that no driver here reads: as long as nobody knows, it counts as having none.
/// - Its heart-rate sensor sits at the wrist: that is one of light, and the pressure is derived from it.
enum PressureEstimate {
  /// For people, of the wearable.
  static let reason = "blood pressure: an estimate without a cuff"
  /// For the counter, of each value.
  static let refused: StaticString = "blood pressure: an estimate without a cuff, refused"

  /// FitCloud and the platform after it; Moyoung.
  private static let bands: [BluetoothUUID] = [
    BluetoothUUID(high: 0x0000_01FF_3C17_D293, low: 0x8E48_14FE_2E4D_A212), 0xFEEA,
  ]
  /// Persimwear: a number that others use too, known by the characteristics behind it.
  private static let persimwear: (service: BluetoothUUID, characteristics: [BluetoothUUID]) = (
    0xFFFF, [0xFF02, 0xFF03]
  )

  /// It carries the service of a vendor of bands.
  static func isOfBand(_ database: GATTDatabase) -> Bool {
    if database.services.contains(where: { bands.contains($0.uuid) }) { return true }
    return persimwear.characteristics.allSatisfy { database.characteristic($0, in: persimwear.service) != nil }
  }

  static func isWorn(where fact: WearableFact) -> Bool { fact == .bodyLocation(BodySensorLocation.Place.wrist.name) }
}
