// The middle of a visit: the wearable's items are listed, fetched, verified, stored, and removed if all of them are
// safe.

import Bluetooth
import EventLoop
import Health
import Reasons
import RingStore
import StateCodec
import Wearable

extension VisitRunner {
  /// Collects everything that is not in the store yet, domain by domain, until the turn is over.
  func collect() async throws(VisitTrouble) -> VisitTurn {
    // An order may have come since the visit began.
    if order == nil { takeOrder() }
    var missed: Set<String> = []
    var listings: [(domain: any FetchDomain, items: [HeldItem])] = []
    let domains = session.domains
    for (place, domain) in domains.enumerated() {
      let kinds = domain.syncDomains
      let wanted = kinds.map(\.id).filter(wish.wants)
      missed.formUnion(kinds.map(\.id).filter { !wanted.contains($0) })
      if wanted.isEmpty { continue }
      do throws(VisitTrouble) {
        guard try checkTurn() == .goesOn else { return .over }
        order?.began(wanted)
        let items = try await list(domain)
        listings.append((domain, items))
        try checkRoom(for: kinds.filter { wish.wants($0.id) }.flatMap(\.series))
        // Kinds of data with further items in a later domain are not finished with this one.
        let later = domains[(place + 1)...].flatMap { $0.syncDomains.map(\.id) }
        let ending = wanted.filter { !later.contains($0) }
        guard try await fetchAll(of: domain, at: listings.count - 1, in: &listings, ending: ending) == .goesOn,
          try await removeAll(of: domain, listings[listings.count - 1].items) == .goesOn
        else { return .over }
      } catch {
        // A kind of data that fails does not keep the others from being fetched.
        guard error.concernsOneDomain else { throw error }
        troubles.note(error)
        failed(wanted, error)
        if listings.last?.domain !== domain { missed.formUnion(wanted) }
      }
    }
    // Removal calls that cover several kinds had to wait until all of them were stored.
    for (domain, items) in listings {
      guard try await removeAll(of: domain, items) == .goesOn else { return .over }
    }
    if let order { order.skipped(Array(order.wish.domains ?? []), "\(wearable.name) does not have it") }
    try await noteListed(Set(listings.flatMap(\.items).map(\.id)), missed: missed, of: domains)
    await noteRead(listings, of: domains)
    return .goesOn
  }

  private func list(_ domain: any FetchDomain) async throws(VisitTrouble) -> [HeldItem] {
    stage = .list
    let listed = try await domain.list(known: book.known)
    var items: [HeldItem] = []
    var names: Set<String> = []
    for item in listed.prefix(CustodyBook.listingLimit) {
      if item.isWellFormed, names.insert(item.id).inserted {
        items.append(item)
      } else {
        link.note("it lists an item with an invalid name")
      }
    }
    if listed.count > CustodyBook.listingLimit { link.note("it lists more than \(CustodyBook.listingLimit) items") }
    progress.items += items
    book.noteListed(items) { domain.syncDomain(of: $0) }
    try await keepFirstListing(of: items)
    return items
  }

  /// Stores the first listing of items if the clock was set in this visit: their times are by the clock before,
  /// whichever visit fetches them.
  private func keepFirstListing(of items: [HeldItem]) async throws(VisitTrouble) {
    guard let readings = wearable.visits.clock.of(record.number), readings.jumped,
      items.contains(where: { book[$0.id] == nil })
    else { return }
    try await storing { () throws(HearthError) in
      try await store.putVisit(record)
      try await book.noteFirst(items, visit: record.number)
    }
  }

  private func checkRoom(for decoded: [Series]) throws(VisitTrouble) {
    for series in [.raw] + decoded {
      if let refusal = store.refusal(of: wearable.id, series) { throw .noRoom(refusal.detail) }
    }
  }

