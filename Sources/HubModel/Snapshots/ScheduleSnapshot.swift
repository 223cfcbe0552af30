// What people are told of a measurement at fixed times.

import CivilTime
public import EventLoop
import Health
import Reasons
import RingStore
import Wearable

/// What is ordered of measuring one wearable, and what comes of it.
public struct ScheduleSnapshot: Sendable {
  public var wearable: String
  /// nil: it is measured only when somebody asks.
  public var schedule: MeasurementSchedule?
  public var next: WallTime?
  /// The last one in this life of the hub that was not made, and why.
  public var skipped: (at: WallTime, why: String)?

  public init(
    wearable: String, schedule: MeasurementSchedule?, next: WallTime? = nil, skipped: (at: WallTime, why: String)? = nil
  ) {
    self.wearable = wearable
    self.schedule = schedule
    self.next = next
    self.skipped = skipped
  }
}
