// The table of the lane: what a wearable of each priority class may do.

package import HubModel

/// One row of the table: what a wearable of a class may do.
///
/// A wearable may belong to several classes: one that is recovering may be asked for as well. Its first class decides
/// when it goes (`Scheduler.goesBefore`), these classes together what its attempt waits for (`LaneTable.hold`). Whose
/// slot it takes is decided by the first class that says something about the holder (`LaneTable.eviction`).
///
/// | class | its attempt waits for | takes the slot of a visit | of a loose link | of a steady link |
/// |---|---|---|---|---|
/// | reserved | - | - | - | - |
/// | brief | - | - | at once | at once, four times and then each 150 s |
/// | operator | as its other classes | - | at once | at once |
/// | recovering | brief | after 2 s of waiting | at once | at once, from a less steady one |
/// | first contact | recovering | after 12 s of the link | after 6 s of the link | as scheduled |
/// | returning | recovering | - | as scheduled | at once, from a less steady one |
/// | scheduled | recovering, returning, brief | - | after a slice | after a slice, with patience |
/// | unresponsive | these, first contact and its back-off | - | - | - |
///
/// Links that delivered nothing, are idle or fell silent give their slot to each class at once.
struct PriorityRule {
  /// When it takes the slot of a running visit, of a link that is not steady, and of a steady one. nil: another of its
  /// classes decides.
  var visit: Takeover?
  var loose: Takeover?
  var steady: Takeover?

  /// From when on a slot is taken.
  enum Takeover {
    case never
    case atOnce
    /// As soon as it waited for two seconds: an item of a few hundred bytes ends in them.
    case afterLastWords
    /// As soon as the holder had six seconds: the discovery, and a value.
    case afterFirstWords
    /// As soon as the holder had a fair turn.
    case afterFairTurn
    /// A slice after both are there: the holder with its link, the other waiting. A steady one waits for its own slice,
    /// and not for a holder whose links cost more than they brought.
    case afterSlice
    /// A slice after both are there, if it may have the slot of a steady one at all.
    case afterSliceWithPatience
    /// At once, if the holder was less steady; otherwise another of its classes decides.
    case fromLessSteady
    /// At once as often as a reading is worth a gap in a stream; otherwise another of its classes decides.
    case asInterruption
  }

  static func of(_ priority: PriorityClass) -> PriorityRule {
    switch priority {
    case .reserved: PriorityRule()
    case .brief: PriorityRule(loose: .atOnce, steady: .asInterruption)
    case .asked: PriorityRule(loose: .atOnce, steady: .atOnce)
    case .recovering: PriorityRule(visit: .afterLastWords, loose: .atOnce, steady: .fromLessSteady)
    case .firstContact: PriorityRule(visit: .afterFairTurn, loose: .afterFirstWords)
    case .returning: PriorityRule(steady: .fromLessSteady)
    case .scheduled: PriorityRule(visit: .never, loose: .afterSlice, steady: .afterSliceWithPatience)
    case .unresponsive: PriorityRule(loose: .never, steady: .never)
    }
  }
}

extension LaneCandidate {
  /// The class that says when it goes.
  package var priority: PriorityClass {
    if claim == .reserved { return .reserved }
    if isBrief { return .brief }
    if askedAt != nil { return .asked }
    return claim == .scheduled && (standing == .doubtful || isPoor) ? .unresponsive : claim
  }

  /// The classes that decide about slots, the first before the others. An unresponsive wearable takes no slot of a link
  /// that brings values, unless a person asks for it; then it waits for a slice.
  var slotClasses: [PriorityClass] {
    var classes: [PriorityClass] = []
    if linkStanding == .doubtful {
      if askedAt == nil { classes.append(.unresponsive) }
    } else {
      if askedAt != nil { classes.append(.asked) }
      if isBrief { classes.append(.brief) }
    }
    if isFirstContact { classes.append(.firstContact) }
    if isReturning { classes.append(isSteady ? .recovering : .returning) }
    return classes + [.scheduled]
  }
}
