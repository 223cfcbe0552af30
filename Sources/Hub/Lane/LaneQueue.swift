// The queue for the lane, as people see it, and an operator's request for a visit.

import EventLoop
import HubLane
import Reasons
import RingStore
import Wearable

extension Lane {
  /// Wearables without a link that have waited for one for longer than a slice, while all slots that they may have are
  /// taken.
  var overdue: [EnrolledWearable] {
    let since = context.loop.now - context.options.slice
    let waiting = registry.all.filter { wearable in
      wearable.link == nil && !wearable.lane.isHolder && wearable.mayBeVisited
        && wearable.lane.dueSince.map { $0 < since } ?? false
    }
    if waiting.isEmpty || slots.areFull { return waiting }
    let table = table()
    return waiting.filter { table[$0.id].map(table.isOwnAdapterFull) ?? false }
  }

  /// Wearables that could have the lane at once, in order.
  func waiting() -> [EnrolledWearable] {
    planner.places().filter { $0.notBefore == nil }.compactMap { registry[$0.id] }
  }

  /// Wearables that wait for the lane, in order.
  func queue() -> [QueueSnapshot] { planner.places().compactMap { snapshot(of: $0) } }

  /// Returns why a waiting wearable has no slot; nil if it does not wait, or not for a slot.
  func slotWait(of wearable: EnrolledWearable, in queue: [QueueSnapshot]) -> SlotWait? {
    guard wearable.link == nil, !wearable.lane.isHolder, wearable.lane.dueSince != nil,
      let place = queue.firstIndex(where: { $0.wearable == wearable.name })
    else { return nil }
    let table = table()
    guard let waiting = table[wearable.id] else { return nil }
    // With one adapter the first in line gets the next slot.
    let ahead = queue[...(table.slots.adapters.count == 1 ? 0 : place)]
    let line = ahead.compactMap { queued in registry.named(queued.wearable).flatMap { table[$0.id] } }
    return table.slotWait(of: waiting, at: place + 1, in: line)
  }

  private func snapshot(of place: Plan.Place) -> QueueSnapshot? {
    guard let wearable = registry[place.id] else { return nil }
    let leftOut = place.trigger == .operatorAsked ? [] : wearable.leftOutPhases(context.options)
    var snapshot = QueueSnapshot(
      wearable: wearable.name, why: place.why + CollectionOrders.aside(leftOut),
      notBefore: place.notBefore.map { context.wall(of: $0) }, trigger: place.trigger,
      fetches: wearable.lane.holdsData)
    snapshot.priority = place.priority
    return snapshot
  }

  /// Requests a visit that fetches everything, first in the queue. A running visit of this wearable becomes this one,
  /// with a slice of its own, unless it leaves something out. Another wearable's visit ends at its next byte. No visit
  /// is requested for a live wearable without memory, as its data is all here.
  ///
  /// - Throws: `noSuchWearable`; `driverMissing` if no driver of this hub supports the wearable.
  func visitNow(_ which: String) throws(HearthError) -> QueueSnapshot {
    let wearable = try registry.require(which)
    guard wearable.driver != nil else {
      throw HearthError(.driverMissing, "\(wearable.name): no driver of this hub knows it")
    }
    wearable.visits.lastAsked = context.loop.now
    if wearable.visits.running == nil, !wearable.lane.holdsData, wearable.link?.isSettled == true {
      return QueueSnapshot(
        wearable: wearable.name, why: "live; it stores no data to fetch", notBefore: nil,
        trigger: .operatorAsked, fetches: false)
    }
    wearable.lane.asksForAll = true
    if let runner = wearable.visits.running, runner.isOfAll || runner.allWasAsked() {
      if runner.isOfAll { runner.absorb() }
      return QueueSnapshot(
        wearable: wearable.name, why: "requested by an operator; running", notBefore: nil, trigger: .operatorAsked,
        after: runner.record.number - 1)
    }
    if let runner = wearable.visits.running {
      request(wearable)
      return QueueSnapshot(
        wearable: wearable.name, why: "requested by an operator; it follows the visit that runs", notBefore: nil,
        trigger: .operatorAsked, fetches: wearable.lane.holdsData, after: runner.record.number)
    }
    request(wearable)
    let place = planner.places().first { $0.id == wearable.id }
    var queued =
      place.flatMap { snapshot(of: $0) }
      ?? QueueSnapshot(
        wearable: wearable.name, why: "requested by an operator", notBefore: nil, trigger: .operatorAsked,
        fetches: wearable.lane.holdsData)
    // A visit that begins in this very moment counts.
    queued.after = wearable.visits.last?.number ?? 0
    return queued
  }
}
