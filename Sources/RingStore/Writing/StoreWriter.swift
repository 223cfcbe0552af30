// The disk's side of the store: one transaction per batch, room made first, no chunk written twice.

internal import EventLoop
internal import Glibc
internal import Health

/// Writes batches. Used by the disk lane alone, one batch at a time, which is why it may be handed there.
final class StoreWriter: @unchecked Sendable {
  /// Chunks in one transaction: bounds how long it takes and how many pages it may need.
  static let batchLimit = JournalSlots.writeLimit
  /// Chunks that one transaction deletes at most. Only a store that was configured smaller ever needs more than
  /// `batchLimit`.
  static let evictionLimit = 256

  let environment: Environment
  private let bounds: RetentionBounds
  private let awaitedReaders: [String]
  /// Pages that may hold data. LMDB needs the rest to write copies while older pages are still visible. That is a batch
  /// and the paths to it (at most 32 + 15 pages). Twice more is needed until freed pages can be used again, and during
  /// a short read.
  let pagesAllowed: Int
  var extent: StoreSummary
  let account: WriteAccountFile
  /// nil: live samples go into the tables.
  let journal: JournalFile?
  /// Numbers of chunks that no journal reaches and that were put into quarantine when it was made, with what that took.
  private(set) var quarantined: [(numbers: [UInt64], outcome: CommitOutcome)] = []

  /// Looks at both ends of the journal, and at the table of rings.
  init(
    _ environment: Environment, _ options: StoreOptions, account: WriteAccountFile, journal: JournalFile? = nil
  ) throws(DatabaseFailure) {
    (self.environment, self.account, self.journal) = (environment, account, journal)
    (bounds, awaitedReaders) = (options.bounds, options.awaitedReaders)
    let pages = min(options.sizeBytes / environment.pageSize, environment.pageLimit)
    pagesAllowed = pages - PageReserve.of(pages)
    extent = try environment.read { transaction throws(DatabaseFailure) in
      try StoreSummary.recover(transaction, awaiting: options.awaitedReaders)
    }
    extent.wear.zone = options.timeZone
    extent.fileSize = environment.fileSize
    extent.readersInUse = environment.readersInUse
    while extent.nextSequence >= RecordNumber.end {
      let (found, outcome) = try write(pages: 4, keepingJournal: true) { work throws(DatabaseFailure) in
        try work.extent.putAsideUnreachable(work.transaction)
      }
      if found.isEmpty { return }
      quarantined.append((found, outcome))
    }
  }

  var state: StoreSummary { extent }
  /// A transaction as its body sees it.
  struct Work {
    let transaction: Transaction
    var extent: StoreSummary
    var rings: RingWriter
    /// An item with bytes that must not be deleted to make room for the present change.
    var sparedItem: StagedItem?
    var stagedLosses: [StagedLoss] = []

    mutating func giveUpStaged() throws(DatabaseFailure) -> Bool {
      guard let loss = try Staged.giveUp(transaction, pages: StoreWriter.batchLimit, sparing: sparedItem) else {
        return false
      }
      if let place = stagedLosses.firstIndex(where: { $0.item == loss.item }) {
        stagedLosses[place].bytes += loss.bytes
      } else {
        stagedLosses.append(loss)
      }
      return true
    }
  }

  /// Makes the chunks durable, all or none, deleting the oldest ones if the store is full. Leaves the wait for the root
  /// to the chain's next commit if that is waiting by then (`CommitOutcome.isRootLeft`).
  func commit(
    _ chunks: [ChunkBuffer], _ number: UInt64, of chain: CommitChain, events: EventBatch, eventLimit: Int,
    now: WallTime
  ) throws(DatabaseFailure) -> CommitOutcome {
    guard chunks.count <= Self.batchLimit else { fatalError("a batch above its limit") }
    try chain.check()
    do throws(DatabaseFailure) {
      return try commit(chunks, events, eventLimit, now, isFollowed: { chain.last > number })
    } catch {
      chain.isBroken = true
      throw error
    }
  }

  private func commit(
    _ chunks: [ChunkBuffer], _ events: EventBatch, _ eventLimit: Int, _ now: WallTime, isFollowed: () -> Bool
  ) throws(DatabaseFailure) -> CommitOutcome {
    let isInFile = try commitToFile(chunks, events)
    if isInFile, events.isEmpty, !extent.wear.isNewDay(now) { return CommitOutcome(extent: extent) }
    let losses = isInFile ? nil : try drain()
    let waiting = isInFile ? [] : chunks
    // Without new chunks, no page is written and no wait is needed. The next commit may go into the file, which waits
    // for itself alone.
    var isNew = false
    let mayLeaveRoot = journal?.isUsable != true
    var outcome = try write(
      pages: waiting.count + events.pages, leavesRoot: { mayLeaveRoot && isNew && isFollowed() }
    ) { work throws(DatabaseFailure) in
      for chunk in waiting where try append(chunk, &work) { isNew = true }
      try Events.put(work.transaction, events, limit: eventLimit)
      if work.extent.wear.isNewDay(now) {
        work.extent.wear.begin(now)
        try work.extent.wear.keepDays(work.transaction)
      }
    }.outcome
    outcome.losses += losses?.rings ?? []
    outcome.stagedLosses += losses?.staged ?? []
    return outcome
  }

