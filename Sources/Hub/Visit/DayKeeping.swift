// The day of a corrected time near midnight.

import CivilTime
import Health

extension TimeZoneRules {
  /// Distance from midnight within which a time may be moved to it, µs: the error of a clock's reading. A time further
  /// off was measured on the other day.
  static let dayKeepingReach: Int64 = 50_000

  /// Keeps a time on the day that the wearable showed. A value of its 00:00:00.000 in this zone belongs to the day that
  /// begins then. So it does if its clock was read some milliseconds fast, and the hub's time is 23:59:59.993. The same
  /// holds in the other direction.
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
  /// A sequence of many values, of which no single one is meant.
  var isWaveform: Bool { if case .waveform = layout { true } else { false } }
}
