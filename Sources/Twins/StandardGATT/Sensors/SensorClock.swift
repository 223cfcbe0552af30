// Clock of a health sensor: its time, its error, and its setting.

import Bluetooth
import EventLoop

/// Clock without a zone that runs at its own rate from the last setting on.
struct SensorClock {
  /// 2000-01-01T00:00:00, from which an unset clock counts.
  static let unsetEpoch: Int64 = 946_684_800_000_000

  private let traits: ClockTraits
  private var at: Instant
  private var shownThen: Int64
  private(set) var isSet: Bool
  /// Moment at which its Date Time is frozen, until the setting after it; nil: it runs.
  var standsAt: Instant?
  /// Times of settings, and their amounts, µs.
  private(set) var settings: [(at: Instant, by: Int64)] = []

  /// - Parameter time: microseconds since 1970, UTC: the true time at `now`.
  init(_ traits: ClockTraits, now: Instant, time: Int64) {
    self.traits = traits
    at = now
    let local = time + Int64(traits.quarterHours) * 900_000_000
    switch traits.state {
    case .right: (shownThen, isSet) = (local, true)
    case .wrong(let offset): (shownThen, isSet) = (local + offset.wholeNanoseconds / 1000, true)
    case .unset: (shownThen, isSet) = (Self.unsetEpoch, false)
    }
  }

  /// Microseconds since 1970, without a zone.
  func shown(at instant: Instant) -> Int64 {
    let elapsed = (instant - at).wholeNanoseconds / 1000
    return shownThen + elapsed + elapsed / 1_000_000 * Int64(traits.drift)
  }

  mutating func set(_ shown: Int64, at now: Instant) {
    settings.append((now, shown - self.shown(at: now)))
    (at, shownThen, isSet) = (now, shown, true)
    if standsAt != nil { standsAt = now }
  }

  /// Resets the clock after a change of battery.
  mutating func lose(at now: Instant) { (at, shownThen, isSet) = (now, Self.unsetEpoch, false) }

  /// Date Time of a value; zeros if the clock has no date and reports so.
  func dateTimeBytes(at instant: Instant) -> [UInt8] {
    let bytes = dateTime(shown(at: instant))
    return !isSet && traits.unsetShowsZeros ? [0, 0, 0, 0] + bytes[4...] : bytes
  }

  /// Current Time (2A2B): Date Time, weekday, 1/256 s, reason of the last change (bit 0 manual, 1 reference).
  func currentTime(at instant: Instant) -> [UInt8] {
    let now = shown(at: instant)
    let zeros = !isSet && traits.unsetShowsZeros
    let fraction = (now - wholeSeconds(now) * 1_000_000) * 256 / 1_000_000
    return dateTimeBytes(at: instant) + [zeros ? 0 : weekday(now), UInt8(fraction), !settings.isEmpty ? 0x02 : 0x00]
  }

  /// Local Time Information (2A0F): quarters of an hour, −128 unknown; daylight saving, 255 unknown.
  func localTimeInformation() -> [UInt8] {
    isSet ? [UInt8(bitPattern: Int8(traits.quarterHours)), 0] : [0x80, 0xFF]
  }

  /// Reference Time Information (2A14): source (0 unknown, 4 manual), accuracy, days and hours since; 255 unknown.
  func referenceTimeInformation() -> [UInt8] { !settings.isEmpty ? [4, 0xFE, 0, 0] : [0, 0xFF, 0xFF, 0xFF] }

  /// Time in a client's write to 2A2B or 2A08; nil if it is invalid, or for another characteristic.
  static func written(_ value: [UInt8], to characteristic: BluetoothUUID) -> Int64? {
    if characteristic == .dateTime { return value.count == 7 ? shownTime(value[...]) : nil }
    guard characteristic == .currentTime, value.count == 10, value[7] <= 7, let time = shownTime(value[..<7]) else {
      return nil
    }
    return time + Int64(value[8]) * 1_000_000 / 256
  }
}
