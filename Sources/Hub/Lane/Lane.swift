// One wearable at a time: who is next.

import Bluetooth
import EventLoop
import Reasons
import RingStore
import Wearable

extension Hearth {
  /// Looks whether somebody may have the lane now. Called after everything that could change the answer; cheap when it did not.
  func considerLane() {
    guard phase == .serving, laneHolder == nil, !laneIsLent, radio.state == .ready else { return }
    if loop.now < laneRestsUntil { return wakeLane(at: laneRestsUntil) }
    let plan = makePlan()
    guard let next = plan.next.flatMap({ id in tenants.first { $0.record.id == id } }) else {
      if let wakeAt = plan.wakeAt { wakeLane(at: wakeAt) }
      return
    }
    // A visit over a link that is open already needs no slot.
    if next.link == nil {
      let attempt = hubBucket.next(loop.now)
      if loop.now < attempt { return wakeLane(at: attempt) }
      // The controller's own count too: a link that was just closed, or that somebody else made, holds a slot.
      if max(linkedCount, radio.facts.links) >= radio.facts.slots { return makeRoom(for: next) }
      slotVacatedAt = nil
    }
    laneHolder = next
    tryBegan(next)
    // A link over which nothing came is at work again.
    showLights()
    laneTask = loop.spawn { [weak self] in
      await self?.visit(next)
      self?.laneEnded()
    }
  }

  /// A closed link leaves its slot within a supervision event or two; the lane looks again after this.
  static var slotRest: Duration { .seconds(2) }

  var linkedCount: Int { tenants.count { $0.link != nil } }

  var scheduler: Scheduler {
    var rules = Scheduler.Rules()
    rules.visitBound = options.visitBound
    rules.fresh = options.fresh
    rules.slice = options.slice
    rules.freshness = options.freshness
    rules.overhead = options.connectDeadline + options.settleDeadline
    return Scheduler(rules: rules)
  }

  /// Who is next at this moment. Marks since when each has waited, and until when hearing one changes nothing.
  private func makePlan() -> Plan {
    let scheduler = scheduler, now = loop.now, timedAt = timedVisit()
    var candidates: [Candidate] = []
    candidates.reserveCapacity(tenants.count)
    for tenant in tenants where tenant.driver != nil {
      var candidate = candidate(tenant)
      candidate.timedAt = timedAt
      if scheduler.waits(candidate, now: now) {
        // Its place in the line is kept while it is present, also through a gap in which it was not heard lately enough to be connected.
        tenant.dueSince = tenant.dueSince ?? now
        // As long as it could be connected anyway, hearing it once more changes nothing: the lane looks again by itself when something else does.
        let heard = candidate.lastConnectable.map { $0 + options.freshness }
        tenant.standing.quietUntil = heard.flatMap { scheduler.isReachable(candidate, now: now) ? $0 : nil }
      } else {
        tenant.dueSince = nil
        let due = scheduler.dueAt(candidate, now: now)
        tenant.standing.quietUntil = candidate.isPresent ? due.map { max($0, candidate.notBefore ?? $0) } : nil
      }
      candidate.dueSince = tenant.dueSince
      candidates.append(candidate)
    }
    return scheduler.plan(candidates, now: now)
  }

  /// What the scheduler may know of a wearable.
  func candidate(_ tenant: Tenant) -> Candidate {
    var candidate = Candidate(tenant.record.id)
    let now = loop.now, heard = presence[tenant.address], standing = tenant.standing
    candidate.isLinked = tenant.link != nil
    candidate.isPresent = isPresent(tenant)
    candidate.lastConnectable = heard?.lastConnectable
    candidate.rssi = heard?.rssi
    candidate.askedAt = standing.askedAt
    candidate.holdsData = tenant.holdsData
    candidate.staysLinked = standing.keepsLink
    candidate.hoursToFull = standing.memory.hoursToFull(now)
    candidate.oldestUnfetched = standing.oldestUnfetched.map { now - $0 }
    candidate.sinceVisit = standing.visitedAt.map { now - $0 }
    candidate.resumes = standing.resumes
    candidate.returned = standing.returned
    candidate.announced = standing.announced
    candidate.dueSince = tenant.dueSince
    // What a person asked for is tried now; only storms are held off, by the bucket of the hub.
    candidate.notBefore = standing.askedAt == nil || tenant.retry.failures > 0 ? tenant.retry.notBefore(now) : nil
    return candidate
  }

