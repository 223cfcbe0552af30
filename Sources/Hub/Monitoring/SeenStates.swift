// How an enrolled wearable said that it measures by itself.

import EventLoop
import Health
import Reasons
import StateCodec
import Wearable

extension EnrolledWearable {
  /// Notes how it measures by itself, as its session read it.
  ///
  /// - Returns: it is other than is kept.
  func noteMonitoring(_ states: [MonitoringState], at time: WallTime) -> Bool {
    if states.isEmpty || remembered(SeenMonitoring.self)?.states == states { return false }
    remember(SeenMonitoring(since: time, states))
    return true
  }
}
