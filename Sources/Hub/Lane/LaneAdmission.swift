// Whose link may be made now, and what stands between somebody who waits and its turn.

import EventLoop
import Wearable

extension Lane {
  /// Who has an attempt or a link now.
  func pool(_ wait: RadioWait) -> LinkPool {
    var pool = LinkPool(slots: context.radio.facts.slots, isOwed: wait.owed)
    for wearable in registry.all where wearable.link != nil || wearable.lane.isHolder {
      pool.add(
        wearable.linkStanding, isLinked: wearable.link != nil, hasBrought: wearable.link?.hasBrought ?? false,
        isIdle: slots.isIdle(wearable))
    }
    if isReserved { pool.addPairing() }
    if isLent { pool.addStranger() }
    return pool
  }

  /// Why an attempt of it may not begin now; nil: it may.
  func hold(_ wearable: EnrolledWearable, _ pool: LinkPool, _ wait: RadioWait) -> LinkHold? {
    let now = context.loop.now
    // Storms are held off: of those who were of use apart from those who were not.
    let next = pace.nextAttempt(now, wearable.paceStanding)
    if next > now { return .paced(until: context.wall(of: next)) }
    if pool.linking >= LinkPool.attempts { return .attempts }
    if wearable.isBriefNow { return nil }
    if wait.steady, !wearable.isSteady(now) { return .steadyFirst }
    if wait.first, wearable.isBehindFirst { return .newcomerFirst }
    // Whoever is owed its link again and again, or is there for seconds, would keep out who was never linked.
    let isFirst = wearable.isFirstTimer
    if wait.owed, !wearable.isOwedLink(now), !isFirst { return wait.brief ? .briefFirst : .recoveringFirst }
    if wait.brief, !wait.owed, !isFirst { return .briefFirst }
    let isAdmitted = pool.admits(
      wearable.linkStanding, isAsked: wearable.lane.askedAt != nil, isFirst: isFirst,
      hasWaited: wearable.lane.dueSince.map { now - $0 >= context.options.visitBound } ?? false)
    return isAdmitted ? nil : .unproven
  }

  /// Who waits for the lane, in order, with what stands between each and its turn.
  func reasons() -> [QueueSnapshot] {
    let wait = planner.radioWaits
    let pool = pool(wait)
    return queue().map { queued in
      guard let wearable = registry.named(queued.wearable) else { return queued }
      var queued = queued
      queued.isHeard = planner.isReachable(wearable)
      // What is not due yet is held back by nothing.
      guard queued.notBefore == nil else { return queued }
      queued.hold = turnHold(wearable)
      if wearable.link != nil {
        queued.slot = .linked
        return queued
      }
      queued.hold = queued.hold ?? hold(wearable, pool, wait)
      let displaces = pool.displaces(wearable.linkStanding, isFirst: wearable.isFirstTimer)
      queued.slot = slots.claim(of: wearable, beside: pool.linking, displaces: displaces)
      return queued
    }
  }

  /// Why no turn of it may begin now, whatever it is linked by; nil: one may.
  private func turnHold(_ wearable: EnrolledWearable) -> LinkHold? {
    if context.radio.state != .ready { return .radio }
    if context.loop.now < pace.restsUntil { return .paced(until: context.wall(of: pace.restsUntil)) }
    if wearable.isLinkedBeside { return nil }
    if isReserved { return .pairing }
    return holder == nil ? nil : .lane
  }
}