  /// - Parameter ending: kinds of data that are finished with the last of their items here.
  private func fetchAll(
    of domain: any FetchDomain, at index: Int, in listings: inout [(domain: any FetchDomain, items: [HeldItem])],
    ending: [String]
  ) async throws(VisitTrouble) -> VisitTurn {
    let wanted = listings[index].items.enumerated().filter { isWanted($0.element, of: domain) }
    var left = Dictionary(wanted.map { (domain.syncDomain(of: $0.element), 1) }, uniquingKeysWith: +)
    order?.finished(ending.filter { left[$0] == nil })
    // Kinds of data that were listed together with others and failed.
    var refused: Set<String> = []
    for (place, item) in wanted {
      let kind = domain.syncDomain(of: item)
      if !refused.contains(kind) {
        do throws(VisitTrouble) {
          guard let mark = try await bring(item, kind, of: domain) else { return .over }
          listings[index].items[place] = item.marked(mark)
        } catch {
          guard case .refused = error, domain.syncDomains.count > 1 else { throw error }
          troubles.note(error)
          failed([kind], error)
          refused.insert(kind)
        }
      }
      left[kind, default: 1] -= 1
      if left[kind] == 0, ending.contains(kind) { order?.finished([kind]) }
    }
    return .goesOn
  }

  /// Handles one item: fetches it, if that is needed.
  ///
  /// - Returns: the mark of the item's content; nil: the turn is over.
  private func bring(_ item: HeldItem, _ kind: String, of domain: any FetchDomain) async throws(VisitTrouble) -> String?
  {
    guard case .fetch(let known) = book.need(of: item, visit: record.number) else {
      record.itemsDone += 1
      order?.found(kind, durableAt: book[item.id]?.durableAt)
      return item.mark
    }
    guard try checkTurn() == .goesOn else { return nil }
    // The item stays on the wearable until the next day's share.
    if let trouble = wearable.shareTrouble(hub.context) { throw .needsAttention(trouble.reason, Self.share) }
    await serveRequests()
    try await turn.attendIfDue()
    progress.item = item
    order?.fetching(kind)
    let before = record.bytesFetched
    var isStored = false
    defer {
      progress.item = nil
      order?.fetched(kind, bytes: record.bytesFetched - before, isStored: isStored)
    }
    let end: ItemEnd
    do throws(VisitTrouble) { end = try await fetch(item, of: domain, known) } catch {
      guard case .unsupported(let why) = error else { throw error }
      // Only this item is defective; the rest of its kind may be fetched.
      noteDefect(of: item, why)
      return item.mark
    }
    switch end {
    case .durable(let mark):
      isStored = true
      record.itemsDone += 1
      progress.becameDurable += 1
      return mark
    case .stays: return item.mark
    case .turnOver: return nil
    }
  }

  private static let share = "delivered its share of the store for a day: the rest is fetched later"

  // MARK: One item

  /// Fetches until the item is durable, or the turn is over.
  private func fetch(_ listed: HeldItem, of domain: any FetchDomain, _ known: CustodyRecord) async throws(VisitTrouble)
    -> ItemEnd
  {
    stage = .fetch
    if let size = listed.size, size > ItemFetch.limit {
      noteDefect(
        of: listed, "\(listed.id) is said to have \(size) bytes; at most \(ItemFetch.limit >> 20) MiB are fetched")
      return .stays
    }
    let isProvisional = book.mustStay(listed)
    let sink = ItemFetch(
      known, isProvisional: isProvisional, store: store, book: book, mustYield: { [unowned self] in mustYieldItem }
    ) { [unowned self] count in
      progress.kept(count)
      record.bytesFetched += UInt64(count)
    }
    try await sink.resume()
    var before: Fingerprint?
    for _ in 1...Self.tries {
      guard try await fill(sink, listed, of: domain) == .goesOn else { return .turnOver }
      stage = .verify
      let item = listed.marked(sink.record.mark)
      let pieces = domain.pieces(of: item)
      switch await verify(pieces, sink.bytes) {
      case .success(let verdict): return try await keep(sink, listed, verdict, pieces)
      case .failure(.unknownVersion(let what)): return try await keepRaw(sink, listed, .unknownVersion, what)
      case .failure(.locked(let what)): return try await keepRaw(sink, listed, .locked, what)
      case .failure(.cut(let what)), .failure(.malformed(let what)):
        // Again from the beginning: the radio's checks miss one broken packet in some millions. If the same bytes come
        // again, that is what the wearable holds.
        let now = await Fingerprint(of: sink.bytes)
        if before == now { return try await keepRaw(sink, listed, .defective, what) }
        before = now
        try await sink.drop()
      }
    }
    noteDefect(of: listed, "\(listed.id) differs at each reading")
    return .stays
  }

