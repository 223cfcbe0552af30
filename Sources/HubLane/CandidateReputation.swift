// Derivation of a wearable's class from the history of its links.

package import EventLoop
package import HubModel

/// History of a wearable's links: the input of the rules below, and the lane's state of the wearable.
package struct LinkHistory {
  package var lane: LaneState
  package var needsLink: Bool
  package var hasShortPresenceKind: Bool
  package var hasLink: Bool
  /// Values came over the open link.
  package var hasBrought: Bool
  /// Including the open link.
  package var stability: LinkStability
  /// Links and attempts since the hub started.
  package var links: UInt64
  package var attempts: UInt64

  package init(
    _ lane: LaneState, needsLink: Bool, hasShortPresenceKind: Bool, hasLink: Bool, hasBrought: Bool,
    stability: LinkStability,
    links: UInt64, attempts: UInt64
  ) {
    self.lane = lane
    self.needsLink = needsLink
    self.hasShortPresenceKind = hasShortPresenceKind
    self.hasLink = hasLink
    self.hasBrought = hasBrought
    self.stability = stability
    self.links = links
    self.attempts = attempts
  }

  /// The reputation of its link. For a wearable that is linked only for visits, that of visits counts as
  /// well.
  package var linkReputation: Reputation.Grade { needsLink ? lane.reputation.grade : lane.grade }

  /// Stable: needs its link, and was worth it, also by the values of the open link, as a first link may last for days.
  /// A wearable that is on for seconds is never stable.
  package var isStable: Bool {
    needsLink && !hasShortPresenceKind && (lane.reputation.grade == .proven || hasBrought) && stability.isStable
  }

  /// Short presence: on for seconds after it measured, with a reputation for that. So it responds, did not stay, and
  /// gives readings.
  package var hasShortPresence: Bool {
    hasShortPresenceKind && lane.reputation.grade != .doubtful && !lane.overstayed && lane.shortPresence.isGood
  }

  /// First contact: never linked, and tried once at most. Each wearable gets one such chance before those that had
  /// theirs. A first link that the hub gave up early for another wearable does not count.
  package var isFirstContact: Bool {
    guard !hasLink, lane.reputation.grade == .new else { return false }
    let given: UInt64 = lane.gaveUpSlot ? 1 : 0
    return links <= given && attempts <= given + 1
  }

  /// Returning: proven, needs its link, and the first tries since its loss are under way or to come. Unproven wearables
  /// do not delay it. After these tries it has had its chance.
  package func isReturning(_ now: Instant) -> Bool {
    guard needsLink, !hasShortPresenceKind, lane.reputation.grade == .proven, !lane.gaveUpSlot else { return false }
    // While another device answers at its address, no other wearable waits for it.
    if lane.retry.disbelieved > 0 { return false }
    if stability.isUnstable || lane.retry.failures > (stability.isStable ? 3 : 1) { return false }
    // On a full adapter it waits for a slice like all others.
    let limit = stability.isStable ? Self.recoveringTime : Self.returningTime
    if let since = lane.dueSince, now - since > limit { return false }
    return lane.linksNotBefore(now).map { $0 - now <= .seconds(2) } ?? true
  }

  /// A slot is reserved for it while it has no link.
  package func hasReservedSlot(_ now: Instant) -> Bool {
    !hasLink && !lane.isHolder && lane.slotReservedUntil.map { now < $0 } ?? false
  }

  /// Whether it lost its link so recently that it may advertise again soon.
  package func lostLinkLately(_ now: Instant) -> Bool {
    lane.linkEndedAt.map { now - $0 <= Self.returnTime } ?? false
  }

  /// The length of one and a half attempts.
  private static let returningTime: Duration = .seconds(15)
  /// The same for a stable wearable: four attempts and the waits between.
  private static let recoveringTime: Duration = .seconds(60)
  /// Time that a lost link may take to be back.
  private static let returnTime: Duration = .seconds(5)
  /// Time for which a slot is reserved. A wearer behind a pillar is back within it. An empty slot for that time costs
  /// less than the lost values of a wearable that finds its slot taken.
  package static let reservation: Duration = .seconds(30)
}

extension LaneCandidate {
  /// Takes the history of its links, as it is at `now`.
  package mutating func take(_ history: LinkHistory, _ now: Instant) {
    let lane = history.lane
    needsLink = history.needsLink
    hasShortPresenceKind = history.hasShortPresenceKind
    holdsData = lane.holdsData
    isLinked = history.hasLink
    hasShortPresence = history.hasShortPresence
    askedAt = lane.askedAt
    linkReputation = history.linkReputation
    reputation = isLinked ? lane.visitReputation.grade : linkReputation
    hadUnstableLinks = lane.stability.isUnstable
    isUnstable = !isLinked && needsLink && hadUnstableLinks
    isStable = history.isStable
    hasGivenReading = lane.shortPresence.isEarned
    level = hasShortPresence && !hasGivenReading ? -1 : history.stability.level
    isReturning = history.isReturning(now)
    isFirstContact = history.isFirstContact
    hasReservedSlot = history.hasReservedSlot(now)
    lostLinkLately = history.lostLinkLately(now)
    mayInterrupt = lane.interruptions.next(now) <= now
    hasTurn = lane.isHolder
    linkClass = isLinked ? .scheduled : lastLinkClass
    staysLinked = lane.keepsLink
    hoursToFull = lane.memory.hoursToFull(now)
    oldestUnfetched = lane.oldestUnfetched.map { now - $0 }
    resumes = lane.resumes
    needsVisit = lane.needsVisit
    returned = lane.returned
    announced = lane.announced
    dueSince = lane.dueSince
    firstDue = lane.firstDue
    quietUntil = lane.quietUntil
    // A person's request is tried now; only the hub's bucket limits storms.
    guard lane.askedAt == nil || lane.retry.failures > 0 else { return }
    notBefore = isLinked ? lane.visitsNotBefore(now) : lane.notBefore(now, needsLink: needsLink)
  }

  private var lastLinkClass: PriorityClass {
    if hasReservedSlot { return .reserved }
    if isRecovering { return .recovering }
    return isFirstContact ? .firstContact : isReturning ? .returning : .scheduled
  }
}
