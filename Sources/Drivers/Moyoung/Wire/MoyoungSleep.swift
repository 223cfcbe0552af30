// Answers about sleep: when a stage began, and of which day that was. Pure.

import Health

/// One entry: a stage and the time of day at which it began. It lasts until the next entry; how long the last one does
/// is not told.
///
///     0   0 awake, 1 light, 2 deep, 3 REM (newer bands)
///     1   hour
///     2   minute
struct SleepEntry: Sendable, Hashable {
  let stage, hour, minute: UInt8

  static let size = 3

  /// Number of `sleep_stage`; 0, unknown, for a stage that is not known.
  var series: Int64 {
    switch stage {
    case 0: 1
    case 1: 3
    case 2: 4
    case 3: 2
    default: 0
    }
  }

  /// Second of the sleep day, which begins at 20:00 of the day before; nil for what is no time of day.
  var second: Int64? {
    guard hour < 24, minute < 60 else { return nil }
    let inDay = Int64(hour) * 3600 + Int64(minute) * 60
    return inDay >= SleepNight.evening ? inDay - SleepNight.evening : inDay + MoyoungTime.day - SleepNight.evening
  }
}

/// The entries of one sleep day, in order.
struct SleepNight: Sendable, Hashable {
  let entries: [SleepEntry]

  /// Second of the day at which a sleep day begins.
  static let evening: Int64 = 20 * 3600

  /// Why entries are no night.
  enum Defect: Error, Sendable {
    case time, order
  }

  /// Bytes of entries; a part of one at the end is passed over.
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

  /// What the clock shows at the begin of the sleep day of a date, seconds.
  static func begin(of day: Int64) -> Int64 { day * MoyoungTime.day + evening - MoyoungTime.day }

  /// On which date the night ended that was told as today's, as a day's number.
  ///
  /// From 20:00 on the next sleep day has begun, and nothing says which of the two a band tells. What would be yet to
  /// come in the new one is of the old one; what could be of either is left for after midnight.
  ///
  /// - Parameters:
  ///   - readAt: what the clock showed then, seconds.
  ///   - until: what it had shown before it was put back; nil: it never was.
  /// - Returns: nil where nobody can tell.
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
