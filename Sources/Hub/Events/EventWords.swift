// Texts of events: the block of a reason, and durations for people.

import Reasons

extension Reason {
  /// Whether the reason is in the block of alerts.
  var isOfAlerts: Bool { (2400..<2450).contains(rawValue) }
  /// Whether the reason is in the block of the radio.
  var isOfRadio: Bool { (3100..<3200).contains(rawValue) }
}

/// `12 s`, `40 min`, `25 h`, `3 d 2 h`
func spoken(_ duration: Duration) -> String {
  let seconds = max(0, duration.components.seconds)
  if seconds < 120 { return "\(seconds) s" }
  let minutes = seconds / 60
  if minutes < 120 { return "\(minutes) min" }
  if minutes < 48 * 60 { return "\(minutes / 60) h" }
  let hours = minutes / 60
  return hours % 24 == 0 ? "\(hours / 24) d" : "\(hours / 24) d \(hours % 24) h"
}
