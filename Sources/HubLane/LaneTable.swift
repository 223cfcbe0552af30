// The one table of the lane: a pure function from candidates, slots by adapter and the time to a decision.

package import Custody
package import EventLoop
package import HubModel

/// Inputs of decisions about turns, links and slots, at one moment.
package struct LaneTable {
  package var candidates: [LaneCandidate]
  package var slots: SlotTable
  package let scheduler: Scheduler
  package let now: Instant
  /// The civil time at `now`, for people.
  package let wall: WallTime
  /// Times of the next attempts.
  package let pace: AttemptPace.NextAttempts
  /// True if the radio can scan and connect.
  package var isRadioReady = true
  /// True if no visit has the lane.
  package var isLaneFree = true
  /// Full adapters for which a bonded wearable at the head of the line waits. Others overtake it, and no link of that
  /// adapter is given up for them.
  package var passed: Set<Int> = []
  /// Holders that yield their slots to wearables earlier in the line, for reports of how each will get one.
  private var promised: Set<WearableID> = []

  package init(
    _ candidates: [LaneCandidate], _ slots: SlotTable, _ scheduler: Scheduler, _ pace: AttemptPace.NextAttempts,
    now: Instant, wall: WallTime
  ) {
    self.candidates = candidates
    self.slots = slots
    self.scheduler = scheduler
    self.pace = pace
    self.now = now
    self.wall = wall
  }

  package subscript(id: WearableID) -> LaneCandidate? { candidates.first { $0.id == id } }

  /// A moment by the clock as it is set now.
  package func wall(of time: Instant) -> WallTime { wall + (time - now) }

  var isPairing: Bool { slots.isPairing }
  var isTrying: Bool { slots.isTrying }

  /// Marks since when each wearable that may have a turn waits.
  package mutating func mark() {
    for index in candidates.indices where candidates[index].isServed {
      scheduler.mark(&candidates[index], now: now)
    }
  }

  /// Interval of checking whether a link that had to wait may begin.
  private static let look: Duration = .seconds(1)

  /// Chooses the next wearables: for a link beside the lane, and for a visit.
  ///
  /// - Parameter demand: the demand at the start of all decisions of this moment. The start of one attempt must not let
  ///   another pass that had to wait for it.
  package func decide(_ demand: LinkDemand) -> LaneDecision {
    let pool = pool(demand)
    var (visits, links) = (Line(), Line())
    var isHeldBack = false
    for candidate in candidates where candidate.isServed && !isPassed(candidate) {
      let isWaiting = !candidate.isLinked && candidate.dueSince != nil
      if isWaiting, hold(candidate, pool, demand) != nil {
        isHeldBack = true
        continue
      }
      switch isWaiting ? turn(of: candidate, pool) : .now {
      case .now: if candidate.isLinkedBeside { links.ready.append(candidate) } else { visits.ready.append(candidate) }
      case .later:
        if candidate.isLinkedBeside { links.later.append(candidate) } else { visits.later.append(candidate) }
        isHeldBack = true
      case .never: isHeldBack = true
      }
    }
    let (visit, link) = (visits.plan(scheduler, now), links.plan(scheduler, now))
    let looks = [visit.wakeAt, link.wakeAt, isHeldBack ? now + Self.look : nil].compactMap { $0 }
    return LaneDecision(link: link.next, visit: visit.next, looks: looks, pool: pool)
  }

  /// Wearables that wait for the same kind of turn.
  private struct Line {
    var ready: [LaneCandidate] = []
    /// Wearables that wait for a slot, and lead only while no other is ready.
    var later: [LaneCandidate] = []

    func plan(_ scheduler: Scheduler, _ now: Instant) -> Plan {
      var plan = scheduler.plan(ready, now: now)
      if plan.next != nil || later.isEmpty { return plan }
      let waiting = scheduler.plan(later, now: now)
      plan.next = waiting.next
      plan.wakeAt = [plan.wakeAt, waiting.wakeAt].compactMap { $0 }.min()
      return plan
    }
  }

  /// Times when a wearable without a link can have a slot.
  enum SlotTurn { case now, later, never }

  /// A wearable that cannot have a slot yet, or never, must not lead the line. Another one behind it may be able to
  /// take a slot now, by its class or its stability.
  func turn(of waiting: LaneCandidate, _ pool: LinkPool) -> SlotTurn {
    let displaces = displaces(waiting, pool)
    if slots.hasStranger || !displaces && isSlotFree(besideAttempts: false, for: waiting) { return .now }
    if isVacating(for: waiting) || waitsForClimb(waiting, displaces: displaces) { return .later }
    let found = eviction(for: waiting, waitingSince: waiting.dueSince ?? now, fromAny: displaces)
    return found.map { $0.1 <= now ? .now : .later } ?? .never
  }

  /// Leaves a chosen wearable that waits for its own full adapter out of further decisions, with all others bonded to
  /// that adapter. Others may have slots of other adapters.
  ///
  /// - Returns: false if its wait holds up all others too, as with a single adapter.
  package mutating func pass(_ candidate: LaneCandidate) -> Bool {
    guard waitsApart(candidate, besideAttempts: true), case .at(let place) = candidate.bond else { return false }
    return passed.insert(place).inserted
  }

  private func isPassed(_ candidate: LaneCandidate) -> Bool {
    guard !candidate.isLinked, case .at(let place) = candidate.bond else { return false }
    return passed.contains(place)
  }

  // MARK: Attempts

  /// The present attempts and links.
  package func pool(_ demand: LinkDemand) -> LinkPool {
    var pool = LinkPool(slots: slots.capacity, isLinkNeeded: demand.priority)
    for candidate in candidates where candidate.isLinked || candidate.hasTurn {
      pool.add(
        candidate.linkReputation, isLinked: candidate.isLinked, hasBrought: candidate.link?.hasBrought ?? false,
        isIdle: isIdle(candidate))
    }
    if isPairing { pool.addPairing() }
    if isTrying { pool.addStranger() }
    return pool
  }

  /// Returns why an attempt of it may not begin now; nil: it may.
  package func hold(_ candidate: LaneCandidate, _ pool: LinkPool, _ demand: LinkDemand) -> LinkHold? {
    // Limits storms, separately for proven wearables and the others.
    let next = pace[candidate.paceReputation]
    if next > now { return .paced(until: wall(of: next)) }
    if pool.linking >= LinkPool.attempts { return .attempts }
    if candidate.hasShortPresence { return nil }
    if demand.recovering, !candidate.isStable { return .stableFirst }
    if demand.firstContact, candidate.isBehindFirstContact { return .newcomerFirst }
    // Wearables that return again and again, or are on for seconds, would keep out those that were never linked.
    let isFirst = candidate.isFirstContact
    if demand.priority, !candidate.isReturning, !isFirst {
      return demand.shortPresence ? .shortPresenceFirst : .recoveringFirst
    }
    if demand.shortPresence, !demand.priority, !isFirst { return .shortPresenceFirst }
    let isAdmitted = pool.admits(
      candidate.linkReputation, isAsked: candidate.askedAt != nil, isFirst: isFirst,
      hasWaited: candidate.dueSince.map { now - $0 >= scheduler.rules.visitBound } ?? false)
    return isAdmitted ? nil : .unproven
  }

  /// Whether a device that is not enrolled may be linked now, under the rules for a new wearable.
  package func mayLend(_ demand: LinkDemand) -> Bool {
    !isPairing && !isTrying && !demand.shortPresence && !demand.firstContact && isRadioReady
      && pool(demand).admits(.new, isAsked: false) && isSlotFree(besideAttempts: true, for: nil)
      && now >= pace.restsUntil && pace[.new] <= now
  }

  // MARK: Slots

  /// Decides how the next wearable gets its link.
  ///
  /// - Parameter pool: of the decision that chose it.
  package func slot(for waiting: LaneCandidate, _ pool: LinkPool) -> SlotDecision {
    // A visit over an open link needs no slot.
    if waiting.isLinked { return .begin }
    let displaces = displaces(waiting, pool)
    if !displaces, isSlotFree(besideAttempts: true, for: waiting) { return .begin }
    return room(for: waiting, displaces: displaces)
  }

  /// Whether it waits because one more slot will be known soon, before a link is ended. A wearable that is on for
  /// seconds, or requested, does not wait for that.
  private func waitsForClimb(_ waiting: LaneCandidate, displaces: Bool) -> Bool {
    slots.isClimbing(for: waiting.bond) && !displaces && !waiting.hasShortPresence && waiting.askedAt == nil
  }

  /// Whether it takes the place of an idle link, however many slots are free.
  private func displaces(_ waiting: LaneCandidate, _ pool: LinkPool) -> Bool {
    // An attempt without an adapter takes no slot, and reports why it is impossible.
    waiting.bond != .absent && pool.displaces(waiting.linkReputation, isFirst: waiting.isFirstContact)
  }

  /// The link that gives its slot up for it. The wearable keeps its place in the line until the controller reports a
  /// free slot: an earlier attempt would be refused, and cost its turn.
  ///
  /// - Parameter displaces: it may only have the slot of an idle link.
  package func room(for waiting: LaneCandidate, displaces: Bool = false) -> SlotDecision {
    let soon = now + SlotDecision.look
    if isVacating(for: waiting) { return .wait(until: soon) }
    guard let since = waiting.dueSince else { return .wait(until: nil) }
    if slots.hasStranger { return .evictStranger(lookAt: soon) }
    // Attempts hold no slot yet. As they end within seconds, no link is given up for them.
    if !displaces, isSlotFree(besideAttempts: false, for: waiting) { return .wait(until: soon) }
    if waitsForClimb(waiting, displaces: displaces) { return .wait(until: soon) }
    guard let (holder, moment) = eviction(for: waiting, waitingSince: since, fromAny: displaces) else {
      return .wait(until: now + SlotDecision.rest)
    }
    if now >= moment {
      return .evict(holder.id, isInterruption: waiting.hasShortPresence && isAtWork(holder, for: waiting), lookAt: soon)
    }
    // If the controller counts more links than the hub has, one of them is being closed.
    return .shown(lookAt: linked < slots.capacity ? min(moment, now + SlotDecision.rest) : moment)
  }

  // MARK: Reasons

  /// Returns why no turn of it may begin now, linked or not; nil: it may.
  package func turnHold(_ candidate: LaneCandidate) -> LinkHold? {
    if !isRadioReady { return .radio }
    if now < pace.restsUntil { return .paced(until: wall(of: pace.restsUntil)) }
    if candidate.isLinkedBeside { return nil }
    if isPairing { return .pairing }
    return isLaneFree ? nil : .lane
  }

  /// Returns why a waiting wearable has no turn. Call it in the order of the line: a holder that yields to one wearable
  /// yields to no later one.
  ///
  /// - Parameter isHeard: it advertised lately; others go before one that did not.
  package mutating func reasons(
    _ candidate: LaneCandidate, _ demand: LinkDemand, isHeard: Bool = true
  ) -> (hold: LinkHold?, slot: SlotAvailability) {
    let hold = turnHold(candidate)
    if candidate.isLinked { return (hold, .linked) }
    let pool = pool(demand)
    let ownHold = hold ?? self.hold(candidate, pool, demand)
    // Others go before a wearable with an obstacle of its own.
    let isNext = ownHold == hold && isHeard
    return (ownHold, availability(of: candidate, displaces: displaces(candidate, pool), isNext: isNext))
  }

  /// Returns how it would get a slot now, by the rules of `room`.
  ///
  /// - Parameter isNext: its slot is no longer available for those behind it.
  private mutating func availability(of waiting: LaneCandidate, displaces: Bool, isNext: Bool) -> SlotAvailability {
    if !displaces, isSlotFree(besideAttempts: true, for: waiting) { return .free }
    if !displaces, isSlotFree(besideAttempts: false, for: waiting) { return .attempted }
    if isVacating(for: waiting) { return .vacating }
    let found = eviction(for: waiting, waitingSince: waiting.dueSince ?? now, fromAny: displaces)
    guard let (holder, moment) = found else { return .none }
    if isNext { promised.insert(holder.id) }
    return .of(holder.name, at: wall(of: max(moment, now)))
  }

  /// Whether the holder's slot goes to an earlier one in the line.
  func isPromised(_ holder: LaneCandidate) -> Bool { promised.contains(holder.id) }
}

/// The next wearables.
package struct LaneDecision {
  /// Wearable that gets a link beside the lane, or a visit.
  package let link: WearableID?
  package let visit: WearableID?
  /// Times at which the decision changes without another event.
  package let looks: [Instant]
  /// The attempts and links that were counted.
  package let pool: LinkPool
}

/// Decision how the next wearable gets its link.
package enum SlotDecision: Equatable {
  /// Begin: it has a slot, or needs no slot.
  case begin
  /// Wait until then; nil: the passing of time changes no decision.
  case wait(until: Instant?)
  /// The same, and people see the reason.
  case shown(lookAt: Instant)
  case evictStranger(lookAt: Instant)
  /// A link is given up. `isInterruption`: the link was in use, and the wearable is on for seconds.
  case evict(WearableID, isInterruption: Bool, lookAt: Instant)

  /// A closed link leaves its slot within a supervision event or two; the lane looks again after this time.
  package static let rest: Duration = .seconds(2)
  /// Interval of checking whether a vacated slot is free.
  static let look: Duration = .milliseconds(250)
}
