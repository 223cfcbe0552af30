// What makes vital signs, trainings and alerts of what wearables measure, and orders measurements.

import EventLoop
import Reasons

/// The components that a hub has for what people's bodies tell.
@LoopActor
struct VitalsKeepers {
  let alerts: AlertKeeper
  let sessions: SessionKeeper
  let trainings: TrainingKeeper
  let schedules: ScheduleKeeper
  let measurements: MeasurementKeeper

  /// Ends what is measured by order at these wearables.
  func endAll(_ wearables: [EnrolledWearable]) async {
    await measurements.endAll(wearables) { sessions.terminate($0) }
  }
}

extension Hearth {
  var sessions: SessionKeeper { vitals.sessions }
}

extension WearableStatus {
  /// Shows what these know of wearables.
  mutating func show(_ vitals: VitalsKeepers, _ profiles: Profiles) {
    training = { [unowned trainings = vitals.trainings] in trainings.training(of: $0) }
    alerts = { [unowned alerts = vitals.alerts] in alerts.shown(of: $0) }
    profile = { [unowned profiles] wearable in profiles[wearable].map { ($0.wanted, $0.effectiveProfile) } }
  }
}
