// The characteristics of a wearable that show its clock.

import Bluetooth

/// A clock characteristic.
struct ClockSource: Sendable {
  enum Kind: Sendable, Hashable {
    case deviceTime
    case currentTime
    /// Whole seconds of local time, without further fields.
    case dateTime
  }

  let kind: Kind
  let clock: GATTCharacteristic
  /// Zone and daylight saving, beside Current Time.
  private(set) var zone: GATTCharacteristic?

  /// Returns the clock characteristics of a wearable, the most informative first.
  static func all(in database: GATTDatabase) -> [ClockSource] {
    let device = database.characteristic(TimeServices.deviceTime, in: TimeServices.deviceTimeService)
    let current = database.characteristic(TimeServices.currentTime, in: TimeServices.currentTimeService)
    let zone = database.characteristic(TimeServices.localTimeInformation, in: TimeServices.currentTimeService)
    let dates = TimeServices.dateTimeServices.compactMap { database.characteristic(TimeServices.dateTime, in: $0) }
    return [device.map { ClockSource(kind: .deviceTime, clock: $0) }].compactMap { $0 }
      + [current.map { ClockSource(kind: .currentTime, clock: $0, zone: zone) }].compactMap { $0 }
      + dates.map { ClockSource(kind: .dateTime, clock: $0) }
  }
}
