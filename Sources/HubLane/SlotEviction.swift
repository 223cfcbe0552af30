// Which link is evicted if more wearables wait than there are slots, and from when on.

package import EventLoop
import HubModel

extension LaneTable {
  /// A visit has so long before it gives its slot to a recovering wearable: as much as an item of a few hundred bytes
  /// needs.
  private static let lastWords: Duration = .seconds(2)
  /// Each link has so long before it gives its slot to a first contact: the discovery, and a value.
  private static let firstWords: Duration = .seconds(6)
  /// What one that streams sends its first value in: straps measure once a second.
  private static let probation: Duration = .seconds(15)
  /// A wearable that is on for seconds is so for half a minute at most; twice that.
  private static let briefTime: Duration = .seconds(60)
  /// Half of what a cuff is heard for at the least: the rest is for its link, and a reading.
  private static let newcomerWait: Duration = .seconds(3)
  /// A link that brings something is left alone for so long by a wearable that waits for its visit's slot.
  package static let fairTurn: Duration = .seconds(12)

  /// The link that gives its slot up for `waiting`, and from when on. For a bonded wearable that is one of its own
  /// adapter.
  ///
  /// - Parameter fromAny: of any adapter all the same, but an idle link alone, which has to go first however many slots
  ///   are free.
  package func eviction(for waiting: LaneCandidate, waitingSince since: Instant, fromAny: Bool = false)
    -> (LaneCandidate, Instant)?
  {
    let holders = candidates.filter {
      (shares($0, waiting) && !isPassed(holder: $0) || fromAny && isIdle($0)) && !isPromised($0)
        && mayYield($0, to: waiting)
    }
    // Of links that are worth the same, one goes first that another adapter can make at once.
    let hasRoom = hasRoomElsewhere(than: waiting.bond)
    func rank(_ holder: LaneCandidate) -> (state: HolderState, level: Int, stays: Int, since: Instant) {
      let (state, level, since) = order(holder, to: waiting)
      return (state, level, hasRoom && holder.bond != .none ? 1 : 0, since)
    }
    guard let holder = holders.min(by: { rank($0) < rank($1) }) else { return nil }
    let state = state(holder, for: waiting)
    if state < .loose { return (holder, now) }
    for priority in waiting.slotClasses {
      let rule = PriorityRule.of(priority)
      let takeover = state == .visited ? rule.visit : state == .loose ? rule.loose : rule.steady
      guard let takeover else { continue }
      if takeover == .never { return nil }
      if let moment = moment(takeover, of: holder, for: waiting, since) { return (holder, moment) }
    }
    return nil
  }

  /// Its slot is for a bonded wearable, which takes no other.
  private func isPassed(holder: LaneCandidate) -> Bool { place(of: holder).map(passed.contains) ?? false }