  /// Who waits, in order, with the reasons.
  func places() -> [Plan.Place] {
    let timedAt = timedVisit()
    let candidates = tenants.filter { $0.driver != nil && $0 !== laneHolder }.map { tenant in
      var candidate = candidate(tenant)
      candidate.timedAt = timedAt
      return candidate
    }
    return scheduler.queue(candidates, now: loop.now)
  }

  /// When today's visit at a fixed time is, or was, due; nil where none is configured.
  private func timedVisit() -> Instant? {
    guard let time = options.visitAt else { return nil }
    let midnight = options.timeZone.span(of: options.timeZone.date(of: loop.wall.microseconds)).lowerBound
    return loop.now + (WallTime(microseconds: midnight) + time - loop.wall)
  }

  /// All slots are taken and `waiting` has waited: the link held longest yields once it had its slice. The slot is free when the
  /// controller says so, and until then `waiting` keeps its place in the line; an attempt before would be refused and cost it its turn.
  private func makeRoom(for waiting: Tenant) {
    if let slotVacatedAt, loop.now - slotVacatedAt < Self.vacationBound {
      wakeLane(at: loop.now + .milliseconds(250))
      return
    }
    guard let since = waiting.dueSince else { return }
    guard let oldest = tenants.filter({ $0.link != nil }).min(by: { yieldOrder($0) < yieldOrder($1) }) else { return wakeLane(at: loop.now + Self.slotRest) }
    // What an operator asked for does not wait for anybody's slice.
    let isFree = waiting.standing.askedAt != nil || yieldOrder(oldest).rank == 0
    let moment = isFree ? loop.now : max(since, linkedSince(oldest)) + options.slice
    if loop.now < moment {
      // Where it is the controller that counts more links than the hub has, one of them is on its way out.
      wakeLane(at: linkedCount < radio.facts.slots ? min(moment, loop.now + Self.slotRest) : moment)
      showLights()
      return
    }
    logger.info("\(oldest.record.name) yields its slot to \(waiting.record.name)")
    part(oldest)
    // A wearable that keeps what it measures loses nothing by losing its link.
    oldest.standing.keepsLink = oldest.needsLink
    // It goes to the end of the line; its own next turn comes like anybody's.
    oldest.retry.postpone(until: loop.now + .seconds(1))
    slotVacatedAt = loop.now
    wakeLane(at: loop.now + .milliseconds(250))
  }

  /// A disconnection takes a few connection events, at most the supervision timeout of the routine profile (6 s). A slot that is not free
  /// then has gone to somebody else, and another link must yield.
  private static var vacationBound: Duration { .seconds(6) }

  /// Who yields first: what keeps what it measures and has nothing to say, then what has been linked longest.
  private func yieldOrder(_ tenant: Tenant) -> (rank: Int, since: Instant) {
    let isStreaming = tenant.link?.lastValue.map { loop.now - $0 < Standing.streaming } ?? false
    let isWatched = tenant.visits.watchedUntil.map { loop.now < $0 } ?? false
    return (!tenant.needsLink && !isStreaming && !isWatched ? 0 : 1, linkedSince(tenant))
  }

  private func linkedSince(_ tenant: Tenant) -> Instant { tenant.link?.since ?? loop.now }

  private func wakeLane(at instant: Instant) {
    if let laneTimer { loop.cancel(laneTimer) }
    laneTimer = loop.schedule(at: instant) { [weak self] in
      self?.laneTimer = nil
      self?.considerLane()
    }
  }

  private func laneEnded() {
    let holder = laneHolder
    laneHolder = nil
    laneTask = nil
    // Not before: as long as the lane has it the link is a fast one, and streams that were told so would begin anew, and anew when that is over.
    holder?.profile?.review()
    holder?.profile?.tellSession()
    showLights()
    considerLane()
  }
}
