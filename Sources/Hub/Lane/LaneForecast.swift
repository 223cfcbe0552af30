// What each enrolled wearable gets of the slots while all of them are here.

import HubLane
import Wearable

extension Lane {
  /// The plan of a full house, as things stand now: by the slots that are known, and by what each link has brought.
  /// Wearables that are left alone are not in it.
  func slotPlan() -> SlotPlan {
    let now = context.loop.now
    let served = registry.all.filter { $0.driver != nil && !$0.lane.isLeaving && !$0.isLeftAlone }
    let wearables = served.map { wearable in
      let history = wearable.linkHistory(now)
      return ForecastWearable(
        wearable.id, needsLink: history.needsLink, isBriefKind: history.isBriefKind, steadiness: history.steadiness,
        bond: context.radio.place(of: wearable.address)?.bond ?? .none)
    }
    let slots = slots.table(isPairing: false, isTrying: false)
    let forecast = SlotForecast(wearables, slots.adapters, planner.scheduler, now: now)
    let places = zip(served, forecast.shares).map { wearable, share in
      SlotPlan.Place(
        wearable.name, share, isPresent: planner.isPresent(wearable), advertises: wearable.advertisesValues)
    }
    return SlotPlan(
      slots: slots.capacity, wanting: forecast.wanting, missing: forecast.missing, places: Array(places))
  }
}
