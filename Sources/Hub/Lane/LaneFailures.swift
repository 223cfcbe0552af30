// What a try that was of no use leads to: the next one, what it speaks against, and what people are told.

import EventLoop
import HubLane
import Reasons
import Wearable

extension Lane {
  /// Says that a try was of no use, and lets follow what follows from it.
  ///
  /// - Parameter isVisit: it had a visit: that is what the failure speaks against.
  /// - Parameter hasBrought: something came of it all the same.
  func noteFailure(
    _ wearable: EnrolledWearable, _ trouble: HearthError, _ failure: TryFailure, isVisit: Bool = false,
    hasBrought: Bool = false
  ) {
    // The next link is made without a key, and asks for none.
    let isFailedPairing = if case .link(let error) = failure { error.isFailedPairing } else { false }
    let isMended = isFailedPairing && bonds.isUnpairable(wearable)
    let failure = isMended ? TryFailure.link(.keyMissing) : failure
    var shown = trouble
    let isForeground = isAwaited(wearable)
    let before = wearable.lane.retry.failures
    let squatted = registry.all.count { $0 === wearable || $0.lane.retry.disbelieved > 0 }
    let policy = pace.failed(
      &wearable.lane.retry, failure, context.loop.now, isForeground: isForeground, squatted: squatted)
    if !hasBrought, failure.strikes(after: before) { strike(wearable, isVisit: isVisit) }
    if failure == .link(.timedOut) { pace.listens(from: context.loop.now) }
    switch policy {
    case .innocent: break
    // Its place is kept: the lane rests, lest the freed slot go to whoever comes after it in the line.
    case .laneRests: pace.restsUntil = context.loop.now + SlotDecision.rest
    case .later, .attention, .look:
      wearable.trouble = trouble
      wearable.lane.dueSince = nil
    case .wait, .onceAtOnce:
      if let next = whenNext(wearable) { shown = HearthError(trouble.reason, "\(trouble.detail), \(next)") }
      // What works without keys needs nobody; the log says that it has none, and hearth link that it is not encrypted.
      if !isMended || wearable.lane.retry.isCooling { wearable.trouble = shown }
      wearable.lane.dueSince = nil
    }
    wearable.lane.quietUntil = nil
    let isGivenUp =
      wearable.visits.running == nil && (wearable.lane.retry.isCooling || trouble.reason.needsPerson)
    context.changes.onFailed?(wearable, trouble, isGivenUp)
    // An address at which another wearable answers is looked at for as long as that lasts.
    let isTold = policy != .look || wearable.lane.retry.disbelieved <= BackOff.quickLooks
    context.logger.log(
      level: isTold ? .notice : .debug, "\(shown)",
      metadata: [
        "CODE": "\(trouble.reason.code)", "DEVICE": "\(wearable.name)", "EFFECT": "\(trouble.reason.text.effect)",
      ])
    context.changes.raise(.shown)
  }

  /// The radio serves again: each adapter that went away cost each wearable a try, and none of them was the wearable's
  /// fault.
  func radioReturned() {
    for wearable in registry.all {
      wearable.lane.retry.radioReturned()
      wearable.lane.brief.renew()
    }
  }

  /// It showed that it is there, and brought nothing.
  func strike(_ wearable: EnrolledWearable, isVisit: Bool) {
    let (now, isForeground) = (context.loop.now, isAwaited(wearable))
    if isVisit {
      pace.struck(&wearable.lane.visitReputation, now, isForeground: isForeground)
    } else {
      pace.struck(&wearable.lane.reputation, now, isForeground: isForeground)
    }
    wearable.noteWorth(now)
  }

  /// It had its whole turn while others waited, and brought nothing: they have theirs before its next. It is visited
  /// again after as long as a slice, then after twice as long each time.
  func turnCameToNothing(_ wearable: EnrolledWearable) {
    strike(wearable, isVisit: true)
    guard !isAwaited(wearable) else { return }
    let times = wearable.lane.visitReputation.strikes - 1
    let rest = context.options.slice.doubled(times, atMost: context.options.visitBound)
    wearable.lane.visitReputation.rests(until: context.loop.now + rest)
  }

  /// When one that is left alone for longer is tried again, for people; nil: soon.
  private func whenNext(_ wearable: EnrolledWearable) -> String? {
    let now = context.loop.now
    let rests = [wearable.lane.reputation, wearable.lane.visitReputation].compactMap { reputation in
      reputation.notBefore(now).map { (at: $0, strikes: reputation.strikes) }
    }
    let tries = BackOff.tries + 1
    let retry = wearable.lane.retry.notBefore(now)
    if let rest = rests.max(by: { $0.at < $1.at }), rest.at - now >= BackOff.longestWait,
      !wearable.lane.retry.isCooling || retry.map({ $0 < rest.at }) ?? true
    {
      return "\(rest.strikes) times in a row; tried again at \(context.clock(of: rest.at)), or when somebody asks"
    }
    if wearable.lane.retry.isCooling {
      let at = retry.map { "at \(context.clock(of: $0)), or " } ?? ""
      return "\(tries) times; tried again \(at)when it is seen again after an absence"
    }
    return nil
  }
}
