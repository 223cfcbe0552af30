// How the class of a wearable follows from what is remembered of its links.

package import EventLoop
package import HubModel

/// What the rules below read, and what the lane remembers of the wearable.
package struct LinkHistory {
  package var lane: LaneState
  package var needsLink: Bool
  package var isBriefKind: Bool
  package var hasLink: Bool
  /// Values came over the link that it has.
  package var hasBrought: Bool
  /// With what its link brings now.
  package var steadiness: Steadiness
  /// Links and attempts since the hub started.
  package var links: UInt64
  package var attempts: UInt64

  package init(
    _ lane: LaneState, needsLink: Bool, isBriefKind: Bool, hasLink: Bool, hasBrought: Bool, steadiness: Steadiness,
    links: UInt64, attempts: UInt64
  ) {
    self.lane = lane
    self.needsLink = needsLink
    self.isBriefKind = isBriefKind
    self.hasLink = hasLink
    self.hasBrought = hasBrought
    self.steadiness = steadiness
    self.links = links
    self.attempts = attempts
  }

  /// The reputation of its link. For a wearable that is linked for its visits alone those count as well.
  package var linkStanding: Reputation.Standing { needsLink ? lane.reputation.standing : lane.standing }

  /// It needs its link, and was worth it, or is by what comes over it now: a first link may last for days. A wearable
  /// that is on for seconds is never steady.
  package var isSteady: Bool {
    needsLink && !isBriefKind && (lane.reputation.standing == .proven || hasBrought) && steadiness.isSteady
  }

  /// It is on for seconds after it measured, and keeps to that: it responds, did not stay, and gives readings.
  package var isBrief: Bool {
    isBriefKind && lane.reputation.standing != .doubtful && !lane.overstayed && lane.brief.isGood
  }

  /// It was never linked, and not tried more than once: each gets one chance before those that had theirs. A first link
  /// that the hub gave up for another wearable, before it had its time, was none.
  package var isFirstContact: Bool {
    guard !hasLink, lane.reputation.standing == .new else { return false }
    let given: UInt64 = lane.gaveUpSlot ? 1 : 0
    return links <= given && attempts <= given + 1
  }

  /// It was of use, needs its link, and its first tries since are under way or to come: no wearable that was not of use
  /// stands in its way. After these tries it has had its chance.
  package func isReturning(_ now: Instant) -> Bool {
    guard needsLink, !isBriefKind, lane.reputation.standing == .proven, !lane.gaveUpSlot else { return false }
    // While another device answers at its address no wearable waits for that.
    if lane.retry.disbelieved > 0 { return false }
    if steadiness.isPoor || lane.retry.failures > (steadiness.isSteady ? 3 : 1) { return false }
    // On a full adapter it waits for a slice like all others.
    let limit = steadiness.isSteady ? Self.recoveringTime : Self.returningTime
    if let since = lane.dueSince, now - since > limit { return false }
    return lane.linksNotBefore(now).map { $0 - now <= .seconds(2) } ?? true
  }

  /// A slot is reserved for it, though it has no link.
  package func hasReservedSlot(_ now: Instant) -> Bool {
    !hasLink && !lane.isHolder && lane.slotReservedUntil.map { now < $0 } ?? false
  }

  /// It lost its link a moment ago, and advertises again within that time.
  package func lostLinkLately(_ now: Instant) -> Bool {
    lane.linkEndedAt.map { now - $0 <= Self.returnTime } ?? false
  }

  /// An attempt, and half of one more.
  private static let returningTime: Duration = .seconds(15)
  /// Of one that was steady: four attempts and the waits between.
  private static let recoveringTime: Duration = .seconds(60)
  /// As long as a link that was lost may take to be back.
  private static let returnTime: Duration = .seconds(5)
  /// How long a slot is reserved. A wearer behind a pillar is back within it. A slot that is empty for so long costs
  /// less than the values of a wearable that finds it taken.
  package static let reservation: Duration = .seconds(30)
}

extension LaneCandidate {
  /// Takes over what is remembered of its links, as it stands at `now`.
  package mutating func take(_ history: LinkHistory, _ now: Instant) {
    let lane = history.lane
    needsLink = history.needsLink
    isBriefKind = history.isBriefKind
    holdsData = lane.holdsData
    isLinked = history.hasLink
    isBrief = history.isBrief
    askedAt = lane.askedAt
    linkStanding = history.linkStanding
    standing = isLinked ? lane.visitReputation.standing : linkStanding
    hadPoorLinks = lane.steadiness.isPoor
    isPoor = !isLinked && needsLink && hadPoorLinks
    isSteady = history.isSteady
    hasGivenReading = lane.brief.isEarned
    level = isBrief && !hasGivenReading ? -1 : history.steadiness.level
    isReturning = history.isReturning(now)
    isFirstContact = history.isFirstContact
    hasReservedSlot = history.hasReservedSlot(now)
    lostLinkLately = history.lostLinkLately(now)
    mayInterrupt = lane.interruptions.next(now) <= now
    hasTurn = lane.isHolder
    claim = isLinked ? .scheduled : lastLinkClass
    staysLinked = lane.keepsLink
    hoursToFull = lane.memory.hoursToFull(now)
    oldestUnfetched = lane.oldestUnfetched.map { now - $0 }
    resumes = lane.resumes
    owesVisit = lane.owesVisit
    returned = lane.returned
    announced = lane.announced
    dueSince = lane.dueSince
    firstDue = lane.firstDue
    quietUntil = lane.quietUntil
    // What a person asked for is tried now; only storms are held off, by the bucket of the hub.
    guard lane.askedAt == nil || lane.retry.failures > 0 else { return }
    notBefore = isLinked ? lane.visitsNotBefore(now) : lane.notBefore(now, needsLink: needsLink)
  }

  private var lastLinkClass: PriorityClass {
    if hasReservedSlot { return .reserved }
    if isRecovering { return .recovering }
    return isFirstContact ? .firstContact : isReturning ? .returning : .scheduled
  }
}
