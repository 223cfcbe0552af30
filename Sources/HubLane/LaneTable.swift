// The one table of the lane: candidates, slots by adapter and the time go in, a decision comes out. Pure.

package import Custody
package import EventLoop
package import HubModel

/// All that a decision about turns, links and slots reads, at one moment.
package struct LaneTable {
  package var candidates: [LaneCandidate]
  package var slots: SlotTable
  package let scheduler: Scheduler
  package let now: Instant
  /// The civil time at `now`, for people.
  package let wall: WallTime
  /// When the next attempt may begin.
  package let pace: AttemptPace.Next
  /// The radio serves.
  package var isRadioReady = true
  /// No visit has the lane.
  package var isLaneFree = true
  /// Full adapters for which a bonded wearable waits that led the line: it is passed by, and no link there is given up
  /// for those who pass it.
  package var passed: Set<Int> = []
  /// Holders whose slots go to wearables earlier in the line, where people ask how each will get one.
  private var promised: Set<WearableID> = []

  package init(
    _ candidates: [LaneCandidate], _ slots: SlotTable, _ scheduler: Scheduler, _ pace: AttemptPace.Next,
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

  /// A moment by the clock as it is now.
  package func wall(of time: Instant) -> WallTime { wall + (time - now) }

  var isPairing: Bool { slots.isPairing }
  var isTrying: Bool { slots.isTrying }

  /// Notes of all that may have a turn since when they wait.
  package mutating func mark() {
    for index in candidates.indices where candidates[index].isServed {
      scheduler.mark(&candidates[index], now: now)
    }
  }

  /// How often it is looked whether a link may begin that may not now.
  private static let look: Duration = .seconds(1)

  /// Which wearable goes next: for a link beside the lane, and for a visit.
  ///
  /// - Parameter demand: as it was when the decisions of this moment began. It stands for all of them: the start of one
  ///   attempt lets no other one pass that had to wait for it.
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
    /// They wait for a slot, and lead only while no other one is ready.
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

  /// When a wearable without a link can have a slot.
  private enum SlotTurn { case now, later, never }

  /// Those that can have no slot yet, or none at all, must not lead the line: a wearable behind them may have a claim
  /// to one now, by its class or because its links were filled with values.
  private func turn(of waiting: LaneCandidate, _ pool: LinkPool) -> SlotTurn {
    let displaces = displaces(waiting, pool)
    if slots.hasStranger || !displaces && isSlotFree(besideAttempts: false, for: waiting) { return .now }
    if isVacating(for: waiting) || waitsForClimb(waiting, displaces: displaces) { return .later }
    let found = eviction(for: waiting, waitingSince: waiting.dueSince ?? now, fromAny: displaces)
    return found.map { $0.1 <= now ? .now : .later } ?? .never
  }

  /// Leaves out of further decisions a wearable that was chosen and waits for its own full adapter, and all that are
  /// bonded to that one: others may have slots of other adapters.
  ///
  /// - Returns: false: what it waits for holds up all others too. So it is where there is one adapter.
  package mutating func pass(_ candidate: LaneCandidate) -> Bool {
    guard waitsApart(candidate, besideAttempts: true), case .at(let place) = candidate.bond else { return false }
    return passed.insert(place).inserted
  }

  private func isPassed(_ candidate: LaneCandidate) -> Bool {
    guard !candidate.isLinked, case .at(let place) = candidate.bond else { return false }
    return passed.contains(place)
  }

  // MARK: Attempts

  /// The attempts and links there are.
  package func pool(_ demand: LinkDemand) -> LinkPool {
    var pool = LinkPool(slots: slots.capacity, isOwed: demand.priority)
    for candidate in candidates where candidate.isLinked || candidate.hasTurn {
      pool.add(
        candidate.linkStanding, isLinked: candidate.isLinked, hasBrought: candidate.link?.hasBrought ?? false,
        isIdle: isIdle(candidate))
    }
    if isPairing { pool.addPairing() }
    if isTrying { pool.addStranger() }
    return pool
  }

  /// Why an attempt of it may not begin now; nil: it may.
  package func hold(_ candidate: LaneCandidate, _ pool: LinkPool, _ demand: LinkDemand) -> LinkHold? {
    // Storms are held off: of proven wearables apart from those that are not.
    let next = pace[candidate.paceStanding]
    if next > now { return .paced(until: wall(of: next)) }
    if pool.linking >= LinkPool.attempts { return .attempts }
    if candidate.isBrief { return nil }
    if demand.recovering, !candidate.isSteady { return .steadyFirst }
    if demand.firstContact, candidate.isBehindFirstContact { return .newcomerFirst }
    // Wearables that return again and again, or are on for seconds, would keep out those that were never linked.
    let isFirst = candidate.isFirstContact
    if demand.priority, !candidate.isReturning, !isFirst { return demand.brief ? .briefFirst : .recoveringFirst }
    if demand.brief, !demand.priority, !isFirst { return .briefFirst }
    let isAdmitted = pool.admits(
      candidate.linkStanding, isAsked: candidate.askedAt != nil, isFirst: isFirst,
      hasWaited: candidate.dueSince.map { now - $0 >= scheduler.rules.visitBound } ?? false)
    return isAdmitted ? nil : .unproven
  }

  /// A device that is not enrolled may be linked now: as a wearable of which nothing is known.
  package func mayLend(_ demand: LinkDemand) -> Bool {
    !isPairing && !isTrying && !demand.brief && !demand.firstContact && isRadioReady
      && pool(demand).admits(.new, isAsked: false) && isSlotFree(besideAttempts: true, for: nil)
      && now >= pace.restsUntil && pace[.new] <= now
  }

  // MARK: Slots

  /// How the wearable that goes next gets its link.
  ///
  /// - Parameter pool: of the decision that chose it.
  package func slot(for waiting: LaneCandidate, _ pool: LinkPool) -> SlotDecision {
    // A visit over a link that is open already needs no slot.
    if waiting.isLinked { return .begin }
    let displaces = displaces(waiting, pool)
    if !displaces, isSlotFree(besideAttempts: true, for: waiting) { return .begin }
    return room(for: waiting, displaces: displaces)
  }

  /// A slot that is about to be found costs no wearable its link. One that is on for seconds, or asked for, waits for
  /// none.
  private func waitsForClimb(_ waiting: LaneCandidate, displaces: Bool) -> Bool {
    slots.isClimbing(for: waiting.bond) && !displaces && !waiting.isBrief && waiting.askedAt == nil
  }

  /// It takes the place of an idle link, however many slots are free.
  private func displaces(_ waiting: LaneCandidate, _ pool: LinkPool) -> Bool {
    // An attempt without an adapter takes no slot, and says why it can not be made.
    waiting.bond != .absent && pool.displaces(waiting.linkStanding, isFirst: waiting.isFirstContact)
  }

  /// Which link gives its slot up for it. It keeps its place in the line until the controller says that the slot is
  /// free: an attempt before would be refused and cost it its turn.
  ///
  /// - Parameter displaces: it may have the slot of an idle link alone.
  package func room(for waiting: LaneCandidate, displaces: Bool = false) -> SlotDecision {
    let soon = now + SlotDecision.look
    if isVacating(for: waiting) { return .wait(until: soon) }
    guard let since = waiting.dueSince else { return .wait(until: nil) }
    if slots.hasStranger { return .evictStranger(lookAt: soon) }
    // Attempts hold no slot yet. They end within seconds, and no link is given up for them.
    if !displaces, isSlotFree(besideAttempts: false, for: waiting) { return .wait(until: soon) }
    if waitsForClimb(waiting, displaces: displaces) { return .wait(until: soon) }
    guard let (holder, moment) = eviction(for: waiting, waitingSince: since, fromAny: displaces) else {
      return .wait(until: now + SlotDecision.rest)
    }
    if now >= moment {
      return .evict(holder.id, isInterruption: waiting.isBrief && isAtWork(holder, for: waiting), lookAt: soon)
    }
    // If the controller counts more links than the hub has, one of them is on its way out.
    return .shown(lookAt: linked < slots.capacity ? min(moment, now + SlotDecision.rest) : moment)
  }

  // MARK: Reasons

  /// Why no turn of it may begin now, linked or not; nil: one may.
  package func turnHold(_ candidate: LaneCandidate) -> LinkHold? {
    if !isRadioReady { return .radio }
    if now < pace.restsUntil { return .paced(until: wall(of: pace.restsUntil)) }
    if candidate.isLinkedBeside { return nil }
    if isPairing { return .pairing }
    return isLaneFree ? nil : .lane
  }

  /// What stands between a wearable that waits and its turn. Asked in the order of the line: a holder that yields to
  /// one of them yields to none behind it.
  ///
  /// - Parameter isHeard: it advertised lately; others go before one that did not.
  package mutating func reasons(
    _ candidate: LaneCandidate, _ demand: LinkDemand, isHeard: Bool = true
  ) -> (hold: LinkHold?, slot: SlotClaim) {
    let hold = turnHold(candidate)
    if candidate.isLinked { return (hold, .linked) }
    let pool = pool(demand)
    let ownHold = hold ?? self.hold(candidate, pool, demand)
    // Others go before one that is held back for itself.
    let isNext = ownHold == hold && isHeard
    return (ownHold, claim(of: candidate, displaces: displaces(candidate, pool), isNext: isNext))
  }

  /// How it would get a slot now, as `room` would make one.
  ///
  /// - Parameter isNext: the slot that it would have is no longer there for those behind it.
  private mutating func claim(of waiting: LaneCandidate, displaces: Bool, isNext: Bool) -> SlotClaim {
    if !displaces, isSlotFree(besideAttempts: true, for: waiting) { return .free }
    if !displaces, isSlotFree(besideAttempts: false, for: waiting) { return .attempted }
    if isVacating(for: waiting) { return .vacating }
    let found = eviction(for: waiting, waitingSince: waiting.dueSince ?? now, fromAny: displaces)
    guard let (holder, moment) = found else { return .none }
    if isNext { promised.insert(holder.id) }
    return .of(holder.name, at: wall(of: max(moment, now)))
  }

  /// Its slot goes to one that is earlier in the line.
  func isPromised(_ holder: LaneCandidate) -> Bool { promised.contains(holder.id) }
}

/// Which wearables go next.
package struct LaneDecision {
  /// For a link beside the lane, and for a visit.
  package let link: WearableID?
  package let visit: WearableID?
  /// When something changes by the mere passing of time.
  package let looks: [Instant]
  /// The attempts and links that were counted.
  package let pool: LinkPool
}

/// How a wearable that goes next gets its link.
package enum SlotDecision: Equatable {
  /// It has a slot, or needs none.
  case begin
  /// Nothing is done before; nil: nothing changes by time.
  case wait(until: Instant?)
  /// The same, and people are shown what it waits for.
  case shown(lookAt: Instant)
  case evictStranger(lookAt: Instant)
  /// A link is given up. `isInterruption`: it was at work, and the wearable is on for seconds.
  case evict(WearableID, isInterruption: Bool, lookAt: Instant)

  /// A closed link leaves its slot within a supervision event or two; the lane looks again after this.
  package static let rest: Duration = .seconds(2)
  /// How often it is looked whether a slot is free that was given up.
  static let look: Duration = .milliseconds(250)
}
