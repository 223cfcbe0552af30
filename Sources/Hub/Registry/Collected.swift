// What visits bring of an enrolled wearable unasked, and when.

import EventLoop
import StateCodec
import Wearable

extension EnrolledWearable {
  /// All phases that its kind may keep.
  var phases: [String] { driver?.synced?.syncDomains.map(\.id) ?? [] }

  /// Those that visits bring unasked: its own choice goes before the configured one.
  func collectedPhases(_ options: HearthOptions) -> [String] {
    let configured = options.phases.map { PhaseChoice.only($0) } ?? .all
    guard case .only(let names) = choices.collection.phases ?? configured else { return phases }
    return phases.filter(names.contains)
  }

  func leftOutPhases(_ options: HearthOptions) -> [String] {
    let collected = collectedPhases(options)
    return phases.filter { !collected.contains($0) }
  }

  /// Minutes after local midnight.
  func visitTimes(_ options: HearthOptions) -> [Int] {
    choices.collection.visitAt ?? options.visitAt.map { Int($0.components.seconds / 60) }
  }

  /// When the oldest of what visits bring unasked was fetched; nil: some of it never was.
  func collectedAt(_ options: HearthOptions) -> Instant? {
    if lane.phasesAt.isEmpty, lane.neverFetched.isEmpty { return lane.visitedAt }
    let times = collectedPhases(options).map { phase in
      lane.neverFetched.contains(phase) ? nil : lane.phasesAt[phase] ?? lane.visitedAt
    }
    if times.isEmpty { return lane.visitedAt }
    return times.contains(nil) ? nil : times.compactMap { $0 }.min()
  }

  /// Which of the phases that visits bring again are as old as before they were left out, with what is kept of that.
  ///
  /// - Parameter leftOut: phases that visits leave out from now on.
  func takenAgain(_ kept: LeftOutPhases?, _ leftOut: [String]) -> [String] {
    guard let kept else { return [] }
    return phases.filter { phase in
      if leftOut.contains(phase) { return false }
      let isOld = lane.neverFetched.contains(phase) || lane.phasesAt[phase] != nil
      return kept.takenAgain.contains(phase) || kept.phases.contains(phase) && isOld
    }
  }

  /// A visit ended, which may have brought phases that are taken again.
  ///
  /// - Returns: what is kept of that has changed.
  func settleTakenAgain(_ outcome: VisitOutcome, _ scope: VisitScope) -> Bool {
    guard var kept = remembered(LeftOutPhases.self), !kept.takenAgain.isEmpty else { return false }
    switch scope {
    case .phases(let fetched): kept.takenAgain.removeAll(where: fetched.contains)
    case .allBut(_, let leftOut):
      if outcome != .done { return false }
      kept.takenAgain = kept.takenAgain.filter(leftOut.contains)
    }
    if kept == remembered(LeftOutPhases.self) { return false }
    remember(kept)
    return true
  }

  /// What the log of visits tells of phases that visits leave out, or left out until lately.
  ///
  /// - Parameters:
  ///   - wholeAt: end of the last visit that brought all that it was to bring.
  ///   - fullAt: end of the last one that listed everything; nil: none is known.
  func rememberLeftOut(wholeAt: WallTime?, fullAt: Instant?) {
    guard let kept = remembered(LeftOutPhases.self) else { return }
    // A visit that was whole while a phase was left out did not bring that one.
    let old = kept.phases.filter { phase in wholeAt.map { $0 >= kept.since(of: phase) } ?? false }
    for phase in kept.takenAgain + old {
      if let fullAt { lane.phasesAt[phase] = fullAt } else { lane.neverFetched.insert(phase) }
    }
  }
}