  /// From when on the slot is taken; nil: not by this right.
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
      guard waiting.isSteady else { return afterSlice }
      return holder.hadPoorLinks ? now : max(since + scheduler.rules.slice, linked + Self.probation)
    case .afterSliceWithPatience:
      return waiting.askedAt != nil || mayTakeSteady(waiting, since) ? afterSlice : nil
    case .fromLessSteady: return waiting.level > holder.level ? now : nil
    case .asInterruption:
      return waiting.mayInterrupt ? max(now, newcomersEnd(before: waiting, since) ?? now) : nil
    }
  }

  /// Whether it may have the slot of a steady one, after a slice. One whose links cost more than they brought may not;
  /// if the slot of a visit is free soon it is waited for.
  private func mayTakeSteady(_ waiting: LaneCandidate, _ since: Instant) -> Bool {
    if waiting.needsLink, waiting.hadPoorLinks { return false }
    // A wearable that keeps its data loses nothing by a wait, and there are the slots of others.
    let patience = scheduler.rules.slice * (waiting.needsLink ? 3 : 10)
    let others = candidates.contains { $0.isLinked && !$0.isSteady && shares($0, waiting) }
    return waiting.isSteady || !others || now - since > patience
  }

  /// Until when a cuff that never gave a reading waits for others that never did and have just been linked: such links
  /// are made for seconds, and their slots are free before a strap that streams has to give up its own. nil: there are
  /// none, or it gave readings itself.
  private func newcomersEnd(before waiting: LaneCandidate, _ since: Instant) -> Instant? {
    if waiting.hasGivenReading { return nil }
    let newcomers = candidates.filter { $0.isLinked && $0.isBrief && !$0.hasGivenReading }
    return newcomers.map { min(linkedSince($0) + Self.firstWords, since + Self.newcomerWait) }.min()
  }

  /// The link of a visit that runs is the visit's to end, and that of a measurement is ended by its order.
  private func mayYield(_ holder: LaneCandidate, to waiting: LaneCandidate) -> Bool {
    guard holder.isLinked, !holder.isUsed(for: .measurement) else { return false }
    if !holder.isVisited { return true }
    // A visit keeps its link, but for a steady wearable that finds no slot, and for a first contact.
    if holder.isUsed(for: .visit) {
      return holder.askedAt == nil && !holder.isSteady && (waiting.isFirstContact || waiting.isRecovering)
    }
    // It is being settled, and was of no use so far: a wearable that was does not wait for that.
    return state(holder, for: waiting) == .useless
  }

  // MARK: In which order

  /// What is known of a link, those that are evicted first before the others.
  private enum HolderState: Int, Comparable {
    /// It delivered nothing, and the reputation of its wearable does not speak for it.
    case useless
    /// Its wearable keeps what it measures and has nothing to say.
    case idle
    /// It delivered nothing for a minute: its wearable is not worn, or does not respond.
    case silent
    /// Values come over it, and it was not steady so far, or has just fallen silent.
    case loose
    /// A visit runs over it.
    case visited
    case atWork

    static func < (a: HolderState, b: HolderState) -> Bool { a.rawValue < b.rawValue }
  }

  private func state(_ holder: LaneCandidate, for waiting: LaneCandidate) -> HolderState {
    if holder.isUsed(for: .watched) { return .atWork }
    let linked = now - linkedSince(holder)
    // A wearable that is on for seconds is at work as long as it is there.
    if holder.isBrief { return linked < Self.briefTime ? .atWork : .idle }
    if holder.isUsed(for: .visit) { return .visited }
    if holder.isUseless {
      let isOnProbation = linked < (waiting.isFirstContact ? Self.firstWords : Self.probation)
      // A wearable that gave its slot to it does not take it back before it had its time.
      let isBetter = waiting.isReturning || holder.linkStanding == .doubtful && waiting.linkStanding == .new
      if isBetter || !isOnProbation { return .useless }
    }
    let lastValue = holder.link?.lastValue
    let isStreaming = lastValue.map { now - $0 < LaneState.streaming } ?? false
    if !holder.needsLink, !isStreaming { return .idle }
    let quiet = now - max(lastValue ?? linkedSince(holder), linkedSince(holder))
    if !isStreaming, quiet >= LaneState.streaming { return .silent }
    return quiet >= Self.probation || !holder.isSteady ? .loose : .atWork
  }

  func isAtWork(_ holder: LaneCandidate, for waiting: LaneCandidate) -> Bool {
    state(holder, for: waiting) == .atWork
  }

  /// Links that are of no use first, then what keeps its data and has nothing to say, silent ones, and of the others
  /// what has been linked longest.
  private func order(_ holder: LaneCandidate, to waiting: LaneCandidate)
    -> (state: HolderState, level: Int, since: Instant)
  {
    let state = state(holder, for: waiting)
    return (state, state == .atWork ? holder.level : 0, linkedSince(holder))
  }

  /// Its link had time to bring a value, brought none and is not in use: any wearable that waits gets its slot.
  package func isIdle(_ holder: LaneCandidate) -> Bool {
    hadProbation(holder) && holder.link.map { $0.use.isEmpty } ?? false
  }

  /// Its link had time to bring a value and brought none.
  package func hadProbation(_ holder: LaneCandidate) -> Bool {
    holder.isLinked && holder.isUseless && now - linkedSince(holder) >= Self.probation
  }

  /// It is linked for longer than a wearable that is on for seconds stays.
  package func isBriefTimeOver(_ holder: LaneCandidate) -> Bool { now - linkedSince(holder) >= Self.briefTime }

  package func linkedSince(_ candidate: LaneCandidate) -> Instant { candidate.link?.since ?? now }
}
