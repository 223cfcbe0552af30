// What the end of a visit or of a link leads to: trouble, the next try, what is remembered.

import Bluetooth
import EventLoop
import Reasons
import RingStore
import Wearable

/// Says what follows an end. Keeps nothing: it is the wearable that has trouble, and the lane that waits.
@LoopActor
struct VisitOutcomes {
  let context: HubContext
  let registry: Registry
  let lane: Lane
  let bonds: Bonds
  let orders: VisitOrders

  // MARK: Ends

  /// There is no link, or it is of no use; no visit was made over it.
  func noLink(_ wearable: EnrolledWearable, _ trouble: HearthError, _ error: LinkError?) {
    lane.noteFailure(wearable, trouble, error.map { .link($0) } ?? .refused)
    // It is gone as soon as it was used. The try counts all the same: one that says that it is there, and is not, must
    // not keep the radio from the others.
    if wearable.isBrief, error == .notHeard {
      wearable.trouble = nil
      return context.changes.happened(.linkLeft(wearable))
    }
    // A request is not given up for one link that could not be made, but it ends with the tries.
    if wearable.lane.retry.isCooling { wearable.lane.requestEnded() }
    context.changes.happened(.linkLost(wearable, trouble))
    let isGivenUp = wearable.lane.retry.isCooling || trouble.reason.needsPerson
    if isGivenUp { context.changes.happened(.visitFailed(wearable, trouble)) }
  }

  /// What answers at its address is not believed to be it: no evidence about the wearable itself. It is looked at again
  /// every few seconds at first, so that the true one is found when it is back, and nobody else waits for it.
  func notBelieved(_ wearable: EnrolledWearable, _ suspicion: Suspicion) {
    let trouble = suspicion.trouble
    // A key that is renewed needs a new link at once.
    let isRenewed = bonds.isUnpairable(wearable)
    lane.noteFailure(wearable, trouble, suspicion.link.flatMap { isRenewed ? .link($0) : nil } ?? .disbelieved)
    if wearable.lane.retry.disbelieved > BackOff.quickLooks { wearable.lane.requestEnded() }
    context.changes.happened(.linkLost(wearable, trouble))
    // A lost key is told by who keeps the keys.
    if trouble.reason.needsPerson, trouble.reason != .keyMissing {
      context.changes.happened(.visitFailed(wearable, trouble))
    }
  }

  /// A wearable that is there for seconds hung up after it was heard: nothing is wrong, and nothing was lost.
  func leftInOrder(_ wearable: EnrolledWearable) {
    wearable.lane.retry.succeeded()
    wearable.trouble = nil
    context.changes.happened(.linkLeft(wearable))
    context.changes.raise(.shown)
    context.changes.raise(.lane)
  }

  /// A visit ended: the choice of the next one, the trouble that is shown.
  ///
  /// - Parameters:
  ///   - hasBrought: an item became durable in it, or so many bytes came as speak for the wearable.
  ///   - hadItsTime: it could have brought something before its turn was over.
  ///   - scope: what it was to bring, as far as that came.
  ///   - isOfAll: it was to bring everything.
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
      wearable.lane.brief.gaveReading()
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

  /// What is written down of it. A lost key is told by who keeps the keys.
  private func tell(_ wearable: EnrolledWearable, _ end: VisitEnd) {
    if end.outcome.consequence.isTrouble, end.trouble?.reason != .keyMissing {
      context.changes.happened(.visitFailed(wearable, end.trouble ?? Self.trouble(of: wearable, end)))
    }
    if let beside = end.beside { context.changes.happened(.visitFailed(wearable, beside)) }
    if wearable.link != nil { return }
    context.changes.happened(end.trouble.map { .linkLost(wearable, $0) } ?? .linkLeft(wearable))
  }

  /// The trouble that is shown after a visit.
  private func remaining(_ wearable: EnrolledWearable) -> HearthError? {
    let trouble = wearable.trouble
    // Work that goes on without a key is no reason to be silent about it.
    if trouble?.reason.staysWithItems ?? true, bonds.isLost(wearable.address) {
      return bonds.trouble(of: wearable)
    }
    if let trouble { return trouble }
    // Its memory fills, and only a person can mend that.
    if wearable.choices.erasing.keepsWhatWasRemoved(circumstances(of: wearable)) {
      return HearthError(.eraseIneffective, "\(wearable.name) keeps what it was told to remove")
    }
    return lasting(wearable)
  }

  /// For people, where an end says nothing itself.
  static func trouble(of wearable: EnrolledWearable, _ end: VisitEnd) -> HearthError {
    HearthError(.visitBroken, "\(wearable.name): a visit ended: \(end.outcome.name)")
  }

  // MARK: What stays

  /// Trouble that stays, visit after visit, until a person mends it: what it holds cannot be read. nil where there is
  /// none.
  func lasting(_ wearable: EnrolledWearable) -> HearthError? {
    // A book that cannot be read says nothing; the visit that needs it says why.
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

  /// Under which removals are worth a try, or not.
  func circumstances(of wearable: EnrolledWearable) -> ErasingNotes.Circumstances {
    ErasingNotes.Circumstances(
      booted: wearable.visits.booted, firmware: wearable.fact("firmware"), now: context.loop.wall)
  }

  /// Reads what the log of visits says about those who are enrolled: their clocks, and when they were visited.
  func remember() {
    // All that the log keeps: of a wearable that is away for days others' visits are many since its last one.
    guard let visits = try? context.store.recentVisits(10_000) else { return }
    for wearable in registry.all { remember(visits.reversed().filter { $0.wearable == wearable.id }, of: wearable) }
  }

  /// - Parameter visits: its own, the oldest first.
  private func remember(_ visits: [VisitRecord], of wearable: EnrolledWearable) {
    wearable.visits.clock = ClockKeeper(
      visits, boot: context.store.bootID, disowned: wearable.remembered(DisownedClock.self))
    wearable.visits.last = visits.last
    // What it holds is looked at again in its next visit; what could not be read in the last one is there until then.
    if let last = visits.last, let reason = Reason(rawValue: last.outcome), reason.staysWithItems,
      wearable.trouble == nil
    {
      wearable.trouble = HearthError(reason, last.remark)
    }
    let done = visits.filter { $0.ended != nil && $0.laneOutcome == VisitOutcome.done.rawValue }
    if done.isEmpty { return }
    // What a person asked for may have been some of what it keeps; what listed everything was not.
    let whole = done.last { $0.isListed || $0.trigger != VisitTrigger.operatorAsked.rawValue }
    let age = whole?.ended.map { context.loop.wall - $0 }
    // A wall clock that was set since then makes no visit come later than it would without the log.
    if let age, age >= .zero { wearable.lane.visitedAt = context.loop.now - age }
    let full = done.last(where: \.isListed)?.ended.map { context.loop.now - (context.loop.wall - $0) }
    wearable.rememberLeftOut(wholeAt: whole?.ended, fullAt: full.flatMap { $0 <= context.loop.now ? $0 : nil })
    rememberSync(of: wearable)
    wearable.lane.reputation.remembered()
    wearable.lane.visitReputation.remembered()
  }
}

extension VisitOutcomes {
  /// What the last sync brought whole is as old as that.
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
  /// Told as long as the wearable holds what it is about.
  var staysWithItems: Bool { self == .itemLocked || self == .itemDefective }
}