  /// A change of other tables, durable when it returns; `pages` is how many it may need.
  func change<T>(
    pages: Int, _ body: (Transaction) throws(DatabaseFailure) -> T
  ) throws(DatabaseFailure) -> (result: T, outcome: CommitOutcome) {
    try write(pages: pages) { work throws(DatabaseFailure) in try body(work.transaction) }
  }

  /// A change of custody that deletes no data in favour of items that should rather have stayed on a wearable. Limits
  /// the items' records to `stagedLimit` pages, a few hundred at a time.
  ///
  /// - Throws: with `mayRefuse` also `DatabaseFailure.refusal`; without it a change that finds no room takes it from
  ///   the reserve.
  func changeCustody<T>(
    pages: Int, mayRefuse: Bool, sparing item: StagedItem?, stagedLimit: Int,
    _ body: (Transaction) throws(DatabaseFailure) -> T
  ) throws(DatabaseFailure) -> (result: T, outcome: CommitOutcome) {
    try write(pages: pages, mayRefuse: mayRefuse, keepingRefused: true, sparing: item) { work throws(DatabaseFailure) in
      let result = try body(work.transaction)
      for _ in 0..<8 where work.transaction.entries(work.transaction.tables.staged) > stagedLimit {
        if !(try work.giveUpStaged()) { break }
      }
      return result
    }
  }

  /// Stores the count of written bytes, so that an orderly close loses none of it.
  func keepOdometer() throws(DatabaseFailure) -> CommitOutcome {
    try write(pages: 2) { work throws(DatabaseFailure) in try work.extent.wear.keepOdometer(work.transaction) }.outcome
  }

  /// Moves the journal up to and with chunk `last` into the rings.
  ///
  /// - Returns: nil if journal or rings changed since the edits were prepared; then the store is unchanged.
  func move(
    _ edits: [RingEdit], first: UInt64, last: UInt64, damaged: [(sequence: UInt64, bytes: [UInt8])], now: WallTime?
  ) throws(DatabaseFailure) -> CommitOutcome? {
    do {
      let outcome = try write(pages: 8 + damaged.count, edits, keepingJournal: true) { work throws(DatabaseFailure) in
        try apply(edits, &work, now: now)
        let damaged = try Quarantine.asFound(damaged, work.transaction)
        guard try JournalReading.first(work.transaction) == first else { throw DatabaseFailure.conflict }
        let rest = try work.transaction.tailBehindTable().drop { $0.sequence <= last }
        try work.transaction.withCursor(work.transaction.tables.journal) { cursor throws(DatabaseFailure) in
          while let key = try cursor.first()?.sequence, key <= last { try cursor.delete() }
        }
        if work.transaction.entries(work.transaction.tables.journal) == 0 {
          try JournalEnd(work.extent, rest).keep(work.transaction)
        }
        for chunk in damaged { try Quarantine.add(chunk.sequence, chunk.bytes, work.transaction) }
        try work.extent.wear.keepOdometer(work.transaction)
      }.outcome
      drop(through: last)
      return outcome
    } catch {
      if error.isConflict { return nil }
      throw error
    }
  }

  enum Addition<T: Sendable>: Sendable {
    case added(T, CommitOutcome)
    /// See `move`.
    case conflict
    /// Room could only come from data that should have stayed on a wearable; the store is unchanged.
    case refused
  }

  /// Adds fetched items together with other changes of `body`. With `mayRefuse`, no data are deleted for items that
  /// should rather have stayed on a wearable.
  func add<T: Sendable>(
    _ edits: [RingEdit], mayRefuse: Bool, extraPages: Int = 0, sparing item: StagedItem? = nil, now: WallTime?,
    _ body: (Transaction) throws(DatabaseFailure) -> T
  ) throws(DatabaseFailure) -> Addition<T> {
    do {
      let (result, outcome) = try write(
        pages: Self.pagesOfBatch + extraPages, edits, mayRefuse: mayRefuse, sparing: item
      ) { work throws(DatabaseFailure) in
        try apply(edits, &work, now: now)
        return try body(work.transaction)
      }
      return .added(result, outcome)
    } catch {
      if error.isConflict { return .conflict }
      if error.isRefusal { return .refused }
      throw error
    }
  }

