// A visit that somebody ordered as a sync: which kinds of data it brings, of which time, and what it says of them.

import EventLoop
import Health
import Reasons
import RingStore
import Wearable

extension VisitRunner {
  var wish: SyncWish { link.wish }

  /// Tells the session what this visit is to bring. Without an order that is what visits bring unasked.
  func takeOrder() {
    var wish = SyncWish()
    scope = .all
    let waiting = hub.syncOrder(of: wearable).flatMap { $0.isOver ? nil : $0 }
    guard (waiting != nil) == wearable.lane.isSyncing else { fatalError("a sync waits that the lane does not know of") }
    if let waiting {
      order = waiting
      wish = waiting.wish
      if waiting.state.isPartial(of: wearable.phases) {
        scope = .phases(waiting.state.request.isOfAllTimes ? wish.domains ?? [] : [])
      }
      waiting.visitBegan(record.number)
    } else if !wearable.lane.asksForAll {
      let (collected, fresh) = unasked()
      if collected.count < wearable.phases.count { wish.domains = Set(collected) }
      scope = .allBut(fresh, leftOut: Set(wearable.leftOutPhases(hub.options)))
    }
    isOfAll = scope == .all
    // One that cannot be read is none: more is asked for, and what comes twice is left out.
    let marks = (try? store.watermarks(of: wearable.id)) ?? []
    let latest = loop.wall + Watermark.tolerance
    for mark in marks {
      if let end = mark.end, end <= latest { wish.watermarks[mark.series] = end.microseconds }
      if let read = mark.readTo, read <= latest { wish.readTo[mark.series] = read.microseconds }
    }
    link.knowledge.wish = wish
  }

  /// What this visit brings without an order, and what of that it leaves out because a sync brought it shortly before:
  /// what will be due soon comes along over a link that is made anyway, and what is half as old as it may be is. At a
  /// fixed time everything comes, however fresh it is.
  private func unasked() -> (phases: [String], fresh: Set<String>) {
    let collected = wearable.collectedPhases(hub.options)
    if wearable.lane.phasesAt.isEmpty || hub.isTimed(wearable) { return (collected, []) }
    let isNews = trigger == .announcement || trigger == .seen
    let limit = isNews ? min(hub.options.fresh, hub.options.visitBound / 2) : hub.options.visitBound / 2
    let fresh = collected.filter { phase in
      wearable.lane.phasesAt[phase].map { loop.now - $0 < limit } ?? false
    }
    return (collected.filter { !fresh.contains($0) }, Set(fresh))
  }

  /// It brings everything, or will: that was asked for before it listed anything.
  var bringsAll: Bool {
    isOfAll || stage == .check && wearable.lane.asksForAll && order == nil && !wearable.lane.isSyncing
  }

  /// What of its scope came whole.
  var fetchedScope: VisitScope {
    guard case .phases(let wanted) = scope, let order else { return scope }
    return .phases(wanted.intersection(order.state.domains.filter(\.isWhole).map(\.id)))
  }

  /// Phases that this visit does not bring because that is ordered.
  var leftOut: [String] {
    guard case .allBut(_, let leftOut) = scope else { return [] }
    return wearable.phases.filter(leftOut.contains)
  }

  /// Everything was asked for while this visit runs, which brings less: it ends as soon as nothing is lost by it, and
  /// the next one brings the rest. One that has not listed anything yet brings it itself, and one that carries out a
  /// sync goes to its end.
  ///
  /// - Returns: this visit brings everything.
  func allWasAsked() -> Bool {
    if order != nil { return false }
    if stage == .check {
      absorb()
      return true
    }
    makeWay()
    return false
  }

  /// A sync was ordered while this visit runs. A visit that has not listed anything yet carries it out itself. Any
  /// other one ends as soon as nothing is lost by it: an item that can be continued at its next byte, any other item at
  /// its end.
  func syncWasOrdered() {
    if stage == .check { return absorb() }
    makeWay()
  }

  private func makeWay() {
    slice.makesWay = true
    // A visit that had the lane for longer because no other wearable waited is not overdue from one moment to the next.
    slice.began = max(slice.began, loop.now - hub.options.slice)
  }

  /// Whether an item lies in the ordered range; nil where it does not say when it was measured.
  func isInRange(_ item: HeldItem, of domain: any FetchDomain) -> Bool? {
    let (since, until) = (wish.since, wish.until)
    if since == nil, until == nil { return true }
    guard let span = domain.span(of: item) else { return nil }
    let begin = times(of: item).told(span.lowerBound)
    guard begin.isExplained else { return nil }
    let from = begin.time.microseconds
    let end = from.saturatingAdd(span.upperBound - span.lowerBound)
    return since.map { end > $0 } ?? true && until.map { from < $0 } ?? true
  }

  /// Whether a visit fetches this one. What does not say its time comes whatever the range is, and is counted.
  func isWanted(_ item: HeldItem, of domain: any FetchDomain) -> Bool {
    let kind = domain.syncDomain(of: item)
    guard wish.wants(kind) else { return false }
    let isIn = isInRange(item, of: domain)
    if isIn == false { return false }
    order?.listed(kind, isDated: isIn != nil)
    return true
  }

  /// For an order: what of it failed.
  func failed(_ ids: [String], _ trouble: VisitTrouble) {
    order?.failed(ids, VisitEnd(trouble, name: wearable.name).trouble)
  }
}

extension VisitOutcomes {
  /// What follows a visit for an order: it is over, or goes on with the next visit.
  ///
  /// - Parameter remark: why nothing was fetched, where that is no trouble.
  func settleSync(_ wearable: EnrolledWearable, _ end: VisitEnd, remark: String) {
    // What the end of the hub ends the next hub goes on with.
    guard let order = orders.sync(of: wearable), !order.isOver, context.phase == .serving else { return }
    guard order.isInVisit else { return askForSync(wearable) }
    order.visitEnded()
    if order.isOver { return }
    let trouble = end.trouble ?? Self.trouble(of: wearable, end)
    switch end.outcome {
    case .sliceOver, .interrupted, .broken, .silent, .abandoned:
      // Whoever lost its link is tried again; that ends with the tries, or with the order's patience.
      if wearable.lane.retry.isCooling { return order.end(trouble) }
      askForSync(wearable)
    case .done:
      order.end(HearthError(.requestNotDone, "\(wearable.name): \(remark.isEmpty ? "nothing may be fetched" : remark)"))
    case .busy, .refused, .noRoom, .needsAttention: order.end(trouble)
    }
  }

  private func askForSync(_ wearable: EnrolledWearable) {
    if wearable.lane.askedAt == nil { lane.request(wearable) }
  }
}
