// Scheduled measurements, as shown to people.

import CivilTime
public import EventLoop
import Health
import Reasons
import RingStore
import Wearable

/// The schedule of one wearable, and its results.
public struct ScheduleSnapshot: Sendable {
  /// Name of the wearable.
  public var wearable: String
  /// nil: it is measured only on request.
  public var schedule: MeasurementSchedule?
  /// Next measurement; nil: none is planned.
  public var next: WallTime?
  /// The last scheduled time in this life of the hub without a measurement, and why.
  public var skipped: (at: WallTime, why: String)?

  /// A schedule; nil: none is ordered.
  public init(
    wearable: String, schedule: MeasurementSchedule?, next: WallTime? = nil, skipped: (at: WallTime, why: String)? = nil
  ) {
    self.wearable = wearable
    self.schedule = schedule
    self.next = next
    self.skipped = skipped
  }
}
