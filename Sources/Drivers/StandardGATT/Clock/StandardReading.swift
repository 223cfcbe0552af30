// What a standard clock showed at one moment.

import Health

/// What one answer of a clock says: a reading without its moment.
struct ShownTime {
  /// µs since 1970, as it means it.
  let device: Int64
  var offset: Int?
  let ahead: Int64?
  var isUnset = false
  var stamp: DeviceTime?
}

/// What it showed, and what it has to show for being right.
struct StandardReading {
  let evidence: ClockEvidence
  /// µs that what it shows is ahead of UTC when it is right; nil for one that does not tell the time of day.
  let ahead: Int64?
  /// It says that nobody has set it.
  var isUnset = false
  /// As Device Time has it.
  var stamp: DeviceTime?

  /// µs between what it shows and what it should.
  func distance(_ ahead: Int64) -> Int64 {
    let (off, overflow) = evidence.device.subtractingReportingOverflow(evidence.wall)
    let (left, overflowed) = off.subtractingReportingOverflow(ahead)
    return overflow || overflowed || left == .min ? .max : abs(left)
  }
}
