// Clocks of wearables that change between standard and daylight saving time by themselves, with the hub's zone.

import CivilTime
import Health

extension [ClockCurve.Reading] {
  /// The curve with two more readings at each change of the zone that the clock followed: right before and right after
  /// it. Without them the moment of the change would be unknown, and values near it would be an hour off.
  func withChanges(of zone: TimeZoneRules) -> [ClockCurve.Reading] {
    guard let first else { return [] }
    var all = [first]
    for later in dropFirst() {
      if let earlier = all.last, let change = Self.change(from: earlier, to: later, zone) {
        all += [change.before, change.after]
      }
      all.append(later)
    }
    return all
  }

  /// nil if the clock did not change so, or if the zone changed more than once, which makes the moment ambiguous.
  private static func change(from earlier: ClockCurve.Reading, to later: ClockCurve.Reading, _ zone: TimeZoneRules) -> (
    before: ClockCurve.Reading, after: ClockCurve.Reading
  )? {
    let (a, b) = (earlier.evidence, later.evidence)
    let (passed, overflow) = b.wall.subtractingReportingOverflow(a.wall)
    guard a.isTrusted, b.isTrusted, !overflow, (1...longest).contains(passed), a.device.magnitude < bound,
      b.device.magnitude < bound
    else { return nil }
    // On all days of a year but two, the function ends here.
    guard let change = zone.nextChange(after: a.wall, within: passed / 1_000_000), change.time <= b.wall,
      zone.nextChange(after: change.time, within: (b.wall - change.time) / 1_000_000) == nil
    else { return nil }
    let shift = Int64(change.shift) * 1_000_000
    let unchanged = ClockEvidence(device: b.device - shift, monotonic: b.monotonic, wall: b.wall, isTrusted: true)
    // The zone's change alone must explain the difference between the two readings.
    guard ClockCurve.line(earlier, later) == nil,
      ClockCurve.line(earlier, ClockCurve.Reading(unchanged, isOfThisBoot: later.isOfThisBoot)) != nil
    else { return nil }
    // What the clock gained or lost in between, spread evenly.
    let drift = Double(unchanged.device - a.device - passed)
    let then = change.time - a.wall
    let device = a.device + then + Int64(drift * Double(then) / Double(passed))
    let monotonic = b.monotonic.subtractingReportingOverflow((b.wall - change.time) * 1000).partialValue
    func reading(_ device: Int64) -> ClockCurve.Reading {
      ClockCurve.Reading(
        ClockEvidence(device: device, monotonic: monotonic, wall: change.time, isTrusted: true),
        isOfThisBoot: earlier.isOfThisBoot && later.isOfThisBoot)
    }
    return (reading(device), reading(device + shift))
  }

  /// µs between two readings: half a year, in which a zone changes once.
  private static var longest: Int64 { 183 * 86_400_000_000 }
  /// µs: a larger value is no clock.
  private static var bound: UInt64 { 1 << 61 }
}
