// How an enrolled wearable measures by itself, as it reported.

import EventLoop
import Health
import Reasons
import StateCodec
import Wearable

extension EnrolledWearable {
  /// Notes how the wearable measures by itself, as its session read it.
  ///
  /// - Returns: whether it differs from the stored state.
  func noteMonitoring(_ states: [MonitoringState], at time: WallTime) -> Bool {
    if states.isEmpty || remembered(SeenMonitoring.self)?.states == states { return false }
    remember(SeenMonitoring(since: time, states))
    return true
  }
}
