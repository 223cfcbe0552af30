// Whose trainings are the hub's.

import Health
import Wearable

extension EnrolledWearable {
  /// It sends heart rates.
  var beats: Bool { driver?.capabilities.contains(.live(.heartRate)) == true }

  /// It writes its trainings down itself, or may: the hub makes none of its heart rates, so that nothing counts twice.
  /// So does whatever keeps the heart rate of its own accord, a band or a watch: it knows trainings, told or not.
  var keepsTrainings: Bool {
    guard let driver else { return true }
    let announced = capabilities
    let table = announced ?? driver.implemented(for: known(nil))
    if !table[.training].isEmpty || !table[.exercise].isEmpty { return true }
    if table[.heartRate].contains(.monitoring) { return true }
    // A driver of many kinds says so of all of them; of a wearable it means what it says.
    return announced?[.heartRate].contains(.history) ?? false
  }
}
