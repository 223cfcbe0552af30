// Room for one transaction: what is given up for it, in which order.

internal import EventLoop
internal import Health

extension StoreWriter {
  /// Pages that a transaction with these edits may need for them: their chunks, and a copy of every leaf that names
  /// one.
  static func pages(of edits: [RingEdit], _ transaction: Transaction) -> Int {
    let chunks = edits.reduce(0) { $0 + $1.chunks.count }
    // Three for each edit on the way to its place, at most those that exist, plus those that chunks need: a leaf names
    // 60.
    let paths =
      transaction.pathPages(of: transaction.tables.chunks) + transaction.pathPages(of: transaction.tables.rings)
    return chunks + min(3 * edits.count, paths + chunks / 30 + edits.count / 10 + 4)
  }

  /// Gives up the oldest until `count` pages more are allowed, and a leaf or two. False if there was not enough to give
  /// up.
  func makeRoom(_ work: inout Work, for count: Int, keepingRefused: Bool, keepingJournal: Bool) throws(DatabaseFailure)
    -> Bool
  {
    // What needs more than half of the store gives up half of it and tries.
    let allowed = pagesAllowed - min(count, pagesAllowed / 2) - 2
    var given = 0
    // As the last transaction left it, but for the leaves of its own free pages; to count again takes a search in each
    // table.
    if work.extent.pagesUsed + PageReserve.of(0) / 4 <= allowed { return true }
    if work.transaction.pagesUsed > allowed { try refuseMiscount(work.transaction) }
    while work.transaction.pagesUsed > allowed {
      if given >= Self.evictionLimit + count { return false }
      // First items that readers have confirmed, then bytes that the wearable still stores, then items never exported.
      var isGiven = try work.rings.evictOldest(work.transaction, onlyExported: true)
      if !isGiven { isGiven = try work.giveUpStaged() }
      if !isGiven { isGiven = try work.rings.evictOldest(work.transaction, keepingRefused: keepingRefused) }
      if !isGiven, !keepingJournal { isGiven = try evictFromJournal(&work) }
      if !isGiven { return false }
      given += 1
    }
    return true
  }

  /// Chunks that one transaction gives up ahead of a large one.
  private static let aheadStep = 32

  /// Gives up the oldest before a transaction of many pages, a few chunks at a time.
  ///
  /// LMDB uses a page again two transactions after the one that freed it. In a full store, a large transaction would
  /// have only the reserve for its pages, and none of those that it frees itself.
  ///
  /// - Parameters:
  ///   - pages: what the transaction may need. The reserve has room for half of its smallest size. A quarter of the
  ///     store at most is made free.
  ///   - isRefusing: no data are deleted that should rather have stayed on a wearable.
  ///   - item: staged bytes that stay.
  /// - Returns: an outcome for each transaction; empty if there is room.
  func makeRoomAhead(
    _ pages: Int, isRefusing: Bool = false, sparing item: StagedItem? = nil
  ) throws(DatabaseFailure) -> [CommitOutcome] {
    if pages <= PageReserve.of(0) / 2 { return [] }
    let limit = pagesAllowed - min(pages, pagesAllowed / 4)
    var outcomes: [CommitOutcome] = []
    while extent.pagesUsed > limit {
      let step = min(extent.pagesUsed - limit, Self.aheadStep)
      let outcome = try write(
        pages: pagesAllowed - extent.pagesUsed + step, keepingRefused: isRefusing, keepingJournal: true, sparing: item
      ) { _ in }.outcome
      outcomes.append(outcome)
      if outcome.losses.isEmpty, outcome.stagedLosses.isEmpty { break }
    }
    // One transaction between the last of them and the large one.
    if !outcomes.isEmpty { outcomes.append(try keepOdometer()) }
    return outcomes
  }

  /// Refuses more pages counted as used and free than the file has: damage, and no reason to delete data. Called in a
  /// transaction without changes so far.
  private func refuseMiscount(_ transaction: Transaction) throws(DatabaseFailure) {
    let (used, pages) = (transaction.pagesUsed, transaction.lastPage + 1)
    let free = try environment.read { reading throws(DatabaseFailure) in try reading.freePages }
    if used + free > pages { throw DatabaseFailure.miscounted(used: used, free: free, of: pages) }
  }

  /// Deletes the journal's oldest chunk if no ring has anything to delete; its records use up their ordinals all the
  /// same. Never the last chunk: it gives the next number.
  func evictFromJournal(_ work: inout Work) throws(DatabaseFailure) -> Bool {
    let transaction = work.transaction
    if transaction.entries(transaction.tables.journal) < 2 { return false }
    let clocks = try work.rings.bootClocks(transaction)
    var lost: [RingID: RingLoss] = [:]
    try transaction.withCursor(transaction.tables.journal) { cursor throws(DatabaseFailure) in
      guard let entry = try cursor.first() else { return }
      // The records of a damaged chunk have no ordinals, here as in every reader.
      if let key = entry.sequence, let header = JournalReading.soundHeader(entry.value, key, transaction.number) {
        // By the times that readers were given.
        let shift = clocks.shift(header.anchor, .live, latest: header.latest.microseconds) ?? 0
        var records = ChunkRecords(entry.value, header)
        while let record = records.next() {
          let ring = RingID(wearable: WearableID(number: record.wearable), seriesNumber: record.series, way: .live)
          let time = header.baseWall.microseconds &+ record.time &+ shift
          lost[ring, default: RingLoss(ring: ring)].add(RingLoss(ring: ring, items: 1, from: time, to: time))
        }
      }
      try cursor.delete()
    }
    for ring in lost.keys.sorted() {
      if let loss = lost[ring] { work.rings.skip(ring, loss.items, from: loss.from, to: loss.to) }
    }
    return true
  }
}

extension StoreWriter {
  /// See `RingWriter.erase`.
  func erase(_ ring: RingID, _ spans: [WornSpan], from ordinal: UInt64) throws(DatabaseFailure) -> (
    result: (next: UInt64?, items: UInt64), outcome: CommitOutcome
  ) {
    // A chunk that loses its middle becomes two; more pieces take from the reserve.
    try write(pages: 24 + 2 * RingWriter.eraseStep) { work throws(DatabaseFailure) in
      try work.rings.erase(ring, spans, from: ordinal, work.transaction)
    }
  }
}
