// A reading of a standard clock.

import Health

/// The content of a clock's answer: a reading without its moment.
struct ShownTime {
  /// µs since 1970, as the clock shows it.
  let device: Int64
  var offset: Int?
  let ahead: Int64?
  var isUnset = false
  var stamp: DeviceTime?
}

/// A reading, and the time that the clock should show.
struct StandardReading {
  let evidence: ClockEvidence
  /// µs by which a correct clock of this kind is ahead of UTC; nil for a clock without a time of day.
  let ahead: Int64?
  /// The wearable reports that its clock was never set.
  var isUnset = false
  /// The value of a Device Time clock.
  var stamp: DeviceTime?

  /// µs between the shown and the correct time.
  func distance(_ ahead: Int64) -> Int64 {
    let (off, overflow) = evidence.device.subtractingReportingOverflow(evidence.wall)
    let (left, overflowed) = off.subtractingReportingOverflow(ahead)
    return overflow || overflowed || left == .min ? .max : abs(left)
  }
}
