// What the choice of the next visit knows about one wearable, and what a visit that ended adds to it.

import Custody
package import EventLoop

/// How a wearable stands with the lane. Kept in memory: after a restart of the hub the log of visits tells the most of
/// it.
package struct LaneState {
  /// It has the lane now, or is linked beside it.
  package var isHolder = false
  /// What its link is worth, and what its visits are.
  package var reputation = Reputation()
  package var visitReputation = Reputation()
  /// When the notes that it was of use, and that it is steady, were changed last.
  package var provenNotedAt: Instant?
  package var steadyNotedAt: Instant?
  package var steadiness = Steadiness()
  /// Its link was lost a moment ago: nobody who is not steady takes its slot before this.
  package var slotReservedUntil: Instant?
  /// It is there for seconds, by what it says, and held a slot for a minute.
  package var overstayed = false
  /// How often it goes first because of that.
  package var brief = BriefCredit()
  /// How often it took the slot of a steady one because it is there for seconds: a cuff that is used again and again
  /// measures each two or three minutes.
  package var interruptions = TokenBucket(capacity: 4, period: .seconds(150))
  /// Its last link was given up for somebody else, whose turn it is.
  package var gaveUpSlot = false
  /// It was linked beside the lane, and its visit over that link is still to come.
  package var owesVisit = false
  /// Since when it waits for the lane; nil while it does not.
  package var dueSince: Instant?
  /// Since when it waited for the first time in this life of the hub; nil: it never did.
  package var firstDue: Instant?
  /// When it may be tried again.
  package var retry = BackOff()
  /// As its driver says of its family, until a link shows that there is nothing; asked at every advertisement.
  package var holdsData = false
  /// End of the last visit that came to its end; may lie before the start of the hub.
  package var visitedAt: Instant?
  /// When phases were fetched that a sync brought since then, and phases that visits leave out.
  package var phasesAt: [String: Instant] = [:]
  /// Phases that visits leave out, or left out until now, of which no fetch is known.
  package var neverFetched: Set<String> = []
  /// A person asked for a visit of everything, also of what visits leave out.
  package var asksForAll = false
  /// The last visit left something behind that goes on with the next.
  package var resumes = false
  /// Seen again after an absence, and not visited since.
  package var returned = false
  /// It said over its link that it holds something new; what was said before a visit began is that visit's to find.
  package var announced = false
  /// When an operator asked for the visit that is still to be made.
  package var askedAt: Instant?
  /// When the oldest began that it holds and the store does not; nil: nothing, or unknown.
  package var oldestUnfetched: Instant?
  package var memory = MemoryTrend()
  /// The last visit left its link open because it streams, or it needs it all the time: a lost link is made anew at
  /// once.
  package var keepsLink = false
  /// A wearable that keeps data streams if a value came within this time.
  package static let streaming: Duration = .seconds(60)
  /// When its last link ended.
  package var linkEndedAt: Instant?
  /// What is measured at it by order.
  package var measuring = MeasuringUse()
  /// Requests of people that wait for its visit.
  package var requests = 0
  /// A sync that was ordered is not over.
  package var isSyncing = false
  /// It was unbound and is being forgotten: a visit would bind it anew.
  package var isLeaving = false
  /// Hearing it changes nothing about the lane before this.
  package var quietUntil: Instant?

  /// How long somebody at a terminal waits for a turn: a wearable before may finish its slice, and linking takes some
  /// seconds.
  package static let requestPatience: Duration = .seconds(180)

  package init() {}

  /// Whoever is not even proven by its visits, where it has them, is not proven.
  package var standing: Reputation.Standing {
    holdsData ? max(reputation.standing, visitReputation.standing) : reputation.standing
  }

  /// It is to carry something out for a person, other than to be looked at or listened to.
  package var isOrdered: Bool { measuring.isAny || requests > 0 || isSyncing }

  /// When its link may be made; nil: at once.
  package func linksNotBefore(_ now: Instant) -> Instant? {
    [retry.notBefore(now), reputation.notBefore(now)].compactMap { $0 }.max()
  }

  /// When it may be visited over a link; nil: at once.
  package func visitsNotBefore(_ now: Instant) -> Instant? {
    [retry.notBefore(now), visitReputation.notBefore(now)].compactMap { $0 }.max()
  }

  /// When it may be tried, as it stands now; nil: at once.
  package func notBefore(_ now: Instant, needsLink: Bool) -> Instant? {
    if needsLink { return linksNotBefore(now) }
    return [linksNotBefore(now), visitReputation.notBefore(now)].compactMap { $0 }.max()
  }

  /// Heard again after an absence.
  ///
  /// - Parameter absence: how long nothing was heard of it; nil: nobody knows.
  package mutating func seenAgain(after absence: Duration? = nil) {
    retry.seenAgain()
    gaveUpSlot = false
    overstayed = false
    reputation.seenAgain(after: absence)
    visitReputation.seenAgain(after: absence)
    if absence.map({ $0 >= Reputation.renewal }) ?? true { brief.renew() }
    returned = true
    quietUntil = nil
    // It waits anew: nobody keeps a place in the line through an absence.
    dueSince = nil
  }

  /// An operator asks for a visit: whatever was waited for is over.
  package mutating func asked(_ now: Instant) {
    if askedAt == nil { askedAt = now }
    quietUntil = nil
    retry.asked()
    reputation.asked()
    visitReputation.asked()
  }

  /// A visit ended, however. Its failure, if it was one, is told to `retry` apart from this.
  ///
  /// - Parameters:
  ///   - scope: what it was to bring: the rest is as old as before, and no visit that is due for it is put off.
  ///   - isOfAll: it was to bring everything, so that it answers a request for all.
  package mutating func visitEnded(
    _ outcome: VisitOutcome, _ now: Instant, _ scope: VisitScope = .all, isOfAll: Bool = true
  ) {
    dueSince = nil
    quietUntil = nil
    owesVisit = false
    if case .phases(let fetched) = scope {
      for phase in fetched { phasesAt[phase] = now }
      neverFetched.subtract(fetched)
    }
    switch outcome {
    case .done:
      reputation.proved()
      visitReputation.proved()
      if case .allBut(let fresh, let leftOut) = scope {
        noteLeftOut(leftOut)
        (visitedAt, resumes, returned) = (now, false, false)
        phasesAt = phasesAt.filter { fresh.contains($0.key) || leftOut.contains($0.key) }
      }
      requestServed(isOfAll, now)
      retry.succeeded()
    case .sliceOver:
      resumes = true
      // An operator's request goes on, behind those that came meanwhile.
      if askedAt != nil { askedAt = now }
    case .interrupted, .broken, .silent:
      resumes = holdsData
      // A request is not given up for one lost link, but it ends with the tries.
      if retry.isCooling { requestEnded() }
    case .busy, .refused, .noRoom, .needsAttention, .abandoned: requestServed(isOfAll, now)
    }
  }

  /// Phases that a visit leaves out are as old as before it.
  private mutating func noteLeftOut(_ phases: Set<String>) {
    neverFetched.formIntersection(phases)
    for phase in phases where phasesAt[phase] == nil {
      if let visitedAt, !neverFetched.contains(phase) {
        phasesAt[phase] = visitedAt
      } else {
        neverFetched.insert(phase)
      }
    }
  }

  /// A visit ended that answers a request, unless everything was asked for and it was to bring less.
  private mutating func requestServed(_ isOfAll: Bool, _ now: Instant) {
    if isOfAll || !asksForAll { requestEnded() } else { askedAt = askedAt ?? now }
  }

  /// A person's request is answered, or given up.
  package mutating func requestEnded() { (askedAt, asksForAll) = (nil, false) }

  /// It is linked and listened to. Without a session nothing more is wanted of it; with one it is visited over this
  /// link.
  package mutating func wentLive(isVisited: Bool) {
    dueSince = nil
    if isVisited {
      owesVisit = true
    } else {
      requestEnded()
      returned = false
    }
  }
}
