// What the scheduler is told of the enrolled wearables, and the plan that it makes of that.

import EventLoop
import RingStore
import Wearable

/// Who is next: to be visited, and to be linked beside the lane.
struct LanePlan {
  var visit: Plan
  var link: Plan
  /// Somebody waits whose link may not be begun now.
  var isHeldBack: Bool
}

/// Whom the radio is needed for now.
struct RadioWait {
  /// Somebody who is there for seconds alone waits.
  var brief = false
  /// Somebody whose link is owed to it has none: it waits, or is being linked.
  var owed = false
  /// One of these was steady, is heard and has no attempt.
  var steady = false
  /// One that was never linked waits, or is being linked.
  var first = false
}

extension EnrolledWearable {
  /// Its link waits for no visit: what it measures is lost where nobody hears it.
  var isLinkedBeside: Bool { link == nil && (needsLink || isBrief) }

  /// What a link of it is worth. Of one that is linked for its visits alone those count as well.
  var linkStanding: Trust.Standing { needsLink ? lane.trust.standing : lane.standing }

  /// It was of use, needs its link, and its first tries since are under way or to come: nobody who was not of use may
  /// stand in its way. One that is tried again and again has had its chance.
  func isOwedLink(_ now: Instant) -> Bool {
    guard needsLink, !isBrief, lane.trust.standing == .proven, !lane.gaveUpSlot else { return false }
    // While somebody else answers at its address nobody waits for that.
    if lane.retry.disbelieved > 0 { return false }
    let steadiness = steadiness(now)
    if steadiness.isPoor || lane.retry.failures > (steadiness.isSteady ? 3 : 1) { return false }
    // On a full adapter it waits for a slice like everybody.
    let limit = steadiness.isSteady ? Self.steadyTime : Self.owedTime
    if let since = lane.dueSince, now - since > limit { return false }
    return lane.linksNotBefore(now).map { $0 - now <= .seconds(2) } ?? true
  }

  /// It brought more than it cost, and lost its link a moment ago: neither a visit nor a promised slot keeps it out.
  func isOwedLinkAsSteady(_ now: Instant) -> Bool { isSteady(now) && isOwedLink(now) }

  /// Its attempt waits while one that was never linked has its first: that one goes before those that were tried and
  /// of no use, mute or not heard.
  var isBehindFirst: Bool { linkStanding != .proven && !isFirstTimer && lane.askedAt == nil }

  /// Whose bucket its attempts are taken from: the first of somebody does not wait for those who reconnect for ever.
  /// What a person asks for waits for no scan.
  var paceStanding: Trust.Standing {
    if isFirstTimer { return .proven }
    return lane.askedAt == nil ? linkStanding : min(linkStanding, .new)
  }

  /// It lost its link a moment ago, and advertises again within that time.
  func lostLinkLately(_ now: Instant) -> Bool {
    lane.linkEndedAt.map { now - $0 <= Self.returnTime } ?? false
  }

