// How chunks of live samples become durable: in the journal file, or in the journal's table.

internal import EventLoop
internal import Glibc

extension StoreWriter {
  /// Slots that may hold something when a chunk comes: beyond that all of it goes into the table first.
  private static let tailLimit = JournalSlots.count / 2

  /// Makes chunks durable in the journal file.
  ///
  /// - Returns: false if they have to go into the table. That is so for marks of readings and for clock evidence, which
  ///   must be durable together with their samples. It is also so if the file is full or refused.
  func commitToFile(_ chunks: [ChunkBuffer], _ events: EventBatch) throws(DatabaseFailure) -> Bool {
    guard let journal, journal.isUsable, events.readings.isEmpty, events.clock == nil,
      environment.tail.count + chunks.count <= Self.tailLimit
    else { return false }
    if let spoilt = environment.spoilt { throw spoilt }
    let before = account.start()
    var next = extent
    var ready: [TailChunk] = []
    for chunk in chunks {
      if chunk.sequence < next.nextSequence {
        try refuseOther(chunk)
        continue
      }
      let mark = chunk.finish(
        storedBefore: next.stored, highWater: next.highWater, odometer: next.wear.odometer, of: environment.number,
        isOfSameWrite: !ready.isEmpty)
      let kept = TailChunk(chunk.sequence, chunk.bytes)
      ready.append(kept)
      if next.journalChunks == 0 { next.noteFirst(kept.entry) }
      next.journalChunks += 1
      next.journalPages += 1
      next.stored &+= UInt64(chunk.count)
      next.highWater = mark
      next.nextSequence = chunk.nextSequence
    }
    if ready.isEmpty { return true }
    do throws(DatabaseFailure) { try journal.append(ready) } catch {
      if error.spoilsCache { environment.spoilt = error }
      throw error
    }
    environment.tail.append(ready)
    next.wear.odometer &+= WriteAccount.flash(from: before, to: account.read(), pageSize: environment.pageSize)
    extent = next
    return true
  }

  /// Puts what only the journal file has into the table, so many chunks a transaction as the reserve has room for.
  ///
  /// - Returns: what was given up to make room.
  func drain() throws(DatabaseFailure) -> (rings: [RingLoss], staged: [StagedLoss]) {
    var losses: (rings: [RingLoss], staged: [StagedLoss]) = ([], [])
    while environment.tail.count > 0 {
      let (last, outcome) = try write(pages: Self.batchLimit) { work throws(DatabaseFailure) in
        let waiting = try work.transaction.tailBehindTable()
        for chunk in waiting.prefix(Self.batchLimit) {
          guard try work.transaction.append(chunk.sequence, chunk.entry.value) else {
            throw DatabaseFailure(call: "a chunk of \(JournalFile.fileName)", code: EEXIST)
          }
        }
        return waiting.prefix(Self.batchLimit).last?.sequence
      }
      losses.rings += outcome.losses
      losses.staged += outcome.stagedLosses
      if let last { drop(through: last) } else { environment.tail.replace([]) }
    }
    return losses
  }

  /// Puts all samples into tables, and writes down what was written.
  func close() throws(DatabaseFailure) {
    _ = try drain()
    _ = try keepOdometer()
  }

  /// A durable transaction has put chunks of the journal file elsewhere.
  func drop(through sequence: UInt64) {
    if environment.tail.count == 0 { return }
    environment.tail.drop(through: sequence)
    journal?.noteMoved(below: RecordNumber.after(sequence))
  }

  /// Makes zeros of what the journal file has no need of any more.
  func wipeJournalFile() throws(DatabaseFailure) { try journal?.wipe(keeping: environment.tail.count) }

  /// Appends to the table. False if the chunk was there already.
  func append(_ chunk: ChunkBuffer, _ work: inout Work) throws(DatabaseFailure) -> Bool {
    if chunk.sequence >= work.extent.nextSequence {
      let mark = chunk.finish(
        storedBefore: work.extent.stored, highWater: work.extent.highWater, odometer: work.extent.wear.odometer,
        of: work.transaction.number)
      if try work.transaction.append(chunk.sequence, chunk.bytes) {
        work.extent.stored &+= UInt64(chunk.count)
        work.extent.highWater = mark
        work.extent.nextSequence = max(work.extent.nextSequence, chunk.nextSequence)
        return true
      }
    }
    try refuseOther(chunk, work.transaction)
    return false
  }

  private func refuseOther(_ chunk: ChunkBuffer) throws(DatabaseFailure) {
    try environment.read { transaction throws(DatabaseFailure) in try refuseOther(chunk, transaction) }
  }

  /// An earlier commit failed while it was written, and yet it arrived. `recover` has counted what it found. Since then
  /// the chunk may have been moved into its rings, as everything before the journal's first chunk was.
  private func refuseOther(_ chunk: ChunkBuffer, _ transaction: Transaction) throws(DatabaseFailure) {
    let isThere = try transaction.withJournal { cursor throws(DatabaseFailure) in
      guard let first = try cursor.first()?.sequence, first <= chunk.sequence else { return true }
      guard let entry = try cursor.seek(chunk.sequence), entry.sequence == chunk.sequence else { return false }
      return entry.value.dropFirst(ChunkHeader.size).elementsEqual(chunk.bytes.dropFirst(ChunkHeader.size))
    }
    if !isThere { throw DatabaseFailure(call: "append behind the journal's end", code: EEXIST) }
  }
}

extension JournalEnd {
  /// The extent of the journal after the whole table was moved out, with `rest` left in the journal file.
  init(_ extent: StoreSummary, _ rest: ArraySlice<TailChunk>) {
    let next = rest.lazy.compactMap { ChunkHeader($0.entry.value) }.first
    self.init(
      nextSequence: rest.first?.sequence ?? extent.nextSequence, stored: next?.storedBefore ?? extent.stored,
      highWater: extent.highWater)
  }
}
