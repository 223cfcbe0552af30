// That the Date Time of a wearable was seen to go on: it is a clock, and no time of a measurement.

import StateCodec

/// Remembered of a wearable, so that only its first visit waits for the next second of its clock.
struct RunningClock: RememberedFlag {
  static let name = "clock-runs"
}
