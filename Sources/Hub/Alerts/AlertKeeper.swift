// Alerts: limits that people set for live values, and violations until they are acknowledged. No medical alarm.

import EventLoop
import Health
import Reasons

/// Takes limits, records violations and lets them be acknowledged. `AlertWatch` counts them.
///
/// Promise: a raised alert is shown until it is acknowledged, also after restarts.
@LoopActor
final class AlertKeeper {
  private let context: HubContext
  private let registry: Registry
  /// Violations of limits, until they are over and acknowledged.
  private let raised: PerWearable<RaisedAlerts>

  init(_ context: HubContext, _ registry: Registry) {
    self.context = context
    self.registry = registry
    raised = PerWearable(registry)
    context.changes.listen { [weak self] change in
      if case .alerted(let wearable, let signs) = change { self?.note(signs, of: wearable) }
    }
  }

  // MARK: Watched wearables

  /// Takes up the alerts that an earlier run raised.
  func admit(_ wearable: EnrolledWearable) {
    raised[wearable] = wearable.remembered(RaisedAlerts.self)
    watch(wearable)
  }

  /// Starts watching the wearable's values against its limits.
  func watch(_ wearable: EnrolledWearable) {
    let orders = wearable.choices.alerts
    wearable.live.alerts.set(orders.limits, raised: alerts(of: wearable).underWay)
    wearable.live.isExercise = orders.exercise == .automatic ? nil : orders.exercise == .on
  }

  /// Violations of limits that are not over, or not acknowledged.
  func alerts(of wearable: EnrolledWearable) -> RaisedAlerts { raised[wearable] ?? RaisedAlerts() }

  /// Stores the orders; an alert ends with the removal of its limit.
  private func keep(_ orders: AlertOrders, of wearable: EnrolledWearable) {
    wearable.choices.alerts = orders
    wearable.remember(KeptAlertOrders(orders))
    var left = alerts(of: wearable)
    for kind in AlertKind.allCases where orders.limits[kind] == nil { left.end(kind, at: context.loop.wall) }
    keep(left, of: wearable)
    watch(wearable)
  }

  private func keep(_ alerts: RaisedAlerts, of wearable: EnrolledWearable) {
    raised[wearable] = alerts
    wearable.remember(alerts)
  }

  // MARK: Questions

  /// Alerts of all enrolled wearables, by name.
  func all() -> [AlertsSnapshot] { registry.all.sorted { $0.name < $1.name }.map { snapshot(of: $0) } }

  func alerts(of which: String) throws(HearthError) -> AlertsSnapshot { snapshot(of: try registry.require(which)) }

  /// Unacknowledged alerts: those that people are notified of, and muted ones.
  func shown(of wearable: EnrolledWearable) -> (told: [AlertSnapshot], muted: [AlertSnapshot]) {
    var (told, muted): ([AlertSnapshot], [AlertSnapshot]) = ([], [])
    for alert in alerts(of: wearable).shown {
      var shown = AlertSnapshot(alert, of: wearable.name)
      if context.mutes.isMuted(shown.trouble.reason, of: wearable.id) {
        shown.mutedUntil = context.muted(shown.trouble, of: wearable).mutedUntil
        muted.append(shown)
      } else {
        told.append(shown)
      }
    }
    return (told, muted)
  }

  private func snapshot(of wearable: EnrolledWearable) -> AlertsSnapshot {
    let (told, muted) = shown(of: wearable)
    return AlertsSnapshot(
      wearable: wearable.name, orders: wearable.choices.alerts,
      isExercise: wearable.live.isExercising(at: context.loop.now), alerts: told, muted: muted)
  }

  // MARK: Orders

  /// Durable when it returns.
  ///
  /// - Throws: `noSuchWearable`; `requestUnsupported` for a limit on values that its kind does not send live;
  ///   `controlBadParameter` for contradicting limits; or the store's error. After an error the limits are unchanged.
  func order(_ which: String, _ change: (inout AlertOrders) -> Void) async throws(HearthError) -> AlertsSnapshot {
    let wearable = try registry.require(which)
    let before = wearable.choices.alerts
    var wanted = before
    change(&wanted)
    try wanted.check(wearable.name)
    for kind in AlertKind.allCases where wanted.limits[kind] != nil && before.limits[kind] == nil {
      guard wearable.driver == nil || wearable.canAlert(kind.series) else {
        throw HearthError(.requestUnsupported, "\(wearable.name): its kind sends no \(kind.series.name) live")
      }
    }
    // Memory first, so that any other write of this wearable's record includes the new limits.
    keep(wanted, of: wearable)
    do throws(HearthError) { try await registry.write(wearable) } catch {
      if wearable.choices.alerts == wanted { keep(before, of: wearable) }
      throw error
    }
    context.changes.raise(.shown)
    return snapshot(of: wearable)
  }

  /// Acknowledges all alerts of one wearable. Durable when it returns.
  ///
  /// - Throws: `noSuchWearable`, or the store's error; then the alerts stay.
  func acknowledge(_ which: String) async throws(HearthError) -> AlertsSnapshot {
    let wearable = try registry.require(which)
    let before = alerts(of: wearable)
    if before.shown.isEmpty { return snapshot(of: wearable) }
    var seen = before
    seen.acknowledge()
    keep(seen, of: wearable)
    do throws(HearthError) { try await registry.write(wearable) } catch {
      if alerts(of: wearable) == seen { keep(before, of: wearable) }
      throw error
    }
    context.changes.raise(.shown)
    return snapshot(of: wearable)
  }

  // MARK: Events

  private func note(_ signs: [AlertSign], of wearable: EnrolledWearable) {
    var alerts = alerts(of: wearable)
    var isNew = false
    let wall = context.loop.wall
    for sign in signs {
      switch sign {
      case .over(let kind): alerts.end(kind, at: wall)
      case .raised(let kind, let value, let limit):
        let alert = RaisedAlert(kind, .hub, limit: limit, value: value, at: wall)
        if alerts.raise(alert) { isNew = true }
        tell(AlertSnapshot(alert, of: wearable.name).trouble, of: wearable)
      }
    }
    keep(alerts, of: wearable)
    // Only a new alert is written at once. A repeated or ended one waits for the next write of the record. Each write
    // costs some 25 KB of flash, and a value at its limit may come and go once a minute.
    if isNew { registry.persistIfEnrolled(wearable) }
    context.changes.raise(.shown)
  }

  private func tell(_ trouble: HearthError, of wearable: EnrolledWearable) {
    context.logger.notice("\(trouble)", metadata: ["CODE": "\(trouble.reason.code)", "DEVICE": "\(wearable.name)"])
    context.changes.happened(.alert(wearable, trouble))
  }

  /// Handles a change of the wearer: the new wearer's exercise state applies from now on.
  func wearerChanged(of wearable: EnrolledWearable) {
    let wearer = wearable.choices.wearer
    let fellow = wearer == nil ? nil : registry.all.first { $0 !== wearable && $0.choices.wearer == wearer }
    wearable.live.motion = fellow?.live.motion ?? BodyMotion()
  }
}

extension EnrolledWearable {
  /// Whether the wearable sends this series live and the hub can watch a limit of it.
  func canAlert(_ series: Series) -> Bool {
    AlertKind.allCases.contains { $0.series == series } && driver?.capabilities.contains(.live(series)) == true
  }
}
