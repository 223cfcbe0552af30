// The data that visits collect from an enrolled wearable unrequested, and when.

import EventLoop
import StateCodec
import Wearable

extension EnrolledWearable {
  /// Phases that its kind may store.
  var phases: [String] { driver?.synced?.syncDomains.map(\.id) ?? [] }

  /// Phases that visits collect unrequested: its own choice goes before the configured one.
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

  /// Returns when the oldest of these phases was last fetched; nil: one of them never was.
  func collectedAt(_ options: HearthOptions) -> Instant? {
    if lane.phasesAt.isEmpty, lane.neverFetched.isEmpty { return lane.visitedAt }
    let times = collectedPhases(options).map { phase in
      lane.neverFetched.contains(phase) ? nil : lane.phasesAt[phase] ?? lane.visitedAt
    }
    if times.isEmpty { return lane.visitedAt }
    return times.contains(nil) ? nil : times.compactMap { $0 }.min()
  }

  /// Phases that visits collect again and that are still as old as before they were left out; from the stored state.
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

  /// Notes the end of a visit, which may have fetched phases that are collected again.
  ///
  /// - Returns: whether the stored state has changed.
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

  /// Takes from the log of visits the age of phases that visits leave out, or left out until lately.
  ///
  /// - Parameters:
  ///   - wholeAt: end of the last visit that fetched all that it should.
  ///   - fullAt: end of the last visit that listed everything; nil: unknown.
  func rememberLeftOut(wholeAt: WallTime?, fullAt: Instant?) {
    guard let kept = remembered(LeftOutPhases.self) else { return }
    // A complete visit did not fetch a phase that was left out then.
    let old = kept.phases.filter { phase in wholeAt.map { $0 >= kept.since(of: phase) } ?? false }
    for phase in kept.takenAgain + old {
      if let fullAt { lane.phasesAt[phase] = fullAt } else { lane.neverFetched.insert(phase) }
    }
  }
}
