// Orders for how a wearable measures by itself that are more than switches.

import Reasons
import Wearable

extension OrderKeeper {
  func monitoringChoices(of wearable: EnrolledWearable) -> [MonitoringChoice] {
    wearable.driver?.monitored?.monitoring(of: presence.known(of: wearable)) ?? []
  }

  /// - Throws: `requestUnsupported` for a feature that is ordered on by a monitoring order.
  func refuseMonitored(_ features: Set<String>, of wearable: EnrolledWearable) throws(HearthError) {
    for choice in monitoringChoices(of: wearable) {
      guard let feature = choice.feature, features.contains(feature),
        wearable.choices.orders.monitoring[choice.series]?.isOn == true
      else { continue }
      throw HearthError(
        .requestUnsupported,
        """
        \(wearable.name): \(feature) is ordered on; take that back first, with: hearth monitor \(wearable.name) \
        \(choice.series.name) none
        """)
    }
  }
}
