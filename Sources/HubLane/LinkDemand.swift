// Which links cannot wait, whatever has the radio now.

import EventLoop

/// What the radio is needed for now.
package struct LinkDemand: Equatable {
  /// A wearable that is on for seconds waits.
  package var brief = false
  /// One that is brief, recovering or returning waits, or is being linked.
  package var priority = false
  /// A recovering one is heard and has no attempt.
  package var recovering = false
  /// One that was never linked waits, or is being linked.
  package var firstContact = false

  package init() {}
}

extension LaneTable {
  /// What the radio is needed for now, whichever wearable has it. Visits at fixed times keep no other wearable out.
  package var demand: LinkDemand {
    var demand = LinkDemand()
    for candidate in candidates where !candidate.isLinked && candidate.hasDriver && !candidate.isLeftOut {
      let (isBrief, isReturning, hasTurn) = (candidate.isBrief, candidate.isReturning, candidate.hasTurn)
      let isFirst = !demand.firstContact && candidate.isFirstContact
      if !isBrief, !isReturning, !isFirst { continue }
      // The radio of others is of no use to one that waits for its own adapter.
      if !hasTurn, waitsApart(candidate, besideAttempts: false) { continue }
      var untimed = candidate
      untimed.timedAt = nil
      let isThere = !hasTurn && scheduler.waits(untimed, now: now) && scheduler.isReachable(untimed, now: now)
      if isFirst { demand.firstContact = hasTurn || isThere }
      if !isBrief, !isReturning { continue }
      if !hasTurn {
        if isThere, isBrief { demand.brief = true }
        if isThere, candidate.isSteady { demand.recovering = true }
        if !isThere, !candidate.lostLinkLately { continue }
      }
      demand.priority = true
    }
    return demand
  }

  /// Whether an attempt of it that is under way gives way to what the radio is needed for. It keeps its place in the
  /// line.
  package func givesWay(_ candidate: LaneCandidate, _ demand: LinkDemand) -> Bool {
    if candidate.isLinked { return false }
    // A wearable that is on for seconds and is heard no more has left: its attempt keeps no other such one waiting.
    if candidate.isBrief { return demand.brief && !scheduler.isReachable(candidate, now: now) }
    let goesFirst = candidate.isReturning || candidate.isFirstContact
    let isInWay =
      (demand.brief || demand.priority) && !(goesFirst && (!demand.recovering || candidate.isSteady))
    return isInWay || demand.firstContact && candidate.isBehindFirstContact
  }
}