  /// Pages that receipt and visit may need: their leaves and the paths to them.
  private static let pagesOfBatch = 24

  /// Whether fetched items of so many chunks find room without taking it from what should have stayed on a wearable.
  /// Asked on the loop, of what the loop knows; the transaction looks again.
  func hasRoomForFetched(_ extent: StoreSummary, chunks: Int) -> Bool {
    let missing = extent.pagesUsed + chunks + Self.pagesOfBatch + 2 - pagesAllowed
    return missing <= 0 || RingWriter(extent.rings, bounds).chunksThatYieldToFetched + extent.stagedPages >= missing
  }

  /// Chunks that one transaction may add: it must find room beside everything that stays.
  var chunksAtOnce: Int { pagesAllowed / 2 }

  /// Holds every ring to its bounds, at most `evictionLimit` chunks at a time; nil if all keep them. `now` is nil while
  /// the clock is not believed.
  func enforceBounds(now: WallTime?) throws(DatabaseFailure) -> CommitOutcome? {
    let rings = RingWriter(extent.rings, bounds)
    if !rings.isAnythingOutOfBounds(now: now?.microseconds) { return nil }
    return try write(pages: 8) { work throws(DatabaseFailure) in
      var left = Self.evictionLimit
      for (id, _) in rings.table.rings where left > 0 {
        left = try work.rings.enforceBounds(id, now: now?.microseconds, limit: left, work.transaction)
      }
    }.outcome
  }

  /// A reader's confirmation; if it is refused, no item counts as exported.
  func confirm(
    _ given: GivenRows, _ reader: String, by: String, at now: WallTime
  ) throws(DatabaseFailure) -> (result: Readers.Outcome, outcome: CommitOutcome) {
    try write(pages: 24) { work throws(DatabaseFailure) in
      let result = try Readers.confirm(work.transaction, reader, given, by: by, at: now)
      if result == .kept {
        let exported = try Readers.exported(work.transaction, reader, given.positions, awaiting: awaitedReaders)
        for (ring, ordinal) in exported { work.rings.confirm(ring, below: ordinal) }
      }
      return result
    }
  }

  func purge(_ ring: RingID, _ chunks: [PurgePlan.Chunk]) throws(DatabaseFailure) -> (
    result: UInt64, outcome: CommitOutcome
  ) {
    try write(pages: 16) { work throws(DatabaseFailure) in try work.rings.purge(ring, chunks, work.transaction) }
  }

  // MARK: One transaction

  private func apply(_ edits: [RingEdit], _ work: inout Work, now: WallTime?) throws(DatabaseFailure) {
    for edit in edits {
      if !(try work.rings.apply(edit, work.transaction)) { throw DatabaseFailure.conflict }
      _ = try work.rings.enforceBounds(edit.ring, now: now?.microseconds, limit: Self.batchLimit, work.transaction)
    }
  }

  /// `pages` is how many it may need beside the chunks of the edits.
  func write<T>(
    pages: Int, _ edits: [RingEdit] = [], mayRefuse: Bool = false, keepingRefused: Bool = false,
    keepingJournal: Bool = false,
    sparing item: StagedItem? = nil, leavesRoot: () -> Bool = { false },
    _ body: (inout Work) throws(DatabaseFailure) -> T
  ) throws(DatabaseFailure) -> (result: T, outcome: CommitOutcome) {
    var next = extent
    let before = account.start()
    var losses: [RingLoss] = []
    var stagedLosses: [StagedLoss] = []
    let (result, isRootLeft) = try environment.write(leavesRoot: leavesRoot) { transaction throws(DatabaseFailure) in
      var work = Work(
        transaction: transaction, extent: next, rings: RingWriter(next.rings, bounds, sparing: edits), sparedItem: item)
      let needed = pages + Self.pages(of: edits, transaction)
      let isMade = try makeRoom(
        &work, for: needed, keepingRefused: mayRefuse || keepingRefused, keepingJournal: keepingJournal)
      if mayRefuse && !isMade { throw DatabaseFailure.refusal }
      let result = try body(&work)
      try work.rings.finish(transaction)
      next = work.extent
      next.rings = work.rings.table
      try next.measure(transaction)
      losses = work.rings.losses
      stagedLosses = work.stagedLosses
      return result
    }
    environment.extendToLengthKnown()
    next.wear.odometer &+= WriteAccount.flash(from: before, to: account.read(), pageSize: environment.pageSize)
    next.fileSize = environment.fileSizeSeen
    next.readersInUse = environment.readersInUse
    extent = next
    let outcome = CommitOutcome(
      extent: next, losses: losses, stagedLosses: stagedLosses, isRootLeft: isRootLeft,
      headsMended: environment.mapping.takeMended())
    return (result, outcome)
  }

}
