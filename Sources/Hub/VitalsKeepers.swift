// Components that derive vital signs, trainings and alerts from measured values, and order measurements.

import EventLoop
import Reasons

/// The components of a hub for data about people's bodies.
@LoopActor
struct VitalsKeepers {
  let alerts: AlertKeeper
  let sessions: SessionKeeper
  let trainings: TrainingKeeper
  let schedules: ScheduleKeeper
  let measurements: MeasurementKeeper

  /// Ends ordered measurements on these wearables.
  func endAll(_ wearables: [EnrolledWearable]) async {
    await measurements.endAll(wearables) { sessions.terminate($0) }
  }
}

extension Hearth {
  var sessions: SessionKeeper { vitals.sessions }
}

extension WearableStatus {
  /// Adds to a snapshot what these components know.
  mutating func show(_ vitals: VitalsKeepers, _ profiles: Profiles) {
    training = { [unowned trainings = vitals.trainings] in trainings.training(of: $0) }
    alerts = { [unowned alerts = vitals.alerts] in alerts.shown(of: $0) }
    profile = { [unowned profiles] wearable in profiles[wearable].map { ($0.wanted, $0.effectiveProfile) } }
  }
}
