// Listings that went to their end: what is not on one of them is not on the wearable any more, and what a later one has
// anew was recorded since.

import EventLoop
import Reasons
import RingStore
import Wearable

extension VisitRunner {
  /// Notes what was listed whole: everything, or the phases that this visit was to bring.
  ///
  /// - Parameters:
  ///   - ids: of all that was listed.
  ///   - missed: phases that were not asked for, or could not be listed.
  ///   - domains: all that the session has.
  func noteListed(_ ids: Set<String>, missed: Set<String>, of domains: [any FetchDomain]) async throws(VisitTrouble) {
    let there = ids.subtracting(erased)
    if missed.isEmpty {
      try await storing { () throws(HearthError) in try await book.noteListing(there) }
      record.isListed = true
      return wearable.visits.clock.listed(record.number)
    }
    let whole = Set(domains.flatMap { $0.syncDomains.map(\.id) }).subtracting(missed)
    // What was asked of a time says nothing of the rest.
    if whole.isEmpty || wish.since != nil || wish.until != nil || wish.isAutomaticOnly { return }
    // One domain of several phases tells them apart by what it lists; of several only what they listed is known, in
    // this life of the hub or an earlier one.
    let only = domains.count == 1 ? domains.first : nil
    try await storing { () throws(HearthError) in
      try await book.noteListing(there) { id in
        (book.phase(of: id) ?? only?.syncDomain(of: HeldItem(id: id, mark: ""))).map(whole.contains) ?? false
      }
    }
    wearable.visits.clock.listed(record.number, whole)
  }
}
