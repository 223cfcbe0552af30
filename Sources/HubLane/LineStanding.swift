// Order in which the lane takes the wearables that wait, for people.

/// How near a waiting wearable is to its turn. The lane takes those of an earlier case first.
package enum LineStanding: Int, Comparable {
  /// Leads the line, by priority class and deadline.
  case ready
  /// Waits for a slot, and leads only while no other is ready.
  case waitsForSlot
  /// May not begin, or no link yields to it.
  case held
  /// Was not heard lately: an attempt would not find it.
  case unheard

  package static func < (a: LineStanding, b: LineStanding) -> Bool { a.rawValue < b.rawValue }
}

extension LaneTable {
  /// How near a due wearable is to its turn, by the rules of `decide`.
  package func standing(of candidate: LaneCandidate, _ pool: LinkPool, _ demand: LinkDemand) -> LineStanding {
    if candidate.isLinked { return .ready }
    if !scheduler.isReachable(candidate, now: now) { return .unheard }
    if hold(candidate, pool, demand) != nil { return .held }
    switch turn(of: candidate, pool) {
    case .now: return .ready
    case .later: return .waitsForSlot
    case .never: return .held
    }
  }
}
