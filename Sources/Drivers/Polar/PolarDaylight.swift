// Daylight saving: what a wearable that shows local time is told of the next change of the clocks, and what time it should show after one.

import EventLoop
import Health
import Wearable

/// The next change of the clocks of the zone whose time a wearable shows.
struct PolarClockChange: Hashable {
  let daylightSaving: Polar.DeviceSettings.DaylightSaving
  /// Its clock may make it by itself. While something is recorded nobody moves it: a jump would tear what is measured. The first visit after the change that
  /// finds nothing recorded sets it.
  let mayFollow: Bool

  /// What was said of changes before, or by others, counts no more.
  func bringAbout(in settings: inout Polar.DeviceSettings) { settings.daylightSaving = mayFollow ? daylightSaving : nil }

  func isMade(in settings: Polar.DeviceSettings) -> Bool { settings.daylightSaving == (mayFollow ? daylightSaving : nil) }
}

extension PolarSession {
  /// What it is told of the hub's zone; nil: nothing.
  ///
  /// Only a wearable that shows the time of the hub's zone changes with it: one that was never told a zone goes by another, and so may one that came from
  /// elsewhere. A sensor without days knows no local time that anybody would see.
  ///
  /// - Parameter offset: minutes east of Greenwich that it shows; nil where it does not say.
  func nextChange(shownAt offset: Int?, mayFollow: Bool) -> PolarClockChange? {
    let facts = Polar.ModelTable.known.facts(link.known.polarModel)
    guard !facts.isSensor || facts.hasActivityData, let offset, link.hubTime.isTrusted else { return nil }
    let now = link.hubTime.wall.microseconds
    guard link.zone.offset(at: now) == offset * 60, let change = link.zone.nextChange(after: now) else { return nil }
    return PolarClockChange(
      daylightSaving: Polar.DeviceSettings.DaylightSaving(next: change.time / 1_000_000, shift: Int32(clamping: change.shift)), mayFollow: mayFollow)
  }

  /// Minutes east of Greenwich that its clock should show: its own, but where the zone that it follows changed and it did not.
  func zoneMinutes(_ offset: Int?) -> Int {
    guard let offset else { return 0 }
    let now = link.hubTime.wall.microseconds
    guard link.hubTime.isTrusted, let change = settings.followedChange, change > 0, change <= now / 1_000_000 else { return offset }
    let before = link.zone.offset(at: (change - 1) * 1_000_000)
    return before == offset * 60 ? link.zone.offset(at: now) / 60 : offset
  }
}
