// Failed tries: the next try, the effect on reputation, and what people are shown.

import EventLoop
import HubLane
import Reasons
import Wearable

extension Lane {
  /// Notes a failed try, and applies its consequences.
  ///
  /// - Parameter isVisit: the failure counts against the reputation of visits, as there was one.
  /// - Parameter hasBrought: the try delivered data all the same.
  func noteFailure(
    _ wearable: EnrolledWearable, _ trouble: HearthError, _ failure: TryFailure, isVisit: Bool = false,
    hasBrought: Bool = false
  ) {
    // The next link is made without a key, and does not require one.
    let isFailedPairing = if case .link(let error) = failure { error.isFailedPairing } else { false }
    let isMended = isFailedPairing && bonds.isUnpairable(wearable)
    let failure = isMended ? TryFailure.link(.keyMissing) : failure
    var shown = trouble
    let isForeground = isAwaited(wearable)
    let before = wearable.lane.retry.failures
    let squatted = registry.all.count { $0 === wearable || $0.lane.retry.disbelieved > 0 }
    let policy = pace.failed(
      &wearable.lane.retry, failure, context.loop.now, isForeground: isForeground, squatted: squatted)
    if !hasBrought, failure.countsAgainst(after: before) { noteFailedTry(wearable, isVisit: isVisit) }
    if failure == .link(.timedOut) { pace.listens(from: context.loop.now) }
    switch policy {
    case .innocent: break
    // The wearable keeps its place: the lane rests, so that the freed slot does not go to the next in line.
    case .laneRests: pace.restsUntil = context.loop.now + SlotDecision.rest
    case .later, .attention, .look:
      wearable.trouble = trouble
      wearable.lane.dueSince = nil
    case .wait, .onceAtOnce:
      if let next = whenNext(wearable) { shown = HearthError(trouble.reason, "\(trouble.detail), \(next)") }
      // A wearable that works without keys needs no action. The log says that it has no key, and `hearth link` that the
      // link is not encrypted.
      if !isMended || wearable.lane.retry.isCooling { wearable.trouble = shown }
      wearable.lane.dueSince = nil
    }
    wearable.lane.quietUntil = nil
    let isGivenUp =
      wearable.visits.running == nil && (wearable.lane.retry.isCooling || trouble.reason.needsPerson)
    context.changes.onFailed?(wearable, trouble, isGivenUp)
    // Looks at an address at which another device answers may go on for long, so only the first ones are logged as
    // notices.
    let isTold = policy != .look || wearable.lane.retry.disbelieved <= BackOff.quickLooks
    context.logger.log(
      level: isTold ? .notice : .debug, "\(shown)",
      metadata: [
        "CODE": "\(trouble.reason.code)", "DEVICE": "\(wearable.name)", "EFFECT": "\(trouble.reason.text.effect)",
      ])
    context.changes.raise(.shown)
  }

  /// Handles the radio's return. Each adapter that went away cost each wearable a try, which was not the wearable's
  /// fault.
  func radioReturned() {
    for wearable in registry.all {
      wearable.lane.retry.radioReturned()
      wearable.lane.shortPresence.renew()
    }
  }

  /// Counts a try that failed: the wearable was present and delivered no data.
  func noteFailedTry(_ wearable: EnrolledWearable, isVisit: Bool) {
    let (now, isForeground) = (context.loop.now, isAwaited(wearable))
    if isVisit {
      pace.noteFailedTry(&wearable.lane.visitReputation, now, isForeground: isForeground)
    } else {
      pace.noteFailedTry(&wearable.lane.reputation, now, isForeground: isForeground)
    }
    wearable.noteWorth(now)
  }

  /// Handles a full turn without data while others waited: they go before its next one. The next visit follows after
  /// the length of a slice, then after twice as long each time.
  func turnCameToNothing(_ wearable: EnrolledWearable) {
    noteFailedTry(wearable, isVisit: true)
    guard !isAwaited(wearable) else { return }
    let times = wearable.lane.visitReputation.failedTries - 1
    let rest = context.options.slice.doubled(times, atMost: context.options.visitBound)
    wearable.lane.visitReputation.rests(until: context.loop.now + rest)
  }

  /// Text for the next try of a wearable with a longer wait; nil: it is soon.
  private func whenNext(_ wearable: EnrolledWearable) -> String? {
    let now = context.loop.now
    let rests = [wearable.lane.reputation, wearable.lane.visitReputation].compactMap { reputation in
      reputation.notBefore(now).map { (at: $0, failedTries: reputation.failedTries) }
    }
    let tries = BackOff.tries + 1
    let retry = wearable.lane.retry.notBefore(now)
    if let rest = rests.max(by: { $0.at < $1.at }), rest.at - now >= BackOff.longestWait,
      !wearable.lane.retry.isCooling || retry.map({ $0 < rest.at }) ?? true
    {
      return "\(rest.failedTries) times in a row; tried again at \(context.clock(of: rest.at)), or on request"
    }
    if wearable.lane.retry.isCooling {
      let at = retry.map { "at \(context.clock(of: $0)), or " } ?? ""
      return "\(tries) times; tried again \(at)when it is seen again after an absence"
    }
    return nil
  }
}
