// Which wearables record trainings themselves, and for which the hub does.

import Health
import Wearable

extension EnrolledWearable {
  /// Whether it sends heart rates.
  var beats: Bool { driver?.capabilities.contains(.live(.heartRate)) == true }

  /// Whether it records its trainings itself, or may. Then the hub does not derive them from its heart rates, so that
  /// no training counts twice. The same holds for a band or a watch that stores its heart rate by itself. Such a device
  /// detects trainings whether it reports them or not.
  var keepsTrainings: Bool {
    guard let driver else { return true }
    let announced = capabilities
    let table = announced ?? driver.implemented(for: known(nil))
    if !table[.training].isEmpty || !table[.exercise].isEmpty { return true }
    if table[.heartRate].contains(.monitoring) { return true }
    // A driver of many kinds says so for all of them; the announcement of a wearable is exact.
    return announced?[.heartRate].contains(.history) ?? false
  }
}
