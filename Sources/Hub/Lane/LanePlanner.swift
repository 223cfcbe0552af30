// Inputs of the lane's table from the enrolled wearables.

import EventLoop
import HubLane
import RingStore
import Wearable

/// Gathers candidates. Stores only marks on the wearables: since when each waits, and until when hearing it changes no
/// decision.
@LoopActor
struct LanePlanner {
  private let context: HubContext
  private let registry: Registry
  private let presence: PresenceMonitor

  init(context: HubContext, registry: Registry, presence: PresenceMonitor) {
    self.context = context
    self.registry = registry
    self.presence = presence
  }

  var scheduler: Scheduler {
    let options = context.options
    var rules = Scheduler.Rules()
    rules.visitBound = options.visitBound
    rules.fresh = options.fresh
    rules.slice = options.slice
    rules.freshness = options.freshness
    rules.overhead = options.connectDeadline + options.settleDeadline
    return Scheduler(rules: rules)
  }

  /// Enrolled wearables, in the order of the registry, with their next visits at fixed times.
  var candidates: [LaneCandidate] {
    registry.all.map { wearable in
      var candidate = candidate(wearable)
      candidate.timedAt = timedVisit(of: wearable)
      return candidate
    }
  }

  /// Stores the marks of a table on the wearables from which it was made.
  func keepMarks(_ table: LaneTable) {
    guard table.candidates.elementsEqual(registry.all, by: { $0.id == $1.id }) else {
      fatalError("a table of the lane that is not of the wearables that are enrolled")
    }
    for (candidate, wearable) in zip(table.candidates, registry.all) where candidate.isServed {
      wearable.lane.dueSince = candidate.dueSince
      wearable.lane.firstDue = candidate.firstDue
      wearable.lane.quietUntil = candidate.quietUntil
    }
  }

  /// Whether any wearable has visits at fixed times. Those move when the clock is set, which is not reported.
  var hasTimedVisits: Bool { registry.all.contains { !$0.visitTimes(context.options).isEmpty } }

  /// Interval of comparing fixed times with the clock.
  static let clockLook: Duration = .seconds(60)

  /// A wearable as the table needs it, without its visits at fixed times.
  private func candidate(_ wearable: EnrolledWearable) -> LaneCandidate {
    var candidate = LaneCandidate(wearable.id)
    let now = context.loop.now
    let heard = presence[wearable.address]
    candidate.take(wearable.linkHistory(now), now)
    candidate.name = wearable.name
    candidate.hasDriver = wearable.driver != nil
    candidate.isPresent = presence.isPresent(wearable)
    // Any device may advertise under the address of a wearable that lost its link, and so hide the real one from the
    // scan's filter.
    candidate.lastConnectable = candidate.hasReservedSlot ? heard?.lastHeard : heard?.lastConnectable
    candidate.rssi = heard?.rssi
    if let place = context.radio.place(of: wearable.address) {
      candidate.bond = place.bond
      // The next attempt may use another adapter than the last link.
      let isOpen = candidate.hasTurn && !candidate.isLinked
      candidate.adapter = place.current ?? place.home ?? (isOpen ? nil : place.last)
    }
    candidate.mayBeVisited = wearable.mayBeVisited
    candidate.isLeftOut = wearable.lane.isLeaving || wearable.isLeftAlone
    candidate.sinceVisit = wearable.collectedAt(context.options).map { now - $0 }
    candidate.link = wearable.link.map { link in
      var use = HeldLink.Use()
      if wearable.visits.running != nil { use.insert(.visit) }
      if wearable.lane.measuring.isAny { use.insert(.measurement) }
      if wearable.visits.watchedUntil.map({ now < $0 }) ?? false { use.insert(.watched) }
      return HeldLink(since: link.since, hasBrought: link.hasBrought, lastValue: link.lastValue, use: use)
    }
    return candidate
  }

  func isPresent(_ wearable: EnrolledWearable) -> Bool { presence.isPresent(wearable) }

  /// Whether a connect would find the wearable, or it is linked.
  func isReachable(_ wearable: EnrolledWearable) -> Bool {
    scheduler.isReachable(candidate(wearable), now: context.loop.now)
  }

  /// Whether another wearable, of equal or better reputation, would have the lane now.
  ///
  /// - Parameter orLink: also count those that wait for a link beside the lane.
  func isWanted(instead wearable: EnrolledWearable, orLink: Bool = false) -> Bool {
    let scheduler = scheduler
    let now = context.loop.now
    let reputation = candidate(wearable).reputation
    return registry.all.contains { other in
      guard other !== wearable, other.driver != nil, !other.lane.isHolder, other.mayBeVisited,
        orLink || !other.isLinkedBeside
      else { return false }
      let candidate = candidate(other)
      return (candidate.reputation <= reputation || candidate.askedAt != nil) && scheduler.wants(candidate, now: now)
    }
  }

  /// Returns all that wait, in order, with the reasons. The holder of the lane does not wait.
  func places() -> [Plan.Place] {
    scheduler.queue(candidates.filter(\.isServed), now: context.loop.now)
  }

  func trigger(of wearable: EnrolledWearable) -> VisitTrigger { scheduler.trigger(candidate(wearable)) }

  /// Whether the visit that holds the lane should end its turn at the next point without loss.
  ///
  /// - Parameters:
  ///   - since: start of its slice.
  ///   - orLink: also yield to a link beside the lane.
  ///
  /// Called after every piece of data. Within the slice only operators' requests count, which are rare.
  func shouldYield(_ holder: EnrolledWearable, since: Instant, orLink: @autoclosure () -> Bool) -> Bool {
    let used = context.loop.now - since
    if used < context.options.slice {
      if holder.lane.askedAt != nil { return false }
      if !registry.all.contains(where: { $0 !== holder && $0.lane.askedAt != nil }) { return false }
    }
    let orLink = orLink()
    // Left out: a wearable without a driver in this build, one that has its turn, and one that is linked beside the
    // lane.
    let others = registry.all.lazy.filter {
      $0.mayBeVisited && $0.driver != nil && !$0.lane.isHolder && (orLink || !$0.isLinkedBeside)
    }
    return scheduler.yields(
      candidate(holder), sliceUsed: used, to: others.map { candidate($0) }, now: context.loop.now)
  }

  /// Whether one of its visit times has passed without a visit.
  func isTimed(_ wearable: EnrolledWearable) -> Bool {
    timedVisit(of: wearable).map { $0 <= context.loop.now } ?? false
  }

  /// The first visit time after its last visit, by the clock as it is now. Nil if no time is configured. Also nil
  /// before the first visit, as the wearable is due anyway.
  private func timedVisit(of wearable: EnrolledWearable) -> Instant? {
    let times = wearable.visitTimes(context.options)
    guard !times.isEmpty, let last = wearable.lane.visitedAt else { return nil }
    let (zone, wall) = (context.options.timeZone, context.wall(of: last))
    // Days on which the zone changes have another length: the second begins at the end of the first.
    let today = zone.span(of: zone.date(of: wall.microseconds))
    for midnight in [today.lowerBound, today.upperBound] {
      for time in times {
        let moment = WallTime(microseconds: midnight) + .seconds(time * 60)
        if moment > wall { return context.loop.now + (moment - context.loop.wall) }
      }
    }
    return nil
  }
}
