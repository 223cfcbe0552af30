// Which day a corrected time is of, where it lies at midnight.

import CivilTime
import Health

extension TimeZoneRules {
  /// How far from midnight a time may be for it to be moved there, µs: what a reading of a clock is wrong by. One that
  /// is further off was measured on the other day.
  static let dayKeepingReach: Int64 = 50_000

  /// What a wearable that shows this zone's time measured at its 00:00:00.000 is of the day that begins then, also
  /// where its clock was read some milliseconds fast
  /// and the hub's time of it is 23:59:59.993; and the other way round.
  ///
  /// - Parameters:
  ///   - time: of the hub, µs since 1970.
  ///   - shown: the same moment by the wearable's clock, µs.
  func keepingDay(_ time: Int64, shown: Int64) -> Int64 {
    let (local, overflow) = time.addingReportingOverflow(Int64(offset(at: time)) * 1_000_000)
    let (apart, isFar) = local.subtractingReportingOverflow(shown)
    guard !overflow, !isFar, apart.magnitude <= UInt64(Self.dayKeepingReach) else { return time }
    let day: Int64 = 86_400_000_000
    func dayNumber(_ local: Int64) -> Int64 { local >= 0 ? local / day : (local + 1) / day - 1 }
    let (meant, told) = (dayNumber(shown), dayNumber(local))
    if meant == told { return time }
    let midnight = time + (max(meant, told) * day - local)
    return meant > told ? midnight : midnight - 1
  }
}

extension Series {
  /// Many values after each other, of which no single one is meant.
  var isWaveform: Bool { if case .waveform = layout { true } else { false } }
}
