// Queries and orders about measurements by the hub: alerts, trainings, single series and vital signs.

import EventLoop
public import Reasons
public import Wearable

/// Orders in which `which` is the name or the address of an enrolled wearable.
extension Hearth {
  // MARK: Alerts

  /// Limits and alerts of each enrolled wearable, by name.
  public func alerts() -> [AlertsSnapshot] { vitals.alerts.all() }

  /// Limits and alerts of one wearable.
  ///
  /// - Throws: `noSuchWearable`.
  public func alerts(of which: String) throws(HearthError) -> AlertsSnapshot { try vitals.alerts.alerts(of: which) }

  /// Changes the limits of a wearable. Durable when it returns.
  ///
  /// - Throws: `noSuchWearable`; `requestUnsupported` for a limit on values that its kind does not send live;
  ///   `controlBadParameter` for contradicting limits; or the store's error. After an error the limits are unchanged.
  public func orderAlerts(
    _ which: String, _ change: (inout AlertOrders) -> Void
  ) async throws(HearthError) -> AlertsSnapshot { try await vitals.alerts.order(which, change) }

  /// Acknowledges all alerts of a wearable. Durable when it returns.
  ///
  /// - Throws: `noSuchWearable`, or the store's error; then the alerts stay.
  public func acknowledgeAlerts(_ which: String) async throws(HearthError) -> AlertsSnapshot {
    try await vitals.alerts.acknowledge(which)
  }

  // MARK: Trainings

  /// Begins a training now, on a wearable with a heart rate that does not record trainings by itself. Durable when it
  /// returns.
  ///
  /// - Throws: `noSuchWearable`; `requestUnsupported` if the wearable records trainings, or has no heart rate;
  ///   `requestUntimely` while an ordered one is under way; or the store's error. After the last the training has
  ///   begun.
  public func beginTraining(_ which: String) async throws(HearthError) -> TrainingSnapshot {
    try await vitals.trainings.begin(which)
  }

  /// Ends the running training now, whether it was ordered or detected. Durable when it returns.
  ///
  /// - Throws: `noSuchWearable`, `requestUnsupported`, `requestUntimely` if no training is under way, or the store's
  ///   error.
  public func endTraining(_ which: String) async throws(HearthError) -> TrainingSnapshot {
    try await vitals.trainings.end(which)
  }

  // MARK: Single series

  /// Measures one series. Ends at the limit of the order, when `isWanted` returns false, with `stopMeasuring`, or by
  /// the wearable or the link. Values are durable when it returns; `tell` gets each value after it was stored.
  ///
  /// - Throws: `noSuchWearable`; `requestUntimely` while the wearable measures already; `requestUnsupported` for
  ///   another series; `notLinked`, `requestNotDone`, or why it did not begin. See `MeasurementKeeper.measure`.
  public func measure(
    _ which: String, _ order: MeasurementOrder, isWanted: @escaping @LoopActor () -> Bool,
    _ tell: @escaping @LoopActor (MeasurementNews) -> Void
  ) async throws(HearthError) -> MeasurementResult {
    try await vitals.measurements.measure(which, order, isWanted: isWanted, tell)
  }

  /// Ends a running measurement of one series. Without a running one, returns without an error.
  ///
  /// - Throws: `noSuchWearable`.
  public func stopMeasuring(_ which: String) throws(HearthError) { try vitals.measurements.stop(which) }

  // MARK: Vital signs

  /// Measures vital signs from live values until the time is over, `isWanted` returns false, or `stopVitals`.
  ///
  /// - Parameter isWanted: called each second.
  /// - Throws:
  ///   - `noSuchWearable`, `noSuchWearer`;
  ///   - `controlBadParameter` (7002) for a length outside 20 to 180 s;
  ///   - `requestUntimely` (7009) while the wearable or the person is measured;
  ///   - `requestUnsupported` for a wearable without usable values;
  ///   - `requestNotDone` if the hub is not serving, or is ending the wearable's enrolment.
  public func measureVitals(
    _ which: String, _ order: VitalsOrder, isWanted: @escaping @LoopActor () -> Bool,
    _ tell: @escaping @LoopActor (VitalsNews) -> Void
  ) async throws(HearthError) -> VitalsResult {
    try await vitals.sessions.measure(which, order, isWanted: isWanted, tell)
  }

  /// Ends a running measurement of vital signs early; its results are valid.
  ///
  /// - Throws: `noSuchWearable`; `requestUntimely` (6005) if no measurement runs.
  public func stopVitals(_ which: String) throws(HearthError) { try vitals.sessions.stop(which) }

  /// Starts another measurement in a session that stays and is ready.
  ///
  /// - Throws: `noSuchWearable`; `controlBadParameter` (7002) for a length outside 20 to 180 s; `requestUntimely`
  ///   (6004) if no session is ready.
  public func startVitals(_ which: String, seconds: Int) throws(HearthError) {
    try vitals.sessions.start(which, seconds: seconds)
  }

  /// Ends a session of vital signs in any state; a running measurement has no results. Without a session there is no
  /// error.
  ///
  /// - Throws: `noSuchWearable`.
  public func terminateVitals(_ which: String) throws(HearthError) { try vitals.sessions.terminate(which) }

  /// Ends all sessions of vital signs as the hub stops: callers get their end before this returns.
  public func endSessions() async { await vitals.sessions.endAll() }

  /// Times at which the hub measures a wearable by itself.
  ///
  /// - Throws: `noSuchWearable`.
  public func schedule(of which: String) throws(HearthError) -> ScheduleSnapshot {
    try vitals.schedules.schedule(of: which)
  }

  /// Orders the times at which the hub measures a wearable by itself; nil: no longer. Durable when it returns.
  ///
  /// - Throws: `noSuchWearable`, or the store's error; then the schedule is unchanged.
  public func orderSchedule(
    _ which: String, _ schedule: MeasurementSchedule?
  ) async throws(HearthError) -> ScheduleSnapshot { try await vitals.schedules.order(which, schedule) }
}
