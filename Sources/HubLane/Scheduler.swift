// Which wearable has the lane next: a pure function from candidates and the time to an order with reasons.

package import Custody
package import EventLoop
package import HubModel

/// The next step of the lane.
package struct Plan {
  package struct Place: Equatable {
    package let id: WearableID
    package let why: String
    package let trigger: VisitTrigger
    package let priority: PriorityClass
    /// Time before which it does not begin; nil: as soon as the lane is free, or the wearable is heard.
    package let notBefore: Instant?
  }
  package var next: WearableID?
  /// Time at which the plan changes without another event; nil: it does not.
  package var wakeAt: Instant?
}

/// The order of the lane, by priority class and deadline.
///
/// The order:
/// 1. Wearables that lost their link and still hold a slot.
/// 2. Wearables that are on for seconds only.
/// 3. Operator requests, oldest first.
/// 4. Recovering wearables, first contacts (the newest first), returning ones: see `PriorityClass`.
/// 5. The rest by deadline: the start of the wait plus the patience.
///
/// The more a wait would cost, the shorter is the patience. So a newcomer with little patience may overtake others, but
/// never one with an earlier deadline. After its turn or its slice a wearable waits again. Unresponsive wearables have
/// the longest patience. But no wearable starves: after its patience it waits for at most one turn of each other
/// (`longestWait`).
package struct Scheduler {
  package struct Rules {
    /// A present wearable that stores data is visited at least this often.
    package var visitBound: Duration = .seconds(900)
    /// A visit that ended this recently is not repeated, even if the wearable went away and came back.
    package var fresh: Duration = .seconds(120)
    /// Time that one wearable may hold the lane while others wait.
    package var slice: Duration = .seconds(45)
    /// A connect is only tried with a wearable heard this recently.
    package var freshness: Duration = .seconds(15)
    /// Time of a turn besides its slice: connecting and settling.
    package var overhead: Duration = .seconds(30)

    package init() {}
  }

  package var rules: Rules

  package init(rules: Rules = Rules()) { self.rules = rules }

  /// Chances before a memory is full, as each may fail.
  package static let chances = 4.0
  /// Age of data, in visit bounds, at which its wearable is as urgent as possible: six hours at 15 minutes.
  package static let oldData = 24.0
  /// Signal level (dBm) below which a fetch is slower and breaks more often: each decibel adds a second of patience …
  package static let goodSignal = -60.0
  /// … up to this limit, because a faint wearable must be visited, too.
  package static let faintPatience: Duration = .seconds(30)

  /// Longest wait of a present wearable that is due, among `count` of them: its patience, and then one turn of each
  /// other. Operator requests add a turn each.
  package func longestWait(among count: Int) -> Duration {
    rules.visitBound + Self.faintPatience + (rules.slice + rules.overhead) * count
  }

  // MARK: When

  /// Time when a visit is, or was, due; nil: no visit is wanted.
  package func dueAt(_ candidate: LaneCandidate, now: Instant) -> Instant? {
    if let asked = candidate.askedAt { return asked }
    if !candidate.holdsData { return candidate.isLinked ? nil : now }
    guard let since = candidate.sinceVisit, !candidate.resumes, !candidate.needsVisit,
      !candidate.staysLinked || candidate.isLinked
    else { return now }
    let last = now - since
    var due = last + (candidate.returned || candidate.announced ? min(rules.fresh, rules.visitBound) : rules.visitBound)
    if let hours = candidate.hoursToFull {
      let chance = Duration.milliseconds(Int64(min(max(hours, 0) / Self.chances, 1000) * 3_600_000))
      due = min(due, last + max(rules.fresh, min(chance, rules.visitBound)))
    }
    if let timed = candidate.timedAt, timed > last { due = min(due, timed) }
    return due
  }

  /// Whether a connect would find it, or it is linked already.
  package func isReachable(_ candidate: LaneCandidate, now: Instant) -> Bool {
    if candidate.isLinked { return true }
    guard candidate.isPresent, let heard = candidate.lastConnectable else { return false }
    return now - heard <= freshness(of: candidate)
  }

  /// Time within which it must have been heard. A wearable that is on for seconds advertises several times a second,
  /// and is off when it no longer does. An attempt with it then would keep the radio from the next one.
  package func freshness(of candidate: LaneCandidate) -> Duration {
    candidate.hasShortPresence ? min(Self.shortPresenceFreshness, rules.freshness) : rules.freshness
  }

  private static let shortPresenceFreshness: Duration = .seconds(3)

  /// Whether it waits: present, due, and without a back-off.
  package func waits(_ candidate: LaneCandidate, now: Instant) -> Bool {
    guard candidate.isPresent || candidate.isLinked, candidate.notBefore.map({ $0 <= now }) ?? true else {
      return false
    }
    return dueAt(candidate, now: now).map { $0 <= now } ?? false
  }

  /// Marks since when it waits, and until when hearing it changes no decision.
  package func mark(_ candidate: inout LaneCandidate, now: Instant) {
    guard waits(candidate, now: now) else {
      candidate.dueSince = nil
      let due = dueAt(candidate, now: now)
      candidate.quietUntil = candidate.isPresent ? due.map { max($0, candidate.notBefore ?? $0) } : nil
      return
    }
    // The place in the line stays while it is present, also through a gap in which it was not heard recently enough to
    // be connected.
    candidate.dueSince = candidate.dueSince ?? now
    candidate.firstDue = candidate.firstDue ?? now
    // While it can be connected, hearing it again changes no decision: the lane looks again on other events.
    let heard = candidate.lastConnectable.map { $0 + freshness(of: candidate) }
    candidate.quietUntil = heard.flatMap { isReachable(candidate, now: now) ? $0 : nil }
  }

  // MARK: Which one

  package func plan(_ candidates: [LaneCandidate], now: Instant) -> Plan {
    var plan = Plan()
    var best: LaneCandidate?
    for candidate in candidates where candidate.isPresent || candidate.isLinked {
      guard let due = dueAt(candidate, now: now) else { continue }
      let earliest = max(due, candidate.notBefore ?? due)
      if earliest > now {
        plan.wakeAt = plan.wakeAt.map { min($0, earliest) } ?? earliest
      } else if isReachable(candidate, now: now), best.map({ goesBefore(candidate, $0, now: now) }) ?? true {
        best = candidate
      }
    }
    plan.next = best?.id
    return plan
  }

  /// Whether the wearable that holds the lane should end its turn at the next point without loss.
  ///
  /// A long fetch goes on while no other wearable waits. Before its slice is over it ends only for an operator's
  /// request. A visit that an operator requested has its whole slice; after it, only another operator's request ends
  /// it.
  package func yields(
    _ holder: LaneCandidate, sliceUsed: Duration, to others: some Sequence<LaneCandidate>, now: Instant
  ) -> Bool {
    let isOver = sliceUsed >= rules.slice
    if holder.askedAt != nil, !isOver { return false }
    let onlyAsked = holder.askedAt != nil || !isOver
    return others.contains { other in
      other.id != holder.id && (!onlyAsked || other.askedAt != nil) && wants(other, now: now)
    }
  }

  /// Whether it would have its turn now if the lane were free. An unresponsive wearable takes no other's turn before
  /// its own deadline.
  package func wants(_ candidate: LaneCandidate, now: Instant) -> Bool {
    guard waits(candidate, now: now), isReachable(candidate, now: now) else { return false }
    return candidate.reputation != .doubtful || candidate.askedAt != nil || moment(candidate, now: now) <= now
  }

  /// Returns the wearables that wait now or later, in order.
  package func queue(_ candidates: [LaneCandidate], now: Instant) -> [Plan.Place] {
    let wanted = candidates.compactMap { candidate -> (candidate: LaneCandidate, at: Instant)? in
      guard candidate.isPresent || candidate.isLinked || candidate.askedAt != nil, let due = dueAt(candidate, now: now)
      else { return nil }
      return (candidate, max(due, candidate.notBefore ?? due, now))
    }
    let order = wanted.sorted { a, b in
      if a.at != b.at { return a.at < b.at }
      return goesBefore(a.candidate, b.candidate, now: now)
    }
    return order.map { candidate, at in
      Plan.Place(
        id: candidate.id, why: why(candidate, now: now), trigger: trigger(candidate),
        priority: candidate.priority, notBefore: at > now ? at : nil)
    }
  }

  private func goesBefore(_ a: LaneCandidate, _ b: LaneCandidate, now: Instant) -> Bool {
    // A wearable without a slot at the head of the line would keep a reserved slot from its wearable.
    if (a.linkClass == .reserved) != (b.linkClass == .reserved) { return a.linkClass == .reserved }
    // All others are still there a moment later.
    if a.hasShortPresence != b.hasShortPresence { return a.hasShortPresence }
    switch (a.askedAt, b.askedAt) {
    case (let first?, let second?): return (first, a.id.number) < (second, b.id.number)
    case (nil, nil) where a.linkClass != b.linkClass: return a.linkClass < b.linkClass
    // The newest goes first: each has one such turn, so it overtakes each other at most once.
    case (nil, nil) where a.linkClass == .firstContact:
      return (b.firstDue ?? now, a.id.number) < (a.firstDue ?? now, b.id.number)
    case (nil, nil): return (moment(a, now: now), a.id.number) < (moment(b, now: now), b.id.number)
    case (let asked, _): return asked != nil
    }
  }

  /// Deadline of its turn. Fixed while the wearable waits, except that urgency moves it closer.
  package func moment(_ candidate: LaneCandidate, now: Instant) -> Instant {
    (candidate.dueSince ?? now) + patience(candidate, now: now)
  }

  // MARK: How urgent

  /// Patience: how long it could wait. Zero to the visit bound, and a little more for a faint signal.
  package func patience(_ candidate: LaneCandidate, now: Instant) -> Duration {
    let faint = candidate.rssi.map { min(max(Self.goodSignal - $0, 0), Self.faintPatience.inSeconds) } ?? 0
    let base = urgency(candidate, now: now).patience
    return base + .milliseconds(Int64(faint * 1000))
  }

  private enum Cause { case live, memory, age, visit, never, mute, unstable }

  /// The most urgent cause. All causes are taken as they were at the start of its wait, so that it keeps its place.
  private func urgency(_ candidate: LaneCandidate, now: Instant) -> (patience: Duration, cause: Cause) {
    // The last of all, but still tried.
    if candidate.reputation == .doubtful { return (rules.visitBound, .mute) }
    if candidate.isUnstable { return (rules.visitBound, .unstable) }
    // A streaming wearable has no memory for values that are not received.
    if !candidate.holdsData || (candidate.staysLinked && !candidate.isLinked) { return (.zero, .live) }
    guard let since = candidate.sinceVisit else { return (.zero, .never) }
    let waited = candidate.dueSince.map { now - $0 } ?? .zero
    let bound = rules.visitBound.inSeconds
    var least = (seconds: max(0, bound - (since - waited).inSeconds), cause: Cause.visit)
    if let oldest = candidate.oldestUnfetched {
      let age = max(0, bound - (oldest - waited).inSeconds / Self.oldData)
      if age < least.seconds { least = (age, .age) }
    }
    if let hours = candidate.hoursToFull {
      // A full memory loses what comes next, however long it has been full.
      let memory = hours <= 0 ? 0 : (hours * 3600 + waited.inSeconds) / Self.chances
      if memory <= least.seconds { least = (memory, .memory) }
    }
    return (.milliseconds(Int64(min(least.seconds, bound) * 1000)), least.cause)
  }

  package func trigger(_ candidate: LaneCandidate) -> VisitTrigger {
    if candidate.askedAt != nil { return .operatorAsked }
    if candidate.resumes { return .resumption }
    if candidate.announced { return .announcement }
    return candidate.returned || candidate.sinceVisit == nil ? .seen : .schedule
  }

  /// The reason, for people.
  package func why(_ candidate: LaneCandidate, now: Instant) -> String {
    if candidate.askedAt != nil { return "requested by an operator" }
    switch urgency(candidate, now: now).cause {
    case .live: return "not linked"
    case .never: return "never visited"
    case .mute: return "no values came over its last link"
    case .unstable: return "its links took more time than they brought values"
    case .memory:
      let hours = candidate.hoursToFull ?? 0
      return hours <= 0
        ? "memory full" : "memory full in \(Self.text(.milliseconds(Int64(min(hours, 100_000) * 3_600_000))))"
    case .age: return "oldest data \(Self.text(candidate.oldestUnfetched ?? .zero))"
    case .visit:
      if candidate.resumes { return "goes on where it stopped" }
      if candidate.announced { return "announced something new" }
      if candidate.returned { return "seen again" }
      // In seconds the text would change every second, which would notify listeners for no reason.
      let since = candidate.sinceVisit ?? .zero
      return since < .seconds(60)
        ? "visited a moment ago"
        : "not visited for \(since < .seconds(120) ? "1 min" : Self.text(since))"
    }
  }

  /// `50 s`, `40 min`, `3 h`, `2 d`: the largest unit of which there are two, or one day and less in hours.
  package static func text(_ duration: Duration) -> String {
    let seconds = max(0, Int(duration.inSeconds))
    if seconds < 120 { return "\(seconds) s" }
    if seconds < 7200 { return "\(seconds / 60) min" }
    return seconds < 172_800 ? "\(seconds / 3600) h" : "\(seconds / 86_400) d"
  }
}
