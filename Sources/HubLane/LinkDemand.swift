// Urgent links, whatever uses the radio now.

import EventLoop

/// The present demand for the radio, by class.
package struct LinkDemand: Equatable {
  /// A wearable of the class short presence waits.
  package var shortPresence = false
  /// A wearable of the class short presence, recovering or returning waits, or is being linked.
  package var priority = false
  /// A recovering wearable is heard and has no attempt.
  package var recovering = false
  /// A wearable that was never linked waits, or is being linked.
  package var firstContact = false

  package init() {}
}

extension LaneTable {
  /// The present demand for the radio, whichever wearable uses it. Visits at fixed times keep no other wearable out.
  package var demand: LinkDemand {
    var demand = LinkDemand()
    for candidate in candidates where !candidate.isLinked && candidate.hasDriver && !candidate.isLeftOut {
      let (hasShortPresence, isReturning, hasTurn) = (
        candidate.hasShortPresence, candidate.isReturning, candidate.hasTurn
      )
      let isFirst = !demand.firstContact && candidate.isFirstContact
      if !hasShortPresence, !isReturning, !isFirst { continue }
      // A wearable that waits for its own adapter gains no time from the radio of others.
      if !hasTurn, waitsApart(candidate, besideAttempts: false) { continue }
      var untimed = candidate
      untimed.timedAt = nil
      let isThere = !hasTurn && scheduler.waits(untimed, now: now) && scheduler.isReachable(untimed, now: now)
      if isFirst { demand.firstContact = hasTurn || isThere }
      if !hasShortPresence, !isReturning { continue }
      if !hasTurn {
        if isThere, hasShortPresence { demand.shortPresence = true }
        if isThere, candidate.isStable { demand.recovering = true }
        if !isThere, !candidate.lostLinkLately { continue }
      }
      demand.priority = true
    }
    return demand
  }

  /// Whether its running attempt yields to the demand. The wearable keeps its place in the line.
  package func givesWay(_ candidate: LaneCandidate, _ demand: LinkDemand) -> Bool {
    if candidate.isLinked { return false }
    // A wearable that is on for seconds and no longer heard has left: its attempt must not delay another one.
    if candidate.hasShortPresence { return demand.shortPresence && !scheduler.isReachable(candidate, now: now) }
    let goesFirst = candidate.isReturning || candidate.isFirstContact
    let isInWay =
      (demand.shortPresence || demand.priority) && !(goesFirst && (!demand.recovering || candidate.isStable))
    return isInWay || demand.firstContact && candidate.isBehindFirstContact
  }
}
