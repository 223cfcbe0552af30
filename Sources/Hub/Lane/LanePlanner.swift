// What the table of the lane is told of the enrolled wearables.

import EventLoop
import HubLane
import RingStore
import Wearable

/// Gathers candidates. Keeps only marks on the wearables: since when each waits, until when hearing it changes nothing.
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

  /// All enrolled wearables, in the order of the registry, with their next visits at fixed times.
  var candidates: [LaneCandidate] {
    registry.all.map { wearable in
      var candidate = candidate(wearable)
      candidate.timedAt = timedVisit(of: wearable)
      return candidate
    }
  }

  /// Keeps the marks of a table with the wearables, which are those that it was made of.
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

  /// A wearable has visits at fixed times: those move when the clock is set, which no component reports.
  var hasTimedVisits: Bool { registry.all.contains { !$0.visitTimes(context.options).isEmpty } }

  /// How often fixed times are compared with the clock.
  static let clockLook: Duration = .seconds(60)

  /// One wearable as the table sees it, without its visits at fixed times.
  private func candidate(_ wearable: EnrolledWearable) -> LaneCandidate {
    var candidate = LaneCandidate(wearable.id)
    let now = context.loop.now
    let heard = presence[wearable.address]
    candidate.take(wearable.linkHistory(now), now)
    candidate.name = wearable.name
    candidate.hasDriver = wearable.driver != nil
    candidate.isPresent = presence.isPresent(wearable)
    // Any device may advertise under the address of one that lost its link, and hide its own from the scan's filter.
    candidate.lastConnectable = candidate.hasReservedSlot ? heard?.lastHeard : heard?.lastConnectable
    candidate.rssi = heard?.rssi
    if let place = context.radio.place(of: wearable.address) {
      candidate.bond = place.bond
      // An attempt may be made elsewhere than the last link was.
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

  /// A connect would find it, or it is linked.
  func isReachable(_ wearable: EnrolledWearable) -> Bool {
    scheduler.isReachable(candidate(wearable), now: context.loop.now)
  }

  /// Another wearable than this one, of a reputation that is no worse, would have the lane now.
  ///
  /// - Parameter orLink: or a link beside it.
  func isWanted(instead wearable: EnrolledWearable, orLink: Bool = false) -> Bool {
    let scheduler = scheduler
    let now = context.loop.now
    let standing = candidate(wearable).standing
    return registry.all.contains { other in
      guard other !== wearable, other.driver != nil, !other.lane.isHolder, other.mayBeVisited,
        orLink || !other.isLinkedBeside
      else { return false }
      let candidate = candidate(other)
      return (candidate.standing <= standing || candidate.askedAt != nil) && scheduler.wants(candidate, now: now)
    }
  }

  /// All that wait, in order, with the reasons. The holder of the lane does not wait.
  func places() -> [Plan.Place] {
    scheduler.queue(candidates.filter(\.isServed), now: context.loop.now)
  }

  func trigger(of wearable: EnrolledWearable) -> VisitTrigger { scheduler.trigger(candidate(wearable)) }

  /// Whether the visit that holds the lane should end its turn at the next point at which nothing is lost by it.
  ///
  /// - Parameters:
  ///   - since: when its slice began.
  ///   - orLink: for a link beside the lane, too.
  ///
  /// Asked after every piece of data: within the slice only requests of operators count, and mostly there is none.
  func shouldYield(_ holder: EnrolledWearable, since: Instant, orLink: @autoclosure () -> Bool) -> Bool {
    let used = context.loop.now - since
    if used < context.options.slice {
      if holder.lane.askedAt != nil { return false }
      if !registry.all.contains(where: { $0 !== holder && $0.lane.askedAt != nil }) { return false }
    }
    let orLink = orLink()
    // One whose driver this build does not have is never visited, one that has its turn waits for none, and one that is
    // linked beside the lane does not wait for it.
    let others = registry.all.lazy.filter {
      $0.mayBeVisited && $0.driver != nil && !$0.lane.isHolder && (orLink || !$0.isLinkedBeside)
    }
    return scheduler.yields(
      candidate(holder), sliceUsed: used, to: others.map { candidate($0) }, now: context.loop.now)
  }

  /// One of its times of visits has come and was not served yet.
  func isTimed(_ wearable: EnrolledWearable) -> Bool {
    timedVisit(of: wearable).map { $0 <= context.loop.now } ?? false
  }

  /// The first of the times of visits after its last one, by the clock as it is now; nil where none is configured, and
  /// for one that was never visited and is due as it is.
  private func timedVisit(of wearable: EnrolledWearable) -> Instant? {
    let times = wearable.visitTimes(context.options)
    guard !times.isEmpty, let last = wearable.lane.visitedAt else { return nil }
    let (zone, wall) = (context.options.timeZone, context.wall(of: last))
    // Days in which clocks change have another length: the second begins where the first ends.
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
