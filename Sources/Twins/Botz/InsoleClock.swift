// Clock of an insole: seconds since 1970, with a small drift, that fall back every 512 s.

import EventLoop

/// Clock of the device. Stores when it was set, so that records can be dated long afterwards.
struct InsoleClock {
  /// 2025-06-10T17:00:50Z: time after a boot.
  static let bootEpoch: Int64 = 1_749_574_850

  private var settings: [(at: Instant, epoch: Int64)]
  private let wrap: Int64?
  /// Nanoseconds of the device per million of ours.
  private let rate: Int64

  init(_ traits: InsoleTraits, bootedAt: Instant) {
    settings = [(bootedAt, Self.bootEpoch)]
    wrap = traits.clockWrap?.wholeNanoseconds
    rate = 1_000_000 + Int64(traits.clockDrift)
  }

  mutating func set(_ epoch: Int64, at now: Instant) { settings.append((now, epoch)) }

  /// Discards settings that are no longer needed.
  mutating func forget(before instant: Instant) {
    if settings.count > 1, let keep = settings.lastIndex(where: { $0.at <= instant }), keep > 0 {
      settings.removeFirst(keep)
    }
  }

  /// Time of the device at a moment: whole seconds. The counter since the last setting wraps, and the clock then falls
  /// back.
  func epoch(at instant: Instant) -> UInt32 {
    let setting = settings.last { $0.at <= instant } ?? settings[0]
    let ours = (instant - setting.at).wholeNanoseconds
    var elapsed = ours + ours / 1_000_000 * (rate - 1_000_000)
    if let wrap { elapsed %= wrap }
    return UInt32(truncatingIfNeeded: setting.epoch + elapsed / 1_000_000_000)
  }

  /// The 12 octets of 0x2A2B: year, month, day, hour, minute, second, weekday from Monday = 1, and four zeros.
  func currentTime(at instant: Instant) -> [UInt8] {
    let epoch = Int64(self.epoch(at: instant))
    let days = epoch / 86_400
    let second = epoch % 86_400
    // Days to a date of the Gregorian calendar, counted from 1 March of the year 0.
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * month + 2) / 5 + 1
    let civilMonth = month < 10 ? month + 3 : month - 9
    let year = yearOfEra + era * 400 + (civilMonth <= 2 ? 1 : 0)
    let weekday = (days + 3) % 7 + 1
    return [
      UInt8(truncatingIfNeeded: year), UInt8(truncatingIfNeeded: year >> 8), UInt8(civilMonth), UInt8(day),
      UInt8(second / 3600), UInt8(second / 60 % 60),
      UInt8(second % 60), UInt8(weekday), 0, 0, 0, 0,
    ]
  }
}
