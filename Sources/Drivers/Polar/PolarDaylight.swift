// Daylight saving: what a wearable that shows local time is told of the next change of the clocks, and what time it
// should show after one.

import EventLoop
import Health
import Wearable

/// The next change of the clocks of the zone whose time a wearable shows.
struct PolarClockChange: Hashable {
  let daylightSaving: Polar.DeviceSettings.DaylightSaving
  /// Its clock may make it by itself. While something is recorded nobody moves it: a jump would tear what is measured.
  /// The first visit after the change that finds nothing recorded sets it.
  let mayFollow: Bool

  /// What was said of changes before, or by others, counts no more.
  func bringAbout(in settings: inout Polar.DeviceSettings) {
    settings.daylightSaving = mayFollow ? daylightSaving : nil
  }

  func isMade(in settings: Polar.DeviceSettings) -> Bool {
    settings.daylightSaving == (mayFollow ? daylightSaving : nil)
  }
}

extension PolarSession {
  /// What it is told of the hub's zone; nil: nothing.
  ///
  /// Only a wearable that shows the time of the hub's zone changes with it: one whose clock could not be set yet goes
  /// by another. A sensor without days knows no local time that anybody would see.
  ///
  /// - Parameter offset: minutes east of Greenwich that it shows; nil where it does not say.
  func nextChange(shownAt offset: Int?, mayFollow: Bool) -> PolarClockChange? {
    let facts = Polar.ModelTable.known.facts(link.known.polarModel)
    guard !facts.isSensor || facts.hasActivityData, let offset, link.hubTime.isTrusted else { return nil }
    let now = link.hubTime.wall.microseconds
    guard link.zone.offset(at: now) == offset * 60, let change = link.zone.nextChange(after: now) else { return nil }
    return PolarClockChange(
      daylightSaving: Polar.DeviceSettings.DaylightSaving(
        next: change.time / 1_000_000, shift: Int32(clamping: change.shift)), mayFollow: mayFollow)
  }

  /// Minutes east of Greenwich of the time that its clock should show: those of the hub's zone now, summer time
  /// included, whatever it showed before.
  var zoneMinutes: Int { link.zone.offset(at: link.hubTime.wall.microseconds) / 60 }
}
