// What the scheduler is told of the enrolled wearables, and the plan that it makes of that.

import EventLoop
import RingStore
import Wearable

/// Asks the scheduler. Keeps nothing but marks on the wearables: since when each waits, until when hearing it changes
/// nothing.
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

  private var scheduler: Scheduler {
    let options = context.options
    var rules = Scheduler.Rules()
    rules.visitBound = options.visitBound
    rules.fresh = options.fresh
    rules.slice = options.slice
    rules.freshness = options.freshness
    rules.overhead = options.connectDeadline + options.settleDeadline
    return Scheduler(rules: rules)
  }

  /// Who is next at this moment. Marks since when each has waited, and until when hearing one changes nothing.
  ///
  /// - Parameter onlyListened: of those alone that need no visit, while somebody has the lane.
  func makePlan(onlyListened: Bool) -> Plan {
    let scheduler = scheduler
    let now = context.loop.now
    let timedAt = timedVisit()
    var candidates: [Candidate] = []
    candidates.reserveCapacity(registry.all.count)
    for wearable in registry.all where wearable.driver != nil && !wearable.lane.isHolder && wearable.mayBeVisited {
      var candidate = candidate(wearable)
      candidate.timedAt = timedAt
      mark(wearable, candidate, scheduler, now)
      candidate.dueSince = wearable.lane.dueSince
      if onlyListened, candidate.isLinked || candidate.holdsData && !candidate.isBrief { continue }
      candidates.append(candidate)
    }
    return scheduler.plan(candidates, now: now)
  }

  private func mark(_ wearable: EnrolledWearable, _ candidate: Candidate, _ scheduler: Scheduler, _ now: Instant) {
    guard scheduler.waits(candidate, now: now) else {
      wearable.lane.dueSince = nil
      let due = scheduler.dueAt(candidate, now: now)
      wearable.lane.quietUntil = candidate.isPresent ? due.map { max($0, candidate.notBefore ?? $0) } : nil
      return
    }
    // Its place in the line is kept while it is present, also through a gap in which it was not heard lately enough to
    // be
    // connected.
    wearable.lane.dueSince = wearable.lane.dueSince ?? now
    // As long as it could be connected anyway, hearing it once more changes nothing: the lane looks again by itself
    // when
    // something else does.
    let heard = candidate.lastConnectable.map { $0 + scheduler.freshness(of: candidate) }
    wearable.lane.quietUntil = heard.flatMap { scheduler.isReachable(candidate, now: now) ? $0 : nil }
  }

  /// What the scheduler may know of a wearable.
  private func candidate(_ wearable: EnrolledWearable) -> Candidate {
    var candidate = Candidate(wearable.id)
    let now = context.loop.now
    let heard = presence[wearable.address]
    let lane = wearable.lane
    candidate.isLinked = wearable.link != nil
    candidate.isPresent = presence.isPresent(wearable)
    candidate.lastConnectable = heard?.lastConnectable
    candidate.rssi = heard?.rssi
    candidate.askedAt = lane.askedAt
    candidate.holdsData = lane.holdsData
    candidate.isBrief = wearable.isBrief
    candidate.staysLinked = lane.keepsLink
    candidate.hoursToFull = lane.memory.hoursToFull(now)
    candidate.oldestUnfetched = lane.oldestUnfetched.map { now - $0 }
    candidate.sinceVisit = lane.visitedAt.map { now - $0 }
    candidate.resumes = lane.resumes
    candidate.returned = lane.returned
    candidate.announced = lane.announced
    candidate.dueSince = lane.dueSince
    // What a person asked for is tried now; only storms are held off, by the bucket of the hub.
    candidate.notBefore = lane.askedAt == nil || lane.retry.failures > 0 ? lane.retry.notBefore(now) : nil
    return candidate
  }

  /// Who is there for seconds alone, and waits: the radio is needed for it now, whoever has it.
  var briefWaits: Bool {
    let scheduler = scheduler
    let now = context.loop.now
    return registry.all.contains { wearable in
      guard wearable.isBrief, wearable.link == nil, wearable.driver != nil, !wearable.lane.isHolder,
        !wearable.isLeaving
      else {
        return false
      }
      let candidate = candidate(wearable)
      return scheduler.waits(candidate, now: now) && scheduler.isReachable(candidate, now: now)
    }
  }

  /// Who waits, in order, with the reasons. Who has the lane waits not.
  func places() -> [Plan.Place] {
    let timedAt = timedVisit()
    let waiting = registry.all.filter { $0.driver != nil && !$0.lane.isHolder && $0.mayBeVisited }
    let candidates = waiting.map { wearable in
      var candidate = candidate(wearable)
      candidate.timedAt = timedAt
      return candidate
    }
    return scheduler.queue(candidates, now: context.loop.now)
  }

  func trigger(of wearable: EnrolledWearable) -> VisitTrigger { scheduler.trigger(candidate(wearable)) }

  /// Whether the visit that holds the lane should end its turn at the next point at which nothing is lost by it.
  ///
  /// - Parameter since: when its slice began.
  ///
  /// Asked after every piece of data: within the slice only requests of operators count, and mostly there is none.
  func shouldYield(_ holder: EnrolledWearable, since: Instant) -> Bool {
    let used = context.loop.now - since
    if used < context.options.slice {
      if holder.lane.askedAt != nil { return false }
      if !registry.all.contains(where: { $0 !== holder && $0.lane.askedAt != nil }) { return false }
    }
    return scheduler.yields(
      candidate(holder), sliceUsed: used, to: registry.all.lazy.filter { $0.mayBeVisited }.map { candidate($0) },
      now: context.loop.now)
  }

  /// When today's visit at a fixed time is, or was, due; nil where none is configured.
  private func timedVisit() -> Instant? {
    let loop = context.loop
    let zone = context.options.timeZone
    guard let time = context.options.visitAt else { return nil }
    let midnight = zone.span(of: zone.date(of: loop.wall.microseconds)).lowerBound
    return loop.now + (WallTime(microseconds: midnight) + time - loop.wall)
  }
}
