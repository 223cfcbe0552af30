// Notifications between components of a hub that do not know each other.

import EventLoop
import Reasons

extension Hearth {
  /// Connects components with the notifications that they act on. Called once, before the first wearable is admitted.
  func connect(_ wearers: WearerKeeper) {
    let (vitals, profiles, orders) = (vitals, profiles, visitOrders)
    let (alerts, trainings, sessions) = (vitals.alerts, vitals.trainings, vitals.sessions)
    status.wearables.show(vitals, profiles)
    wearers.onChange = { [unowned alerts] wearable in alerts.wearerChanged(of: wearable) }
    wearers.onBody = { [unowned trainings] wearable in trainings.bodyChanged(of: wearable) }
    context.changes.onLink = { [weak sessions, weak profiles] wearable, news in
      if case .changed = news { sessions?.linkChanged(of: wearable) }
      profiles?.note(news, of: wearable)
    }
    context.changes.onFailed = { [weak sessions, weak orders] wearable, trouble, isGivenUp in
      if isGivenUp { orders?.end(of: wearable, trouble) }
      if trouble.reason.needsPerson { sessions?.refused(wearable, trouble) }
    }
    lane.onTurn = { [unowned visits] wearable in await visits.visit(wearable) }
    registry.onAdmit = { [unowned self] wearable in admit(wearable, wearers) }
    registry.onMoved = { [weak self] wearable in self?.collection.review(wearable) }
    registry.onForget = { [weak self] wearable in
      guard let self else { return nil }
      await self.vitals.endAll([wearable])
      // Two callers may remove it at once.
      guard registry.contains(wearable) else { return nil }
      return await questions.unbind(wearable)
    }
    registry.onRemoved = { [weak orders, weak profiles] wearable, why in
      orders?.end(of: wearable, why)
      profiles?.forget(wearable)
    }
  }

  /// Passes a wearable to the components that keep state of it.
  private func admit(_ wearable: EnrolledWearable, _ wearers: WearerKeeper) {
    vitals.alerts.admit(wearable)
    profiles.admit(wearable)
    presence.prepare(wearable)
    vitals.trainings.admit(wearable)
    wearers.review(wearable)
    if context.phase == .serving, wearable.driver != nil { collection.review(wearable) }
  }
}