  /// Verifies piece by piece; other tasks run in between.
  private func verify(_ pieces: any IncrementalDecoder, _ bytes: [UInt8]) async -> Result<ItemVerdict, ItemDefect> {
    while true {
      let piece: Result<ItemVerdict?, ItemDefect> = bytes.withUnsafeBytes { bytes in
        do throws(ItemDefect) { return .success(try pieces.verifyNext(bytes)) } catch { return .failure(error) }
      }
      switch piece {
      case .success(let verdict?): return .success(verdict)
      case .success(nil): await Task.yield()
      case .failure(let defect): return .failure(defect)
      }
    }
  }

  /// Tries of an item that does not verify, in one visit.
  private static let tries = 3

  private func fill(_ sink: ItemFetch, _ listed: HeldItem, of domain: any FetchDomain) async throws(VisitTrouble)
    -> VisitTurn
  {
    progress.begin(at: sink.offset, now: loop.now)
    slice.isIndivisible = !domain.resumesAtOffset
    defer {
      slice.isIndivisible = false
      progress.end(now: loop.now)
    }
    do throws(VisitTrouble) { try await domain.fetch(listed.marked(sink.record.mark), into: sink) } catch {
      // Received bytes are staged whatever the error. A store without room for them is the smaller trouble of the two.
      do throws(VisitTrouble) { try await sink.keep() } catch {
        hub.logger.warning("\(listed.id) of \(wearable.name): \(error)")
      }
      if let end = link.end { throw end }
      throw error
    }
    guard sink.taking == .enough else { return .goesOn }
    if let end = link.end { throw end }
    return .over
  }

  func noteDefect(of item: HeldItem, _ what: String, _ reason: Reason = .itemDefective) {
    troubles.noteDefect(what)
    hub.logger.warning(
      "\(reason.code) \(wearable.name): \(what)",
      metadata: ["CODE": "\(reason.code)", "DEVICE": "\(wearable.name)", "VISIT": "\(record.number)"])
  }

  /// Runs a step of the store; if that fails, the data stays on the wearable.
  func storing<Value>(_ body: () async throws(HearthError) -> Value) async throws(VisitTrouble) -> Value {
    do throws(HearthError) { return try await body() } catch { throw .noRoom(error.detail) }
  }
}

/// Compares two fetches of one item of up to 8 MiB, without storing both. Two that differ are equal by this in one of
/// four thousand million cases. Then the item is stored as it is, and stays on the wearable.
private struct Fingerprint: Equatable {
  private let count: Int
  private let sum: UInt32
  /// Bytes per turn of the loop: 1 ms on a Raspberry Pi 3.
  private static let step = 256 << 10

  @LoopActor
  init(of bytes: [UInt8]) async {
    var sum = CRC32C()
    for start in stride(from: 0, to: bytes.count, by: Self.step) {
      bytes[start..<min(start + Self.step, bytes.count)].withUnsafeBytes { sum.update($0) }
      await Task.yield()
    }
    (count, self.sum) = (bytes.count, sum.value)
  }
}

extension VisitTrouble {
  /// Whether the other kinds of data may be fetched all the same.
  var concernsOneDomain: Bool {
    switch self {
    case .refused, .unsupported, .noRoom: true
    case .link, .busy, .framing, .silent, .overran, .needsAttention: false
    }
  }
}