  /// An attempt, and half of one more.
  private static let owedTime: Duration = .seconds(15)
  /// Of one that was steady: four attempts and the waits between.
  private static let steadyTime: Duration = .seconds(60)
  /// As long as a link that was lost may take to be back.
  private static let returnTime: Duration = .seconds(5)
}

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

  /// Who is next at this moment: to be visited, and to be linked beside the lane. Marks since when each has waited, and
  /// until when hearing one changes nothing.
  ///
  /// - Parameter mayLink: whether a link of it may be begun now; asked of those that have none.
  func makePlan(mayLink: (EnrolledWearable) -> Bool) -> LanePlan {
    let scheduler = scheduler
    let now = context.loop.now
    var visits: [Candidate] = []
    var links: [Candidate] = []
    var isHeldBack = false
    for wearable in registry.all where wearable.driver != nil && !wearable.lane.isHolder && wearable.mayBeVisited {
      var candidate = candidate(wearable)
      candidate.timedAt = timedVisit(of: wearable)
      mark(wearable, candidate, scheduler, now)
      candidate.dueSince = wearable.lane.dueSince
      candidate.firstDue = wearable.lane.firstDue
      if !candidate.isLinked, candidate.dueSince != nil, !mayLink(wearable) {
        isHeldBack = true
        continue
      }
      if wearable.isLinkedBeside { links.append(candidate) } else { visits.append(candidate) }
    }
    var visit = scheduler.plan(visits, now: now)
    if registry.all.contains(where: { !$0.visitTimes(context.options).isEmpty }) {
      // Nobody is told when the clock is put elsewhere, such as past one of these times.
      let look = now + Self.clockLook
      visit.wakeAt = visit.wakeAt.map { min($0, look) } ?? look
    }
    return LanePlan(
      visit: visit, link: scheduler.plan(links, now: now), isHeldBack: isHeldBack)
  }

  private func mark(_ wearable: EnrolledWearable, _ candidate: Candidate, _ scheduler: Scheduler, _ now: Instant) {
    guard scheduler.waits(candidate, now: now) else {
      wearable.lane.dueSince = nil
      let due = scheduler.dueAt(candidate, now: now)
      wearable.lane.quietUntil = candidate.isPresent ? due.map { max($0, candidate.notBefore ?? $0) } : nil
      return
    }
    // Its place in the line is kept while it is present, also through a gap in which it was not heard lately enough to
    // be connected.
    wearable.lane.dueSince = wearable.lane.dueSince ?? now
    wearable.lane.firstDue = wearable.lane.firstDue ?? now
    // As long as it could be connected anyway, hearing it once more changes nothing: the lane looks again by itself
    // when something else does.
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
    // Under the address of one that lost its link anybody may advertise, and hide its own from the scan's filter.
    candidate.lastConnectable = wearable.hasKeptSlot(now) ? heard?.lastHeard : heard?.lastConnectable
    candidate.rssi = heard?.rssi
    candidate.askedAt = lane.askedAt
    candidate.holdsData = lane.holdsData
    candidate.isBrief = wearable.isBriefNow
    candidate.standing = wearable.link == nil ? wearable.linkStanding : lane.visitTrust.standing
    if wearable.link == nil {
      candidate.claim = claim(wearable, now)
      candidate.isPoor = wearable.needsLink && lane.steadiness.isPoor
    }
    candidate.staysLinked = lane.keepsLink
    candidate.hoursToFull = lane.memory.hoursToFull(now)
    candidate.oldestUnfetched = lane.oldestUnfetched.map { now - $0 }
    candidate.sinceVisit = wearable.collectedAt(context.options).map { now - $0 }
    candidate.resumes = lane.resumes
    candidate.owesVisit = lane.owesVisit
    candidate.returned = lane.returned
    candidate.announced = lane.announced
    candidate.dueSince = lane.dueSince
    candidate.firstDue = lane.firstDue
    // What a person asked for is tried now; only storms are held off, by the bucket of the hub.
    candidate.notBefore =
      lane.askedAt == nil || lane.retry.failures > 0
      ? (wearable.link == nil ? lane.notBefore(now, needsLink: wearable.needsLink) : lane.visitsNotBefore(now)) : nil
    return candidate
  }

  private func claim(_ wearable: EnrolledWearable, _ now: Instant) -> Candidate.Claim {
    if wearable.hasKeptSlot(now) { return .kept }
    if wearable.isOwedLinkAsSteady(now) { return .steady }
    return wearable.isFirstTimer ? .first : wearable.isOwedLink(now) ? .owed : .fair
  }

  /// Whom the radio is needed for now, whoever has it.
  var radioWaits: RadioWait {
    let scheduler = scheduler
    let now = context.loop.now
    var wait = RadioWait()
    for wearable in registry.all where wearable.link == nil && wearable.driver != nil {
      if wearable.isLeaving || wearable.isLeftAlone { continue }
      let (isBrief, isOwed, isHolder) = (wearable.isBriefNow, wearable.isOwedLink(now), wearable.lane.isHolder)
      let isFirst = !wait.first && wearable.isFirstTimer
      if !isBrief, !isOwed, !isFirst { continue }
      let isThere = !isHolder && isReachable(wearable, scheduler, now)
      if isFirst { wait.first = isHolder || isThere }
      if !isBrief, !isOwed { continue }
      if !isHolder {
        if isThere, isBrief { wait.brief = true }
        if isThere, wearable.isSteady(now) { wait.steady = true }
        if !isThere, !wearable.lostLinkLately(now) { continue }
      }
      wait.owed = true
    }
    return wait
  }

  /// A connect would find it, or it is linked.
  func isReachable(_ wearable: EnrolledWearable) -> Bool {
    scheduler.isReachable(candidate(wearable), now: context.loop.now)
  }

  /// It waits, and a connect would find it.
  private func isReachable(_ wearable: EnrolledWearable, _ scheduler: Scheduler, _ now: Instant) -> Bool {
    let candidate = candidate(wearable)
    return scheduler.waits(candidate, now: now) && scheduler.isReachable(candidate, now: now)
  }

  /// Somebody else than `wearable` who is no worse than it would have the lane now.
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

  /// Who waits, in order, with the reasons. Who has the lane waits not.
  func places() -> [Plan.Place] {
    let waiting = registry.all.filter { $0.driver != nil && !$0.lane.isHolder && $0.mayBeVisited }
    let candidates = waiting.map { wearable in
      var candidate = candidate(wearable)
      candidate.timedAt = timedVisit(of: wearable)
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

  /// One of its times of visits has come and was not served yet.
  func isTimed(_ wearable: EnrolledWearable) -> Bool {
    timedVisit(of: wearable).map { $0 <= context.loop.now } ?? false
  }

  private static let clockLook: Duration = .seconds(60)

  /// The first of the times of visits after its last one, by the clock as it is now; nil where none is configured, and
  /// for who was never visited and is due as it is.
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
