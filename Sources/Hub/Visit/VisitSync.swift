// A visit that somebody ordered as a sync: which kinds of data it brings, of which time, and what it says of them.

import EventLoop
import Health
import Reasons
import RingStore
import Wearable

extension VisitRunner {
  var wish: SyncWish { link.wish }

  /// Tells the session what this visit is to bring. Without an order that is everything.
  func takeOrder() {
    var wish = SyncWish()
    if let waiting = wearable.sync, !waiting.isOver {
      order = waiting
      wish = waiting.wish
      waiting.visitBegan(record.number)
    }
    // One that cannot be read is none: more is asked for, and what comes twice is left out.
    let marks = (try? store.watermarks(of: wearable.id)) ?? []
    let latest = loop.wall + Watermark.tolerance
    for mark in marks {
      if let end = mark.end, end <= latest { wish.watermarks[mark.series] = end.microseconds }
      if let read = mark.readTo, read <= latest { wish.readTo[mark.series] = read.microseconds }
    }
    link.knowledge.wish = wish
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
    guard let order = wearable.sync, !order.isOver, context.phase == .serving else { return }
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
