// The share of slots that each enrolled wearable gets while all are present.

import EventLoop
import HubLane
import RingStore
import Wearable

/// A forecast with its inputs.
struct CachedForecast {
  let at: Instant
  let wearables: [WearableID]
  let capacities: [Int]
  let forecast: SlotForecast

  /// Longest age of a forecast; links are made and lost within it.
  static let age: Duration = .seconds(10)
}

extension Lane {
  /// The forecast, computed at most once in ten seconds while wearables and slots stay the same, as it takes the loop's
  /// time.
  private func forecast(_ wearables: [ForecastWearable], _ adapters: [AdapterSlots], _ now: Instant) -> SlotForecast {
    let (ids, capacities) = (wearables.map(\.id), adapters.map(\.capacity))
    if let kept = slots.forecast, now - kept.at < CachedForecast.age, kept.wearables == ids,
      kept.capacities == capacities
    {
      return kept.forecast
    }
    let new = SlotForecast(wearables, adapters, planner.scheduler, now: now)
    slots.forecast = CachedForecast(at: now, wearables: ids, capacities: capacities, forecast: new)
    return new
  }

  /// The plan of a full house, by the slots that are known and by the values that each link delivered. Paused wearables
  /// are left out.
  func slotPlan() -> SlotPlan {
    let now = context.loop.now
    let served = registry.all.filter { $0.driver != nil && !$0.lane.isLeaving && !$0.isLeftAlone }
    let wearables = served.map { wearable in
      let history = wearable.linkHistory(now)
      return ForecastWearable(
        wearable.id, needsLink: history.needsLink, hasShortPresenceKind: history.hasShortPresenceKind,
        stability: history.stability,
        bond: context.radio.place(of: wearable.address)?.bond ?? .none)
    }
    let slots = slots.table(isPairing: false, isTrying: false)
    let forecast = forecast(wearables, slots.adapters, now)
    let places = zip(served, forecast.shares).map { wearable, share in
      SlotPlan.Place(
        wearable.name, share, isPresent: planner.isPresent(wearable), advertises: wearable.advertisesValues)
    }
    return SlotPlan(
      slots: slots.capacity, wanting: forecast.wanting, missing: forecast.missing, places: Array(places))
  }
}
