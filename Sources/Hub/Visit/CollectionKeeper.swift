// Orders for what the hub collects by itself: taken, stored with the wearable, and reported as gaps in the data.

import EventLoop
import Health
import Reasons
import RingStore
import Wearable

/// Takes orders for visits without a request. Has no state: an order is stored with its wearable.
@LoopActor
struct CollectionKeeper {
  let context: HubContext
  let registry: Registry

  func collection(of which: String) throws(HearthError) -> CollectionSnapshot {
    snapshot(of: try registry.require(which))
  }

  private func snapshot(of wearable: EnrolledWearable) -> CollectionSnapshot {
    CollectionSnapshot(
      wearable: wearable.name, phases: wearable.phases, leftOut: wearable.leftOutPhases(context.options),
      phaseChoice: wearable.choices.collection.phases, visitAt: wearable.visitTimes(context.options),
      hasOwnTimes: wearable.choices.collection.visitAt != nil)
  }

  /// Chooses the phases that visits collect unrequested; nil: as configured. Durable when it returns.
  ///
  /// - Parameter words: names of phases, or of series for the phases that contain them; empty: all.
  /// - Throws: `noSuchWearable`; `requestUnsupported` for a phase that its kind does not have, with those that it has;
  ///   or the store's error. After an error the choice is unchanged.
  func orderPhases(_ which: String, _ words: [String]?) async throws(HearthError) -> CollectionSnapshot {
    let wearable = try registry.require(which)
    var choice: PhaseChoice?
    if let words { choice = words.isEmpty ? .all : .only(try Self.phases(words, of: wearable)) }
    return try await order(wearable) { $0.phases = choice }
  }

  private static func phases(_ words: [String], of wearable: EnrolledWearable) throws(HearthError) -> Set<String> {
    let known = wearable.driver?.synced?.syncDomains ?? []
    if known.isEmpty { throw SyncKeeper.keepsNothing(wearable.name) }
    var names: Set<String> = []
    for word in words {
      let meant = known.filter { $0.isMeant(by: word) }
      if meant.isEmpty {
        let choice = known.map(\.id).joined(separator: ", ")
        throw HearthError(
          .requestUnsupported,
          "\(wearable.name) has no phase '\(word.cut(toUTF8: CollectionOrders.nameLimit))'; it has \(choice)")
      }
      names.formUnion(meant.map(\.id))
    }
    return names
  }

  /// Chooses times of day for visits that are made however fresh its data is; nil: as configured. Durable when it
  /// returns.
  ///
  /// - Parameter minutes: after local midnight; empty: no times.
  /// - Throws: `noSuchWearable`; `controlBadParameter` for too many times, or one that is no minute of a day; or the
  ///   store's error. After an error the choice is unchanged.
  func orderVisitTimes(_ which: String, _ minutes: [Int]?) async throws(HearthError) -> CollectionSnapshot {
    let wearable = try registry.require(which)
    let times = minutes.map { Set($0).sorted() }
    guard times?.allSatisfy((0..<1440).contains) ?? true, times?.count ?? 0 <= CollectionOrders.timeLimit else {
      throw HearthError(
        .controlBadParameter, "visits have at most \(CollectionOrders.timeLimit) times from 00:00 to 23:59")
    }
    return try await order(wearable) { $0.visitAt = times }
  }

  private func order(
    _ wearable: EnrolledWearable, _ change: (inout CollectionOrders) -> Void
  ) async throws(HearthError) -> CollectionSnapshot {
    try await registry.change(CollectionOrders.self, of: wearable) { (kept: inout CollectionOrders?) in
      var wanted = kept ?? CollectionOrders()
      change(&wanted)
      kept = wanted == CollectionOrders() ? nil : wanted
    } after: { kept in
      wearable.choices.collection = kept ?? CollectionOrders()
      review(wearable)
    }
    context.changes.raise(.shown)
    context.changes.raise(.lane)
    return snapshot(of: wearable)
  }

  /// Reports what is left out from now on, and what was until now, to explain gaps later.
  func review(_ wearable: EnrolledWearable) {
    let leftOut = wearable.leftOutPhases(context.options)
    let kept = wearable.remembered(LeftOutPhases.self)
    let isNew = leftOut != kept?.phases ?? []
    let now = context.loop.wall
    let lacking = Self.lacking(leftOut, of: wearable.driver?.synced?.syncDomains ?? []).map(\.id)
    // Also if its driver now collects other series with the same phases, or if a hub of an earlier version left them
    // out.
    let isNoted = (wearable.uncollected.current(ofAll: false)?.series ?? []) == lacking
    if !isNoted { wearable.uncollected.begin(lacking, at: isNew ? now : kept?.since ?? now) }
    guard isNew else { return isNoted ? () : registry.persistIfEnrolled(wearable) }
    if let kept, !kept.phases.isEmpty { tell(wearable, kept.phases, EventSpan(from: kept.since, to: now)) }
    let next = (kept ?? LeftOutPhases([], since: now)).followed(
      by: leftOut, takenAgain: wearable.takenAgain(kept, leftOut), at: now)
    // Phases that are collected again are due, however fresh the last visit is.
    if !next.takenAgain.isEmpty { wearable.lane.quietUntil = nil }
    wearable.remember(next)
    if !leftOut.isEmpty { tell(wearable, leftOut, EventSpan(from: now)) }
    registry.persistIfEnrolled(wearable)
  }

  private func tell(_ wearable: EnrolledWearable, _ phases: [String], _ span: EventSpan) {
    let text = "\(wearable.name): not taken, by order: \(Self.words(phases, of: wearable))"
    context.changes.happened(.notCollected(wearable, HearthError(.phasesLeftOut, text), span))
  }

  func reviewAll() { for wearable in registry.all where wearable.driver != nil { review(wearable) } }

  /// `sleep, steps (sleep_stage, steps)`
  private static func words(_ phases: [String], of wearable: EnrolledWearable) -> String {
    let series = lacking(phases, of: wearable.driver?.synced?.syncDomains ?? []).map { $0.name }
    return phases.joined(separator: ", ") + (series.isEmpty ? "" : " (\(series.joined(separator: ", ")))")
  }

  /// Series that are missing without these phases. Either no other phase contains them, or their automatic measurements
  /// are left out and other phases contain only those that a person starts.
  nonisolated static func lacking(_ phases: [String], of domains: [SyncDomain]) -> [Series] {
    Series.all.filter { series in
      let all = domains.filter { $0.series.contains(series) }
      let (out, others) = (all.filter { phases.contains($0.id) }, all.filter { !phases.contains($0.id) })
      if out.isEmpty { return false }
      func measuresByItself(_ domain: SyncDomain) -> Bool { domain.isAutomatic != false }
      return others.isEmpty || out.contains(where: measuresByItself) && !others.contains(where: measuresByItself)
    }
  }
}
