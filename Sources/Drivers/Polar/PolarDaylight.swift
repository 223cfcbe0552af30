// Daylight saving: the next clock change for a wearable that shows local time, and the zone that its clock should have.

import EventLoop
import Health
import Wearable

/// The next clock change in the wearable's zone.
struct PolarClockChange: Hashable {
  let daylightSaving: Polar.DeviceSettings.DaylightSaving
  /// Whether the wearable may change its clock by itself. Not during a recording, which a jump would interrupt. The
  /// first visit after the change without a recording then sets the clock.
  let mayFollow: Bool

  /// Replaces earlier entries, including those of other hosts.
  func bringAbout(in settings: inout Polar.DeviceSettings) {
    settings.daylightSaving = mayFollow ? daylightSaving : nil
  }

  func isMade(in settings: Polar.DeviceSettings) -> Bool {
    settings.daylightSaving == (mayFollow ? daylightSaving : nil)
  }
}

extension PolarSession {
  /// The clock change to write to the wearable; nil if there is no change to write.
  ///
  /// The wearable must show the time of the hub's zone: a clock that could not be set yet has another one. A sensor
  /// without days has no local time that a wearer would see.
  ///
  /// - Parameter offset: zone of the wearable's clock, minutes east of Greenwich; nil if it does not report it.
  func nextChange(shownAt offset: Int?, mayFollow: Bool) -> PolarClockChange? {
    let facts = Polar.ModelTable.known.facts(link.known.polarModel)
    guard !facts.isSensor || facts.hasActivityData, let offset, link.hubTime.isTrusted else { return nil }
    let now = link.hubTime.wall.microseconds
    guard link.zone.offset(at: now) == offset * 60, let change = link.zone.nextChange(after: now) else { return nil }
    return PolarClockChange(
      daylightSaving: Polar.DeviceSettings.DaylightSaving(
        next: change.time / 1_000_000, shift: Int32(clamping: change.shift)), mayFollow: mayFollow)
  }

  /// Zone that the clock should have, minutes east of Greenwich: the hub's present one, including summer time.
  var zoneMinutes: Int { link.zone.offset(at: link.hubTime.wall.microseconds) / 60 }
}
