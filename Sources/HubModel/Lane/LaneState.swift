// State of one wearable for the choice of the next visit, and the effect of an ended visit on it.

import Custody
package import EventLoop

/// State of a wearable in the lane. In memory only: after a restart of the hub the log of visits has most of it.
package struct LaneState {
  /// The wearable has its turn now, with the lane or with a link beside it.
  package var isHolder = false
  /// The reputation of its link, and that of its visits.
  package var reputation = Reputation()
  package var visitReputation = Reputation()
  /// Last changes of the stored marks `ProvenWearable` and `StableWearable`.
  package var provenNotedAt: Instant?
  package var stableNotedAt: Instant?
  package var stability = LinkStability()
  /// Time until which its slot is reserved after the loss of its link: only stable wearables may take it.
  package var slotReservedUntil: Instant?
  /// A wearable that claims to be on for seconds held a slot for a minute.
  package var overstayed = false
  /// Credit of tries in which it goes first because of that.
  package var shortPresence = ShortPresenceCredit()
  /// Limit of taking stable wearables' slots as one that is on for seconds: a cuff in repeated use measures each two or
  /// three minutes.
  package var interruptions = TokenBucket(capacity: 4, period: .seconds(150))
  /// The last link was given up for another wearable, which has its turn first.
  package var gaveUpSlot = false
  /// The wearable was linked beside the lane, and its visit over that link is still to come.
  package var needsVisit = false
  /// Time since which it waits for the lane; nil while it does not.
  package var dueSince: Instant?
  /// Time when it first waited in this life of the hub; nil: never.
  package var firstDue: Instant?
  /// State that decides when it may be tried again.
  package var retry = BackOff()
  /// Whether it stores data: by its driver's family until a link shows otherwise. Read at every advertisement.
  package var holdsData = false
  /// End of the last completed visit; may be before the start of the hub.
  package var visitedAt: Instant?
  /// Last fetch of phases that a sync fetched since the last visit, and of phases that visits leave out.
  package var phasesAt: [String: Instant] = [:]
  /// Phases that visits leave out, or left out until now, without a known fetch.
  package var neverFetched: Set<String> = []
  /// A person requested a visit for everything, including what visits leave out.
  package var asksForAll = false
  /// The last visit left data that the next one continues with.
  package var resumes = false
  /// Seen again after an absence, and not visited since.
  package var returned = false
  /// The wearable reported over its link that it holds new data. A visit that begins clears this, as it will find that
  /// data.
  package var announced = false
  /// Time when an operator requested the visit that is still to come.
  package var askedAt: Instant?
  /// Start of the oldest data that it holds and the store does not; nil: no such data, or unknown.
  package var oldestUnfetched: Instant?
  package var memory = MemoryTrend()
  /// The last visit left its link open because it streams, or it always needs the link: a lost link is made again at
  /// once.
  package var keepsLink = false
  /// A wearable that stores data counts as streaming for this long after a value.
  package static let streaming: Duration = .seconds(60)
  /// Time when its last link ended.
  package var linkEndedAt: Instant?
  /// Ordered measurements that use it.
  package var measuring = MeasuringUse()
  /// Number of people's requests that wait for its visit.
  package var requests = 0
  /// An ordered sync is not over.
  package var isSyncing = false
  /// The wearable was unbound and is being removed: a visit would bind it again.
  package var isLeaving = false
  /// Time until which hearing it changes no decision of the lane.
  package var quietUntil: Instant?

  /// Time that a person at a terminal waits for a turn: an earlier wearable may finish its slice, and linking takes
  /// some seconds.
  package static let requestPatience: Duration = .seconds(180)

  package init() {}

  /// Class of reputation: that of the link; for a wearable that stores data, the worse of link and visits.
  package var grade: Reputation.Grade {
    holdsData ? max(reputation.grade, visitReputation.grade) : reputation.grade
  }

  /// Whether a person's order is to be carried out, other than to look or listen.
  package var isOrdered: Bool { measuring.isAny || requests > 0 || isSyncing }

  /// Returns when its link may be made; nil: at once.
  package func linksNotBefore(_ now: Instant) -> Instant? {
    [retry.notBefore(now), reputation.notBefore(now)].compactMap { $0 }.max()
  }

  /// Returns when it may be visited over a link; nil: at once.
  package func visitsNotBefore(_ now: Instant) -> Instant? {
    [retry.notBefore(now), visitReputation.notBefore(now)].compactMap { $0 }.max()
  }

  /// Returns when it may be tried, as it stands now; nil: at once.
  package func notBefore(_ now: Instant, needsLink: Bool) -> Instant? {
    if needsLink { return linksNotBefore(now) }
    return [linksNotBefore(now), visitReputation.notBefore(now)].compactMap { $0 }.max()
  }

  /// Notes that it is heard again after an absence.
  ///
  /// - Parameter absence: length of the silence; nil: unknown.
  package mutating func seenAgain(after absence: Duration? = nil) {
    retry.seenAgain()
    gaveUpSlot = false
    overstayed = false
    reputation.seenAgain(after: absence)
    visitReputation.seenAgain(after: absence)
    if absence.map({ $0 >= Reputation.renewal }) ?? true { shortPresence.renew() }
    returned = true
    quietUntil = nil
    // The wait begins again, as no wearable keeps its place in the line through an absence.
    dueSince = nil
  }

  /// Takes an operator's request for a visit: earlier waits end.
  package mutating func asked(_ now: Instant) {
    if askedAt == nil { askedAt = now }
    quietUntil = nil
    retry.asked()
    reputation.asked()
    visitReputation.asked()
  }

  /// Notes the end of a visit. A failure is passed to `retry` separately.
  ///
  /// - Parameters:
  ///   - scope: what it should fetch. The rest is as old as before, and a visit that is due for it is not delayed.
  ///   - isOfAll: it should fetch everything, so it answers a request for all.
  package mutating func visitEnded(
    _ outcome: VisitOutcome, _ now: Instant, _ scope: VisitScope = .all, isOfAll: Bool = true
  ) {
    dueSince = nil
    quietUntil = nil
    needsVisit = false
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
      // An operator's request goes on, after those that came meanwhile.
      if askedAt != nil { askedAt = now }
    case .interrupted, .broken, .silent:
      resumes = holdsData
      // A request survives one lost link, but ends with the series of tries.
      if retry.isCooling { requestEnded() }
    case .busy, .refused, .noRoom, .needsAttention, .abandoned: requestServed(isOfAll, now)
    }
  }

  /// Notes phases that a visit leaves out: they are as old as before it.
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

  /// Notes that a visit answered a request, unless everything was requested and it had a smaller scope.
  private mutating func requestServed(_ isOfAll: Bool, _ now: Instant) {
    if isOfAll || !asksForAll { requestEnded() } else { askedAt = askedAt ?? now }
  }

  /// Ends a person's request, answered or given up.
  package mutating func requestEnded() { (askedAt, asksForAll) = (nil, false) }

  /// Notes that it is linked and subscribed. Without a session that completes its turn; with one it is visited over
  /// this link.
  package mutating func wentLive(isVisited: Bool) {
    dueSince = nil
    if isVisited {
      needsVisit = true
    } else {
      requestEnded()
      returned = false
    }
  }
}
