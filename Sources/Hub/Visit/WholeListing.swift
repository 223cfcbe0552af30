// Complete listings. An item that is missing from one is no longer on the wearable; an item that only a later one has
// was recorded since.

import EventLoop
import Reasons
import RingStore
import Wearable

extension VisitRunner {
  /// Notes what was listed completely: everything, or the phases of this visit's scope.
  ///
  /// - Parameters:
  ///   - ids: of all listed items.
  ///   - missed: phases that were not requested, or could not be listed.
  ///   - domains: all domains of the session.
  func noteListed(_ ids: Set<String>, missed: Set<String>, of domains: [any FetchDomain]) async throws(VisitTrouble) {
    let there = ids.subtracting(erased)
    if missed.isEmpty {
      try await storing { () throws(HearthError) in try await book.noteListing(there) }
      record.isListed = true
      return wearable.visits.clock.listed(record.number)
    }
    let whole = Set(domains.flatMap { $0.syncDomains.map(\.id) }).subtracting(missed)
    // A listing of a range of time is not complete.
    if whole.isEmpty || wish.since != nil || wish.until != nil || wish.isAutomaticOnly { return }
    // A domain of several phases shows the phase of an item in its listing. With several domains only the phases of
    // listed items are known, from this life of the hub or an earlier one.
    let only = domains.count == 1 ? domains.first : nil
    try await storing { () throws(HearthError) in
      try await book.noteListing(there) { id in
        (book.phase(of: id) ?? only?.syncDomain(of: HeldItem(id: id, mark: ""))).map(whole.contains) ?? false
      }
    }
    wearable.visits.clock.listed(record.number, whole)
  }
}
