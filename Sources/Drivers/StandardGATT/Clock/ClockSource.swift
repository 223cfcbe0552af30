// Which characteristics of a wearable show its clock.

import Bluetooth

/// One of them.
struct ClockSource: Sendable {
  enum Kind: Sendable, Hashable {
    case deviceTime
    case currentTime
    /// Whole seconds of local time, and nothing else.
    case dateTime
  }

  let kind: Kind
  let clock: GATTCharacteristic
  /// Zone and daylight saving, beside Current Time.
  private(set) var zone: GATTCharacteristic?

  /// Those that a wearable has, the one that says most first.
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
