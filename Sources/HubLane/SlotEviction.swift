// Which link is evicted if more wearables wait than there are slots, and from when on.

package import EventLoop
import HubModel

extension LaneTable {
  /// A visit keeps its slot from a recovering wearable for this long: as long as an item of a few hundred bytes needs.
  private static let lastWords: Duration = .seconds(2)
  /// Each link keeps its slot from a first contact for this long: the discovery, and a value.
  private static let firstWords: Duration = .seconds(6)
  /// Time in which a streaming wearable sends its first value: straps measure once a second.
  private static let probation: Duration = .seconds(15)
  /// Limit for a wearable that is on for seconds: twice the half minute for which it is on at most.
  private static let shortPresenceTime: Duration = .seconds(60)
  /// Half of the shortest time for which a cuff is heard: the rest is for its link, and a reading.
  private static let newcomerWait: Duration = .seconds(3)
  /// A link with data keeps its slot for this long from a wearable that waits for the visit's slot.
  package static let fairTurn: Duration = .seconds(12)

  /// The link that gives its slot up for `waiting`, and from when on. For a bonded wearable it is a link of its own
  /// adapter.
  ///
  /// - Parameter fromAny: of any adapter, but only an idle link, which has to go first however many slots are free.
  package func eviction(for waiting: LaneCandidate, waitingSince since: Instant, fromAny: Bool = false)
    -> (LaneCandidate, Instant)?
  {
    let holders = candidates.filter {
      (shares($0, waiting) && !isPassed(holder: $0) || fromAny && isIdle($0)) && !isPromised($0)
        && mayYield($0, to: waiting)
    }
    // Of otherwise equal links, one goes first that another adapter can make again at once.
    let hasRoom = hasRoomElsewhere(than: waiting.bond)
    func evictionOrder(_ holder: LaneCandidate) -> (state: HolderState, level: Int, stays: Int, since: Instant) {
      let (state, level, since) = order(holder, to: waiting)
      return (state, level, hasRoom && holder.bond != .none ? 1 : 0, since)
    }
    guard let holder = holders.min(by: { evictionOrder($0) < evictionOrder($1) }) else { return nil }
    let state = state(holder, for: waiting)
    if state < .unstable { return (holder, now) }
    for priority in waiting.slotClasses {
      let rule = PriorityRule.of(priority)
      let takeover = state == .visited ? rule.visit : state == .unstable ? rule.unstable : rule.stable
      guard let takeover else { continue }
      if takeover == .never { return nil }
      if let moment = moment(takeover, of: holder, for: waiting, since) { return (holder, moment) }
    }
    return nil
  }

  /// Whether its slot is for a bonded wearable, which takes no other.
  private func isPassed(holder: LaneCandidate) -> Bool { place(of: holder).map(passed.contains) ?? false }

  /// Returns from when on the slot is taken; nil: not by this right.
  private func moment(
    _ takeover: PriorityRule.Takeover, of holder: LaneCandidate, for waiting: LaneCandidate, _ since: Instant
  ) -> Instant? {
    let linked = linkedSince(holder)
    let afterSlice = max(since, linked) + scheduler.rules.slice
    switch takeover {
    case .never: return nil
    case .atOnce: return now
    case .afterLastWords: return since + Self.lastWords
    case .afterFirstWords: return max(now, linked + Self.firstWords)
    case .afterFairTurn: return max(now, linked + Self.fairTurn)
    case .afterSlice:
      guard waiting.isStable else { return afterSlice }
      return holder.hadUnstableLinks ? now : max(since + scheduler.rules.slice, linked + Self.probation)
    case .afterSliceWithPatience:
      return waiting.askedAt != nil || mayTakeStable(waiting, since) ? afterSlice : nil
    case .fromLessStable: return waiting.level > holder.level ? now : nil
    case .asInterruption:
      return waiting.mayInterrupt ? max(now, newcomersEnd(before: waiting, since) ?? now) : nil
    }
  }

  /// Whether it may have a stable wearable's slot, after a slice. Not after links that cost more than they brought. If
  /// other slots are held by links that are not stable, it waits for one of those.
  private func mayTakeStable(_ waiting: LaneCandidate, _ since: Instant) -> Bool {
    if waiting.needsLink, waiting.hadUnstableLinks { return false }
    // A wearable with memory loses no data by waiting, and there are other slots.
    let patience = scheduler.rules.slice * (waiting.needsLink ? 3 : 10)
    let others = candidates.contains { $0.isLinked && !$0.isStable && shares($0, waiting) }
    return waiting.isStable || !others || now - since > patience
  }

