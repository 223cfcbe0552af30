// A visit for an ordered sync: its kinds of data, its range of time, and its reports.

import EventLoop
import Health
import Reasons
import RingStore
import Wearable

extension VisitRunner {
  var wish: SyncSelection { link.wish }

  /// Informs the session what this visit should fetch: without an order, what visits collect unrequested.
  func takeOrder() {
    var wish = SyncSelection()
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
    // Marks that cannot be read count as missing: more is requested, and repeated data is left out.
    let marks = (try? store.watermarks(of: wearable.id)) ?? []
    let latest = loop.wall + Watermark.tolerance
    for mark in marks {
      if let end = mark.end, end <= latest { wish.watermarks[mark.series] = end.microseconds }
      if let read = mark.readTo, read <= latest { wish.readTo[mark.series] = read.microseconds }
    }
    link.knowledge.wish = wish
  }

  /// Phases that this visit fetches without an order, and those left out as a sync fetched them before. Data
  /// that will be due soon is fetched too, as there is a link anyway: data that is half as old as permitted. At a fixed
  /// time all is fetched, however fresh.
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

  /// Whether it fetches everything, or will: that was requested before it listed any item.
  var bringsAll: Bool {
    isOfAll || stage == .check && wearable.lane.asksForAll && order == nil && !wearable.lane.isSyncing
  }

  /// The part of its scope that was fetched completely.
  var fetchedScope: VisitScope {
    guard case .phases(let wanted) = scope, let order else { return scope }
    return .phases(wanted.intersection(order.state.domains.filter(\.isWhole).map(\.id)))
  }

  /// Phases that this visit leaves out by order.
  var leftOut: [String] {
    guard case .allBut(_, let leftOut) = scope else { return [] }
    return wearable.phases.filter(leftOut.contains)
  }

  /// Handles a request for everything while this visit runs with a smaller scope. It ends at the next point without
  /// loss, and the next visit fetches the rest. A visit that has not listed any item yet takes the request over. A
  /// visit for a sync runs to its end.
  ///
  /// - Returns: whether this visit fetches everything.
  func allWasAsked() -> Bool {
    if order != nil { return false }
    if stage == .check {
      absorb()
      return true
    }
    makeWay()
    return false
  }

  /// Handles a sync that was ordered while this visit runs. A visit that has not listed any item yet carries it out
  /// itself. Any other ends at the next point without loss: at the next byte of an item that can be resumed, or at an
  /// item's end.
  func syncWasOrdered() {
    if stage == .check { return absorb() }
    makeWay()
  }

  private func makeWay() {
    slice.makesWay = true
    // A visit that had the lane for longer because no other wearable waited is not overdue from one moment to the next.
    slice.began = max(slice.began, loop.now - hub.options.slice)
  }

  /// Whether an item is in the ordered range; nil if its time is unknown.
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

  /// Whether a visit fetches this item. An item of unknown time is fetched for any range, and counted.
  func isWanted(_ item: HeldItem, of domain: any FetchDomain) -> Bool {
    let kind = domain.syncDomain(of: item)
    guard wish.wants(kind) else { return false }
    let isIn = isInRange(item, of: domain)
    if isIn == false { return false }
    order?.listed(kind, isDated: isIn != nil)
    return true
  }

  /// Notes for an order which kinds failed.
  func failed(_ ids: [String], _ trouble: VisitTrouble) {
    order?.failed(ids, VisitEnd(trouble, name: wearable.name).trouble)
  }
}

extension VisitOutcomes {
  /// Settles the order after a visit: it is over, or goes on with the next visit.
  ///
  /// - Parameter remark: why no item was fetched, if that is no trouble.
  func settleSync(_ wearable: EnrolledWearable, _ end: VisitEnd, remark: String) {
    // An order that is interrupted by the hub's end continues with the next hub.
    guard let order = orders.sync(of: wearable), !order.isOver, context.phase == .serving else { return }
    guard order.isInVisit else { return askForSync(wearable) }
    order.visitEnded()
    if order.isOver { return }
    let trouble = end.trouble ?? Self.trouble(of: wearable, end)
    switch end.outcome {
    case .sliceOver, .interrupted, .broken, .silent, .abandoned:
      // After a lost link the wearable is tried again; the order ends with the series of tries, or when its own wait is
      // over.
      if wearable.lane.retry.isCooling { return order.end(trouble) }
      askForSync(wearable)
    case .done:
      order.end(HearthError(.requestNotDone, "\(wearable.name): \(remark.isEmpty ? "no data may be fetched" : remark)"))
    case .busy, .refused, .noRoom, .needsAttention: order.end(trouble)
    }
  }

  private func askForSync(_ wearable: EnrolledWearable) {
    if wearable.lane.askedAt == nil { lane.request(wearable) }
  }
}
