// The training of an enrolled wearable, and whose trainings are the hub's.

import EventLoop
import Health
import Vitals
import Wearable

extension EnrolledWearable {
  /// Nil: none is under way, or one that only may become one.
  func training(_ context: HubContext) -> TrainingSnapshot? {
    guard let effort = effort?.detector.running else { return nil }
    return TrainingSnapshot(
      wearable: name, began: context.wall(of: Instant(microseconds: effort.begin)), effort: effort)
  }

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
