// Consequences of the end of a visit or of a link: trouble, the next try, what is stored.

import Bluetooth
import EventLoop
import Reasons
import RingStore
import Wearable

/// Applies the consequences of an end. Has no state: the wearable holds the trouble, and the lane the wait.
@LoopActor
struct VisitOutcomes {
  let context: HubContext
  let registry: Registry
  let lane: Lane
  let bonds: Bonds
  let orders: VisitOrders

  // MARK: Ends

  /// Handles a link that failed or is useless, without a visit over it.
  func noLink(_ wearable: EnrolledWearable, _ trouble: HearthError, _ error: LinkError?) {
    lane.noteFailure(wearable, trouble, error.map { .link($0) } ?? .refused)
    // Such a wearable is off as soon as it was used. The try counts all the same: a device that advertises and does not
    // connect must not keep the radio from the others.
    if wearable.hasShortPresence, error == .notHeard {
      wearable.trouble = nil
      return context.changes.happened(.linkLeft(wearable))
    }
    // A request survives one failed link, but ends with the series of tries.
    if wearable.lane.retry.isCooling { wearable.lane.requestEnded() }
    context.changes.happened(.linkLost(wearable, trouble))
    let isGivenUp = wearable.lane.retry.isCooling || trouble.reason.needsPerson
    if isGivenUp { context.changes.happened(.visitFailed(wearable, trouble)) }
  }

  /// Handles a device that failed the identity check, which is no evidence about the wearable itself. The address is
  /// checked again every few seconds at first, so that the true wearable is found when it is back. No other wearable
  /// waits for it.
  func notBelieved(_ wearable: EnrolledWearable, _ suspicion: Suspicion) {
    let trouble = suspicion.trouble
    // A key that is renewed needs a new link at once.
    let isRenewed = bonds.isUnpairable(wearable)
    lane.noteFailure(wearable, trouble, suspicion.link.flatMap { isRenewed ? .link($0) : nil } ?? .disbelieved)
    if wearable.lane.retry.disbelieved > BackOff.quickLooks { wearable.lane.requestEnded() }
    context.changes.happened(.linkLost(wearable, trouble))
    // `Bonds` reports a lost key.
    if trouble.reason.needsPerson, trouble.reason != .keyMissing {
      context.changes.happened(.visitFailed(wearable, trouble))
    }
  }

  /// Handles a wearable that is on for seconds and hung up after its values: no fault, and no loss.
  func leftInOrder(_ wearable: EnrolledWearable) {
    wearable.lane.retry.succeeded()
    wearable.trouble = nil
    context.changes.happened(.linkLeft(wearable))
    context.changes.raise(.shown)
    context.changes.raise(.lane)
  }

  /// Handles the end of a visit: the choice of the next one, and the trouble to show.
  ///
  /// - Parameters:
  ///   - hasBrought: an item became durable in it, or enough bytes came to count for the wearable's reputation.
  ///   - hadItsTime: it could have brought data before its turn was over.
  ///   - scope: its scope, as far as that was fetched.
  ///   - isOfAll: its scope was everything.
  func visitEnded(
    _ wearable: EnrolledWearable, _ end: VisitEnd, hasBrought: Bool = false, hadItsTime: Bool = true,
    scope: VisitScope = .all, isOfAll: Bool = true
  ) {
    let now = context.loop.now
    let wall = context.loop.wall
    let consequence = end.outcome.consequence
    context.tally.visits[end.outcome, default: 0] += 1
    let oldest = wearable.visits.oldestUnfetched(now: wall, leftOut: wearable.leftOutPhases(context.options))
    wearable.lane.oldestUnfetched = oldest.map { now - (wall - $0) }
    if let failure = end.failure {
      lane.noteFailure(
        wearable, end.trouble ?? Self.trouble(of: wearable, end), failure, isVisit: true, hasBrought: hasBrought)
      if !consequence.isTrouble { wearable.trouble = nil }
    } else if wearable.trouble?.reason.staysWithItems == true {
      wearable.trouble = nil
    }
    if end.outcome == .sliceOver, !hasBrought, hadItsTime { lane.turnCameToNothing(wearable) }
    if hasBrought {
      wearable.lane.visitReputation.proved()
      wearable.lane.shortPresence.gaveReading()
    }
    wearable.lane.visitEnded(end.outcome, now, scope, isOfAll: isOfAll)
    if wearable.settleTakenAgain(end.outcome, scope) { registry.persistIfEnrolled(wearable) }
    if end.trouble?.reason == .keyMissing { bonds.keyIsMissing(wearable) }
    tell(wearable, end)
    wearable.trouble = remaining(wearable)
    if let beside = end.beside { wearable.trouble = wearable.trouble?.telling(beside) ?? beside }
    if consequence.dips { context.changes.raise(.visitDone) }
    context.logger.info("visit ended", metadata: ["DEVICE": "\(wearable.name)", "OUTCOME": "\(end.outcome.name)"])
    context.changes.raise(.shown)
  }

  /// Reports the end as an event. `Bonds` reports a lost key.
  private func tell(_ wearable: EnrolledWearable, _ end: VisitEnd) {
    if end.outcome.consequence.isTrouble, end.trouble?.reason != .keyMissing {
      context.changes.happened(.visitFailed(wearable, end.trouble ?? Self.trouble(of: wearable, end)))
    }
    if let beside = end.beside { context.changes.happened(.visitFailed(wearable, beside)) }
    if wearable.link != nil { return }
    context.changes.happened(end.trouble.map { .linkLost(wearable, $0) } ?? .linkLeft(wearable))
  }

