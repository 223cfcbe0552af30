// The table of the lane: the rights of each priority class.

package import HubModel

/// Row of the table: the rights of one class.
///
/// A wearable may belong to several classes: a recovering one may be requested as well. The first class decides when it
/// goes (`Scheduler.goesBefore`). All of them decide what its attempt waits for (`LaneTable.hold`). Slots are decided
/// by its first class with a rule for the holder (`LaneTable.eviction`).
///
/// | class | its attempt waits for | takes the slot of a visit | of an unstable link | of a stable link |
/// |---|---|---|---|---|
/// | reserved | - | - | - | - |
/// | short presence | - | - | at once | at once, four times and then each 150 s |
/// | operator | as its other classes | - | at once | at once |
/// | recovering | short presence | after 2 s of waiting | at once | at once, from a less stable one |
/// | first contact | recovering | after 12 s of the link | after 6 s of the link | as scheduled |
/// | returning | recovering | - | as scheduled | at once, from a less stable one |
/// | scheduled | recovering, returning, short presence | - | after a slice | after a slice, with patience |
/// | unresponsive | these, first contact and its back-off | - | - | - |
///
/// Links that delivered no data, are idle or fell silent give their slot to each class at once.
struct PriorityRule {
  /// Times when it takes the slot of a visit, of an unstable link, and of a stable one; nil: open.
  var visit: Takeover?
  var unstable: Takeover?
  var stable: Takeover?

  /// Moments from which a slot is taken.
  enum Takeover {
    case never
    case atOnce
    /// Moment when it waited for two seconds, in which an item of a few hundred bytes ends.
    case afterLastWords
    /// Moment when the holder had six seconds: the discovery, and a value.
    case afterFirstWords
    /// Moment when the holder had a fair turn (`LaneTable.fairTurn`).
    case afterFairTurn
    /// A slice after both are there: the holder with its link, the other waiting. A stable wearable waits for its own
    /// slice, but not for a holder with links that cost more than they brought.
    case afterSlice
    /// A slice after both are there, if it may have a stable wearable's slot at all.
    case afterSliceWithPatience
    /// Takeover at once, if the holder was less stable; otherwise another of its classes decides.
    case fromLessStable
    /// Takeover at once, as often as a reading is worth a gap in a stream; otherwise another of its classes decides.
    case asInterruption
  }

  static func of(_ priority: PriorityClass) -> PriorityRule {
    switch priority {
    case .reserved: PriorityRule()
    case .shortPresence: PriorityRule(unstable: .atOnce, stable: .asInterruption)
    case .asked: PriorityRule(unstable: .atOnce, stable: .atOnce)
    case .recovering: PriorityRule(visit: .afterLastWords, unstable: .atOnce, stable: .fromLessStable)
    case .firstContact: PriorityRule(visit: .afterFairTurn, unstable: .afterFirstWords)
    case .returning: PriorityRule(stable: .fromLessStable)
    case .scheduled: PriorityRule(visit: .never, unstable: .afterSlice, stable: .afterSliceWithPatience)
    case .unresponsive: PriorityRule(unstable: .never, stable: .never)
    }
  }
}

extension LaneCandidate {
  /// The class that decides when it goes.
  package var priority: PriorityClass {
    if linkClass == .reserved { return .reserved }
    if hasShortPresence { return .shortPresence }
    if askedAt != nil { return .asked }
    return linkClass == .scheduled && (reputation == .doubtful || isUnstable) ? .unresponsive : linkClass
  }

  /// The classes that decide about slots, in order. An unresponsive wearable takes no slot of a link with values,
  /// except by a person's request; then it waits for a slice.
  var slotClasses: [PriorityClass] {
    var classes: [PriorityClass] = []
    if linkReputation == .doubtful {
      if askedAt == nil { classes.append(.unresponsive) }
    } else {
      if askedAt != nil { classes.append(.asked) }
      if hasShortPresence { classes.append(.shortPresence) }
    }
    if isFirstContact { classes.append(.firstContact) }
    if isReturning { classes.append(isStable ? .recovering : .returning) }
    return classes + [.scheduled]
  }
}