  /// Returns until when a cuff without any reading waits for other cuffs that were just linked, also without a reading.
  /// Such links last for seconds, so their slots are free before a streaming strap yields. nil without such links, or
  /// after readings of this cuff.
  private func newcomersEnd(before waiting: LaneCandidate, _ since: Instant) -> Instant? {
    if waiting.hasGivenReading { return nil }
    let newcomers = candidates.filter { $0.isLinked && $0.hasShortPresence && !$0.hasGivenReading }
    return newcomers.map { min(linkedSince($0) + Self.firstWords, since + Self.newcomerWait) }.min()
  }

  /// A running visit or measurement ends its link itself.
  private func mayYield(_ holder: LaneCandidate, to waiting: LaneCandidate) -> Bool {
    guard holder.isLinked, !holder.isUsed(for: .measurement) else { return false }
    if !holder.isVisited { return true }
    // A visit keeps its link, except for a stable wearable without a slot, and for a first contact.
    if holder.isUsed(for: .visit) {
      return holder.askedAt == nil && !holder.isStable && (waiting.isFirstContact || waiting.isRecovering)
    }
    // The link is being settled, and its wearable is not proven: a proven one does not wait for that.
    return state(holder, for: waiting) == .useless
  }

  // MARK: In which order

  /// States of a link, in the order of eviction.
  private enum HolderState: Int, Comparable {
    /// The link delivered no data, and its wearable's reputation is not good.
    case useless
    /// The wearable stores its data, and is sending no values.
    case idle
    /// The link delivered no data for a minute: its wearable is not worn, or does not respond.
    case silent
    /// Values come over it, but its wearable is not stable, or has just fallen silent.
    case unstable
    /// A visit runs over it.
    case visited
    case atWork

    static func < (a: HolderState, b: HolderState) -> Bool { a.rawValue < b.rawValue }
  }

  private func state(_ holder: LaneCandidate, for waiting: LaneCandidate) -> HolderState {
    if holder.isUsed(for: .watched) { return .atWork }
    let linked = now - linkedSince(holder)
    // A wearable that is on for seconds is in use as long as it is there.
    if holder.hasShortPresence { return linked < Self.shortPresenceTime ? .atWork : .idle }
    if holder.isUsed(for: .visit) { return .visited }
    if holder.isUseless {
      let isOnProbation = linked < (waiting.isFirstContact ? Self.firstWords : Self.probation)
      // A wearable that yielded its slot to this one does not take it back early.
      let isBetter = waiting.isReturning || holder.linkReputation == .doubtful && waiting.linkReputation == .new
      if isBetter || !isOnProbation { return .useless }
    }
    let lastValue = holder.link?.lastValue
    let isStreaming = lastValue.map { now - $0 < LaneState.streaming } ?? false
    if !holder.needsLink, !isStreaming { return .idle }
    let quiet = now - max(lastValue ?? linkedSince(holder), linkedSince(holder))
    if !isStreaming, quiet >= LaneState.streaming { return .silent }
    return quiet >= Self.probation || !holder.isStable ? .unstable : .atWork
  }

  func isAtWork(_ holder: LaneCandidate, for waiting: LaneCandidate) -> Bool {
    state(holder, for: waiting) == .atWork
  }

  /// Useless links first, then idle ones of wearables with memory, then silent ones; of the others those that have been
  /// linked longest.
  private func order(_ holder: LaneCandidate, to waiting: LaneCandidate)
    -> (state: HolderState, level: Int, since: Instant)
  {
    let state = state(holder, for: waiting)
    return (state, state == .atWork ? holder.level : 0, linkedSince(holder))
  }

  /// Whether its link had time to bring a value, brought no value, and is not in use: any waiting wearable gets its
  /// slot.
  package func isIdle(_ holder: LaneCandidate) -> Bool {
    hadProbation(holder) && holder.link.map { $0.use.isEmpty } ?? false
  }

  /// Whether its link had time to bring a value and brought no value.
  package func hadProbation(_ holder: LaneCandidate) -> Bool {
    holder.isLinked && holder.isUseless && now - linkedSince(holder) >= Self.probation
  }

  /// Whether it is linked for longer than a wearable stays that is on for seconds.
  package func isShortPresenceOver(_ holder: LaneCandidate) -> Bool {
    now - linkedSince(holder) >= Self.shortPresenceTime
  }

  package func linkedSince(_ candidate: LaneCandidate) -> Instant { candidate.link?.since ?? now }
}