  /// The trouble to show after a visit.
  private func remaining(_ wearable: EnrolledWearable) -> HearthError? {
    let trouble = wearable.trouble
    // Work that goes on without a key is no reason to hide its loss.
    if trouble?.reason.staysWithItems ?? true, bonds.isLost(wearable.address) {
      return bonds.trouble(of: wearable)
    }
    if let trouble { return trouble }
    // The wearable's memory fills up, and only a person can solve that.
    if wearable.choices.erasing.keepsWhatWasRemoved(circumstances(of: wearable)) {
      return HearthError(.eraseIneffective, "\(wearable.name) keeps what it was ordered to remove")
    }
    return lasting(wearable)
  }

  /// The text for people, if the end has no trouble of its own.
  static func trouble(of wearable: EnrolledWearable, _ end: VisitEnd) -> HearthError {
    HearthError(.visitBroken, "\(wearable.name): a visit ended: \(end.outcome.name)")
  }

  // MARK: Lasting troubles

  /// A lasting trouble, until a person solves it: items that cannot be read. nil: no such trouble.
  func lasting(_ wearable: EnrolledWearable) -> HearthError? {
    // Custody that cannot be read is reported by the visit that needs it.
    try? wearable.visits.book.load()
    let (name, book) = (wearable.name, wearable.visits.book)
    let (locked, defective) = (book.locked.count, book.defective.count)
    let torn =
      defective == 1
      ? "a file of \(name) cannot be read; it is kept as it is"
      : "\(defective) files of \(name) cannot be read; they are kept as they are"
    if locked == 0 { return defective == 0 ? nil : HearthError(.itemDefective, torn) }
    let what = locked == 1 ? "a file of \(name) is" : "\(locked) files of \(name) are"
    let key = wearable.choices.orders.secret == nil ? "no key" : "another key"
    let text = "\(what) encrypted, and the hub has \(key)"
    return HearthError(.itemLocked, defective == 0 ? text : "\(text); \(torn)")
  }

  /// The circumstances that decide whether removals are worth a try.
  func circumstances(of wearable: EnrolledWearable) -> ErasingNotes.Circumstances {
    ErasingNotes.Circumstances(
      booted: wearable.visits.booted, firmware: wearable.fact("firmware"), now: context.loop.wall)
  }

  /// Reads the log of visits for enrolled wearables: their clocks, and their last visits.
  func remember() {
    // The whole log, as a wearable that was away for days has many visits of others after its last one.
    guard let visits = try? context.store.recentVisits(10_000) else { return }
    for wearable in registry.all { remember(visits.reversed().filter { $0.wearable == wearable.id }, of: wearable) }
  }

  /// - Parameter visits: its own, the oldest first.
  private func remember(_ visits: [VisitRecord], of wearable: EnrolledWearable) {
    wearable.visits.clock = ClockKeeper(
      visits, boot: context.store.bootID, disowned: wearable.remembered(DisownedClock.self))
    wearable.visits.last = visits.last
    // The next visit looks at its items again; those that could not be read in the last one stay until then.
    if let last = visits.last, let reason = Reason(rawValue: last.outcome), reason.staysWithItems,
      wearable.trouble == nil
    {
      wearable.trouble = HearthError(reason, last.remark)
    }
    let done = visits.filter { $0.ended != nil && $0.laneOutcome == VisitOutcome.done.rawValue }
    if done.isEmpty { return }
    // An operator's request may have been for a part of its data; a complete listing was not.
    let whole = done.last { $0.isListed || $0.trigger != VisitTrigger.operatorAsked.rawValue }
    let age = whole?.ended.map { context.loop.wall - $0 }
    // A wall clock that was set since then delays no visit beyond its time without the log.
    if let age, age >= .zero { wearable.lane.visitedAt = context.loop.now - age }
    let full = done.last(where: \.isListed)?.ended.map { context.loop.now - (context.loop.wall - $0) }
    wearable.rememberLeftOut(wholeAt: whole?.ended, fullAt: full.flatMap { $0 <= context.loop.now ? $0 : nil })
    rememberSync(of: wearable)
    wearable.lane.reputation.remembered()
    wearable.lane.visitReputation.remembered()
  }
}

extension VisitOutcomes {
  /// Phases that the last sync fetched completely are as old as that.
  private func rememberSync(of wearable: EnrolledWearable) {
    guard let state = wearable.remembered(KeptSync.self)?.snapshot(of: wearable.name, wearable.driver),
      let ended = state.ended, state.request.isOfAllTimes
    else { return }
    let age = context.loop.wall - ended
    let at = context.loop.now - age
    if age < .zero { return }
    let lane = wearable.lane
    for id in state.domains.filter(\.isWhole).map(\.id) {
      let before = lane.neverFetched.contains(id) ? nil : lane.phasesAt[id] ?? lane.visitedAt
      if before.map({ $0 >= at }) ?? false { continue }
      wearable.lane.phasesAt[id] = at
      wearable.lane.neverFetched.remove(id)
    }
  }
}

extension Reason {
  /// Shown as long as the wearable holds the item in question.
  var staysWithItems: Bool { self == .itemLocked || self == .itemDefective }
}
