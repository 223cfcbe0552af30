// Answers about sleep: begin and day of each stage. Pure.

import Health

/// Entry of a stage with the time of day at which it began. A stage lasts until the next entry; the length of the last
/// one is unknown.
///
///     0   0 awake, 1 light, 2 deep, 3 REM (newer bands)
///     1   hour
///     2   minute
struct SleepEntry: Sendable, Hashable {
  let stage, hour, minute: UInt8

  static let size = 3

  /// Number in the series `sleep_stage`; 0, unknown, for an unknown stage.
  var series: Int64 {
    switch stage {
    case 0: 1
    case 1: 3
    case 2: 4
    case 3: 2
    default: 0
    }
  }

  /// Second of the sleep day, which begins at 20:00 of the day before; nil for an invalid time of day.
  var second: Int64? {
    guard hour < 24, minute < 60 else { return nil }
    let inDay = Int64(hour) * 3600 + Int64(minute) * 60
    return inDay >= SleepNight.evening ? inDay - SleepNight.evening : inDay + MoyoungTime.day - SleepNight.evening
  }
}

/// Entries of one sleep day, in order.
struct SleepNight: Sendable, Hashable {
  let entries: [SleepEntry]

  /// Second of the day at which a sleep day begins.
  static let evening: Int64 = 20 * 3600

  /// Reason why entries are no night.
  enum Defect: Error, Sendable {
    case time, order
  }

  /// Bytes of entries; an incomplete one at the end is ignored.
  init(_ payload: some Collection<UInt8>) {
    let bytes = Array(payload)
    entries = stride(from: 0, to: bytes.count - bytes.count % SleepEntry.size, by: SleepEntry.size).map {
      SleepEntry(stage: bytes[$0], hour: bytes[$0 + 1], minute: bytes[$0 + 2])
    }
  }

  var bytes: [UInt8] { entries.flatMap { [$0.stage, $0.hour, $0.minute] } }

  /// Seconds of the sleep day, ascending, one for each entry.
  func seconds() throws(Defect) -> [Int64] {
    var seconds: [Int64] = []
    for entry in entries {
      guard let second = entry.second else { throw .time }
      if let last = seconds.last, second < last { throw .order }
      seconds.append(second)
    }
    return seconds
  }

  /// Begin of a date's sleep day, in seconds on the band's clock.
  static func begin(of day: Int64) -> Int64 { day * MoyoungTime.day + evening - MoyoungTime.day }

  /// Date, as a day number, on which the night ended that a band sent as today's.
  ///
  /// From 20:00 on the next sleep day has begun, and the answer does not say which of the two it is. If its times would
  /// be in the future in the new one, it is the old one. A night that fits both is left until after midnight.
  ///
  /// - Parameters:
  ///   - readAt: time of reading on the band's clock, seconds.
  ///   - until: time that the clock had shown before it was set back; nil: never set back.
  /// - Returns: nil if the date cannot be determined.
  func dateOfToday(readAt: Int64, until: Int64? = nil) -> Int64? {
    guard let last = entries.last?.second else { return nil }
    let today = MoyoungTime.dayNumber(readAt)
    let latest = max(readAt + MoyoungTime.tolerance, until ?? 0)
    let dates = [today, today + 1].filter { day in
      Self.begin(of: day) <= readAt && Self.begin(of: day) + last <= latest
    }
    return dates.count == 1 ? dates[0] : nil
  }
}
