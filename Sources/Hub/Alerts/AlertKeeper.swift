// Alerts: limits that people set for live values, and what was beyond them until somebody has seen it. No medical
// alarm.

import EventLoop
import Health
import Reasons

/// Takes limits, writes down what passes them, and lets it be acknowledged. Counting is `AlertWatch`'s.
///
/// Promises: what was raised is shown until somebody acknowledges it, over restarts too.
@LoopActor
final class AlertKeeper {
  private let context: HubContext
  private let registry: Registry
  /// What was beyond limits of people, until it is over and acknowledged.
  private let raised: PerWearable<RaisedAlerts>

  init(_ context: HubContext, _ registry: Registry) {
    self.context = context
    self.registry = registry
    raised = PerWearable(registry)
    context.changes.listen { [weak self] change in
      if case .alerted(let wearable, let signs) = change { self?.note(signs, of: wearable) }
    }
  }

  // MARK: Whom it watches

  /// Takes up what an earlier run raised.
  func admit(_ wearable: EnrolledWearable) {
    raised[wearable] = wearable.remembered(RaisedAlerts.self)
    watch(wearable)
  }

  /// Lets its values be watched as it is ordered.
  func watch(_ wearable: EnrolledWearable) {
    let orders = wearable.choices.alerts
    wearable.live.alerts.set(orders.limits, raised: alerts(of: wearable).underWay)
    wearable.live.isExercise = orders.exercise == .automatic ? nil : orders.exercise == .on
  }

  /// What was beyond limits, until it is over and acknowledged.
  func alerts(of wearable: EnrolledWearable) -> RaisedAlerts { raised[wearable] ?? RaisedAlerts() }

  /// What passed a limit that there is no more is over.
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

  /// By name.
  func all() -> [AlertsSnapshot] { registry.all.sorted { $0.name < $1.name }.map { snapshot(of: $0) } }

  func alerts(of which: String) throws(HearthError) -> AlertsSnapshot { snapshot(of: try registry.require(which)) }

  /// What was beyond limits and is not acknowledged: what people are told of it, and what is muted.
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
  /// - Throws: `noSuchWearable`, `requestUnsupported` for a limit of what its kind does not send live,
  ///   `controlBadParameter` for limits that contradict each other, or why the disk refused; then nothing has changed.
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
    // Memory first: whatever else is written of the wearable meanwhile has them too.
    keep(wanted, of: wearable)
    do throws(HearthError) { try await registry.write(wearable) } catch {
      if wearable.choices.alerts == wanted { keep(before, of: wearable) }
      throw error
    }
    context.changes.raise(.shown)
    return snapshot(of: wearable)
  }

  /// Somebody has seen to all alerts of one wearable. Durable when it returns.
  ///
  /// - Throws: `noSuchWearable`, or why the disk refused; then they stay.
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

  // MARK: What happens

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
    // That one came again, or is over, travels with the next write of the record: each costs some 25 KB of flash, and a
    // value at its limit may come and go once a minute.
    if isNew { registry.persistIfEnrolled(wearable) }
    context.changes.raise(.shown)
  }

  private func tell(_ trouble: HearthError, of wearable: EnrolledWearable) {
    context.logger.notice("\(trouble)", metadata: ["CODE": "\(trouble.reason.code)", "DEVICE": "\(wearable.name)"])
    context.changes.happened(.alert(wearable, trouble))
  }

  /// Somebody else wears it: what tells of exercise is what that wearer has on.
  func wearerChanged(of wearable: EnrolledWearable) {
    let wearer = wearable.choices.wearer
    let fellow = wearer == nil ? nil : registry.all.first { $0 !== wearable && $0.choices.wearer == wearer }
    wearable.live.motion = fellow?.live.motion ?? BodyMotion()
  }
}

extension EnrolledWearable {
  /// Values come live of which the hub can watch a limit.
  func canAlert(_ series: Series) -> Bool {
    AlertKind.allCases.contains { $0.series == series } && driver?.capabilities.contains(.live(series)) == true
  }
}
